import SSOShared

@testable import Counterparts
@testable import TestKit

/// Damages the documents and answers of providers, repeatably.
struct ProviderFuzz {
    /// SplitMix64.
    private struct Seeded: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var value = state
            value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
            value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
            return value ^ value >> 31
        }
    }

    private var random: Seeded

    init(seed: UInt64) { random = Seeded(state: seed) }

    private static let odd: [JSONValue] = [
        .null, 0, 1, -1, .number(1.5), .number(1e300), "", " ", "x", "null", [], [:], true, false, [.null], ["x", 1],
        ["kty": "RSA"], "https://op.example", "https://op.example/", "http://op.example/x", "client", ["client"],
        ["client", "other"], "RS256", "ES256", "none", "EC", "RSA", "sig", "enc", ["verify"], "ec", "AQAB",
        "n-0S6_WzA2Mj", 1_795_262_400, 1_795_266_000, 253_402_300_799,
    ]

    private static let names = [
        "kty", "kid", "use", "alg", "key_ops", "x5c", "d", "n", "e", "crv", "x", "y", "issuer", "jwks_uri", "error",
        "id_token", "iss", "aud", "azp", "exp", "iat", "nbf", "nonce", "sub", "at_hash", "auth_time", "other",
    ]

    private static let bytes = [
        "\"", "\\", "{", "}", "[", "]", ",", ":", "null", "0", "-", "1e9", "\u{0}", "\u{e9}", " ", "\n", "\\u0000",
        "\\ud800", "\"kid\":\"ec\",", "\"keys\":[],", "true",
    ].map { Array($0.utf8) }

    /// The text of the object with up to four changes of its values, and in one of eight cases of its bytes.
    mutating func damaged(_ members: [String: JSONValue]) throws -> [UInt8] {
        var value = JSONValue.object(members)
        for _ in 0..<Int.random(in: 1...4, using: &random) { value = changed(value, depth: 0) }
        var bytes = Array(try StandInJSON.text(value).utf8)
        guard Int.random(in: 0..<8, using: &random) == 0 else { return bytes }
        let place = Int.random(in: 0...bytes.count, using: &random)
        let end = min(bytes.count, place + Int.random(in: 0...20, using: &random))
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes.removeSubrange(place..<end)
        case 1: bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0...bytes.count, using: &random))
        case 2: bytes.insert(contentsOf: Self.bytes.randomElement(using: &random) ?? [], at: place)
        default: bytes = Array(bytes[..<place])
        }
        return bytes
    }

    /// The value, or one in it, replaced, removed, added or doubled.
    private mutating func changed(_ value: JSONValue, depth: Int) -> JSONValue {
        let goesOn = depth == 0 || Int.random(in: 0..<3, using: &random) > 0
        switch value {
        case .object(var members) where goesOn && !members.isEmpty:
            guard let name = members.keys.sorted().randomElement(using: &random) else { return value }
            switch Int.random(in: 0..<8, using: &random) {
            case 0: members[name] = nil
            case 1: members[Self.names.randomElement(using: &random) ?? ""] = Self.odd.randomElement(using: &random)
            case 2: members[Self.names.randomElement(using: &random) ?? ""] = members[name]
            default: members[name] = changed(members[name] ?? .null, depth: depth + 1)
            }
            return .object(members)
        case .array(var items) where goesOn && !items.isEmpty:
            let place = Int.random(in: 0..<items.count, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: items.remove(at: place)
            case 1: items.append(items[place])
            case 2: items.insert(Self.odd.randomElement(using: &random) ?? .null, at: place)
            default: items[place] = changed(items[place], depth: depth + 1)
            }
            return .array(items)
        default: return Self.odd.randomElement(using: &random) ?? .null
        }
    }
}
