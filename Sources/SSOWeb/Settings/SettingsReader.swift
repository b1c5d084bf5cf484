public import SSOShared

/// Reads settings one by one, gathers every problem and every warning, and remembers the effective values.
///
/// Nothing throws here: whoever runs a service wants to see all that is wrong at once, not one fault a start.
public final class SettingsReader {
    /// One effective setting as it may be shown: secrets as fingerprints only.
    public struct Line: Sendable {
        /// The setting, as in the environment.
        public let name: String
        /// Its value, or what stands for it.
        public let shown: String
    }

    private let source: SettingsSource
    /// What keeps the program from starting, each beginning with the name of its setting.
    public private(set) var problems: [String]
    /// What it would start with all the same.
    public private(set) var warnings: [String] = []
    /// What is in force, in the order of reading.
    public private(set) var lines: [Line] = []
    /// Settings with a secret that others may know, and what it looks like.
    private var examples: [(name: String, words: String)] = []
    private var inspections: [@Sendable (SettingsReader) async -> Void] = []

    /// A reader that knows already what is wrong with the `.env` file.
    public init(_ source: SettingsSource) {
        self.source = source
        problems = source.faults
    }

    /// Warns of names nobody reads, in the environment and in `.env`.
    ///
    /// - Parameters:
    ///   - prefix: which names to look at: `IDP_`.
    ///   - known: the names of the settings; `secrets` may also come as `NAME_FILE`.
    ///   - inFileOnly: whether the environment does not count, where names like these may be somebody else's.
    public func warnOfUnknown(prefix: String, known: [String], secrets: [String], inFileOnly: Bool = false) {
        let settings = UnknownSettings(known: known, secrets: secrets)
        for (name, place) in source.names(prefix: prefix) where !inFileOnly || place.hasPrefix(".env") {
            settings.warning(name, place: place).map(warn)
        }
    }

    /// Has ``inspect()`` look at something beyond the settings that one of them names: a file, a folder, an address.
    public func later(_ look: @escaping @Sendable (SettingsReader) async -> Void) { inspections.append(look) }

    /// Looks at all that ``later(_:)`` was told, once. Changes nothing outside.
    public func inspect() async {
        let looks = inspections
        inspections = []
        for look in looks { await look(self) }
    }

    /// What stands in the environment, or else in `.env`, or in the file that `NAME_FILE` names there: for `env:NAME`.
    public func variable(_ name: String) -> String? { secretText(name, required: false, hint: "") }

    /// Records that something is wrong. Say which setting, what, and the way out; never a secret's value.
    public func problem(_ text: String) { problems.append(text) }

    /// Records what should be looked at, and does not keep the program from starting.
    public func warn(_ text: String) { warnings.append(text) }

    /// Records what is in force, for `check`.
    public func show(_ name: String, _ shown: String) { lines.append(Line(name: name, shown: shown)) }

    /// The raw text without any record: for settings that are parsed and shown elsewhere.
    public func text(_ name: String) -> String? { source.text(name) }

    /// Parses a setting that has a default; shows what is in force.
    public func value<T>(
        _ name: String, default fallback: String, _ parse: (String) throws -> T
    ) -> T? {
        parsed(name, source.text(name) ?? fallback, parse)
    }

    /// Parses a setting that may be absent.
    public func optional<T>(_ name: String, _ parse: (String) throws -> T) -> T? {
        guard let text = source.text(name) else { return nil }
        return parsed(name, text, parse)
    }

    /// A setting that is `true` or `false`.
    public func flag(_ name: String, default fallback: Bool) -> Bool? {
        value(name, default: fallback ? "true" : "false") { text in
            switch text {
            case "true": true
            case "false": false
            default: throw SettingFault("\"\(text)\" is neither true nor false.")
            }
        }
    }

    /// `HSTS_INCLUDE_SUBDOMAINS`. Not by default: browsers keep it for a year, and a subdomain of the host that answers
    /// by plain http only would be unreachable for as long (RFC 6797 6.1.2 and 14.4).
    public func hstsIncludesSubdomains() -> Bool { flag("HSTS_INCLUDE_SUBDOMAINS", default: false) ?? false }

    private func parsed<T>(_ name: String, _ text: String, _ parse: (String) throws -> T) -> T? {
        do {
            let value = try parse(text)
            show(name, text)
            return value
        } catch {
            // What cannot be read is not shown: somebody may have put a password into an address.
            show(name, "(cannot be used)")
            problem("\(name): \(error)")
            return nil
        }
    }

    /// The text of a secret, from `NAME` or from the file that `NAME_FILE` names, whichever is nearer; both in one place
    /// are a problem.
    public func secretText(_ name: String, required: Bool, hint: String) -> String? {
        switch source.secret(name) {
        case .twice:
            problem("\(name): given twice, as \(name) and as \(name)_FILE. Keep one of them.")
            return nil
        case .direct(let text): return text
        case .file(let path): return SecretFile.read(path, setting: "\(name)_FILE", problem: problem)
        case .absent:
            if required { problem("\(name): is required and not set. \(hint)") }
            return nil
        }
    }

    /// Notes a secret that others may know. ``settleExamples(publicURL:listen:)`` decides what follows.
    public func judge(_ text: String, setting name: String) {
        if ExampleSecret.isCopied(text) {
            examples.append((name, "looks like an example, which anybody can read."))
        } else if ExampleSecret.isPatterned(text) {
            examples.append((name, "looks like a pattern, which can be guessed."))
        }
    }

    /// Decides on secrets that others may know: fine for a trial on this machine, a problem anywhere else.
    ///
    /// A trial is reached by a loopback address and listens on one.
    public func settleExamples(publicURL: PublicOrigin?, listen: ListenAddress?) {
        let isTrial = publicURL?.isLoopback == true && listen.map { LoopbackHost.contains($0.host) } == true
        for (name, words) in examples {
            isTrial ? warn("\(name): \(words)") : problem("\(name): \(words) Make one with: openssl rand -hex 32")
        }
        examples = []
    }

    /// A shared secret; shown as its fingerprint.
    public func sharedSecret(_ name: String, required: Bool = true) -> SharedSecret? {
        let hint = "Make one with: openssl rand -hex 32"
        guard let text = secretText(name, required: required, hint: hint) else { return nil }
        do {
            let secret = try SharedSecret.parse(text, setting: name)
            judge(text, setting: name)
            if let warning = secret.warning { warn(warning) }
            show(name, "fingerprint \(secret.fingerprint)")
            return secret
        } catch {
            problem("\(error). \(hint)")
            return nil
        }
    }

    /// The key ring from which a program derives the key of each purpose; shown as fingerprints.
    public func sealingKeys(_ name: String) -> DerivedKeys? {
        let hint = "Make one with: openssl rand -hex 32"
        guard let text = secretText(name, required: true, hint: hint) else { return nil }
        do {
            let keys = try DerivedKeys.parse(text, setting: name)
            judge(text, setting: name)
            keys.warnings.forEach(warn)
            show(name, "fingerprints \(keys.fingerprints.joined(separator: ", "))")
            return keys
        } catch {
            problem("\(error). \(hint)")
            return nil
        }
    }
}

extension SettingsReader {
    /// Records a problem when a program's own key is a secret that somebody else holds, too.
    public func separate(_ keys: DerivedKeys?, _ name: String, from secret: SharedSecret?, _ other: String) {
        guard let keys, let secret, keys.holds(secret) else { return }
        problem(
            "\(name): is the same as \(other). Whoever holds that secret could forge what this key protects. Make "
                + "another one with: openssl rand -hex 32")
    }
}

extension Sequence {
    /// Reads every item of a list, and tells all that is wrong with any of them.
    ///
    /// - Throws: ``SettingFault`` with the words of each fault.
    public func readAll<T>(_ read: (Element) throws -> T) throws -> [T] {
        var faults: [String] = []
        let values = compactMap { item -> T? in
            do { return try read(item) } catch {
                faults.append("\(error)")
                return nil
            }
        }
        guard faults.isEmpty else { throw SettingFault(faults.joined(separator: " ")) }
        return values
    }
}

/// A setting's value that cannot be used, in words that follow "NAME: ".
public struct SettingFault: Error, CustomStringConvertible {
    /// The words.
    public let description: String

    /// - Parameter description: what is wrong and the way out, one sentence each.
    public init(_ description: String) { self.description = description }
}
