/// Damages a text the way editors, deployments and attackers do.
enum Mutation {
    /// What readers stumble over, spliced in whole.
    static let tokens: [String] = [
        "{", "}", "[", "]", "\"", ",", ":", "null", "true", "0", "-1e999", "\\", "\\u0000", "\\ud800", "//", "/*", "*/",
        "#",
        "\u{feff}", "\u{a0}", "\u{201c}", "é", "😀", "\u{0}", "\n", "\r", "*", "?", "?*", "**", "/*/", "%", "%2F",
        "%C3%A9",
        "$(", "$(lang)", "$(region)", "$(alpha)", "$(x)", ")", "NOT ", "\"exclude\":true", "\"caseSensitive\":false",
        "\"percentEncoded\":false", "\"appIDs\":[]", "\"components\":[{}]", "\"paths\":[\"*\"]",
        "\"defaults\":{\"/\":\"*\"}",
        "\"include\":\"https://example.com/x\"", "<html>", "-----BEGIN PKCS7-----", "\u{30}\u{82}", "{\"a\":", "[[",
    ]

    static func damage(_ seed: [UInt8], _ random: inout SplitMix, donors: [[UInt8]], limit: Int = 200_000) -> [UInt8] {
        var text = seed
        for _ in 0...random.below(6) {
            let at = random.below(text.count + 1)
            let length = min(random.below(40), text.count - at)
            switch random.below(9) {
            case 0 where at < text.count: text[at] = UInt8(truncatingIfNeeded: random.next())
            case 1 where at < text.count: text[at] ^= 1 << UInt8(random.below(8))
            case 2: text.removeSubrange(at..<at + length)
            case 3: text.insert(contentsOf: Array(text[at..<at + length]), at: at)
            case 4: text = Array(text.prefix(at))
            case 5:
                guard let donor = random.pick(donors) else { break }
                let start = random.below(donor.count)
                text.insert(contentsOf: donor[start...].prefix(random.below(200)), at: at)
            case 6:
                // A piece many times over: depth, length, repetition.
                let piece = Array((random.pick(tokens) ?? "[").utf8)
                let count = random.below(20) == 0 ? random.below(8_000) : random.below(20)
                text.insert(contentsOf: Array(repeating: piece, count: count).joined(), at: at)
            default: text.insert(contentsOf: Array((random.pick(tokens) ?? ",").utf8), at: at)
            }
        }
        return Array(text.prefix(limit))
    }
}
