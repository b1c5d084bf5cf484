import WellKnown

/// The rows "on the phone": the state of the domain on a device, what it means, and the command that resets it.
struct DeviceDoctor: Sendable {
    let host: DomainName
    let report: DeviceReport
    /// PREFIX.bundle.id and the package, if they are known. Otherwise every app of the report is shown.
    var app: String?
    var package: String?
    /// The fingerprints that the host's file lists for the package.
    var listed: [String] = []

    static let subject = "on the phone"
    private static let place = "device report"

    func lines() -> [DoctorLine] { androidLines + appleLines }

    private var wanted: DoctorLine.Side { DoctorLine.Side("domain", host.name) }

    private func line(
        _ platform: LinkPlatform, _ found: String, _ verdict: DoctorLine.Verdict, _ advice: String?,
        subject: String = subject
    ) -> DoctorLine { DoctorLine(platform, subject, wanted, .init(Self.place, found), verdict, advice) }

    private var androidLines: [DoctorLine] {
        guard !report.android.isEmpty else { return [] }
        let apps = report.android.filter { package == nil || $0.package == package }
        guard apps.isEmpty else {
            return apps.flatMap { [state($0), selection($0), signature($0)].compactMap(\.self) }
        }
        let advice =
            "The report has no app \(package ?? ""). Install it, and run: adb shell pm get-app-links \(package ?? "")"
        return [line(.android, AppleDoctor.list(report.android.map(\.package)), .differs, advice)]
    }

    private func state(_ app: DeviceReport.AndroidApp) -> DoctorLine {
        guard let found = app.states.first(where: { $0.host == host.name || host.isMeant(by: $0.host) }) else {
            return line(
                .android, "\(app.package): hosts \(AppleDoctor.list(app.states.map(\.host)))", .differs,
                "The installed app declares other hosts: install a build whose manifest names \(host.name) with autoVerify."
            )
        }
        let (verdict, meaning) = Self.meaning(of: found.state)
        let reset =
            "\(meaning) Reset it with: adb shell pm set-app-links --package \(app.package) 0 all; adb shell pm "
            + "verify-app-links --re-verify \(app.package)"
        return line(.android, "\(app.package): \(found.state)", verdict, verdict == .agrees ? nil : reset)
    }

    /// The meaning of a state. Source: Android, "Verify Android App Links".
    static func meaning(of state: String) -> (DoctorLine.Verdict, String) {
        switch state {
        case "verified": (.agrees, "The host's file verifies the app.")
        case "approved": (.caution, "It was approved by a command, not by the file: other devices are not.")
        case "system_configured": (.caution, "The maker of the device approved it: other devices are not.")
        case "none":
            (.notChecked, "Nothing is recorded yet. Verification takes at least 20 seconds after the installation.")
        case "denied": (.differs, "It was denied by a command.")
        case "migrated": (.caution, "The state comes from Android 11 or older and is verified again later.")
        case "restored": (.caution, "The state comes from a backup: the user had approved it on another device.")
        case "legacy_failure":
            (.differs, "The older verifier refused it. The file, its certificate or another host of the app is wrong.")
        case _ where Int(state).map { $0 >= 1024 } ?? false:
            (
                .differs,
                "The verifier of this device reports the error \(state). Most often it could not fetch the file."
            )
        default: (.caution, "The state \(state) is not documented.")
        }
    }

    private func selection(_ app: DeviceReport.AndroidApp) -> DoctorLine? {
        if app.isAllowed == false {
            return line(
                .android, "links are switched off for the app", .differs,
                "Switch on Open supported links in the app's settings, or run: adb shell pm "
                    + "set-app-links-allowed --user 0 --package \(app.package) true", subject: "the user's choice")
        }
        guard app.disabled.contains(host.name),
            !app.states.contains(where: { $0.host == host.name && $0.state == "verified" })
        else { return nil }
        return line(
            .android, "\(host.name) is not selected", .caution,
            "Add the host under Open by default in the app's settings, or run: adb shell pm "
                + "set-app-links-user-selection --user 0 --package \(app.package) true \(host.name)",
            subject: "the user's choice")
    }

    private func signature(_ app: DeviceReport.AndroidApp) -> DoctorLine? {
        guard !listed.isEmpty, let installed = app.signatures.first else { return nil }
        let isListed = app.signatures.contains(where: listed.contains)
        return DoctorLine(
            .android, "the installed certificate", .init(Self.place, installed),
            .init("assetlinks.json", AppleDoctor.list(listed)), isListed ? .agrees : .differs,
            isListed ? nil : "The installed build has another certificate than the file names. Add \(installed).")
    }

    private var appleLines: [DoctorLine] {
        guard !report.apple.isEmpty else { return [] }
        let entries = report.apple.filter { entry in
            host.isMeant(by: entry["Domain"] ?? "") && (app == nil || entry["App ID"] == app)
        }
        guard entries.isEmpty else { return entries.map(entry) }
        let advice =
            "The device does not know the domain: the installed app has no associated domain for it. Install a build "
            + "with applinks:\(host.name)."
        let domains = AppleDoctor.list(report.apple.compactMap { $0["Domain"] })
        return [line(.ios, "domains: \(domains)", .differs, advice)]
    }

    private func entry(_ entry: DeviceReport.AppleEntry) -> DoctorLine {
        let service = entry["Service"] ?? ""
        let site = (entry["Site/Fmwk Approval"] ?? "unspecified").lowercased()
        let user = (entry["User Approval"] ?? "unspecified").lowercased()
        let again =
            "The device asks again \(entry["Next Check"].map { "on \($0)" } ?? "within about a week"). Sooner: delete the app and "
            + "install it again, or on a Mac: sudo swcutil reset."
        func line(_ verdict: DoctorLine.Verdict, _ advice: String? = nil) -> DoctorLine {
            let name = "\(service) of \(entry["App ID"] ?? "an app"): site \(site), user \(user)"
            return self.line(.ios, name, verdict, advice)
        }
        if let error = entry["Error"] {
            let meaning = AppleCDNFailure.meaning(ofCode: String(error.prefix { $0 != " " })).map { ": \($0)" } ?? ""
            return line(.differs, "The last check failed with \(error)\(meaning). \(again)")
        }
        if site == "denied" {
            return line(.differs, "The domain's file does not name the app for \(service). \(again)")
        }
        if user == "denied" {
            return line(
                .differs,
                "The user chose the browser for this domain. Press long on a link to it and choose Open in the app.")
        }
        guard site == "approved" else { return line(.notChecked, "The device has not fetched the file yet. \(again)") }
        return line(.agrees)
    }
}
