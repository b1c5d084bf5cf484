import SSOShared
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
        let list = try? values[apps]
        let content = content(list ?? [])
        guard let path = reader.text(name) else {
            guard let content else {
                if list != nil, let blank = [apps.name, name].first(where: reader.isBlank) {
                    reader.warn("\(blank): is empty, so \(kind.path) answers 404. Give it a value, or remove it.")
                }
                return AssociationSource.none
            }
            report(AssociationReading(generated: content, kind: kind), of: apps.name, reader)
            return .apps(content)
        }
        reader.record(name, path)
        if content != nil {
            reader.problem(
                "\(name): \(apps.name) is set as well, and both define the content of the file. Keep one of them.")
        }
        FileAccess.warning(ofSettings: path, setting: name).map(reader.warn)
        report(AssociationReading(path: path, kind: kind), of: name, reader)
        return .file(path: path)
    }

    private func report(_ reading: AssociationReading, of name: String, _ reader: SettingsReader) {
        reading.warnings.forEach { reader.warn("\(name): \($0)") }
        reading.errors.forEach { reader.problem("\(name): \($0)") }
    }
}

/// An association file with its findings. A file with an error is never served, because phones ignore it without a message.
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
        let report = AssociationLint.lint(body: bytes, as: kind)
        func lines(_ severity: Severity) -> [String] {
            report.findings.filter { $0.severity == severity }.map { finding in
                let place = finding.position.map { "\(path):\($0)" } ?? path
                return "\(place): \(Self.line(finding))"
            }
        }
        errors = lines(.error)
        warnings = lines(.warning) + Self.claims(report).map { "\(path): \($0)" }
        content = errors.isEmpty ? bytes : nil
    }

    /// The file that is made of a list of apps. Its places say nothing to the operator, who sees the list alone.
    init(generated file: [UInt8], kind: AssociationKind) {
        let findings = AssociationLint.lint(body: file, as: kind).findings
        func lines(_ isMeant: (Finding) -> Bool) -> [String] {
            findings.filter(isMeant).map(Self.line).uniqued { $0 }
        }
        errors = lines { $0.severity == .error && !Self.samples.contains($0.code) }
        warnings = lines { $0.severity == .warning || $0.severity == .error && Self.samples.contains($0.code) }
        content = errors.isEmpty ? file : nil
    }

    /// Values of examples, which belong to no app. A trial may begin with them in a list, so they are warnings there.
    private static let samples = ["id.placeholder", "fp.repeating", "fp.google-doc-sample"]

    private static func line(_ finding: Finding) -> String {
        "\(finding.message) \(finding.fix ?? finding.reason) [\(finding.code)]"
    }

    /// The paths for the browser that an app opens by the rules of Apple's file. A universal link that takes one ends a sign-in
    /// inside the app, where the browser's session is not. Google's file has no paths of its own: the app's manifest does.
    private static func claims(_ report: LintReport) -> [String] {
        guard let matcher = report.aasa.map({ AppleMatcher($0) }) else { return [] }
        let isKnown = report.findings.contains { $0.code == "pat.host-dot-wellknown" }
        let paths = (isKnown ? [] : [AppleAppSiteAssociation.path]) + [SSOPath.verify, SSOPath.callback]
        return paths.compactMap { path in
            // A callback comes with a query, and a rule may ask for one.
            let queries = path == SSOPath.callback ? ["", "?token=sso_x&state=x", "?error=x&state=x"] : [""]
            let links = queries.compactMap { LinkURL("https://example.com\(path)\($0)") }
            let app = matcher.apps.first { app in links.contains { matcher.decide($0, app: app) == .opens } }
            guard let app else { return nil }
            return "\(app) opens \(path), which belongs to the browser. Exclude it before the rule that opens it."
        }
    }
}
