import SSOWeb
import WellKnown

/// Where one of the two association files comes from.
enum AssociationSource: Sendable {
    /// Not configured: 404.
    case none
    /// Generated from the list of apps.
    case apps([UInt8])
    /// The operator's file, read and linted at start and on SIGHUP.
    case file(path: String)
}

/// The settings of both files.
enum AssociationSettings {
    private static let appleApps = Setting(
        "IDP_APPLE_APP_IDS", .empty, example: "ABCDE12345.com.example.app",
        "Apps for apple-app-site-association: team id, dot, bundle id. Without them the file answers 404."
    ) { try AppleAppID.list($0) }
    private static let androidApps = Setting(
        "IDP_ANDROID_APPS", .empty, example: "com.example.app=SHA256_OF_THE_SIGNING_CERTIFICATE",
        "Apps for assetlinks.json: package name, =, fingerprint. Without them the file answers 404."
    ) { try AndroidApp.list($0) }
    static let apple = AssociationSetting(
        SettingDescription(
            "IDP_AASA_FILE", example: "/etc/swift-sso/apple-app-site-association",
            "An apple-app-site-association of your own instead of IDP_APPLE_APP_IDS. SIGHUP reads it again."),
        .aasa, apps: appleApps
    ) { AppleAppSiteAssociation(appIDs: $0, paths: AssociationRoutes.claimedPaths)?.json() }
    static let android = AssociationSetting(
        SettingDescription(
            "IDP_ASSETLINKS_FILE", example: "/etc/swift-sso/assetlinks.json",
            "An assetlinks.json of your own instead of IDP_ANDROID_APPS. SIGHUP reads it again."),
        .assetlinks, apps: androidApps
    ) { AssetLinks(apps: $0)?.json() }

    static let all: [any ReadableSetting] = [appleApps, androidApps, apple, android]
}

/// An association file of the operator's own, or else the one that is made of the list of apps.
struct AssociationSetting<App: Sendable>: ReadableSetting {
    private let description: SettingDescription
    private let kind: AssociationKind
    private let apps: Setting<[App]>
    private let content: @Sendable ([App]) -> [UInt8]?
    var name: String { description.name }
    var descriptions: [SettingDescription] { [description] }

    init(
        _ description: SettingDescription, _ kind: AssociationKind, apps: Setting<[App]>,
        content: @escaping @Sendable ([App]) -> [UInt8]?
    ) {
        (self.description, self.kind, self.apps, self.content) = (description, kind, apps, content)
    }

    func read(_ reader: SettingsReader, _ values: SettingValues) -> AssociationSource? {
        let content = content((try? values[apps]) ?? [])
        guard let path = reader.text(name) else { return content.map(AssociationSource.apps) ?? AssociationSource.none }
        reader.record(name, path)
        if content != nil {
            reader.problem(
                "\(name): \(apps.name) is set as well, and both define the content of the file. Keep one of them.")
        }
        let reading = AssociationReading(path: path, kind: kind)
        reading.warnings.forEach { reader.warn("\(name): \($0)") }
        reading.errors.forEach { reader.problem("\(name): \($0)") }
        return .file(path: path)
    }
}

/// An association file as read from disk, with its findings. A file with an error is never served, because phones ignore
/// it without a message.
struct AssociationReading: Sendable {
    /// `nil` when there are errors.
    let content: [UInt8]?
    /// One line each: place, code, what is wrong, what to do.
    let errors: [String]
    let warnings: [String]

    init(path: String, kind: AssociationKind) {
        guard let bytes = BoundedFile.read(path, upTo: kind.maximumBytes) else {
            content = nil
            errors = [
                "the file \(path) cannot be read, or has more than \(kind.maximumBytes) bytes. Check the path and the "
                    + "permissions."
            ]
            warnings = []
            return
        }
        let findings = AssociationLint.lint(body: bytes, as: kind, options: LintOptions()).findings
        func lines(_ severity: Severity) -> [String] {
            findings.filter { $0.severity == severity }.map { finding in
                let place = finding.position.map { "\(path):\($0)" } ?? path
                return "\(place): \(finding.message) \(finding.fix ?? finding.reason) [\(finding.code)]"
            }
        }
        errors = lines(.error)
        warnings = lines(.warning)
        content = errors.isEmpty ? bytes : nil
    }
}
