import SSOShared

/// Guesses what the author of a path pattern meant. Each property takes one pass over the text.
struct PathPatternHeuristics {
    let text: String
    let bytes: [UInt8]

    init(_ text: String) {
        self.text = text
        bytes = Array(text.utf8)
    }

    private static let star = UInt8(ascii: "*")
    private static let slash = UInt8(ascii: "/")
    private static let mark = UInt8(ascii: "?")

    /// An attempt at "not" (`NOT` and a blank or slash, `not` and a blank, `!` and a slash), and the path after it.
    var negation: (word: String, path: String)? {
        guard bytes.count > 1, let first = bytes.first else { return nil }
        if first == UInt8(ascii: "!"), bytes[1] == Self.slash { return ("!", String(text.dropFirst())) }
        guard first | 0x20 == UInt8(ascii: "n"), bytes.count > 3, text.prefix(3).lowercased() == "not" else {
            return nil
        }
        let isBlank = bytes[3] == 0x20 || bytes[3] == 0x09
        guard isBlank || bytes[3] == Self.slash && text.hasPrefix("NOT") else { return nil }
        return (String(text.prefix(3)), String(text.dropFirst(3).drop { $0.isWhitespace }))
    }

    var isURL: Bool {
        let head = bytes.prefix(16).map(\.asciiLowercased)
        if head.starts(with: "www.".utf8) || head.starts(with: "mailto:".utf8) { return true }
        guard let colon = head.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return false }
        return head[colon...].starts(with: "://".utf8)
    }

    /// Whether the text seems to be a host and a path without a scheme, such as `acme.com/a` or `//acme.com/a`.
    var isHostAndPath: Bool {
        let isBare = bytes.first != Self.slash
        guard isBare || bytes.starts(with: "//".utf8), bytes.first != Self.star else { return false }
        let rest = bytes.drop { $0 == Self.slash }
        let host = rest.prefix { $0 != Self.slash }
        guard !isBare || host.count < rest.count else { return false }
        let labels = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.count > 1, let top = labels.last, (2...24).contains(top.count), top.allSatisfy(\.isASCIILetter)
        else { return false }
        return labels.allSatisfy { label in
            !label.isEmpty && label.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "-") }
        } && !Self.fileTypes.contains(String(decoding: top, as: UTF8.self).lowercased())
    }

    private static let fileTypes: Set<String> = [
        "html", "htm", "php", "asp", "aspx", "jsp", "txt", "json", "xml", "js", "css", "pdf", "png", "svg",
    ]

    /// The rule that says what is wrong with a pattern in the syntax of something else. `nil` for syntax of both files.
    var foreignSyntax: (rule: LintRule, message: String, severity: Severity?)? {
        let rules = ApplePathRules.self
        lazy var shown = text.quoted
        if isPlaceholder { return (rules.placeholderText, "\(shown) is an instruction, no path", nil) }
        if isURL { return (rules.urlInPath, "\(shown) is an address, no path", nil) }
        if isHostAndPath { return (rules.urlInPath, "\(shown) looks like a host with its path", .warning) }
        if bytes.contains(UInt8(ascii: "#")) {
            return (rules.fragmentInPath, "\"#\" in \(shown) can never be in a path", nil)
        }
        if let syntax = routeSyntax {
            return (rules.routeSyntax, "\(syntax.quoted) in \(shown) is not syntax of these patterns", nil)
        }
        if hasQuery { return (rules.queryInPath, "\"?\" in \(shown) is a wildcard for one character, no query", nil) }
        return nil
    }

    /// The fix in the form of the list that has the pattern: a text of `paths`, or a rule.
    func fix(_ rule: LintRule, isList: Bool) -> FindingFix? {
        let mark: Character = rule == ApplePathRules.queryInPath ? "?" : "#"
        guard rule == ApplePathRules.queryInPath || rule == ApplePathRules.fragmentInPath else { return nil }
        let path = String(text.prefix { $0 != mark })
        let base = (path.isEmpty ? "/" : path).quoted
        if isList { return "Write \(base): only the path is compared here." }
        return mark == "?"
            ? "Write \"/\": \(base), \"?\": {\"name\": \"?*\"}."
            : "Write \"/\": \(base), \"#\": \(String(text.dropFirst(path.count + 1)).quoted)."
    }

    private static let instructions = ASCIIWords([
        "YOUR_", "PATH_HERE", "PATH-HERE", "YOUR-PATH", "YOURPATH", "REPLACE_", "REPLACE-", "TODO:", "PATH_TO_",
        "/PATH/TO/", "PLACEHOLDER",
    ])
    private static let expressions = [".*)", "*)", ".+", "[^", "[0-9", "[a-z", "(?"]
    /// A text that comes from another pattern language contains one of these characters.
    private static let foreign = ByteSet("\\^$([{:.".utf8)

    /// Whether the text is a placeholder: angle brackets, or words such as a lone TODO. `/todo` can be a real path.
    var isPlaceholder: Bool {
        if bytes.contains(UInt8(ascii: "<")) || bytes.contains(UInt8(ascii: ">")) { return true }
        if Self.instructions.occur(in: bytes) || text == "TODO" || text == "/TODO" { return true }
        // Three blanks are a sentence. No real path has three blanks.
        return bytes.count { $0 == 0x20 } >= 3
    }

    /// Whether a `?` was probably meant to begin a query: `?name=…`, or `word?*` at the end.
    var hasQuery: Bool {
        var index = bytes.startIndex
        while let mark = bytes[index...].firstIndex(of: Self.mark) {
            let name = bytes[(mark + 1)...].prefix { $0.isASCIILetter || $0.isASCIIDigit || "-_.[]%".utf8.contains($0) }
            let next = mark + 1 + name.count
            if !name.isEmpty, next < bytes.count, bytes[next] == UInt8(ascii: "=") { return true }
            index = mark + 1
        }
        guard bytes.count >= 3, bytes.suffix(2).elementsEqual([Self.mark, Self.star]) else { return false }
        let before = bytes[bytes.count - 3]
        return before.isASCIILetter || before.isASCIIDigit || before == UInt8(ascii: "_")
    }

    /// The part that is syntax of a router or of a regular expression.
    var routeSyntax: String? {
        guard bytes.contains(where: Self.foreign.contains) else { return nil }
        if let backslash = bytes.firstIndex(of: UInt8(ascii: "\\")) {
            return String(decoding: bytes[backslash...].prefix(2), as: UTF8.self)
        }
        if bytes.first == UInt8(ascii: "^") { return "^" }
        if bytes.last == UInt8(ascii: "$") { return "$" }
        for piece in Self.expressions where text.contains(piece) { return piece }
        for segment in bytes.split(separator: Self.slash) {
            if let syntax = Self.routeSyntax(segment) { return syntax }
        }
        return nil
    }

    private static func routeSyntax(_ segment: ArraySlice<UInt8>) -> String? {
        guard let first = segment.first, let last = segment.last else { return nil }
        let shown = String(decoding: segment.prefix(60), as: UTF8.self)
        // :id
        if first == UInt8(ascii: ":"), segment.dropFirst().first?.isASCIILetter == true { return shown }
        if first == UInt8(ascii: "["), last == UInt8(ascii: "]") { return shown }
        if segment.elementsEqual(".*".utf8) { return shown }
        // {id}: browsers encode braces in a URL.
        if let open = segment.firstIndex(of: UInt8(ascii: "{")), segment[open...].contains(UInt8(ascii: "}")) {
            return shown
        }
        // (a|b): brackets without a bar are ordinary characters.
        let isGroup = first == UInt8(ascii: "(") && segment.contains(UInt8(ascii: "|"))
        return isGroup ? shown : nil
    }

    static func hasDoubleStar(_ text: String) -> Bool {
        var isBehindStar = false
        for byte in text.utf8 {
            if byte == star, isBehindStar { return true }
            isBehindStar = byte == star
        }
        return false
    }

    /// The number of stars. Adjacent stars count as one.
    var starCount: Int { bytes.indices.count { bytes[$0] == Self.star && ($0 == 0 || bytes[$0 - 1] != Self.star) } }

    /// Whether a slash follows a star, with more text after the slash.
    var hasInnerStar: Bool {
        guard let star = bytes.firstIndex(of: Self.star) else { return false }
        guard let slash = bytes[star...].firstIndex(of: Self.slash) else { return false }
        return bytes[slash...].contains { $0 != Self.slash && $0 != Self.star }
    }

    /// A path that matches and in which the first star matches a slash.
    var deepWitness: String {
        var path: [UInt8] = bytes.first == Self.slash ? [] : [Self.slash]
        var isFirst = true
        for byte in bytes.prefix(120) {
            if byte == Self.star {
                path += (isFirst ? "a/b" : "c").utf8
                isFirst = false
            } else {
                path.append(byte == Self.mark ? UInt8(ascii: "x") : byte)
            }
        }
        return String(decoding: path, as: UTF8.self)
    }

    /// The pattern without its star, if it ends with `/word*`.
    var wordBeforeFinalStar: String? {
        guard bytes.last == Self.star, bytes.count >= 2 else { return nil }
        let before = bytes[bytes.count - 2]
        guard before.isASCIILetter || before.isASCIIDigit else { return nil }
        let word = bytes.dropLast()
        // An escape is not a word: /%E4* continues with the next byte of the character.
        guard !word.suffix(3).starts(with: "%".utf8) else { return nil }
        return String(decoding: word, as: UTF8.self)
    }

    var lacksSlash: Bool {
        guard let first = bytes.first else { return false }
        return first != Self.slash && first != Self.star && first != Self.mark && first != UInt8(ascii: "$")
    }
}
