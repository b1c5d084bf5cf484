import SSOShared
import WebAuthn

@testable import TestKit

extension Refusal {
    /// The text that the browser sends.
    static let texts: [Refusal] = [
        Refusal("an empty body", .responseNotJSON, .text { _ in [] }),
        Refusal("a body that is cut", .responseNotJSON, .text { $0.dropLast() }),
        Refusal("a body with a byte after it", .responseNotJSON, .text { $0 + Array("}".utf8) }),
        Refusal("a byte-order mark", .responseNotJSON, .text { [0xef, 0xbb, 0xbf] + $0 }),
        Refusal("a byte that is not UTF-8", .responseNotJSON, .text { $0.dropLast() + [0xff, 0x7d] }),
        Refusal("a comma at the end", .responseNotJSON, .text { $0.dropLast() + Array(",}".utf8) }),
        Refusal("a key twice", .responseNotJSON, .text { $0.dropLast() + Array(#","type":"public-key"}"#.utf8) }),
        Refusal("lists in lists", .responseNotJSON, .text { _ in Array(repeating: UInt8(ascii: "["), count: 10_000) }),
        Refusal("a list", .responseNotObject, .text { [UInt8(ascii: "[")] + $0 + [UInt8(ascii: "]")] }),
        Refusal("a text", .responseNotObject, .text { _ in Array(#""public-key""#.utf8) }),
        Refusal("null", .responseNotObject, .text { _ in Array("null".utf8) }),
        Refusal(
            "more than 64 KiB", .responseTooLong,
            .text { $0 + Array(repeating: UInt8(ascii: " "), count: (64 << 10) + 1 - $0.count) }),
    ]

    /// The members of `toJSON()`, as in the structure cases of FIDO's conformance tests.
    static let idForms: [Refusal] = forms(of: "id", .credentialID) + forms(of: "rawId", .credentialID)

    static let structure: [Refusal] = [
        Refusal("another rawId", .credentialIDsDiffer, .json { $0.outer["rawId"] = #""AAAA""# }),
        Refusal("another id", .credentialIDsDiffer, .json { $0.outer["id"] = #""AAAA""# }),
        Refusal(
            "an id of 1024 bytes", .credentialIDLength,
            .json {
                let id = DraftObject.encoded([UInt8](repeating: 1, count: 1024))
                ($0.outer["id"], $0.outer["rawId"]) = (id, id)
            }),
        Refusal("no type", .credentialType, .json { $0.outer["type"] = nil }),
        Refusal("type null", .credentialType, .json { $0.outer["type"] = "null" }),
        Refusal("type a number", .credentialType, .json { $0.outer["type"] = "1" }),
        Refusal("type empty", .credentialType, .json { $0.outer["type"] = #""""# }),
        Refusal("another type", .credentialType, .json { $0.outer["type"] = #""password""# }),
        Refusal("the type in capitals", .credentialType, .json { $0.outer["type"] = #""Public-Key""# }),
        Refusal(
            "the attachment a number", .authenticatorAttachment, .json { $0.outer["authenticatorAttachment"] = "1" }
        ),
        Refusal(
            "the attachment a list", .authenticatorAttachment,
            .json { $0.outer["authenticatorAttachment"] = #"["platform"]"# }),
        Refusal("no extension results", .extensionResults, .json { $0.outer["clientExtensionResults"] = nil }),
        Refusal(
            "extension results null", .extensionResults, .json { $0.outer["clientExtensionResults"] = "null" }),
        Refusal(
            "extension results a list", .extensionResults, .json { $0.outer["clientExtensionResults"] = "[]" }),
        Refusal("no response", .authenticatorResponse, .text { _ in withoutResponse }),
        Refusal("the response null", .authenticatorResponse, .json { $0.outer["response"] = "null" }),
        Refusal("the response a list", .authenticatorResponse, .json { $0.outer["response"] = "[]" }),
        Refusal("the response a text", .authenticatorResponse, .json { $0.outer["response"] = #""AAAA""# }),
        Refusal("the response empty", .clientDataEncoding, .json { $0.outer["response"] = "{}" }),
    ]

    private static let withoutResponse = Array(
        #"{"id":"AAAA","rawId":"AAAA","type":"public-key","clientExtensionResults":{}}"#.utf8)

    /// The members that hold bytes.
    static let clientDataForms: [Refusal] = responseForms(of: "clientDataJSON", .clientDataEncoding) { .json($0) }

    static let attestationObjectForms: [Refusal] = responseForms(of: "attestationObject", .attestationObjectEncoding) {
        .registrationJSON($0)
    }

    static let authenticatorDataForms: [Refusal] = responseForms(of: "authenticatorData", .authenticatorDataEncoding) {
        .assertionJSON($0)
    }

    static let signatureForms: [Refusal] = responseForms(of: "signature", .signatureEncoding) { .assertionJSON($0) }

    static let userHandleForms: [Refusal] = responseForms(of: "userHandle", .userHandleEncoding) { .assertionJSON($0) }
        .filter {
            // These two say that there is none.
            !["userHandle missing", "userHandle null"].contains($0.name)
        }

    static let userHandles: [Refusal] = [
        Refusal("no user handle", .userHandleMissing, .assertionJSON { $0.response["userHandle"] = nil }),
        Refusal("a user handle null", .userHandleMissing, .assertionJSON { $0.response["userHandle"] = "null" }),
        Refusal(
            "a user handle of 65 bytes", .userHandleLength,
            .assertionJSON { $0.response["userHandle"] = DraftObject.encoded([UInt8](repeating: 1, count: 65)) }),
    ]

    private static let transportsCases: [(String, String)] = [
        ("a text", #""usb""#), ("an object", "{}"), ("with a number", "[1]"), ("with null", "[null]"),
        ("with an empty word", #"[""]"#), ("with capitals", #"["USB"]"#), ("with a space", #"["u sb"]"#),
        ("with a long word", "[\"" + String(repeating: "a", count: 33) + "\"]"),
        ("with nine words", "[" + (1...9).map { "\"t\($0)\"" }.joined(separator: ",") + "]"),
    ]

    static let transports: [Refusal] = transportsCases.map { name, json in
        Refusal("transports \(name)", .transports, .registrationJSON { $0.response["transports"] = json })
    }

    /// What no writer of base64url writes.
    private static let wrongForms = [
        ("null", "null"), ("a number", "1"), ("a list", "[1]"), ("an object", "{}"), ("empty", #""""#),
        ("padded", #""AAAA====""#), ("in base64", #""+/+/""#), ("with a space", #""AA AA""#),
        ("with a last digit that has bits left", #""AAB""#),
    ]

    private static func forms(of name: String, _ reason: WebAuthnError) -> [Refusal] {
        [Refusal("\(name) missing", reason, .json { $0.outer[name] = nil })]
            + wrongForms.map { form, json in Refusal("\(name) \(form)", reason, .json { $0.outer[name] = json }) }
    }

    private static func responseForms(
        of name: String, _ reason: WebAuthnError, _ change: (@escaping @Sendable (inout PasskeyDraft) -> Void) -> Change
    ) -> [Refusal] {
        [Refusal("\(name) missing", reason, change { $0.response[name] = nil })]
            + wrongForms.map { form, json in
                Refusal("\(name) \(form)", reason, change { $0.response[name] = json })
            }
    }
}
