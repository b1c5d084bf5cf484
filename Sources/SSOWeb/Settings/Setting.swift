import SSOShared

/// One setting: its name, default, example and explanation, and the rule of its value, in one place.
///
/// The reader, `check`, the command line and `--help` are made of it, and so are deploy/example.env and the tables of
/// docs/settings.md.
public struct Setting<Value>: Sendable {
    /// What it is called, and what `--help` says of it.
    public let description: SettingDescription
    /// The name, as in the environment.
    public var name: String { description.name }
    let parse: @Sendable (String, SettingsReader) throws -> Value

    /// What is wrong with a value, for a command that asks for it; nil when it is valid.
    public func problem(with text: String) -> String? {
        do {
            _ = try parse(text, SettingsReader(SettingsSource([:])))
            return nil
        } catch { return "\(error)" + Self.hints(about: text, after: error) }
    }

    /// Sentences on what the words of an error leave out: a character that cannot be seen, the ASCII form of a host.
    static func hints(about text: String, after error: any Error) -> String {
        UnseenCharacter.sentence(about: text, after: error)
            + InternationalDomain.hint(about: text, after: "\(error)")
    }

    /// A setting with a default.
    ///
    /// - Parameter parse: throws ``SettingError`` for a value that is not valid.
    public init(
        _ name: String, default value: String, example: String, _ explanation: String,
        _ parse: @escaping @Sendable (String) throws -> Value
    ) {
        description = SettingDescription(name, default: value, example: example, explanation)
        self.parse = { text, _ in try parse(text) }
    }

    /// A setting that may be absent.
    ///
    /// - Parameters:
    ///   - words: what stands for it then, in words: `none`, `required`, `the id`.
    ///   - parse: as above. It may warn by the reader.
    public init(
        _ name: String, without words: String = "none", example: String, _ explanation: String,
        warning parse: @escaping @Sendable (String, SettingsReader) throws -> Value
    ) {
        description = SettingDescription(name, without: words, example: example, explanation)
        self.parse = parse
    }

    /// The same, for a rule that never warns.
    public init(
        _ name: String, without words: String = "none", example: String, _ explanation: String,
        _ parse: @escaping @Sendable (String) throws -> Value
    ) {
        self.init(name, without: words, example: example, explanation, warning: { text, _ in try parse(text) })
    }
}

extension Setting where Value == Int {
    /// A setting that is a whole number.
    public init(
        _ name: String, default value: Int, in range: ClosedRange<Int>, example: String, _ explanation: String
    ) {
        self.init(name, default: "\(value)", example: example, explanation) { text throws(SettingError) in
            // `Int` alone takes a sign, too.
            guard text.utf8.allSatisfy(\.isASCIIDigit), let number = Int(text), range.contains(number) else {
                let bounds = "\(range.lowerBound) to \(range.upperBound)"
                throw SettingError("\"\(text)\" must be a whole number from \(bounds), such as \(value).")
            }
            return number
        }
    }
}

extension Setting where Value == Bool {
    /// A setting that is `true` or `false`.
    public init(_ name: String, default value: Bool, example: String, _ explanation: String) {
        self.init(name, default: "\(value)", example: example, explanation, Self.flag(name))
    }

    /// One whose default depends on others.
    public init(_ name: String, without words: String, example: String, _ explanation: String) {
        self.init(name, without: words, example: example, explanation, Self.flag(name))
    }

    private static func flag(_ name: String) -> @Sendable (String) throws -> Bool {
        { text throws(SettingError) in
            guard let flag = Bool(text) else {
                throw SettingError("\"\(text)\" must be true or false, such as \(name)=true.")
            }
            return flag
        }
    }
}

extension SettingsReader {
    /// Parses a setting and records it: its value, or its default. Nil when it has neither, and for a problem.
    public func value<T>(_ setting: Setting<T>) -> T? {
        (text(setting.name) ?? setting.description.defaultValue).flatMap { parsed(setting, $0) }
    }

    /// Parses a setting whose default depends on others, and records it.
    public func value<T>(_ setting: Setting<T>, default value: String) -> T? {
        parsed(setting, text(setting.name) ?? value)
    }

    /// Parses a setting that only decorates. An invalid value is a warning, and its default takes its place: how pages look is
    /// never a reason not to start.
    public func decoration<T>(_ setting: Setting<T>) -> T? {
        guard let text = text(setting.name) else { return value(setting) }
        do {
            let value = try setting.parse(text, self)
            record(setting.name, text)
            return value
        } catch {
            let fallback = setting.description.defaultValue
            record(setting.name, "(invalid)")
            let hints = Setting<T>.hints(about: text, after: error)
            warn("\(setting.name): \(error)\(hints) \(fallback.map { "\($0) is used." } ?? "It is left out.")")
            return fallback.flatMap { try? setting.parse($0, self) }
        }
    }

    /// Parses a setting that must be set, and records it.
    ///
    /// - Parameter hint: how to set it, as a sentence.
    public func required<T>(_ setting: Setting<T>, hint: String) -> T? {
        guard text(setting.name) != nil else {
            problem("\(setting.name): is required and not set. \(hint)")
            return nil
        }
        return value(setting)
    }

    private func parsed<T>(_ setting: Setting<T>, _ text: String) -> T? {
        do {
            let value = try setting.parse(text, self)
            record(setting.name, text)
            return value
        } catch {
            // An invalid value is not shown: it may be a URL with a password.
            record(setting.name, "(invalid)")
            problem("\(setting.name): \(error)\(Setting<T>.hints(about: text, after: error))")
            return nil
        }
    }

    /// Reads ``CommonSettings/hstsIncludesSubdomains``.
    public func hstsIncludesSubdomains() -> Bool { value(CommonSettings.hstsIncludesSubdomains) ?? false }
}
