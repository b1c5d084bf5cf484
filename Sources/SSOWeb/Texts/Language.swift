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

    /// - Parameter accepted: the value of `Accept-Language`.
    static func preferred(_ accepted: String?) -> Language {
        // Browsers send fewer than ten ranges.
        let ranges = (accepted ?? "").utf8.prefix(512).split(separator: UInt8(ascii: ",")).prefix(20)
        var best: (language: Language, weight: Int)?
        for range in ranges {
            let parts = range.split(separator: UInt8(ascii: ";")).map { String(decoding: $0, as: UTF8.self) }
            guard let tag = parts.first?.lowercased().filter({ $0 != " " && $0 != "\t" }),
                let language = tag == "*" ? .english : Language(rawValue: String(tag.prefix { $0 != "-" })),
                let weight = weight(parts.dropFirst()), weight > best?.weight ?? 0
            else { continue }
            best = (language, weight)
        }
        return best?.language ?? .english
    }

    /// `q=0.8` in thousandths; nil if it is malformed.
    private static func weight(_ parameters: ArraySlice<String>) -> Int? {
        for parameter in parameters {
            let text = parameter.lowercased().filter { $0 != " " && $0 != "\t" }
            guard text.hasPrefix("q=") else { continue }
            guard let value = Double(text.dropFirst(2)), (0...1).contains(value) else { return nil }
            return Int(value * 1000)
        }
        return 1000
    }
}
