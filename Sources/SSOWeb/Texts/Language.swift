public import Hummingbird
import SSOShared

/// A language of the pages and emails: its tag as BCP 47 writes it, such as `de`, `pt-BR` or `zh-Hant`.
///
/// English and German are built in. Others come from folders of catalogues (``AddedLanguages``). The database keeps a tag also
/// while no program has its catalogue: its texts are English then.
public struct Language: RawRepresentable, Hashable, Codable, Sendable {
    public static let english = Language(tag: "en")
    public static let german = Language(tag: "de")
    /// Those that each program has a catalogue of, English first.
    public static let builtIn = [english, german]

    public let rawValue: String

    /// - Returns: nil unless the text is the tag of a language, with a script or a region at most.
    public init?(rawValue: String) {
        guard Self.isTag(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    private init(tag: String) { rawValue = tag }

    /// The language of a request, which ``LanguageChoice`` has put in place of what the browser asks for; else English.
    public static func preferred(by request: Request) -> Language {
        request.headers[.acceptLanguage].flatMap(Language.init) ?? .english
    }

    /// The tag without script and region.
    var primary: Substring { rawValue.prefix { $0 != "-" } }

    /// `en`, `zh-Hant`, `pt-BR`, `es-419`, `zh-Hant-TW` (RFC 5646 2.1, in the case of its 2.1.1).
    private static func isTag(_ text: String) -> Bool {
        guard text.utf8.count <= 12, text.utf8.allSatisfy({ $0.isASCIILetter || $0.isASCIIDigit || $0 == 0x2d }) else {
            return false
        }
        var parts = text.split(separator: "-", omittingEmptySubsequences: false)[...]
        guard let language = parts.popFirst(), (2...3).contains(language.count), language.allSatisfy(\.isLowercase)
        else { return false }
        if let script = parts.first, script.count == 4, script.first?.isUppercase == true,
            script.dropFirst().allSatisfy(\.isLowercase)
        {
            parts.removeFirst()
        }
        guard let region = parts.popFirst() else { return true }
        let isRegion =
            region.count == 2 && region.allSatisfy(\.isUppercase) || region.count == 3 && region.allSatisfy(\.isNumber)
        return isRegion && parts.isEmpty
    }
}

/// The languages of one program, and which of them is meant by a browser, a user or a client.
public struct Languages: Sendable {
    static let builtIn = Languages(Language.builtIn)

    /// English first, then the others as they are offered.
    public let all: [Language]
    /// By tag in lower case.
    private let tags: [String: Language]
    /// The first of each language, whatever its script and region.
    private let primaries: [String: Language]

    init(_ all: [Language]) {
        self.all = all
        tags = Dictionary(all.map { ($0.rawValue.lowercased(), $0) }) { first, _ in first }
        primaries = Dictionary(all.map { (String($0.primary), $0) }) { first, _ in first }
    }

    /// The language of a tag that a program has written itself: in a cookie, a link or a form.
    package func named(_ tag: some StringProtocol) -> Language? {
        guard tag.utf8.count <= 12, let language = tags[tag.lowercased()] else { return nil }
        return language.rawValue.utf8.elementsEqual(tag.utf8) ? language : nil
    }

    /// The first of a list of tags that is one of these, as in `ui_locales` (OpenID Connect Core 3.1.2.1). Nil without one.
    package func first(of tags: String) -> Language? {
        let tags = String(decoding: tags.utf8.prefix(512), as: UTF8.self).split(separator: " ").prefix(20)
        return tags.lazy.compactMap { matching($0.lowercased().map { $0 == "_" ? "-" : $0 }) }.first
    }

    /// The language that a browser asks for, English if it asks for none of these (RFC 9110 12.5.4).
    ///
    /// Of equal weights the first counts.
    ///
    /// - Parameter accepted: the value of `Accept-Language`.
    func preferred(_ accepted: String?) -> Language {
        if let accepted, let language = named(accepted) { return language }
        // Browsers send fewer than ten ranges.
        var rest = (accepted ?? "").utf8.prefix(512)
        var count = 0
        var best: (language: Language, weight: Int)?
        while !rest.isEmpty, count < 20 {
            var range = rest.removePart(before: UInt8(ascii: ","))
            guard !range.isEmpty else { continue }
            count += 1
            range = range.drop { $0 == UInt8(ascii: ";") }
            let tag = Self.word(range.removePart(before: UInt8(ascii: ";")))
            guard let language = tag == "*" ? .english : matching(Array(tag)), let weight = Self.weight(range),
                weight > best?.weight ?? 0
            else { continue }
            best = (language, weight)
        }
        return best?.language ?? .english
    }

    /// What a range stands for: the language of its tag, else of the tag without its last part, and so on (RFC 4647 3.4). `de-AT`
    /// is German. A range without a region stands for a language that is there with one only: `pt` for `pt-BR`.
    private func matching(_ range: [Character]) -> Language? {
        var rest = range[...]
        while true {
            if let language = tags[String(rest)] { return language }
            guard let cut = rest.lastIndex(of: "-") else { return primaries[String(rest)] }
            rest = rest[..<cut]
        }
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
