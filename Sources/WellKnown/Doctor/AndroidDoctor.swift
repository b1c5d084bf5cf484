import SSOShared

/// Compares the places that must agree before an Android App Link opens an app: the file on the server, the intent
/// filters of the manifest, the certificate the app is signed with.
///
/// Sources: Android, "Verify Android App Links", "`<data>`"; AOSP, StatementService and IntentFilter.
public struct AndroidDoctor: Sendable {
    /// A certificate the app is, was or may be signed with.
    public struct Certificate: Sendable, Hashable {
        public let fingerprint: CertificateFingerprint
        /// Where it comes from: "app.apk, signer".
        public let place: String
        /// False for an upload key: users never see it.
        public let isOnDevices: Bool

        public init(_ fingerprint: CertificateFingerprint, place: String, isOnDevices: Bool = true) {
            self.fingerprint = fingerprint
            self.place = place
            self.isOnDevices = isOnDevices
        }
    }

    public var host: DoctorHost
    public var file: AssetLinksFile?
    public var manifest: AndroidManifest?
    public var certificates: [Certificate]
    /// The application id, when somebody said so.
    public var package: String?

    public init(
        host: DoctorHost, file: AssetLinksFile? = nil, manifest: AndroidManifest? = nil,
        certificates: [Certificate] = [], package: String? = nil
    ) {
        self.host = host
        self.file = file
        self.manifest = manifest
        self.certificates = certificates
        self.package = package
    }

    public func lines() -> [DoctorLine] { [packageLine] + certificateLines + manifestLines }

    /// The application id and where it was taken from, the surest place first.
    var identity: (name: String, place: String)? {
        if let package { return (package, "--package") }
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
                "Give --package, or a manifest with a package attribute (the merged one of a build has it).")
        }
        let side = DoctorLine.Side(identity.place, identity.name)
        if let named = manifest?.package, named != identity.name {
            return DoctorLine(
                .android, subject, side, .init("manifest", named), .differs,
                "The manifest is of another app than --package says: give one of the two only, or those that belong together."
            )
        }
        guard file != nil else {
            return DoctorLine(
                .android, subject, side, .init("assetlinks.json", "not given"), .notChecked,
                "Give the domain's file with --assetlinks FILE.")
        }
        if identity.place == "file" {
            return DoctorLine(
                .android, subject, side, listed, .notChecked,
                "The file names one package only, which is taken for yours: give --package to be sure.")
        }
        if listedPackages.contains(identity.name) { return DoctorLine(.android, subject, side, listed, .agrees) }
        let isElsewhere = file?.statements.contains { $0.target.value?.packageName.value == identity.name } ?? false
        return DoctorLine(
            .android, subject, side, listed, .differs,
            isElsewhere
                ? "The file has \(identity.name), but not under the relation \(AssetLinks.handleAllURLs): add it."
                : "Add a statement with the relation \(AssetLinks.handleAllURLs) for \(identity.name).")
    }

    // MARK: the certificate

    private var certificateLines: [DoctorLine] {
        let subject = "the signing certificate"
        guard !certificates.isEmpty else {
            return [
                DoctorLine(
                    .android, subject, .init("certificate", "not given"),
                    .init(
                        "assetlinks.json",
                        file == nil
                            ? "not given" : "\(fingerprints.count) fingerprint\(fingerprints.count == 1 ? "" : "s")"),
                    .notChecked,
                    "Give the certificate with --cert FILE: an APK, a key store, or the one from the Play Console.")
            ]
        }
        return certificates.map { certificate in
            let left = DoctorLine.Side(certificate.place, Self.short(certificate.fingerprint.description))
            let right = DoctorLine.Side("assetlinks.json", AppleDoctor.list(fingerprints.map(Self.short)))
            guard file != nil, identity != nil else {
                return DoctorLine(
                    .android, subject, left,
                    .init("assetlinks.json", file == nil ? "not given" : "which app is unknown"),
                    .notChecked, "Give --assetlinks FILE and --package.")
            }
            let isListed = fingerprints.contains(certificate.fingerprint.description)
            if !certificate.isOnDevices {
                return DoctorLine(
                    .android, subject, left, right, .notChecked,
                    "This is the upload key. Compare the app-signing key of the Play Console instead.")
            }
            guard !isListed else { return DoctorLine(.android, subject, left, right, .agrees) }
            return DoctorLine(.android, subject, left, right, .differs, mismatchAdvice(certificate.fingerprint))
        }
    }

    /// The fingerprints of the app, as written: devices compare the text.
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

    /// The first and last octets: enough to tell two apart in a table.
    private static func short(_ fingerprint: String) -> String {
        fingerprint.utf8.count > 30 ? "\(fingerprint.prefix(11))…\(fingerprint.suffix(5))" : fingerprint
    }
}
