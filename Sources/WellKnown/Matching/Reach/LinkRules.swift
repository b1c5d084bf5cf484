import SSOShared

/// The rules of one app, on either platform, as conditions on the parts of an address: what dead rules and differences
/// are found from.
final class LinkRules {
    struct Rule {
        /// The condition on the path in ``LinkSpaces/path``; `nil` when every path will do.
        let path: Int?
        let query: [Int]
        let fragment: [Int]
        let isExclude: Bool
        /// What every matching path begins with, unless its letters fold.
        let prefix: [UInt8]
        /// Addresses that the rule probably matches, to be tried before anything is computed.
        let samples: [LinkURL]
    }

    /// `nil` for a rule that is too large, or reads addresses otherwise than the rest.
    let rules: [Rule?]
    /// Addresses that the rules that are `nil` probably match.
    let samples: [LinkURL]
    /// What is decided when no rule matches.
    let fallback: LinkDecision
    /// Whether each rule excludes.
    private let excludes: [Bool]
    /// The index of the rule that decides; `nil` when none does.
    let decider: (LinkURL) -> Int?

    init(
        _ rules: [Rule?], samples: [LinkURL] = [], excludes: [Bool] = [], fallback: LinkDecision,
        decider: @escaping (LinkURL) -> Int?
    ) {
        self.rules = rules
        self.samples = samples
        self.excludes = excludes
        self.fallback = fallback
        self.decider = decider
    }

    /// Those of a file from which no reader takes anything.
    static var none: LinkRules { LinkRules([], fallback: .noMatch) { _ in nil } }

    func decision(of rule: Int?) -> LinkDecision {
        guard let rule else { return fallback }
        return excludes[rule] ? .excluded : .opens
    }
}

/// The conditions of all rules at hand, part by part.
final class LinkSpaces {
    let path: PartSpace
    let query: PartSpace
    let fragment: PartSpace
    /// The texts are decoded ones.
    let isDecoded: Bool
    /// An absent query or fragment is another thing than an empty one, and matches nothing.
    let tellsAbsent: Bool

    init(isDecoded: Bool, tellsAbsent: Bool) {
        self.isDecoded = isDecoded
        self.tellsAbsent = tellsAbsent
        let printable = ByteSet(0x21...0x7e).subtracting(ByteSet(#""<>\"#.utf8))
        let legal = isDecoded ? ByteSet(0x20...0xff).subtracting(ByteSet([0x7f])) : printable
        // Decoded, a question mark in a path or a number sign in a query is one that was escaped.
        path = PartSpace(legal: isDecoded ? legal : legal.subtracting(ByteSet("?#".utf8)))
        query = PartSpace(legal: isDecoded ? legal : legal.subtracting(ByteSet("#".utf8)))
        fragment = PartSpace(legal: legal)
        path.frame(tellsAbsent ? .rooted : .trimmed)
        if isDecoded { for space in [path, query, fragment] { space.frame(.wellFormed) } }
    }

    /// The address of these texts; `nil` when there is none.
    func url(path: [UInt8], query: [UInt8]?, fragment: [UInt8]?) -> LinkURL? {
        let path = path.first == 0x2f ? path : [0x2f] + path
        var text = "https://example.com" + sent(path, "/")
        if let query { text += "?" + sent(query, "/?&=") }
        if let fragment { text += "#" + sent(fragment, "/?") }
        return LinkURL(text)
    }

    private func sent(_ text: [UInt8], _ free: String) -> String {
        guard isDecoded else { return String(decoding: text, as: UTF8.self) }
        let plain = ByteSet(Array("-._~!$'()*+,;:@".utf8) + free.utf8)
        let bytes = text.flatMap { byte in
            byte.isASCIILetter || byte.isASCIIDigit || plain.contains(byte) ? [byte] : PercentEncoding.encoded(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
