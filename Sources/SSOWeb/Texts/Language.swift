public import Hummingbird

/// A language of the pages and emails. Each has a catalogue of texts in every program.
public enum Language: String, CaseIterable, Codable, Sendable {
    case english = "en"
    case german = "de"

    /// The language that a browser asks for, English if it asks for none of these (RFC 9110 12.5.4).
    ///
    /// A range such as `de-AT` stands for its language. Of equal weights the first counts.
    public static func preferred(by request: Request) -> Language {
        preferred(request.headers[.acceptLanguage])
    }

    /// The first of a list of tags that is one of these, as in `ui_locales` (OpenID Connect Core 3.1.2.1). A tag such as `de-AT`
    /// stands for its language. Nil without one.
    public static func first(of tags: String) -> Language? {
        let tags = String(decoding: tags.utf8.prefix(512), as: UTF8.self).split(separator: " ").prefix(20)
        return tags.lazy.compactMap { Language(rawValue: $0.prefix { $0 != "-" && $0 != "_" }.lowercased()) }.first
    }

    /// - Parameter accepted: the value of `Accept-Language`.
    static func preferred(_ accepted: String?) -> Language {
        // Browsers send fewer than ten ranges.
        var rest = (accepted ?? "").utf8.prefix(512)
        var count = 0
        var best: (language: Language, weight: Int)?
        while !rest.isEmpty, count < 20 {
            var range = rest.removePart(before: UInt8(ascii: ","))
            guard !range.isEmpty else { continue }
            count += 1
            range = range.drop { $0 == UInt8(ascii: ";") }
            let tag = word(range.removePart(before: UInt8(ascii: ";")))
            guard let language = tag == "*" ? .english : Language(rawValue: String(tag.prefix { $0 != "-" })),
                let weight = weight(range), weight > best?.weight ?? 0
            else { continue }
            best = (language, weight)
        }
        return best?.language ?? .english
    }

    /// `q=0.8` in thousandths; nil if it is malformed.
    private static func weight(_ parameters: Substring.UTF8View) -> Int? {
        var rest = parameters
        while !rest.isEmpty {
            let text = word(rest.removePart(before: UInt8(ascii: ";")))
            guard text.hasPrefix("q=") else { continue }
            guard let value = Double(text.dropFirst(2)), (0...1).contains(value) else { return nil }
            return Int(value * 1000)
        }
        return 1000
    }

    /// A tag or a parameter in lower case, without blanks.
    private static func word(_ bytes: Substring.UTF8View) -> String {
        String(decoding: bytes, as: UTF8.self).lowercased().filter { $0 != " " && $0 != "\t" }
    }
}
