import SSOShared
import WebAuthn

@testable import TestKit

extension Refusal {
    private static let typesCases: [(String, String?)] = [
        ("missing", nil), ("null", "null"), ("a number", "1"), ("empty", #""""#),
        ("unknown", #""webauthn.delete""#),
        ("with a space", #""webauthn.create ""#), ("of U2F", #""navigator.id.getAssertion""#),
    ]

    /// Client data but for its origin, as in the client data cases of FIDO's conformance tests.
    static let types: [Refusal] = typesCases.map { form, json in
        Refusal("the type of client data \(form)", .clientDataType, .client { $0["type"] = json })
    }

    static let otherCeremonies: [Refusal] = [
        Refusal(
            "the type of an assertion", .clientDataType,
            .registration { $0.draft.client["type"] = #""webauthn.get""# }),
        Refusal(
            "the type of a registration", .clientDataType,
            .assertion { $0.draft.client["type"] = #""webauthn.create""# }),
    ]

    private static let challengeFormsCases: [(String, String?)] = [
        ("missing", nil), ("null", "null"), ("a number", "1"), ("a list", "[]"),
    ]

    static let challengeForms: [Refusal] = challengeFormsCases.map { form, json in
        Refusal("challenge \(form)", .challengeMissing, .client { $0["challenge"] = json })
    }

    static let clientDataTexts: [Refusal] = [
        Refusal("client data cut", .clientDataNotJSON, .json { setClientData(&$0, Array(#"{"type":"#.utf8)) }),
        Refusal("client data not UTF-8", .clientDataNotJSON, .json { setClientData(&$0, [0x7b, 0xff, 0x7d]) }),
        Refusal(
            "client data with a byte-order mark", .clientDataNotJSON,
            .json { setClientData(&$0, [0xef, 0xbb, 0xbf, 0x7b, 0x7d]) }),
        Refusal(
            "client data with two challenges", .clientDataNotJSON,
            .client { $0.members.append(("challenge", $0["challenge"] ?? "")) }),
        Refusal(
            "client data nested deeply", .clientDataNotJSON,
            .client { $0["deep"] = String(repeating: "[", count: 5_000) + String(repeating: "]", count: 5_000) }),
        Refusal("client data a list", .clientDataNotObject, .json { setClientData(&$0, Array("[]".utf8)) }),
        Refusal("client data null", .clientDataNotObject, .json { setClientData(&$0, Array("null".utf8)) }),
    ]

    private static let tokenBindingsCases: [(String, String)] = [
        ("null", "null"), ("a text", #""supported""#), ("empty", "{}"), ("without a status", #"{"id":"AAAA"}"#),
        ("with a status that is a number", #"{"status":1}"#), ("unknown", #"{"status":"maybe"}"#),
        ("present", #"{"status":"present","id":"AAAA"}"#),
    ]

    static let tokenBindings: [Refusal] = tokenBindingsCases.map { form, json in
        Refusal("token binding \(form)", .tokenBinding, .client { $0["tokenBinding"] = json })
    }

    static let challenges: [Refusal] = [
        Refusal("challenge empty", .challengeMismatch, .client { $0["challenge"] = #""""# }),
        Refusal("another challenge", .challengeMismatch, .client { $0["challenge"] = DraftObject.encoded([1, 2, 3]) }),
        Refusal(
            "half of the challenge", .challengeMismatch,
            .client { $0["challenge"] = DraftObject.encoded(Array(RegistrationCase.ceremony.challenge.prefix(16))) }),
        Refusal(
            "the challenge with padding", .challengeMismatch,
            .client { $0["challenge"] = ($0["challenge"]?.dropLast()).map { "\($0)=\"" } }),
        Refusal(
            "the challenge in hexadecimal digits", .challengeMismatch,
            .client { $0["challenge"] = "\"\(Hex.encode(RegistrationCase.ceremony.challenge))\"" }),
        Refusal(
            "no challenge at the server", .challengeMismatch,
            .registration { setChallenge(&$0.ceremony, &$0.draft.client, []) }),
        Refusal(
            "a short challenge at the server", .challengeMismatch,
            .assertion { setChallenge(&$0.ceremony, &$0.draft.client, Array(1...15)) }),
    ]

    private static let originFormsCases: [(String, String?)] = [
        ("missing", nil), ("null", "null"), ("a number", "1"), ("a list", #"["https://example.com"]"#),
    ]

    /// Where the browser was.
    static let originForms: [Refusal] = originFormsCases.map {
        form, json in
        Refusal("origin \(form)", .originMissing, .client { $0["origin"] = json })
    }

    private static let originsCases: [String] = [
        "", "null", "http://example.com", "https://badexample.com", "https://example.com.evil.example",
        "https://sub.example.com", "https://com", "https://example.com:443", "https://example.com:8443",
        "https://example.com/", "https://EXAMPLE.com", "https://example.com.", "https://user@example.com",
        "example.com", "https://example.org", "https://xn--exmple-cua.com", "https://example.com\u{0}",
        "https://example.com ", "android:apk-key-hash:AAAA", "https://e\u{308}xample.com",
    ]

    static let origins: [Refusal] = originsCases.map { origin in
        Refusal(
            "the origin '\(origin.debugDescription)'",
            origin.contains("\u{0}") ? .clientDataNotJSON : .originMismatch,
            .client { $0["origin"] = JSONText.string(origin) })
    }

    private static let crossOriginsCases: [String] = ["true", "null", "0", #""false""#]

    static let crossOrigins: [Refusal] = crossOriginsCases.map { json in
        Refusal("crossOrigin \(json)", .crossOrigin, .client { $0["crossOrigin"] = json })
    }

    private static let topOriginsCases: [String] = [#""https://example.com""#, "null", #""""#, "{}"]

    static let topOrigins: [Refusal] = topOriginsCases.map { json in
        Refusal("topOrigin \(json)", .topOrigin, .client { $0["topOrigin"] = json })
    }

    private static func setClientData(_ draft: inout PasskeyDraft, _ bytes: [UInt8]) {
        draft.response["clientDataJSON"] = DraftObject.encoded(bytes)
    }

    /// The same weak challenge at both ends.
    private static func setChallenge(_ ceremony: inout Ceremony, _ client: inout DraftObject, _ bytes: [UInt8]) {
        ceremony = Ceremony(relyingPartyID: "example.com", origin: "https://example.com", challenge: bytes)
        client["challenge"] = DraftObject.encoded(bytes)
    }
}
