import SSOShared

/// One setting: its name, default, example and explanation, and the rule of its value, in one place.
///
/// The reader, `check`, the command line and `--help` are made of it, and so are deploy/example.env and the tables of
/// docs/settings.md. A feature looks its value up by it: ``SettingValues``.
public struct Setting<Value: Sendable>: Sendable {
    typealias Parse = @Sendable (String, SettingsReader) throws -> Value

    /// What it is called, and what `--help` says of it.
    public let description: SettingDescription
    /// The name, as in the environment.
    public var name: String { description.name }
    let parse: Parse
    private let absence: SettingAbsence
    /// What stands for a setting that may be absent.
    private let none: Value?
    private let decorates: Bool
    private var check: @Sendable (Value, SettingsReader, SettingValues) -> Void = { _, _, _ in }

    /// What is wrong with a value, for a command that asks for it; nil when it is valid.
    public func problem(with text: String) -> String? {
        do {
            _ = try parse(text, SettingsReader(SettingsSource([:])))
            return nil
        } catch { return "\(error)" + Self.hints(about: text, after: error) }
    }

    /// Sentences on what the words of an error leave out: a character that cannot be seen, the ASCII form of a host.
    private static func hints(about text: String, after error: any Error) -> String {
        UnseenCharacter.sentence(about: text, after: error)
            + InternationalDomain.hint(about: text, after: "\(error)")
    }

    private init(
        _ description: SettingDescription, _ absence: SettingAbsence, none: Value? = nil, decorates: Bool = false,
        _ parse: @escaping Parse
    ) {
        (self.description, self.absence, self.none, self.decorates) = (description, absence, none, decorates)
        self.parse = parse
    }

    /// A setting with a default.
    ///
    /// - Parameter parse: throws ``SettingError`` for a value that is not valid.
    public init(
        _ name: String, default value: String, example: String, _ explanation: String,
        _ parse: @escaping @Sendable (String) throws -> Value
    ) {
        self.init(
            SettingDescription(name, default: value, example: example, explanation), .text { _ in value },
            { text, _ in try parse(text) })
    }

    /// A setting that must be set, or whose default is said in words.
    ///
    /// - Parameters:
    ///   - words: what stands for it then, in words: `none`, `required`, `the id`.
    ///   - absence: what takes its place.
    ///   - parse: as above. It may warn by the reader.
    package init(
        _ name: String, without words: String = "none", _ absence: SettingAbsence, example: String,
        _ explanation: String, warning parse: @escaping @Sendable (String, SettingsReader) throws -> Value
    ) {
        self.init(SettingDescription(name, without: words, example: example, explanation), absence, parse)
    }

    /// The same, for a rule that never warns.
    package init(
        _ name: String, without words: String = "none", _ absence: SettingAbsence, example: String,
        _ explanation: String, _ parse: @escaping @Sendable (String) throws -> Value
    ) {
        self.init(name, without: words, absence, example: example, explanation, warning: { text, _ in try parse(text) })
    }

    /// A setting that may be absent.
    package init<Wrapped>(
        _ name: String, without words: String = "none", example: String, _ explanation: String,
        warning parse: @escaping @Sendable (String, SettingsReader) throws -> Wrapped
    ) where Value == Wrapped? {
        let description = SettingDescription(name, without: words, example: example, explanation)
        self.init(description, .nothing, none: .some(nil)) { try parse($0, $1) }
    }

    /// The same, for a rule that never warns.
    ///
    /// - Parameter decorates: whether an invalid value is a warning, and left out: how pages look is never a reason not to start.
    package init<Wrapped>(
        _ name: String, without words: String = "none", example: String, decorates: Bool = false,
        _ explanation: String, _ parse: @escaping @Sendable (String) throws -> Wrapped
    ) where Value == Wrapped? {
        let description = SettingDescription(name, without: words, example: example, explanation)
        self.init(description, .nothing, none: .some(nil), decorates: decorates) { text, _ in try parse(text) }
    }

    /// The same setting with a check of a valid value beside those that were read before.
    package func checked(_ check: @escaping @Sendable (Value, SettingsReader, SettingValues) -> Void) -> Self {
        var setting = self
        setting.check = check
        return setting
    }
}

extension Setting {
    /// The same setting of a file, with a warning when other users of this machine can write it.
    package func warningOfWriters() -> Self {
        checked { [name] _, reader, _ in
            reader.text(name).flatMap { FileAccess.warning(ofSettings: $0, setting: name) }.map(reader.warn)
        }
    }
}

/// What takes the place of a setting that is not set.
package enum SettingAbsence: Sendable {
    /// A text, as if it were set. It may depend on the settings that were read before.
    case text(@Sendable (SettingValues) -> String)
    /// Nothing.
    case nothing
    /// A problem. The hint says how to set it, as a sentence.
    case problem(hint: String)

    /// An empty list.
    package static let empty = text { _ in "" }
}

extension Setting: ReadableSetting {
    package var descriptions: [SettingDescription] { [description] }

    package func read(_ reader: SettingsReader, _ values: SettingValues) -> Value? {
        guard let text = reader.text(name) else { return absent(reader, values) }
        guard let value = parsed(text, reader) else { return decorates ? none : nil }
        check(value, reader, values)
        return value
    }

    private func absent(_ reader: SettingsReader, _ values: SettingValues) -> Value? {
        switch absence {
        case .text(let text):
            let value = parsed(text(values), reader)
            if let value { check(value, reader, values) }
            return value
        case .nothing: return none
        case .problem(let hint):
            reader.problem("\(name): is required and not set. \(hint)")
            return nil
        }
    }

    fileprivate func parsed(_ text: String, _ reader: SettingsReader) -> Value? {
        do {
            let value = try parse(text, reader)
            reader.record(name, text)
            return value
        } catch {
            // An invalid value is not shown: it may be a URL with a password.
            reader.record(name, "(invalid)")
            let words = "\(name): \(error)\(Self.hints(about: text, after: error))"
            if decorates { reader.warn("\(words.withFullStop) It is left out.") } else { reader.problem(words) }
            return nil
        }
    }
}

extension String {
    /// Closed as a sentence, so that another one can follow.
    package var withFullStop: String { last.map { ".?!".contains($0) } ?? true ? self : self + "." }
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
    package init(
        _ name: String, without words: String, _ absence: SettingAbsence, example: String, _ explanation: String
    ) {
        self.init(name, without: words, absence, example: example, explanation, Self.flag(name))
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
    /// Parses a setting whose default depends on others, and records it.
    package func value<T>(_ setting: Setting<T>, default value: String) -> T? {
        setting.parsed(text(setting.name) ?? value, self)
    }
}
