import WellKnown

/// Makes the steps of `why` from what the doctor found.
struct WhySteps {
    let url: LinkURL
    let examination: DoctorExamination
    let platform: LinkPlatform?
    let hasProject: Bool

    var report: WhyReport {
        let lines = examination.report().lines
        var systems: [LinkPlatform] = platform.map { [$0] } ?? LinkPlatform.allCases
        // A site may have an app on one system alone.
        let used = systems.filter(isUsed)
        if !used.isEmpty { systems = used }
        let wasAsked =
            examination.aasa != nil || examination.assetlinks != nil
            || examination.unserved.contains { $0.verdict == .differs } || examination.device != nil
        return WhyReport(url: url.description, steps: systems.flatMap { steps(of: $0, lines) }, wasAsked: wasAsked)
    }

    private func isUsed(_ system: LinkPlatform) -> Bool {
        switch system {
        case .ios: examination.aasa != nil || !(examination.project?.apple.isEmpty ?? true)
        case .android: examination.assetlinks != nil || !(examination.project?.android.isEmpty ?? true)
        }
    }

    private func steps(of system: LinkPlatform, _ all: [DoctorLine]) -> [WhyStep] {
        let own = all.filter { $0.platform == system }
        let copy = own.filter { [DoctorLine.appleCopy, DoctorLine.googleAnswer].contains($0.subject) }
        let phone = own.filter {
            [DeviceDoctor.subject, "the user's choice", "the installed certificate"].contains($0.subject)
        }
        return [server(system, own)]
            + copy.map { step(system, $0.subject, [$0], "wellknown fetch \(url.host)", isOptional: true) }
            + [rule(system)].compactMap(\.self) + [app(system, own)]
            + (phone.isEmpty ? [] : [step(system, "phone", phone, "give the report of the phone again")])
    }

    /// One step from rows of the doctor: the worst of them.
    private func step(
        _ system: LinkPlatform, _ name: String, _ lines: [DoctorLine], _ command: String, isOptional: Bool = false
    ) -> WhyStep {
        let order: [DoctorLine.Verdict] = [.differs, .notChecked, .caution, .agrees]
        let worst = order.lazy.compactMap { verdict in lines.first { $0.verdict == verdict } }.first
        guard let worst else { return WhyStep(system, name, .unknown, "not given", next: command) }
        let verdict: WhyStep.Verdict =
            switch worst.verdict {
            case .differs: .fails
            // A service that does not answer leaves the rest as it is.
            case .notChecked: isOptional ? .look : .unknown
            case .caution: .look
            case .agrees: .holds
            }
        let text = name == worst.subject ? worst.right.value : "\(worst.subject): \(worst.right.value)"
        return WhyStep(system, name, verdict, text, next: worst.advice ?? command)
    }

    private func server(_ system: LinkPlatform, _ lines: [DoctorLine]) -> WhyStep {
        let command = "wellknown fetch \(url.host)"
        guard let line = lines.first(where: { $0.subject == DoctorLine.file }) else {
            return WhyStep(system, "server", .unknown, "not asked", next: command)
        }
        let isUnserved = examination.unserved.contains(line)
        let failing: WhyStep.Verdict = line.verdict == .notChecked ? .unknown : .fails
        return line.verdict == .agrees
            ? WhyStep(system, "server", .holds, "the file is there")
            : WhyStep(
                system, "server", failing, line.right.value,
                next: isUnserved ? command : "wellknown lint \(line.right.place)")
    }

    // MARK: The rule

    private func rule(_ system: LinkPlatform) -> WhyStep? { system == .ios ? appleRule : androidRule }

    private var appleRule: WhyStep? {
        guard let body = examination.aasa?.body, let file = AASAFile(reading: body) else { return nil }
        let matcher = AppleMatcher(file)
        let command = "wellknown explain \(examination.aasa?.place ?? url.host) '\(url)'"
        let ids = examination.app.map { [$0] } ?? examination.project?.apple.compactMap(\.id.id) ?? []
        let named = ids.filter(matcher.apps.contains)
        let apps = named.isEmpty ? matcher.apps : named
        guard !apps.isEmpty else {
            return WhyStep(.ios, "rule", .fails, "the file names no app for links", next: command)
        }
        let answers = apps.map { (app: $0, explanation: matcher.explain(url, app: $0)) }
        let chosen = answers.first { $0.explanation.decision == .opens } ?? answers[0]
        let opens = chosen.explanation.decision == .opens
        return WhyStep(
            .ios, "rule", opens ? .holds : .fails, "\(chosen.app): \(chosen.explanation.summary)", next: command)
    }

    private var androidRule: WhyStep? {
        guard let body = examination.assetlinks?.body, let file = AssetLinksFile(reading: body) else { return nil }
        let matcher = AndroidMatcher(file)
        let candidates = examination.project?.android ?? []
        let named = candidates.first { matcher.apps.contains($0.manifest?.package ?? "") } ?? candidates.first
        let command = "wellknown explain \(examination.assetlinks?.place ?? url.host) '\(url)'"
        guard let package = examination.package ?? named?.manifest?.package ?? matcher.apps.first else {
            return WhyStep(.android, "rule", .fails, "the file verifies no app for links", next: command)
        }
        if let manifest = named?.manifest {
            let decision = AndroidAppMatcher(
                manifest.filters, links: matcher, package: package, targetSDK: manifest.targetSDK
            ).decisions(url).first
            let verdict: WhyStep.Verdict =
                decision?.isDecided == false ? .unknown : decision?.decision == .opens ? .holds : .fails
            let file = named?.file ?? "AndroidManifest.xml"
            return WhyStep(
                .android, "rule", verdict, decision?.summary ?? "",
                next: "wellknown explain '\(url)' --assetlinks FILE --manifest \(file)")
        }
        let explanation = matcher.explain(url, package: package)
        let verdict: WhyStep.Verdict =
            switch explanation.decision {
            case .opens: .holds
            case .manifestDecides: .unknown
            default: .fails
            }
        let next = verdict == .unknown ? "wellknown why '\(url)' --project FOLDER" : command
        return WhyStep(.android, "rule", verdict, "\(package): \(explanation.summary)", next: next)
    }

    // MARK: The app

    private func app(_ system: LinkPlatform, _ lines: [DoctorLine]) -> WhyStep {
        let subjects: Set<String> =
            system == .ios
            ? ["the app's id", "the associated domain", "the mode of the domain"]
            : ["the app's package", "the intent filter", "the file of the wildcard"]
        let own = lines.filter { subjects.contains($0.subject) }
        if !hasProject, examination.device == nil, !own.contains(where: { $0.verdict == .differs }) {
            return WhyStep(
                system, "app", .look, "not given: --project FOLDER compares it",
                next: "wellknown why '\(url)' --project FOLDER")
        }
        return step(system, "app", own, "wellknown doctor \(url.host) --project FOLDER")
    }
}
