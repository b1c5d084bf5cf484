import WellKnown

/// The rows and findings of one system for one app.
struct PlatformResult {
    var lines: [DoctorLine] = []
    var findings: [Finding] = []
    var names = DoctorNames()
    /// What was chosen among several apps.
    var notes: [String] = []

    /// The result for a project that may build several apps. The one app that fits is taken. Otherwise a row differs only
    /// if it differs for every app, and agrees only if it agrees for every app that is left.
    static func merged(_ all: [(name: String, result: PlatformResult)]) -> PlatformResult {
        guard all.count > 1, let first = all.first else { return all.first?.result ?? PlatformResult() }
        // Passwords and other services say nothing about which app takes the links.
        let fitting = all.filter { !$0.result.lines.isAboutLinks && $0.result.isKnown }
        if fitting.count == 1 {
            var result = fitting[0].result
            let others = all.map(\.name).filter { $0 != fitting[0].name }
            result.notes = ["compared: \(fitting[0].name); not compared: \(others.joined(separator: ", "))"]
            return result
        }
        let left = fitting.isEmpty ? all : fitting
        var result = PlatformResult(names: left[0].result.names)
        for subject in subjects(left) { result.lines += rows(subject, left) }
        let codes = left.map { Set($0.result.findings.map(\.code)) }
        result.findings = first.result.findings.filter { finding in codes.allSatisfy { $0.contains(finding.code) } }
        result.notes = [
            "several apps fit: \(left.map(\.name).joined(separator: ", ")). Name one with --app or --package"
        ]
        return result
    }

    /// Whether a row compares something of the app.
    private var isKnown: Bool { lines.contains { $0.verdict != .notChecked && $0.subject != DoctorLine.file } }

    private static func subjects(_ all: [(name: String, result: PlatformResult)]) -> [String] {
        all.flatMap(\.result.lines).map(\.subject).uniqued { $0 }
    }

    private static func rows(_ subject: String, _ all: [(name: String, result: PlatformResult)]) -> [DoctorLine] {
        let own = all.map { item in (name: item.name, lines: item.result.lines.filter { $0.subject == subject }) }
        guard let some = own.first(where: { !$0.lines.isEmpty })?.lines else { return [] }
        if own.allSatisfy({ $0.lines.map(\.summary) == some.map(\.summary) }) { return some }
        let verdicts = own.map { $0.lines.map(\.verdict) }
        if verdicts.allSatisfy({ $0.contains(.differs) })
            || verdicts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { $0 == .agrees } })
        {
            return some
        }
        // A service or a wildcard that only one of the apps has is no question.
        guard own.allSatisfy({ !$0.lines.isEmpty }) else {
            return own.flatMap(\.lines).filter { $0.verdict != .differs }
        }
        let words = own.map {
            "\($0.name): \($0.lines.map(\.right.value).joined(separator: "; ")) (\($0.lines[0].verdict.rawValue))"
        }
        let advice =
            "The project builds several apps: \(own.map(\.name).joined(separator: ", ")). Name one with "
            + (some[0].platform == .ios ? "--app PREFIX.bundle.id." : "--package NAME.")
        let apps = DoctorLine.Side("the apps of the project", words.joined(separator: ", "))
        return [DoctorLine(some[0].platform, subject, some[0].left, apps, .notChecked, advice)]
    }
}

extension DoctorLine {
    /// What a row says, without its place in a file.
    fileprivate var summary: [String] { [left.value, right.value, verdict.rawValue, advice ?? ""] }
}
