import Hummingbird
import SSOShared

/// Every text of a program's pages and emails, in every language.
///
/// A language is a JSON file of keys and texts. `{name}` in a text stands for a value, `{since, time}` for a moment. The
/// texts of SSOWeb itself, such as those of error pages, are always included.
public struct Catalogue: Sendable {
    private let languages: [Language: Texts]

    /// - Parameters:
    ///   - parts: the files for each language of each target of the program.
    ///   - values: what stands in place of a placeholder in every text, such as the program's name.
    /// - Throws: ``CatalogueError`` at the start: a file is malformed, two have the same key, or a language lacks a text that
    ///   another has.
    package init(_ parts: [[Language: [[UInt8]]]], values: [String: String] = [:]) throws(CatalogueError) {
        var languages: [Language: Texts] = [:]
        for language in Language.allCases {
            var patterns: [String: TextPattern] = [:]
            for file in ([PageFiles.web.texts] + parts).flatMap({ $0[language] ?? [] }) {
                for (key, pattern) in try Self.patterns(file, language) {
                    guard patterns.updateValue(pattern, forKey: key) == nil else {
                        throw CatalogueError(language: language, problem: "\"\(key)\" is in two files")
                    }
                }
            }
            languages[language] = Texts(language: language, patterns: patterns, shared: values)
        }
        self.languages = languages
        try checkLanguagesAgree()
    }

    /// The texts in one language.
    public subscript(language: Language) -> Texts {
        languages[language] ?? Texts(language: language, patterns: [:], shared: [:])
    }

    /// The catalogue with every text changed, for a test that finds texts outside the catalogue.
    func mapLiterals(_ change: (String) -> String) -> Catalogue {
        Catalogue(languages.mapValues { $0.mapLiterals(change) })
    }

    private init(_ languages: [Language: Texts]) { self.languages = languages }

    private static func patterns(
        _ file: [UInt8], _ language: Language
    ) throws(CatalogueError) -> [String: TextPattern] {
        let members: [JSONMember]?
        do { members = try JSONReader.readStrictly(file).object } catch {
            throw CatalogueError(language: language, problem: "\(error)")
        }
        guard let members else { throw CatalogueError(language: language, problem: "must be one JSON object") }
        var patterns: [String: TextPattern] = [:]
        for member in members {
            guard let text = member.value.string, !text.isEmpty, let pattern = TextPattern(text) else {
                throw CatalogueError(
                    language: language, problem: "\"\(member.key)\" must be a text with placeholders such as {name}")
            }
            patterns[member.key] = pattern
        }
        return patterns
    }

    private func checkLanguagesAgree() throws(CatalogueError) {
        let english = self[.english].placeholders
        for language in Language.allCases {
            let other = self[language].placeholders
            for key in Set(english.keys).union(other.keys).sorted() where english[key] != other[key] {
                let problem =
                    english[key] == nil || other[key] == nil
                    ? "\"\(key)\" is missing in it, or in English" : "\"\(key)\" has other placeholders than in English"
                throw CatalogueError(language: language, problem: problem)
            }
        }
    }
}

/// A catalogue that cannot be used. Found at start and in every test.
public struct CatalogueError: Error, CustomStringConvertible {
    let language: Language
    let problem: String
    public var description: String { "The texts in the language \(language.rawValue): \(problem)" }
}

/// The texts of a program in one language.
public struct Texts: Sendable {
    /// The language of these texts.
    public let language: Language
    private let patterns: [String: TextPattern]
    private let shared: [String: String]

    init(language: Language, patterns: [String: TextPattern], shared: [String: String]) {
        (self.language, self.patterns, self.shared) = (language, patterns, shared)
    }

    /// The keys of all texts, each with the names of its placeholders.
    var placeholders: [String: Set<String>] { patterns.mapValues(\.names) }

    /// The text without markup, for attributes, titles, subjects and plain emails. A value in a right-to-left script is
    /// isolated, so that it does not reorder the text around it (Unicode Standard Annex 9, 2.4.2).
    public func plain(_ text: Text) -> String { render(text, isHTML: false) }

    /// The text as HTML: escaped, with every value but a number in a `<bdi>`. Insert it with `{{{…HTML}}}`.
    public func html(_ text: Text) -> String { render(text, isHTML: true) }

    /// A moment for `{name, time}` in a template, and with `now` for `{name, ago}`.
    public func moment(_ moment: Timestamp, now: Timestamp? = nil) -> Moment {
        let date = PlainDate.parts(moment)
        return Moment(
            iso: PlainDate.rfc3339(moment),
            text: plain(
                Text(
                    "date.long",
                    [
                        "day": String(date.day), "month": Text("date.month-\(date.month)"), "year": String(date.year),
                        "hours": PlainDate.clock(moment),
                    ])), ago: now.map { plain(ago(moment, now: $0)) })
    }

    /// Rounded down. After a month the date says more.
    private func ago(_ moment: Timestamp, now: Timestamp) -> Text {
        let (seconds, minutes) = (Int((now - moment) / .seconds(1)), Int((now - moment) / .minutes(1)))
        switch minutes {
        case ..<1: return seconds < 10 ? Text("ago.moment") : Text("ago.seconds", ["count": String(seconds)])
        case ..<60: return Text("ago.minutes", count: minutes)
        case ..<(24 * 60): return Text("ago.hours", count: minutes / 60)
        case ..<(30 * 24 * 60): return Text("ago.days", count: minutes / (24 * 60))
        default:
            let date = PlainDate.parts(moment)
            return Text(
                "ago.date",
                ["day": String(date.day), "month": Text("date.month-\(date.month)"), "year": String(date.year)])
        }
    }

    /// The text of a key as a piece of a Mustache template; nil for an unknown key.
    func template(_ key: String, isHTML: Bool) -> String? {
        patterns[key]?.pieces.map { piece in
            switch piece {
            case .literal(let words): isHTML ? EscapedHTML().escapeText(words) : words
            case .value(let name): isHTML ? "\(Self.bdi(name)){{\(name)}}</bdi>" : "{{\(name)}}"
            case .time(let name): isHTML ? "{{{\(name).timeHTML}}}" : "{{\(name).text}}"
            case .ago(let name): isHTML ? "{{{\(name).agoHTML}}}" : "{{\(name).ago}}"
            }
        }.joined()
    }

    func mapLiterals(_ change: (String) -> String) -> Texts {
        Texts(language: language, patterns: patterns.mapValues { $0.mapLiterals(change) }, shared: shared)
    }

    private func render(_ text: Text, isHTML: Bool) -> String {
        // The usual case.
        if let pattern = patterns[text.key], pattern.pieces.count == 1, case .literal(let words) = pattern.pieces[0] {
            return isHTML ? EscapedHTML().escapeText(words) : words
        }
        var result = ""
        append(text, isHTML: isHTML, to: &result)
        return result
    }

    private func append(_ text: Text, isHTML: Bool, to result: inout String) {
        guard let pattern = patterns[text.key] else {
            // A test finds every key that is used and not in the catalogue.
            result += text.key
            return
        }
        for piece in pattern.pieces {
            switch piece {
            case .literal(let words): result += isHTML ? EscapedHTML().escapeText(words) : words
            case .value(let name), .time(let name), .ago(let name):
                if let inner = text.values[name] as? Text {
                    append(inner, isHTML: isHTML, to: &result)
                } else {
                    let value = text.values[name] as? String ?? shared[name] ?? ""
                    if isHTML {
                        Self.appendHTML(value, Self.bdi(name), to: &result)
                    } else {
                        result += Self.isolated(value)
                    }
                }
            }
        }
    }

    /// The tag before a value. A browser that translates pages must leave addresses and codes as they are: users copy them.
    /// Source: HTML, "The translate attribute".
    private static func bdi(_ name: String) -> String {
        ["address", "newAddress", "email", "to", "spaced"].contains(name) ? "<bdi translate=\"no\">" : "<bdi>"
    }

    /// Adds a value: a number as it is, everything else in a `<bdi>`.
    private static func appendHTML(_ value: String, _ tag: String, to result: inout String) {
        if !value.isEmpty && value.utf8.allSatisfy(\.isASCIIDigit) {
            result += value
        } else {
            result += tag
            result += EscapedHTML().escapeText(value)
            result += "</bdi>"
        }
    }

    /// The value between FIRST STRONG ISOLATE and POP DIRECTIONAL ISOLATE if it has a right-to-left letter.
    static func isolated(_ value: String) -> String {
        let isRightToLeft = value.unicodeScalars.contains {
            (0x0590...0x08ff).contains($0.value) || (0xfb1d...0xfdff).contains($0.value)
                || (0xfe70...0xfeff).contains($0.value) || (0x10800...0x10fff).contains($0.value)
                || (0x1e800...0x1efff).contains($0.value)
        }
        return isRightToLeft ? "\u{2068}\(value)\u{2069}" : value
    }
}

extension TextPattern {
    fileprivate func mapLiterals(_ change: (String) -> String) -> TextPattern {
        TextPattern(
            pieces: pieces.map { if case .literal(let words) = $0 { .literal(change(words)) } else { $0 } })
    }

    private init(pieces: [Piece]) { self.pieces = pieces }
}

/// A moment on a page: for browsers, and as text in UTC. A script shows it in the browser's time zone.
public struct Moment: Encodable, Sendable {
    let text, timeHTML: String
    /// How long ago it was; the text again for one that is shown in full only.
    let ago, agoHTML: String

    fileprivate init(iso: String, text: String, ago: String?) {
        (self.text, self.ago) = (text, ago ?? text)
        let title = EscapedHTML().escapeText(text)
        timeHTML = "<time datetime=\"\(iso)\">\(title)</time>"
        agoHTML =
            ago.map {
                "<time class=\"ago\" datetime=\"\(iso)\" title=\"\(title)\">\(EscapedHTML().escapeText($0))</time>"
            } ?? timeHTML
    }
}
