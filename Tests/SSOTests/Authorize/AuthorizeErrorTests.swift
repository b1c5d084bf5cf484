import SSOShared
import Testing

@testable import SSOShared
@testable import TestSupport

/// Contract 3; RFC 6749 4.1.2.1: after the address is validated, errors are sent there and nowhere else.
@Suite("Errors that are sent to the client")
struct AuthorizeErrorTests {
    static let challenge = CodeChallenge.s256(String(repeating: "v", count: 43))

    /// The fields after client and address, and the expected state.
    static let errors: [([(String, String)], String?)] = [
        ([], nil), ([("state", "")], nil), ([("state", "a"), ("state", "a")], nil),
        ([("state", "a"), ("state", "b")], nil), ([("state[]", "a")], nil), ([("state", "a"), ("state[]", "b")], nil),
        ([("state", String(repeating: "x", count: 513))], String(repeating: "x", count: 513)),
        ([("state", "a\r\nX-Evil: b")], "a\r\nX-Evil: b"), ([("state", "\u{e9}")], "\u{e9}"),
        ([("state", "a\u{0}")], "a\u{0}"), ([("state", "a\u{7f}")], "a\u{7f}"),
        // RFC 7636 4.4.1; 4.3: a challenge without a method would mean `plain`, which sends the verifier itself.
        ([("state", "s"), ("code_challenge", challenge)], "s"),
        ([("state", "s"), ("code_challenge", challenge), ("code_challenge_method", "plain")], "s"),
        ([("state", "s"), ("code_challenge", challenge), ("code_challenge_method", "s256")], "s"),
        ([("state", "s"), ("code_challenge", challenge), ("code_challenge_method", "")], "s"),
        ([("state", "s"), ("code_challenge_method", "S256")], "s"),
        ([("state", "s"), ("code_challenge", ""), ("code_challenge_method", "S256")], "s"),
        ([("state", "s"), ("code_challenge", challenge + "A"), ("code_challenge_method", "S256")], "s"),
        ([("state", "s"), ("code_challenge", String(challenge.dropLast())), ("code_challenge_method", "S256")], "s"),
        (
            [("state", "s"), ("code_challenge", String(repeating: "=", count: 43)), ("code_challenge_method", "S256")],
            "s"
        ),
        (
            [
                ("state", "s"), ("code_challenge", challenge), ("code_challenge", challenge),
                ("code_challenge_method", "S256"),
            ], "s"
        ),
    ]

    @Test("302 to the registered address, with the error and the unchanged state, without a token")
    func refused() async throws {
        try await TestDeployment.open(settings: WebRelyingParty.settings) { deployment in
            let (ann, visitor) = (try await deployment.signedIn(), deployment.browser())
            let before = (try await deployment.rows(of: "sso_token"), try await deployment.rows(of: "session"))
            for (fields, state) in Self.errors {
                for uri in [WebRelyingParty.redirectURI, WebRelyingParty.secondURI] {
                    let query = [("client_id", WebRelyingParty.id), ("redirect_uri", uri)] + fields
                    let address = "\(deployment.origin)\(SSOPath.authorize)?\(FormCoding.encode(query))"
                    let expected = AuthorizeRequest.errorCallback(
                        redirectURI: uri, error: "invalid_request", state: state.map { Array($0.utf8) })
                    for browser in [ann, visitor] {
                        let visit = try await browser.get(address)
                        #expect(visit.status == 302, "\(fields)")
                        #expect(visit.reply.all("location") == [expected], "\(fields)")
                        #expect(visit.reply.all("x-evil") == [])
                    }
                }
            }
            #expect(visitor.cookies.isEmpty)
            #expect(try await deployment.rows(of: "sso_token") == before.0)
            #expect(try await deployment.rows(of: "session") == before.1)
        }
    }

    /// A client gets back what it sent: malformed text is not repaired, and no byte of it ends the address.
    @Test(
        "a state that is not UTF-8 or not printable comes back byte for byte, escaped",
        arguments: [
            ("%ff", "%FF"), ("%C3%28a", "%C3%28a"), ("%ed%a0%80", "%ED%A0%80"),
            ("a%00%26token%3Dx%23", "a%00%26token%3Dx%23"),
            ("%0d%0aSet-Cookie:%20a", "%0D%0ASet-Cookie%3A%20a"),
        ])
    func bytes(sent: String, echoed: String) async throws {
        try await TestDeployment.open(settings: WebRelyingParty.settings) { deployment in
            let query = FormCoding.encode([
                ("client_id", WebRelyingParty.id), ("redirect_uri", WebRelyingParty.redirectURI),
            ])
            let address = "\(deployment.origin)\(SSOPath.authorize)?\(query)&state="
            let visit = try await deployment.browser().get(address + sent)
            #expect(visit.status == 302)
            #expect(
                visit.reply.all("location") == ["\(WebRelyingParty.redirectURI)?error=invalid_request&state=\(echoed)"])
            // An invalid escape has no bytes to return.
            let broken = try await deployment.browser().get(address + "%zz")
            #expect(broken.reply.all("location") == ["\(WebRelyingParty.redirectURI)?error=invalid_request"])
        }
    }

    @Test("a state of up to 512 bytes of printable ASCII comes back byte for byte")
    func accepted() async throws {
        try await TestDeployment.open(settings: WebRelyingParty.settings) { deployment in
            let ann = try await deployment.signedIn()
            for state in [" ", "~", "</script>\"'&#<>;+%00", String(repeating: "x", count: 512)] {
                let visit = try await ann.get(WebRelyingParty.authorize(at: deployment.origin, state: state))
                #expect(visit.status == 200)
                let link = try #require(try visit.page().link(containing: "token="))
                #expect(link.hasSuffix("&state=" + PercentCoding.encode(state)))
            }
        }
    }
}
