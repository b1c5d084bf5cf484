import SSOShared
import WebAuthn

@testable import TestKit

private typealias Flag = AuthenticatorDraft.Flag

extension Refusal {
    private static let hashesCases: [(String, [UInt8])] = [
        ("another host", SHA256.hash("example.org")), ("a subdomain", SHA256.hash("sub.example.com")),
        ("a parent domain", SHA256.hash("com")), ("the origin", SHA256.hash("https://example.com")),
        ("nothing", SHA256.hash("")), ("zeros", [UInt8](repeating: 0, count: 32)),
    ]

    /// Authenticator data, as in the authenticator data cases of FIDO's conformance tests.
    static let hashes: [Refusal] = hashesCases.map { name, hash in
        Refusal("the hash of \(name)", .relyingPartyID, .data { $0.relyingPartyIDHash = hash })
    }

    static let authenticatorData: [Refusal] = [
        Refusal("no presence", .userNotPresent, .data { $0.flags &= ~Flag.present }),
        Refusal("neither presence nor verification", .userNotPresent, .data { $0.flags &= ~5 }),
        Refusal("no verification", .userNotVerified, .data { $0.flags &= ~Flag.verified }),
        Refusal("BS without BE", .backedUpWithoutEligibility, .data { $0.flags &= ~Flag.eligible }),
        Refusal("a byte too many", .authenticatorDataLeftOver, .data { $0.tail = [0] }),
        Refusal("an extension map without its flag", .authenticatorDataLeftOver, .data { $0.extensions = [0xa0] }),
        Refusal(
            "a second extension map", .authenticatorDataLeftOver,
            .data { setExtensions(&$0, .raw([0xa0, 0xa0])) }),
        Refusal(
            "36 bytes", .authenticatorDataLength,
            .assertionJSON { setData(&$0, [UInt8](repeating: 0, count: 36)) }),
        Refusal("one byte", .authenticatorDataLength, .assertionJSON { setData(&$0, [0]) }),
        Refusal(
            "no attested data", .attestedDataMissing,
            .registration {
                $0.draft.data.key = nil
                $0.draft.data.flags &= ~Flag.attested
            }),
        Refusal(
            "attested data without its flag", .authenticatorDataLeftOver,
            .registration { $0.draft.data.flags &= ~Flag.attested }),
        Refusal(
            "the flag of attested data and none", .attestedDataLength, .registration { $0.draft.data.key = nil }),
        Refusal(
            "the flag of attested data in an assertion", .attestedDataLength,
            .assertion { $0.draft.data.flags |= Flag.attested }),
        Refusal(
            "attested data in an assertion", .attestedDataUnexpected,
            .assertion {
                $0.draft.data.flags |= Flag.attested
                $0.draft.data.aaguid = [UInt8](repeating: 0, count: 16)
                $0.draft.data.credentialID = [1]
                $0.draft.data.key = .empty
            }),
        Refusal("an AAGUID of 15 bytes", .credentialIDLength, .registration { $0.draft.data.aaguid.removeLast() }),
        Refusal("an id of no bytes", .credentialIDLength, .registration { $0.draft.data.idLength = 0 }),
        Refusal("an id that says 1024 bytes", .credentialIDLength, .registration { $0.draft.data.idLength = 1024 }),
        Refusal(
            "an id that says more than there is", .attestedDataLength,
            .registration { $0.draft.data.idLength = 1023 }),
        Refusal("no key after the id", .attestedDataLength, .registration { $0.draft.data.key = .raw([]) }),
        Refusal(
            "another id outside", .attestedIDDiffers,
            .registrationJSON { ($0.outer["id"], $0.outer["rawId"]) = (#""AAAA""#, #""AAAA""#) }),
    ]

    private static let extensionsCases: [(String, CBORItem, WebAuthnError)] = [
        ("nothing", .raw([]), WebAuthnError.cborTruncated), ("a list", .array([]), .extensionsNotMap),
        ("a text", .text("credProtect"), .extensionsNotMap), ("a number", .integer(1), .extensionsNotMap),
        ("a map that is cut", .raw([0xa1, 0x61, 0x61]), .cborTruncated),
        ("a map without an end", .raw([0xbf, 0xff]), .cborIndefinite),
        ("a key twice", .map([(.text("a"), .integer(1)), (.text("a"), .integer(1))]), .cborDuplicateKey),
        (
            "a number twice as key", .map([(.integer(1), .bool(true)), (.integer(1), .bool(true))]),
            .cborDuplicateKey
        ),
        ("a map as key", .map([(.empty, .integer(1))]), .cborKey),
        ("bytes as key", .map([(.bytes([1]), .integer(1))]), .cborKey),
        ("a float", .map([(.text("a"), .raw([0xf9, 0x3c, 0x00]))]), .cborFloat),
        ("a tag", .map([(.text("a"), .raw([0xc0, 0x60]))]), .cborTag),
        ("undefined", .map([(.text("a"), .raw([0xf7]))]), .cborSimple),
        ("a simple value of two bytes", .map([(.text("a"), .raw([0xf8, 0xff]))]), .cborSimple),
        ("five levels", .map([(.text("a"), .array([.array([.array([.array([])])])]))]), .cborTooDeep),
        ("10,000 maps in maps", .raw((1...10_000).flatMap { _ in [0xa1, 0x01] }), .cborTooDeep),
        ("a list that says 2^62 items", .raw([0x9b, 0x40, 0, 0, 0, 0, 0, 0, 0]), .cborTruncated),
        ("a map that says 2^62 members", .raw([0xbb, 0x40, 0, 0, 0, 0, 0, 0, 0]), .cborTruncated),
    ]

    /// Extension outputs, which the flag ED announces.
    static let extensions: [Refusal] = extensionsCases.map { name, item, reason in
        Refusal("extensions: \(name)", reason, .data { setExtensions(&$0, item) })
    }

    private static func setExtensions(_ data: inout AuthenticatorDraft, _ item: CBORItem) {
        data.flags |= Flag.extensions
        data.extensions = item.encoded
    }

    private static func setData(_ draft: inout PasskeyDraft, _ bytes: [UInt8]) {
        draft.response["authenticatorData"] = DraftObject.encoded(bytes)
    }
}
