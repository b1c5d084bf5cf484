import SSOShared

/// The texts of a program in one language.
public struct Texts: Sendable {
    /// The language of these texts.
    public let language: Language
    let patterns: [String: TextPattern]
    private let shared: [String: String]
    private let rules: LanguageRules
    /// The keys, without their forms, of texts that depend on a number and are in English.
    private let english: Set<String>

    init(
        language: Language, patterns: [String: TextPattern], shared: [String: String], english: Set<String> = []
    ) {
        (self.language, self.patterns, self.shared, self.english) = (language, patterns, shared, english)
        rules = LanguageRules(language)
    }

    /// The keys of all texts, each with its placeholders.
    var placeholders: [String: Set<TextPattern.Piece>] { patterns.mapValues(\.placeholders) }

    /// The keys, without their forms, of the texts that depend on a number.
    var stems: Set<String> {
        Set(
            patterns.keys.lazy.filter { $0.hasSuffix(".one") }.map { String($0.dropLast(4)) }
                .filter { patterns["\($0).other"] != nil })
    }

    /// These texts in an added language, as they are where it has none.
    func replaced(by added: AddedLanguage) -> Texts {
        guard language != added.language else {
            return Texts(language: language, patterns: patterns.merging(added.patterns) { $1 }, shared: shared)
        }
        var (patterns, english) = (patterns, stems)
        // Of one text, no form is in another language than the others.
        for stem in stems where added.patterns["\(stem).other"] != nil {
            patterns["\(stem).one"] = nil
            english.remove(stem)
        }
        return Texts(
            language: added.language, patterns: patterns.merging(added.patterns) { $1 }, shared: shared,
            english: english)
    }

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
                        "day": day(date.day), "month": Text("date.month-\(date.month)"), "year": String(date.year),
                        "hours": PlainDate.clock(moment),
                    ])), ago: now.map { plain(ago(moment, now: $0)) })
    }

    private func day(_ number: Int) -> String { number == 1 ? rules.firstDay ?? "1" : String(number) }

    /// Rounded down. After a month the date says more.
    private func ago(_ moment: Timestamp, now: Timestamp) -> Text {
        let (seconds, minutes) = (Int((now - moment) / .seconds(1)), Int((now - moment) / .minutes(1)))
        switch minutes {
        case ..<1: return seconds < 10 ? Text("ago.moment") : Text("ago.seconds", count: seconds)
        case ..<60: return Text("ago.minutes", count: minutes)
        case ..<(24 * 60): return Text("ago.hours", count: minutes / 60)
        case ..<(30 * 24 * 60): return Text("ago.days", count: minutes / (24 * 60))
        default:
            let date = PlainDate.parts(moment)
            return Text(
                "ago.date",
                ["day": day(date.day), "month": Text("date.month-\(date.month)"), "year": String(date.year)])
        }
    }

    /// Where a text stands in a template: in HTML, in an attribute or title of it, or in a plain email.
    enum Place { case html, attribute, plain }

    /// The text of a key as a piece of a Mustache template; nil for an unknown key.
    func template(_ key: String, in place: Place) -> String? {
        guard let pattern = patterns[key] else { return nil }
        guard place == .html else {
            return pattern.pieces.map { piece in
                switch piece {
                case .literal(let words): place == .plain ? words : EscapedHTML().escapeText(words)
                case .value(let name): "{{\(name)}}"
                case .time(let name): "{{\(name).text}}"
                case .ago(let name): "{{\(name).ago}}"
                }
            }.joined()
        }
        return pattern.units.map { unit in
            switch unit.piece {
            case .literal(let words): EscapedHTML().escapeText(words)
            case .value(let name): unit.wrapped("\(Self.bdi(name)){{\(name)}}</bdi>")
            case .time(let name): unit.wrapped("{{{\(name).timeHTML}}}")
            case .ago(let name): unit.wrapped("{{{\(name).agoHTML}}}")
            }
        }.joined()
    }

    func mapLiterals(_ change: (String) -> String) -> Texts {
        Texts(
            language: language, patterns: patterns.mapValues { $0.mapLiterals(change) }, shared: shared,
            english: english)
    }

    /// The text of the key, in the form that its number has in this language.
    private func pattern(_ text: Text) -> TextPattern? {
        guard let (stem, count) = text.plural, language != .english, !english.contains(stem) else {
            return patterns[text.key]
        }
        return patterns["\(stem).\(rules.form(count))"] ?? patterns["\(stem).other"]
    }

    private func render(_ text: Text, isHTML: Bool) -> String {
        // The usual case.
        if let pattern = pattern(text), pattern.pieces.count == 1, case .literal(let words) = pattern.pieces[0] {
            return isHTML ? EscapedHTML().escapeText(words) : words
        }
        var result = ""
        append(text, isHTML: isHTML, to: &result)
        return result
    }

    private func append(_ text: Text, isHTML: Bool, to result: inout String) {
        guard let pattern = pattern(text) else {
            // A test finds every key that is used and not in the catalogue.
            result += text.key
            return
        }
        guard isHTML else { return appendPlain(text, pattern, to: &result) }
        for unit in pattern.units {
            switch unit.piece {
            case .literal(let words): result += EscapedHTML().escapeText(words)
            case .value(let name), .time(let name), .ago(let name):
                if let inner = text.values[name] as? Text {
                    var html = ""
                    append(inner, isHTML: true, to: &html)
                    result += unit.bare(html)
                } else if let english = text.values[name] as? EnglishWords {
                    result += unit.wrapped("<bdi lang=\"en\">\(EscapedHTML().escapeText(english.words))</bdi>")
                } else {
                    let value = text.values[name] as? String ?? shared[name] ?? ""
                    result += Self.isNumber(value) ? unit.bare(value) : unit.wrapped(Self.bdi(name, value))
                }
            }
        }
    }

    private func appendPlain(_ text: Text, _ pattern: TextPattern, to result: inout String) {
        for piece in pattern.pieces {
            switch piece {
            case .literal(let words): result += words
            case .value(let name), .time(let name), .ago(let name):
                if let inner = text.values[name] as? Text {
                    append(inner, isHTML: false, to: &result)
                } else if let english = text.values[name] as? EnglishWords {
                    result += Self.isolated(english.words)
                } else {
                    result += Self.isolated(text.values[name] as? String ?? shared[name] ?? "")
                }
            }
        }
    }

    /// The tag before a value. A browser that translates pages must leave addresses and codes as they are: users copy them.
    /// Source: HTML, "The translate attribute".
    private static func bdi(_ name: String) -> String {
        ["address", "newAddress", "email", "to", "spaced"].contains(name) ? "<bdi translate=\"no\">" : "<bdi>"
    }

    private static func bdi(_ name: String, _ value: String) -> String {
        bdi(name) + EscapedHTML().escapeText(value) + "</bdi>"
    }

    /// A number needs no `<bdi>`.
    private static func isNumber(_ value: String) -> Bool {
        !value.isEmpty && value.utf8.allSatisfy(\.isASCIIDigit)
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
}

/// A moment on a page: for browsers, and as text in UTC. A script shows it in the browser's time zone.
public struct Moment: Encodable, Sendable {
    package let text: String
    let timeHTML: String
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
