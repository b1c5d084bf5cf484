import SSOShared

/// A text of a page or an email, by its key in the catalogue of texts. It becomes words in the language of the user.
///
/// ```swift
/// Text("error.flow-over", ["client": client.name])
/// Text("code.tries-left", count: 2)   // "code.tries-left.other"
/// ```
public struct Text: Sendable {
    package let key: String
    let values: [String: any TextValue]
    /// The key without its form, and the number, for a text that depends on one.
    let plural: (stem: String, count: Int)?

    /// - Parameters:
    ///   - key: a key of every language's catalogue.
    ///   - values: what stands in place of `{name}`: a name or a number, or another text.
    public init(_ key: String, _ values: [String: any TextValue] = [:]) {
        (self.key, self.values, plural) = (key, values, nil)
    }

    /// The same text with these values.
    package func with(_ values: [String: any TextValue]) -> Text { Text(key, values) }

    /// A text that depends on a number: the key ends with `.one` or `.other` in English, with the forms of its own in each
    /// other language (``LanguageRules``), and `{count}` is the number.
    public init(_ key: String, count: Int, _ values: [String: any TextValue] = [:]) {
        self.key = key + (count == 1 ? ".one" : ".other")
        self.values = values.merging(["count": String(count)]) { $1 }
        plural = (key, count)
    }

    /// `30 days`, and a time that is not of whole days in hours, as ``span(_:)``.
    public static func days(_ span: Duration) -> Text {
        let (days, rest) = span.secondsRoundedUp.quotientAndRemainder(dividingBy: 24 * 3600)
        return days > 0 && rest == 0 ? Text("span.days", count: days) : .span(span)
    }

    /// `43 seconds`, `12 minutes`, `2 hours`. Rounded up, so that a wait is never announced too short.
    public static func span(_ span: Duration) -> Text {
        let seconds = max(1, span.secondsRoundedUp)
        return switch seconds {
        case ...90: Text("span.seconds", count: seconds)
        case ...5400: Text("span.minutes", count: (seconds + 59) / 60)
        default: Text("span.hours", count: (seconds + 3599) / 3600)
        }
    }
}

/// What a text may contain: a name, an address or a number as it is, English words, or another text.
public protocol TextValue: Sendable {}
extension String: TextValue {}
extension Text: TextValue {}

/// A sentence that is English in every language, such as one of a command. Pages mark it, so that screen readers read it as English.
package struct EnglishWords: TextValue {
    let words: String

    package init(_ words: String) { self.words = words }
}

/// A text of the catalogue with its placeholders: `{name}` for a value, `{since, time}` for a moment, `{since, ago}` for how long
/// ago it was.
struct TextPattern: Sendable {
    enum Piece: Sendable, Hashable {
        case literal(String)
        case value(String)
        case time(String)
        case ago(String)
    }

    let pieces: [Piece]
    /// The pieces as they stand in HTML.
    let units: [PatternUnit]

    init(pieces: [Piece]) { (self.pieces, units) = (pieces, PatternUnit.units(of: pieces)) }

    /// - Returns: nil for a brace without its partner, or a placeholder that is not a name.
    init?(_ source: String) {
        var (pieces, rest): ([Piece], Substring) = ([], source[...])
        while let open = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            if open > rest.startIndex { pieces.append(.literal(String(rest[..<open]))) }
            guard rest[open] == "{", let close = rest[open...].firstIndex(of: "}") else { return nil }
            let parts = rest[rest.index(after: open)..<close].split(separator: ",", omittingEmptySubsequences: false)
                .map { $0.drop { $0 == " " } }
            guard let name = parts.first, !name.isEmpty, name.utf8.allSatisfy({ $0.isASCIILetter }) else { return nil }
            switch parts.dropFirst() {
            case []: pieces.append(.value(String(name)))
            case ["time"]: pieces.append(.time(String(name)))
            case ["ago"]: pieces.append(.ago(String(name)))
            default: return nil
            }
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { pieces.append(.literal(String(rest))) }
        self.init(pieces: pieces)
    }

    /// The placeholders, each with its form: a moment is no value.
    var placeholders: Set<Piece> {
        Set(pieces.filter { if case .literal = $0 { false } else { true } })
    }
}

extension String {
    /// `1 2 3 4 5 6`: the form of a code that a screen reader reads digit by digit, and not as a number.
    package var spelledOut: String { map(String.init).joined(separator: " ") }
}
