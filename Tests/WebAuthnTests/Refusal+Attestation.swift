import JWT
import SSOShared
import WebAuthn

@testable import TestKit

extension Refusal {
    private static let objectFormsCases: [(String, CBORItem, WebAuthnError)] = [
        ("a list", .array([]), WebAuthnError.attestationNotMap), ("a text", .text("none"), .attestationNotMap),
        ("an empty map", .empty, .attestationFormatMissing), ("cut", .raw([0xa3, 0x63]), .cborTruncated),
        ("nothing but a head", .raw([0xa3]), .cborTruncated),
    ]

    /// The attestation object, as in the attestation object cases of FIDO's conformance tests.
    static let objectForms: [Refusal] = objectFormsCases.map { name, item, reason in
        Refusal("attestation object: \(name)", reason, .registration { $0.draft.object = item.encoded })
    }

    static let objects: [Refusal] = [
        Refusal("no format", .attestationFormatMissing, .registration { $0.draft.format = nil }),
        Refusal("the format a number", .attestationFormatMissing, .registration { $0.draft.format = .integer(1) }),
        Refusal("the format bytes", .attestationFormatMissing, .registration { $0.draft.format = .bytes([1]) }),
        Refusal("the format empty", .attestationFormatUnknown, .registration { $0.draft.format = .text("") }),
        Refusal(
            "the format in capitals", .attestationFormatUnknown, .registration { $0.draft.format = .text("None") }),
        Refusal(
            "an unknown format", .attestationFormatUnknown, .registration { $0.draft.format = .text("invented") }),
        Refusal("no statement", .attestationStatementMissing, .registration { $0.draft.statement = nil }),
        Refusal(
            "a member twice", .cborDuplicateKey, .registration { $0.draft.others = [(.text("fmt"), .text("none"))] }
        ),
        Refusal(
            "authenticator data a text", .attestationDataMissing,
            .registration { $0.draft.object = object(data: .text("A")) }),
        Refusal(
            "authenticator data a list", .attestationDataMissing,
            .registration { $0.draft.object = object(data: .array([])) }),
        Refusal(
            "no authenticator data", .attestationDataMissing, .registration { $0.draft.object = object(data: nil) }),
        Refusal(
            "authenticator data empty", .authenticatorDataLength,
            .registration { $0.draft.object = object(data: .bytes([])) }),
        Refusal(
            "authenticator data of 36 bytes", .authenticatorDataLength,
            .registration { $0.draft.object = object(data: .bytes([UInt8](repeating: 0, count: 36))) }),
        Refusal(
            "bytes after the object", .cborLeftOver,
            .registration { $0.draft.object = object(data: .bytes($0.draft.data.bytes)) + [0xa0] }),
        Refusal(
            "a member too few", .cborLeftOver,
            .registration {
                $0.draft.object = [0xa1] + object(data: .bytes($0.draft.data.bytes)).dropFirst()
            }),
    ]

    private static let statementFormsCases: [(String, CBORItem)] = [
        ("a list", CBORItem.array([])), ("a text", .text("")), ("bytes", .bytes([])), ("true", .bool(true)),
    ]

    static let statementForms: [Refusal] = statementFormsCases.map {
        name, item in
        Refusal(
            "a statement that is \(name)", .attestationStatementMissing,
            .registration { $0.draft.statement = .item(item) })
    }

    /// Attestation statements.
    static let statements: [Refusal] = [
        Refusal(
            "none with a statement", .noneStatement,
            .registration { $0.draft.statement = .item(.map([(.text("alg"), .integer(-7))])) }),
        Refusal("packed without members", .packedStatement, .registration { $0.draft.format = .text("packed") }),
        packed("without a signature", .packedStatement, [(.text("alg"), .integer(-7))]),
        packed("without an algorithm", .packedStatement, [(.text("sig"), .bytes([1]))]),
        packed(
            "whose signature is a text", .packedStatement,
            [(.text("alg"), .integer(-7)), (.text("sig"), .text(""))]),
        packed(
            "whose algorithm is a text", .packedStatement, [(.text("alg"), .text("")), (.text("sig"), .bytes([1]))]),
        packed(
            "with another member", .packedStatement,
            [(.text("alg"), .integer(-7)), (.text("sig"), .bytes([1])), (.text("ecdaaKeyId"), .bytes([1]))]),
        packed(
            "with an empty signature", .packedSignature, [(.text("alg"), .integer(-7)), (.text("sig"), .bytes([]))]),
        packed(
            "with a wrong signature", .packedSignature, [(.text("alg"), .integer(-7)), (.text("sig"), .bytes([1]))]),
        Refusal(
            "packed with another algorithm", .packedAlgorithm,
            .registration {
                ($0.draft.format, $0.draft.statement) = (.text("packed"), .selfAttestation(algorithm: -257))
            }),
        Refusal(
            "packed of another key", .packedSignature,
            .registration {
                $0 = try RegistrationCase(SoftwareAuthenticator(.hardware))
                $0.draft.data.key = try PasskeySignature.publicKey(PrivateKey(new: .es256))
            }),
        Refusal(
            "packed over other data", .packedSignature,
            .registration { wrong in
                var other = try RegistrationCase(SoftwareAuthenticator(.hardware)).draft
                let statement = try selfAttestation(other)
                other.data.signCount += 1
                wrong.draft = other
                wrong.draft.statement = .item(statement)
            }),
    ]

    private static let canonicalFormsCases: [(String, CBORItem, WebAuthnError)] = [
        ("a number in two bytes", CBORItem.raw([0x18, 0x17]), WebAuthnError.cborNotShortest),
        ("a number in three bytes", .raw([0x19, 0x00, 0xff]), .cborNotShortest),
        ("a number in five bytes", .raw([0x1a, 0x00, 0x00, 0xff, 0xff]), .cborNotShortest),
        ("a number in nine bytes", .raw([0x1b, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]), .cborNotShortest),
        ("a negative number in two bytes", .raw([0x38, 0x17]), .cborNotShortest),
        ("a text with a long length", .raw([0x78, 0x01, 0x61]), .cborNotShortest),
        ("bytes with a long length", .raw([0x58, 0x01, 0x61]), .cborNotShortest),
        ("a list with a long length", .raw([0x98, 0x00]), .cborNotShortest),
        ("a map with a long length", .raw([0xb8, 0x00]), .cborNotShortest),
        ("a number of 2^63", .raw([0x1b, 0x80, 0, 0, 0, 0, 0, 0, 0]), .cborInteger),
        ("a number of -1 - 2^63", .raw([0x3b, 0x80, 0, 0, 0, 0, 0, 0, 0]), .cborInteger),
        ("bytes of 2^63", .raw([0x5b, 0x80, 0, 0, 0, 0, 0, 0, 0]), .cborInteger),
        ("bytes of 2^62", .raw([0x5b, 0x40, 0, 0, 0, 0, 0, 0, 0]), .cborTruncated),
        ("bytes without an end", .raw([0x5f, 0x41, 0x61, 0xff]), .cborIndefinite),
        ("a text without an end", .raw([0x7f, 0x61, 0x61, 0xff]), .cborIndefinite),
        ("a list without an end", .raw([0x9f, 0xff]), .cborIndefinite),
        ("a break", .raw([0xff]), .cborIndefinite), ("a reserved head", .raw([0x1c]), .cborReserved),
        ("a reserved simple value", .raw([0xfd]), .cborReserved),
        ("a text not UTF-8", .raw([0x61, 0xff]), .cborText),
        ("a lone surrogate", .raw([0x63, 0xed, 0xa0, 0x80]), .cborText),
        ("a text in an overlong form", .raw([0x62, 0xc1, 0xa1]), .cborText),
        ("a date", .raw([0xc1, 0x00]), .cborTag), ("a big number", .raw([0xc2, 0x41, 0x01]), .cborTag),
        ("a half", .raw([0xf9, 0x38, 0x00]), .cborFloat), ("a float", .raw([0xfa, 0, 0, 0, 0]), .cborFloat),
        ("a double", .raw([0xfb, 0, 0, 0, 0, 0, 0, 0, 0]), .cborFloat),
        ("a simple value", .raw([0xe0]), .cborSimple),
        ("lists four deep in a map", .array([.array([.array([.array([])])])]), .cborTooDeep),
    ]

    /// One spelling for each value, in the attestation object and the key.
    static let canonicalForms: [Refusal] = canonicalFormsCases.map { name, item, reason in
        Refusal("member: \(name)", reason, .registration { $0.draft.others = [(.text("more"), item)] })
    }

    static let cborLength: [Refusal] = [
        Refusal(
            "more than 64 KiB of CBOR", .responseTooLong,
            .registration { $0.draft.others = [(.text("more"), .bytes([UInt8](repeating: 0, count: 64 << 10)))] })
    ]

    private static func object(data: CBORItem?) -> [UInt8] {
        let members: [(CBORItem, CBORItem)] = [(.text("fmt"), .text("none")), (.text("attStmt"), .empty)]
        return CBORItem.map(members + (data.map { [(.text("authData"), $0)] } ?? [])).encoded
    }

    private static func packed(
        _ name: String, _ reason: WebAuthnError, _ members: [(CBORItem, CBORItem)]
    ) -> Refusal {
        Refusal(
            "packed \(name)", reason,
            .registration { ($0.draft.format, $0.draft.statement) = (.text("packed"), .item(.map(members))) })
    }

    private static func selfAttestation(_ draft: RegistrationDraft) throws -> CBORItem {
        let signature = try PasskeySignature.make(
            draft.data.bytes + SHA256.hash(Array(draft.client.text.utf8)), draft.key)
        return .map([(.text("alg"), .integer(-7)), (.text("sig"), .bytes(signature))])
    }
}
