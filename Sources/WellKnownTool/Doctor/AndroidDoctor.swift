import SSOShared
import WellKnown

/// Compares the places that must agree before an Android App Link opens an app: the file on the server, the intent
/// filters of the manifest, and the certificate that the app is signed with.
///
/// Sources: Android, "Verify Android App Links", "`<data>`"; AOSP, StatementService and IntentFilter.
struct AndroidDoctor: Sendable {
    /// A certificate that the app is, was or may be signed with.
    struct Certificate: Sendable, Hashable {
        let fingerprint: CertificateFingerprint
        /// The origin of the certificate, for example "app.apk, signer".
        let place: String
        /// The file. One certificate of an app in common with the list is enough.
        var file = ""
        /// False for an upload key, because the installed app is not signed with it.
        var isOnDevices = true
        /// Whether the app was signed with it before a rotation.
        var isFormer = false
    }

    var host: DomainName
    var file: AssetLinksFile?
    var manifest: AndroidManifest?
    var certificates: [Certificate] = []
    /// The application id, if it was given.
    var package: String?
    var packagePlace = "--package"
    /// Why the values of the project are not known.
    var unread: String?

    func lines() -> [DoctorLine] { [packageLine] + certificateLines + manifestLines }

    /// The application id and its origin. The most reliable origin comes first.
    var identity: (name: String, place: String)? {
        if let package { return (package, packagePlace) }
        if let name = manifest?.package { return (name, "manifest") }
        let listed = Set(listedPackages)
        return listed.count == 1 ? listed.first.map { ($0, "file") } : nil
    }

    /// The statements that let an app open links, in the order of the file.
    private var statements: [AssetTarget] {
        file?.statements.compactMap { statement in
            guard statement.relations.contains(AssetLinks.handleAllURLs), let target = statement.target.value,
                target.namespace.value == "android_app"
            else { return nil }
            return target
        } ?? []
    }

    private var listedPackages: [String] { statements.compactMap(\.packageName.value) }

    private var packageLine: DoctorLine {
        let subject = "the app's package"
        let listed = DoctorLine.Side("assetlinks.json", AppleDoctor.list(listedPackages))
        guard let identity else {
            return DoctorLine(
                .android, subject, .init("app", "unknown"), listed, .notChecked,
                unread.map { "\($0)." }
                    ?? "Give --package, or a manifest with a package attribute (the merged one of a build has it).")
        }
        let side = DoctorLine.Side(identity.place, identity.name)
        if let named = manifest?.package, named != identity.name {
            return DoctorLine(
                .android, subject, side, .init("manifest", named), .differs,
                "The manifest is of another app than \(identity.place) says: give one of the two only, or those that belong together."
            )
        }
        func line(_ verdict: DoctorLine.Verdict, _ advice: String? = nil) -> DoctorLine {
            let found = file == nil ? DoctorLine.Side(listed.place, "not given") : listed
            return DoctorLine(.android, subject, side, found, verdict, advice)
        }
        guard file != nil else { return line(.notChecked, "Give the domain's file with --assetlinks FILE.") }
        if identity.place == "file" {
            return line(
                .notChecked, "The file names one package. Give your app's with --package NAME, and it is compared.")
        }
        if listedPackages.contains(identity.name) { return line(.agrees) }
        let isElsewhere = file?.statements.contains { $0.target.value?.packageName.value == identity.name } ?? false
        return line(
            .differs,
            isElsewhere
                ? "The file has \(identity.name), but not under the relation \(AssetLinks.handleAllURLs): add it."
                : "Add a statement with the relation \(AssetLinks.handleAllURLs) for \(identity.name).")
    }

    // MARK: the certificate

    private var certificateLines: [DoctorLine] {
        let subject = "the signing certificate"
        guard !certificates.isEmpty else {
            let known = "\(fingerprints.count) fingerprint\(fingerprints.count == 1 ? "" : "s")"
            return [
                DoctorLine(
                    .android, subject, .init("certificate", "not given"),
                    .init("assetlinks.json", file == nil ? "not given" : known), .notChecked,
                    "Give the certificate with --cert FILE: an APK, a key store, or the one from the Play Console.")
            ]
        }
        return certificates.map { certificate in
            let left = DoctorLine.Side(certificate.place, Self.short(certificate.fingerprint.description))
            let known = AppleDoctor.list(fingerprints.map(Self.short))
            let found = file == nil ? "not given" : identity == nil ? "which app is unknown" : known
            func line(_ verdict: DoctorLine.Verdict, _ advice: String? = nil) -> DoctorLine {
                DoctorLine(.android, subject, left, .init("assetlinks.json", found), verdict, advice)
            }
            guard file != nil, identity != nil else {
                return line(.notChecked, "Give --assetlinks FILE and --package.")
            }
            let isListed = fingerprints.contains(certificate.fingerprint.description)
            let app = certificates.filter { $0.file == certificate.file && $0.isOnDevices }
            let isEnough =
                !certificate.file.isEmpty && app.contains { fingerprints.contains($0.fingerprint.description) }
            if !certificate.isOnDevices {
                return line(
                    .notChecked, "This is the upload key. Compare the app-signing key of the Play Console instead.")
            }
            guard !isListed else { return line(.agrees) }
            // A fingerprint in another form is a fault of the file, whatever else it lists.
            if isEnough, !fingerprints.contains(where: { CertificateFingerprint($0) == certificate.fingerprint }) {
                // StatementUtils.kt of Android 12 takes the whole history. GET_SIGNATURES gives the oldest certificate.
                return line(
                    .caution,
                    certificate.isFormer
                        ? "Android 12 and later takes the other certificate of the app, which is listed. Android 9 to 11 "
                            + "sees the oldest one alone: for these, list this one too."
                        : "Another certificate of the app is listed, and one in common is enough.")
            }
            return line(.differs, mismatchAdvice(certificate.fingerprint))
        }
    }

    /// The fingerprints of the app as written in the file, because devices compare the text.
    private var fingerprints: [String] {
        guard let identity else { return [] }
        return statements.filter { $0.packageName.value == identity.name }
            .flatMap { $0.fingerprints.value?.compactMap(\.string) ?? [] }
    }

    private func mismatchAdvice(_ fingerprint: CertificateFingerprint) -> String {
        let isOtherwiseWritten = fingerprints.contains { CertificateFingerprint($0) == fingerprint }
        if isOtherwiseWritten {
            return "The file has it in another form: devices compare the text, upper case with colons. "
                + "Write \(fingerprint)."
        }
        return "Add \(fingerprint) to the app's statement."
            + (fingerprints.isEmpty
                ? "" : " With Play App Signing the one that counts is the app-signing key's, in the Play Console.")
    }

    /// The first and last octets. They are enough to distinguish two fingerprints in a table.
    private static func short(_ fingerprint: String) -> String {
        fingerprint.utf8.count > 30 ? "\(fingerprint.prefix(11))…\(fingerprint.suffix(5))" : fingerprint
    }
}

extension AndroidDoctor {
    private static let subject = "the intent filter"

    var manifestLines: [DoctorLine] {
        let wanted = DoctorLine.Side("domain", host.name)
        guard let manifest else {
            let advice =
                unread.map { "\($0)." } ?? "Give the manifest with --manifest FILE, best the merged one of a build."
            return [DoctorLine(.android, Self.subject, wanted, .init("manifest", "not given"), .notChecked, advice)]
        }
        let candidates = manifest.filters.filter { filter in filter.hosts.contains { host.isMeant(by: $0.name) } }
        guard !candidates.isEmpty else { return [missing(manifest, wanted)] }
        // One filter without errors is enough. Otherwise the report shows the filter with the fewest errors.
        let judged = candidates.map { (filter: $0, faults: faults(of: $0, in: manifest)) }
        guard let best = judged.min(by: { $0.faults.count < $1.faults.count }) else { return [] }
        let (place, position) = (Self.place(best.filter), best.filter.position)
        if best.faults.isEmpty {
            let found = "autoVerify, VIEW, \(AppleDoctor.list(best.filter.hosts.map(\.name)))"
            let line = DoctorLine(.android, Self.subject, wanted, .init(place, found, at: position), .agrees)
            return [line, wildcard(best.filter), otherHosts(manifest)].compactMap(\.self)
        }
        return best.faults.map { fault in
            DoctorLine(.android, Self.subject, wanted, .init(place, fault.found, at: position), .differs, fault.advice)
        }
    }

    /// For a wildcard, Android requests the file from the domain and not from its subdomains.
    private func wildcard(_ filter: IntentFilter) -> DoctorLine? {
        guard !filter.hosts.contains(where: { $0.name == host.name }),
            let name = filter.hosts.map(\.name).first(where: { $0.hasPrefix("*.") && host.isMeant(by: $0) })
        else { return nil }
        let parent = String(name.dropFirst(2))
        return DoctorLine(
            .android, "the file of the wildcard", .init("domain", host.name),
            .init(Self.place(filter), name, at: filter.position), .caution,
            "For \(name) Android reads the file of \(parent), not that of \(host.name): check \(parent), too.")
    }

    private func missing(_ manifest: AndroidManifest, _ wanted: DoctorLine.Side) -> DoctorLine {
        let hosts = manifest.filters.flatMap(\.hosts).map(\.name)
        let position = manifest.filters.first { !$0.hosts.isEmpty }?.position
        func line(_ advice: String) -> DoctorLine {
            let side = DoctorLine.Side("manifest", "hosts: \(AppleDoctor.list(hosts))", at: position)
            return DoctorLine(.android, Self.subject, wanted, side, .differs, advice)
        }
        if let unfilled = manifest.filters.flatMap(\.hosts).first(where: { BuildPlaceholder.isIn($0.name) }) {
            return DoctorLine(
                .android, Self.subject, wanted, .init("manifest", unfilled.name, at: unfilled.position), .notChecked,
                AppleDoctor.placeholderAdvice(unfilled.name))
        }
        if hosts.contains("*") { return line("A host * is every host, and none is verified. Name \(host.name).") }
        if hosts.contains(where: { $0.lowercased().contains(host.name) && ($0.contains("/") || $0.contains(":")) }) {
            return line(
                "android:host takes the bare name, without scheme, port or path: android:host=\"\(host.name)\".")
        }
        return line(
            "Add an intent filter with android:autoVerify=\"true\" and <data android:scheme=\"https\" "
                + "android:host=\"\(host.name)\"/>.")
    }

    /// Up to Android 11, one host that fails verification also prevents the verification of all other hosts of the app.
    private func otherHosts(_ manifest: AndroidManifest) -> DoctorLine? {
        let names = manifest.filters.filter(\.isVerifiable).flatMap(\.hosts).map(\.name)
        let others = names.filter { !host.isMeant(by: $0) }.uniqued { $0 }
        guard !others.isEmpty else { return nil }
        return DoctorLine(
            .android, "the other hosts", .init("domain", host.name), .init("manifest", AppleDoctor.list(others)),
            .caution,
            "Up to Android 11 all hosts fail when one does: check these, too. Since Android 12 each counts alone.")
    }

    private static func place(_ filter: IntentFilter) -> String {
        "manifest\(filter.position.map { ":\($0.line)" } ?? "")"
    }
}
