import SSOShared

/// Reads settings one by one, collects all problems and warnings, and records the effective values.
///
/// Its methods do not throw, so that an operator sees all problems at once and not one per start.
public final class SettingsReader {
    /// One effective setting as it may be shown. Secrets appear as fingerprints only.
    public struct Line: Sendable {
        /// The name, as in the environment.
        public let name: String
        /// Its value, or a replacement for it.
        public let shown: String
        /// Where it comes from, in words; nil for a default.
        package let place: String?
    }

    /// The places of the settings, for a second reader of the same ones.
    public let source: SettingsSource
    /// What prevents the start. Each problem begins with the name of its setting.
    public private(set) var problems: [String]
    /// What does not prevent the start.
    public private(set) var warnings: [String]
    /// The effective settings, in the order of reading.
    public private(set) var lines: [Line] = []
    /// The settings whose secret may be known to others. See ``reportExampleSecrets(publicURL:listen:)``.
    var exampleSecrets: [(name: String, hint: String)] = []
    /// The names that were looked up by ``variable(_:)``.
    var askedVariables: [String] = []
    private var checks: [@Sendable (SettingsReader) async -> Void] = []

    /// A reader whose problems and warnings begin with those of the settings file.
    public init(_ source: SettingsSource) {
        self.source = source
        (problems, warnings) = (source.problems, source.warnings)
    }

    /// Records a problem: the setting, what is wrong with it, and the accepted form. Never the value of a secret. Records none
    /// beside a settings file that cannot be read: what seems to be missing may be in it.
    public func problem(_ text: String) { if !source.isUnreadable { problems.append(text) } }

    /// Records a warning, which does not prevent the start.
    /// Once, however many checks find the same.
    public func warn(_ text: String) { if !source.isUnreadable, !warnings.contains(text) { warnings.append(text) } }

    /// Records an effective value for `check`.
    ///
    /// - Parameter place: where it comes from, for what is no setting by itself.
    public func record(_ name: String, _ shown: String, from place: String? = nil) {
        lines.append(Line(name: name, shown: shown, place: place ?? source.place(of: name)))
    }

    /// Records what is in force where the text of a setting says something else.
    package func correct(_ name: String, _ shown: String) {
        lines.removeAll { $0.name == name }
        record(name, shown)
    }

    /// Adds a check of something outside the settings, such as a file, a folder or an address. ``runChecks()`` runs it.
    public func addCheck(_ check: @escaping @Sendable (SettingsReader) async -> Void) { checks.append(check) }

    /// Runs every added check once. Changes nothing outside.
    public func runChecks() async {
        let due = checks
        checks = []
        for check in due { await check(self) }
    }

    /// Warns of unknown names, in the environment and in the settings file.
    ///
    /// - Parameters:
    ///   - prefix: the names to check, such as `IDP_`.
    ///   - known: the names of the settings. Those of `secrets` may also appear as `NAME_FILE`.
    ///   - inFileOnly: whether to ignore the environment, where other programs may use names with this prefix.
    public func warnOfUnknown(prefix: String, known: [String], secrets: [String], inFileOnly: Bool = false) {
        let known = Set(known + secrets + secrets.map { $0 + "_FILE" })
        var ofServices: [String] = []
        defer { warnOfServices(ofServices) }
        for (name, place, isInFile) in source.names(prefix: prefix) where !known.contains(name) {
            guard !inFileOnly || isInFile else { continue }
            if !isInFile, ServiceVariable.is(name, text(name)) {
                ofServices.append(name)
                continue
            }
            let near = SpellingSuggestion.question(name, among: known.sorted())
            warn("\(name): unknown setting in \(place), ignored.\(near)")
        }
    }

    private func warnOfServices(_ names: [String]) {
        guard let first = names.first else { return }
        let others = names.count == 1 ? "" : " and \(names.count - 1) more of this kind"
        warn(
            "\(first)\(others): variables of a Service of Kubernetes, ignored. Set enableServiceLinks: false in the pod, or name "
                + "the Service otherwise.")
    }

    /// The text of a setting, not recorded: for settings that are parsed and recorded elsewhere.
    public func text(_ name: String) -> String? { source.text(name) }

    /// Whether a setting is there and has no value.
    package func isBlank(_ name: String) -> Bool {
        text(name)?.allSatisfy(\.isWhitespace) ?? source.names(prefix: name).contains { $0.name == name }
    }
}

extension Sequence {
    /// Parses every item of a list.
    ///
    /// - Throws: ``SettingError`` with the problems of all items.
    public func readAll<T>(_ read: (Element) throws -> T) throws(SettingError) -> [T] {
        var problems: [String] = []
        let values = compactMap { item -> T? in
            do { return try read(item) } catch {
                problems.append("\(error)")
                return nil
            }
        }
        guard problems.isEmpty else { throw SettingError(problems.joined(separator: " ")) }
        return values
    }
}

/// The value of a setting is invalid. The text follows "NAME: ".
public struct SettingError: Error, CustomStringConvertible {
    public let description: String

    /// - Parameter description: what is wrong and the accepted form, one sentence each.
    public init(_ description: String) { self.description = description }
}
