import JWT
import SSOShared
import WebAuthn

@testable import TestKit

extension Refusal {
    /// COSE keys.
    static let curveKeys: [Refusal] = [
        Refusal("the key a list", .keyNotMap, .registration { $0.draft.data.key = .array([]) }),
        Refusal("the key bytes", .keyNotMap, .registration { $0.draft.data.key = .bytes([1]) }),
        Refusal("the key empty", .keyMember, .registration { $0.draft.data.key = .empty }),
        Refusal("the key with two of a member", .cborDuplicateKey, .registration { $0.draft.data.key = twice }),
        Refusal(
            "the key without an end", .cborIndefinite, .registration { $0.draft.data.key = .raw([0xbf, 0xff]) }),
        member("without an algorithm", .keyMember, 3, nil),
        member("with an algorithm as text", .keyMember, 3, .text("ES256")),
        member("without a type", .keyType, 1, nil), member("of another type", .keyType, 1, .integer(3)),
        member("with a type as text", .keyType, 1, .text("EC2")), member("without a curve", .keyMember, -1, nil),
        member("of P-384", .keyCurve, -1, .integer(2)), member("of secp256k1", .keyCurve, -1, .integer(8)),
        member("without x", .keyMember, -2, nil), member("without y", .keyMember, -3, nil),
        member("with a sign for y", .keyMember, -3, .bool(true)),
        member("with x as text", .keyMember, -2, .text("x")),
        member("with a key id", .keyMember, 2, .bytes([1])),
        member("with its private half", .keyMember, -4, .bytes([1])),
        member("with 31 bytes of x", .keySize, -2, .bytes([UInt8](repeating: 1, count: 31))),
        member("with 33 bytes of y", .keySize, -3, .bytes([0] + [UInt8](repeating: 1, count: 32))),
        member("with an empty x", .keySize, -2, .bytes([])),
        member("off the curve", .keyNotOnCurve, -3, .bytes([UInt8](repeating: 1, count: 32))),
        member("with x beyond the field", .keyNotOnCurve, -2, .bytes([UInt8](repeating: 0xff, count: 32))),
        Refusal(
            "the point at infinity", .keyNotOnCurve,
            .registration {
                $0.draft.data.key?[-2] = .bytes([UInt8](repeating: 0, count: 32))
                $0.draft.data.key?[-3] = .bytes([UInt8](repeating: 0, count: 32))
            }),
    ]

    private static let edwardsKeysCases: [(String, Int, CBORItem?, WebAuthnError)] = [
        ("no x", -2, nil, WebAuthnError.keyMember), ("a y", -3, .bytes([1]), .keyMember),
        ("Ed448", -1, .integer(7), .keyCurve), ("X25519", -1, .integer(4), .keyCurve),
        ("31 bytes", -2, .bytes([UInt8](repeating: 1, count: 31)), .keySize),
        ("the type EC2", 1, .integer(2), .keyType),
        ("the zero point", -2, .bytes([1] + [UInt8](repeating: 0, count: 31)), .keyNotOnCurve),
        ("the zero point with a sign", -2, .bytes([1] + [UInt8](repeating: 0, count: 30) + [0x80]), .keyNotOnCurve),
        ("a point of order 4", -2, .bytes([UInt8](repeating: 0, count: 32)), .keyNotOnCurve),
        ("a point of order 8", -2, .bytes(orderEight), .keyNotOnCurve),
    ]

    static let edwardsKeys: [Refusal] = edwardsKeysCases.map { name, label, item, reason in
        Refusal("an Ed25519 key with \(name)", reason, .registration { $0.draft.data.key = edwards(label, item) })
    }

    private static let rsaKeysCases: [(String, Int, CBORItem?, WebAuthnError)] = [
        ("no exponent", -2, nil, WebAuthnError.keyMember), ("a prime", -4, .bytes([1]), .keyMember),
        ("the type OKP", 1, .integer(1), .keyType), ("an empty modulus", -1, .bytes([]), .keyModulus),
        ("a zero before the modulus", -1, .bytes([0] + odd(256)), .keyModulus),
        ("an even modulus", -1, .bytes(odd(255) + [0xfe]), .keyModulus),
        ("2047 bits", -1, .bytes([0x7f] + odd(255)), .keySize), ("1024 bits", -1, .bytes(odd(128)), .keySize),
        ("4104 bits", -1, .bytes(odd(513)), .keySize), ("exponent 1", -2, .bytes([1]), .keyExponent),
        ("exponent 3", -2, .bytes([3]), .keyExponent), ("exponent 65536", -2, .bytes([1, 0, 0]), .keyExponent),
        ("an empty exponent", -2, .bytes([]), .keyExponent),
        ("a zero before the exponent", -2, .bytes([0, 1, 0, 1]), .keyExponent),
        ("an exponent of 40 bits", -2, .bytes([1, 0, 0, 0, 1]), .keyExponent),
    ]

    static let rsaKeys: [Refusal] = rsaKeysCases.map { name, label, item, reason in
        Refusal("an RSA key with \(name)", reason, .registration { $0.draft.data.key = rsa(label, item) })
    }

    private static let algorithmsCases: [(String, Int)] = [
        ("ES384", -35), ("ES512", -36), ("PS256", -37), ("RS1", -65535), ("RS384", -258), ("ES256K", -47),
        ("Ed25519, fully specified", -19), ("ESP256", -9), ("none", 0), ("a large number", Int.max),
    ]

    /// Algorithms that were not offered.
    static let algorithms: [Refusal] = algorithmsCases.map { name, number in
        Refusal(
            "the algorithm \(name)", .algorithmNotOffered,
            .registration { $0.draft.data.key?[3] = .integer(number) })
    }

    static let algorithmsNotOffered: [Refusal] = [
        Refusal(
            "ES256 that was not offered", .algorithmNotOffered, .registration { $0.offered = [.eddsa, .rs256] }),
        Refusal("nothing that was offered", .algorithmNotOffered, .registration { $0.offered = [] }),
    ]

    private static let twice = CBORItem.map([(.integer(1), .integer(2)), (.integer(1), .integer(2))])
    private static let orderEight: [UInt8] = [
        0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0, 0xd5, 0xdf,
        0xac,
        0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
    ]

    private static func member(_ name: String, _ reason: WebAuthnError, _ label: Int, _ item: CBORItem?) -> Refusal {
        Refusal("a key \(name)", reason, .registration { $0.draft.data.key?[label] = item })
    }

    /// An Ed25519 key with one member changed.
    private static func edwards(_ label: Int, _ item: CBORItem?) -> CBORItem {
        var key = CBORItem.map([
            (.integer(1), .integer(1)), (.integer(3), .integer(-8)), (.integer(-1), .integer(6)),
            (.integer(-2), .bytes([UInt8](repeating: 9, count: 32))),
        ])
        key[label] = item
        return key
    }

    /// An RSA key with one member changed.
    private static func rsa(_ label: Int, _ item: CBORItem?) -> CBORItem {
        var key = CBORItem.map([
            (.integer(1), .integer(3)), (.integer(3), .integer(-257)), (.integer(-1), .bytes(odd(256))),
            (.integer(-2), .bytes([1, 0, 1])),
        ])
        key[label] = item
        return key
    }

    private static func odd(_ count: Int) -> [UInt8] { [UInt8](repeating: 0xff, count: count) }
}
