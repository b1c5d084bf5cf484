/// Tells an app identifier of an example or a template from a real one.
enum AppleIdentifierPlaceholder {
    /// Prefixes of Apple's documentation and of templates that say what belongs there. A made-up prefix that could be
    /// somebody's is left alone: an error stops a server.
    private static let prefixes: Set<String> = [
        "ABCDE12345", "12345ABCDE", "ABCDEFGHIJ", "TEAMID", "APPID", "YOURTEAMID", "APPPREFIX", "PREFIX",
        "DEVELOPMENT_TEAM", "BUNDLEID",
    ]

    /// What people leave in identifiers that they meant to replace.
    private static let marks = ASCIIWords([
        "<", ">", "{", "}", "$(", "[", "YOUR_", "YOUR-", "YOURTEAM", "TEAM_ID", "TEAM-ID", "_TEAM.", "TEAMID.",
        "APP_ID",
        "BUNDLE_ID", "BUNDLE_IDENTIFIER", "BUNDLE-ID", "YOURCOMPANY", "YOURAPP", "YOURDOMAIN", "YOURBUNDLE", "REPLACE",
        "TODO.", "TODO_", "TODO:", "CHANGEME",
        "PREFIX_",
        "_PREFIX", "XXXXX",
    ])

    static func isOne(_ app: String) -> Bool {
        let prefix = app.utf8.prefix { $0 != UInt8(ascii: ".") }
        // XXXXXXXXXX, 0000000000.
        if prefix.count >= 8, let first = prefix.first, prefix.allSatisfy({ $0 == first }) { return true }
        if prefix.count <= 16, prefixes.contains(String(decoding: prefix, as: UTF8.self).uppercased()) { return true }
        // In capitals, or all of a part: a company may have the word in its name.
        if app.contains("PLACEHOLDER") || app.lowercased().hasSuffix(".placeholder") { return true }
        return marks.occur(in: Array(app.utf8))
    }
}

/// A few words to look for in short texts, without regard to case.
struct ASCIIWords: Sendable {
    /// By their first byte, in lower case.
    private let words: [UInt8: [[UInt8]]]
    private let firsts: ByteSet

    init(_ words: [String]) {
        let bytes = words.map { $0.utf8.map(\.asciiLowercased) }
        self.words = Dictionary(grouping: bytes.filter { !$0.isEmpty }) { $0[0] }
        firsts = ByteSet(bytes.compactMap(\.first))
    }

    func occur(in text: [UInt8]) -> Bool {
        for (index, byte) in text.enumerated() where firsts.contains(byte.asciiLowercased) {
            for word in words[byte.asciiLowercased] ?? [] where text.count - index >= word.count {
                var matches = true
                for (offset, letter) in word.enumerated() where text[index + offset].asciiLowercased != letter {
                    matches = false
                    break
                }
                if matches { return true }
            }
        }
        return false
    }
}
