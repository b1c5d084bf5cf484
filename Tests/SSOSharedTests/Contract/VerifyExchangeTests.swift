import Testing

@testable import SSOShared
@testable import TestKit

@Suite("The verify exchange", .rules)
struct VerifyExchangeTests {
    @Test("a request is written in a stable form and can be read back")
    func request() throws {
        let full = VerifyRequest(token: "sst_x", redirectURI: "https://rp.example/cb", codeVerifier: "v")
        #expect(
            String(decoding: full.body(), as: UTF8.self)
                == #"{"token":"sst_x","redirect_uri":"https://rp.example/cb","code_verifier":"v"}"#)
        let read = try VerifyRequest(body: full.body())
        #expect(read.token == "sst_x" && read.redirectURI == "https://rp.example/cb" && read.codeVerifier == "v")
        #expect(String(decoding: VerifyRequest(token: "a").body(), as: UTF8.self) == #"{"token":"a"}"#)
        #expect("\(full)" == "<redacted>")
    }

    @Test(
        "the error names the key, and never its value",
        arguments: [
            (#"{}"#, VerifyBodyError.missing("token")), (#"{"token":""}"#, .missing("token")),
            (#"{"token":7}"#, .wrongType("token", expected: "a string")),
            (#"{"token":null}"#, .wrongType("token", expected: "a string")),
            (#"{"token":["x"]}"#, .wrongType("token", expected: "a string")), (#"[]"#, .notAnObject),
            (#"{"token":"x","redirect_uri":1}"#, .wrongType("redirect_uri", expected: "a string")),
            (#"{"token":"x","code_verifier":null}"#, .wrongType("code_verifier", expected: "a string")),
        ])
    func bodyErrors(_ body: String, _ error: VerifyBodyError) {
        #expect(throws: error) { try VerifyRequest(body: [UInt8](body.utf8)) }
    }

    @Test(
        "a reply with any user name survives encoding and decoding",
        arguments: [
            "Ann", "", "Zoë \"😀\" \\ / \u{7f}\r\n\t\u{1}\u{2028}", "</script>", "e\u{301}",
        ])
    func reply(_ name: String) throws {
        let reply = VerifyReply(
            user: VerifiedUser(id: "u1", email: "ann@example.com", name: name), clientID: "partner",
            session: VerifiedSession(id: "s1", authenticatedAt: 1_790_000_000, methods: ["email_code"]))
        let read = try VerifyReply(body: reply.body())
        #expect(read == reply && [UInt8](read.user.name.utf8) == [UInt8](name.utf8))
    }

    @Test("a reply with a missing or mistyped value is refused")
    func badReply() throws {
        let good =
            #"{"user":{"id":"u","email":"e","name":"n"},"client_id":"c","session":{"id":"s","authenticated_at":1,"methods":["m"]}}"#
        _ = try VerifyReply(body: [UInt8](good.utf8))
        // Nothing proves when the user signed in.
        let timeless = good.replacing(#""authenticated_at":1,"#, with: "")
        let read = try VerifyReply(body: [UInt8](timeless.utf8))
        #expect(read.session.authenticatedAt == nil && read.body() == [UInt8](timeless.utf8))
        for (part, other) in [
            (#""id":"u","#, ""), (#""u""#, #""""#), (#""u""#, "1"), (#","name":"n""#, ""), (#""client_id":"c","#, ""),
            (#""c""#, "null"), (":1,", ":1.5,"), (":1,", ":\"1\","), (":1,", ":null,"), (#"["m"]"#, #""m""#),
            (#"["m"]"#, "[1]"),
            (#""id":"s","#, ""), (#"{"id":"u","email":"e","name":"n"}"#, "[]"),
        ] {
            let bad = good.replacing(part, with: other)
            #expect(bad != good)
            #expect(throws: VerifyBodyError.self) { try VerifyReply(body: [UInt8](bad.utf8)) }
        }
    }

    @Test("error codes are those of the contract, and can be read back from their bodies")
    func errors() {
        #expect(
            VerifyError.allCases.map(\.rawValue) == [
                "invalid_request", "invalid_signature", "invalid_token", "rate_limited", "temporarily_unavailable",
            ])
        for code in VerifyError.allCases {
            #expect(VerifyError(body: code.body()) == code)
            #expect(VerifyError(body: code.body(description: "No \"token\".")) == code)
        }
        #expect(String(decoding: VerifyError.invalidToken.body(), as: UTF8.self) == #"{"error":"invalid_token"}"#)
        for body in ["", "{}", "{\"error\":1}", "{\"error\":\"other\"}", "<html>", "[]"] {
            #expect(VerifyError(body: [UInt8](body.utf8)) == nil)
        }
    }

    @Test("the strength is read where it is a text, and an answer without one is as good")
    func strength() throws {
        for (member, acr) in [(#","acr":"mfa""#, "mfa"), ("", nil), (#","acr":7"#, nil)] as [(String, String?)] {
            let body =
                #"{"user":{"id":"u","email":"a@example.com","name":"A"},"client_id":"c","session":{"id":"s","#
                + #""methods":["email_code"]\#(member)}}"#
            #expect(try VerifyReply(body: Array(body.utf8)).session.acr == acr, "\(member)")
        }
    }
}
