import Foundation

/// Mutates a text in the way of editors, deployments and attackers.
enum Mutation {
    /// Text that is difficult for parsers. It is inserted as a whole.
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
                // Inserts a token many times, for depth, length and repetition.
                let piece = Array((random.pick(tokens) ?? "[").utf8)
                let count = random.below(20) == 0 ? random.below(8_000) : random.below(20)
                text.insert(contentsOf: Array(repeating: piece, count: count).joined(), at: at)
            default: text.insert(contentsOf: Array((random.pick(tokens) ?? ",").utf8), at: at)
            }
        }
        return Array(text.prefix(limit))
    }
}

/// SplitMix64 (Steele, Lea and Flood 2014): small, seeded, and equal on all platforms.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
        return word ^ (word >> 31)
    }

    /// A number from 0 to `bound - 1`, or 0 if `bound` is below 1.
    mutating func below(_ bound: Int) -> Int { bound < 1 ? 0 : Int(next() % UInt64(bound)) }

    mutating func pick<Element>(_ list: [Element]) -> Element? { list.isEmpty ? nil : list[below(list.count)] }
}

/// The texts that are mutated.
enum FuzzSeeds {
    static let all: [[UInt8]] = [aasa, legacy, dictionary, assetlinks].map { Array($0.utf8) }

    /// Reads the bodies of a folder and its subfolders, up to 128 KiB each.
    static func read(_ folder: String) throws -> [[UInt8]] {
        let root = URL(filePath: folder)
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder).sorted()
        return names.compactMap { name in
            let url = root.appending(path: name)
            guard !url.hasDirectoryPath, let data = try? Data(contentsOf: url), data.count <= 131_072 else {
                return nil
            }
            return Array(data)
        }
    }

    private static let aasa = """
        {"applinks":{"defaults":{"caseSensitive":false},"substitutionVariables":{"food":["burrito","pizza","s?shi*"]},
        "details":[{"appIDs":["A1B2C3D4E5.com.example.app","A1B2C3D4E5.com.example.app2"],"defaults":{"percentEncoded":false},
        "components":[{"#":"no_universal_links","exclude":true},{"/":"/buy/*"},{"/":"/help/website/*","exclude":true},
        {"/":"/$(lang)_$(region)/$(food)/*"},{"/":"/help/*","?":{"articleNumber":"????","x":"?*"},"comment":"é"}]}]},
        "webcredentials":{"apps":["A1B2C3D4E5.com.example.app"]},"appclips":{"apps":["A1B2C3D4E5.com.example.app.Clip"]}}
        """
    private static let legacy = """
        {"applinks":{"apps":[],"details":[{"appID":"A1B2C3D4E5.com.example.app","paths":["NOT /private/*","/a?c/*","*"]}]}}
        """
    private static let dictionary = """
        {"applinks":{"apps":[],"details":{"A1B2C3D4E5.com.example.app":{"paths":["/x/*"]}}}}
        """
    private static let assetlinks = """
        [{"relation":["delegate_permission/common.handle_all_urls","delegate_permission/common.get_login_creds"],
        "target":{"namespace":"android_app","package_name":"com.example.app","sha256_cert_fingerprints":[
        "9A:3C:51:0F:77:E2:4B:D8:16:AC:05:6F:B1:92:3E:C4:5D:80:E9:2A:47:1B:F6:63:DC:08:95:7E:A0:34:CB:12"]},
        "relation_extensions":{"delegate_permission/common.handle_all_urls":{"dynamic_app_link_components":[
        {"/":"/private*","exclude":true},{"/":"/shop/*","?":{"q":"?*"},"#":"top"},{"/":"*"}]}}},
        {"include":"https://example.com/more.json"},
        {"relation":["delegate_permission/common.get_login_creds"],"target":{"namespace":"web","site":"https://example.com"}}]
        """
}
