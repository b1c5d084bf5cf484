import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPAuthorization
@testable import IdPFlow
@testable import IdPSSO
@testable import IdPTestKit
@testable import SSOShared
@testable import TestKit
@testable import WebTestKit

/// Contract 3; RFC 6749 4.1.2.1: after the address is validated, errors are sent there and nowhere else.
@Suite("Errors that are sent to the client", .program)
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
                    let separator = uri.contains("?") ? "&" : "?"
                    let start = "\(uri)\(separator)error=invalid_request&error_description="
                    let end = state.map { "&state=" + PercentCoding.encode($0) } ?? ""
                    for browser in [ann, visitor] {
                        let visit = try await browser.get(address)
                        #expect(visit.status == 302, "\(fields)")
                        let location = try #require(visit.reply.header("location"))
                        #expect(visit.reply.all("location").count == 1)
                        #expect(location.hasPrefix(start) && location.hasSuffix(end), "\(fields) \(location)")
                        let words = location.dropFirst(start.utf8.count).dropLast(end.utf8.count)
                        #expect(!words.isEmpty && !words.contains("&"), "\(fields) \(location)")
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
        .oneDeployment(settings: WebRelyingParty.settings),
        arguments: [
            ("%ff", "%FF"), ("%C3%28a", "%C3%28a"), ("%ed%a0%80", "%ED%A0%80"),
            ("a%00%26token%3Dx%23", "a%00%26token%3Dx%23"),
            ("%0d%0aSet-Cookie:%20a", "%0D%0ASet-Cookie%3A%20a"),
        ])
    func bytes(sent: String, echoed: String) async throws {
        let deployment = try TestDeployment.shared()
        let query = FormCoding.encode([
            ("client_id", WebRelyingParty.id), ("redirect_uri", WebRelyingParty.redirectURI),
        ])
        let address = "\(deployment.origin)\(SSOPath.authorize)?\(query)&state="
        let visit = try await deployment.browser().get(address + sent)
        #expect(visit.status == 302)
        let words = PercentCoding.encode(AuthorizeQueryError.Cause.stateNotASCII.explanation)
        let callback = "\(WebRelyingParty.redirectURI)?error=invalid_request&error_description=\(words)"
        #expect(visit.reply.all("location") == ["\(callback)&state=\(echoed)"])
        // An invalid escape has no bytes to return.
        let broken = try await deployment.browser().get(address + "%zz")
        #expect(broken.reply.all("location") == [callback])
    }

    /// The sentences are for the client's developer. RFC 6749 4.1.2.1 allows printable ASCII without `"` and `\`.
    @Test(
        "error_description names the cause, and the log has it with the client",
        .oneDeployment(settings: WebRelyingParty.settings),
        arguments: [
            ([], "state is missing", "state_missing"),
            ([("state", "a"), ("state", "a")], "state appears more than once", "state_repeated"),
            ([("state", String(repeating: "x", count: 513))], "state is longer than 512 bytes", "state_too_long"),
            ([("state", "\u{e9}")], "state has a character that is not printable ASCII", "state_not_ascii"),
            (
                [("state", "s"), ("code_challenge", challenge), ("code_challenge_method", "plain")],
                "code_challenge_method must be S256", "code_challenge_method_not_s256"
            ),
            (
                [("state", "s"), ("code_challenge_method", "S256")],
                "code_challenge_method was sent without code_challenge", "code_challenge_missing"
            ),
        ] as [([(String, String)], String, String)])
    func explained(_ fields: [(String, String)], _ words: String, _ cause: String) async throws {
        let deployment = try TestDeployment.shared()
        let query =
            [("client_id", WebRelyingParty.id), ("redirect_uri", WebRelyingParty.redirectURI)] + fields
        let address = "\(deployment.origin)\(SSOPath.authorize)?\(FormCoding.encode(query))"
        let visit = try await deployment.browser().get(address)
        let location = try #require(visit.reply.header("location"))
        #expect(location.contains("&error_description=\(PercentCoding.encode(words))"), "\(location)")
        let line = deployment.log.text.split(separator: "\n").first {
            $0.contains("authorize_refused") && $0.contains("\"cause\": \(cause)")
        }
        #expect(line?.contains("\"client\": web") == true)
        for cause in AuthorizeQueryError.Cause.allCases {
            #expect(cause.explanation.utf8.allSatisfy { (0x20...0x7e).contains($0) && $0 != 0x22 && $0 != 0x5c })
        }
    }

    @Test(
        "without a registered redirect URI there is a page and no description; the log says what was sent and what is near"
    )
    func unknown() async throws {
        try await TestDeployment.open(settings: WebRelyingParty.settings) { deployment in
            let long = "https://rp.example/" + String(repeating: "x", count: 1000)
            let token = "sst_" + String(repeating: "B", count: 43)
            let cases: [([(String, String)], String, [String])] = [
                // No database keeps a NUL: the rows of the next ones are written all the same.
                (
                    [("client_id", "web"), ("redirect_uri", "https://rp.example/cb\u{0}")],
                    "redirect_uri_not_registered", ["\"nearest_redirect_uri\": https://rp.example/cb"]
                ),
                ([], "client_id_missing", []),
                ([("client_id", "web"), ("client_id", "web")], "client_id_repeated", []),
                (
                    [("client_id", "wbe"), ("redirect_uri", "https://rp.example/cb")], "client_id_unknown",
                    ["\"sent_client_id\": wbe", "\"sent_redirect_uri\": https://rp.example/cb"]
                ),
                ([("client_id", "web")], "redirect_uri_missing", []),
                (
                    [("client_id", "web"), ("redirect_uri", "https://rp.example/cb/")], "redirect_uri_not_registered",
                    [
                        "\"client\": web", "\"sent_redirect_uri\": https://rp.example/cb/",
                        "\"nearest_redirect_uri\": https://rp.example/cb",
                    ]
                ),
                (
                    [("client_id", "web"), ("redirect_uri", "http://127.0.0.1/Kiosk?id=7")],
                    "redirect_uri_not_registered", ["\"nearest_redirect_uri\": https://rp.example/Kiosk?id=7"]
                ),
                (
                    [("client_id", "web"), ("redirect_uri", long)], "redirect_uri_not_registered",
                    ["\"sent_redirect_uri\": \(long.prefix(256))…"]
                ),
                (
                    [("client_id", "web"), ("redirect_uri", "https://rp.example/cb?token=\(token)")],
                    "redirect_uri_not_registered", ["\"sent_redirect_uri\": https://rp.example/cb?…"]
                ),
            ]
            for (fields, cause, parts) in cases {
                let query = fields + [("state", "s")]
                let visit = try await deployment.browser().get(
                    "\(deployment.origin)\(SSOPath.authorize)?\(FormCoding.encode(query))")
                #expect(visit.status == 400 && visit.reply.all("location") == [], "\(cause)")
                #expect(!visit.text.contains(AuthorizeQueryError.Cause(rawValue: cause)?.explanation ?? cause))
                let line = deployment.log.text.split(separator: "\n").last { $0.contains("authorize_refused") }
                #expect(line?.contains("\"cause\": \(cause)") == true, "\(line ?? "")")
                for part in parts { #expect(line?.contains(part) == true, "\(part) in \(line ?? "")") }
            }
            #expect(!deployment.log.contains(token))
            _ = try await deployment.auditRows(.authorizeRefused, untilThereAre: 5)
            #expect(!deployment.log.contains("audit_failed"))
        }
    }

    @Test("a text from outside is shown with at most 256 bytes, whole characters, and without a secret")
    func sentText() {
        #expect(SentText.shown("partner") == "partner")
        #expect(SentText.shown(String(repeating: "x", count: 256)) == String(repeating: "x", count: 256))
        #expect(SentText.shown(String(repeating: "é", count: 200)) == String(repeating: "é", count: 127) + "…")
        #expect(SentText.shown([0x61, 0xff]) == "a\u{fffd}")
        for prefix in SecretPrefixes.all {
            #expect(SentText.shown("a \(prefix)secret b") == "a \(prefix)<redacted>")
            let callback = "http://localhost/cb#code=\(prefix)secret"
            #expect(SentText.address(Array(callback.utf8)) == "http://localhost/cb#…")
        }
        for header in [#"{"alg":"none"}"#, #"{"alg":"RS256","kid":"k1","typ":"JWT"}"#] {
            let token = Base64URL.encode(Array(header.utf8)) + ".eyJzdWIiOiJhIn0.c2ln"
            #expect(SentText.shown("hint \(token) b") == "hint eyJ<redacted>")
            #expect(SentText.shown(token) == "eyJ<redacted>")
            #expect(SentText.shown("x/" + token.dropLast(5)) == "x/eyJ<redacted>")
        }
        #expect(SentText.shown("eyJ a") == "eyJ a")
        let secret = String(repeating: "0af9", count: 8)
        #expect(SentText.clientID(Array("partner".utf8)) == "partner")
        #expect(SentText.clientID(Array(secret.utf8)) == "(32 bytes)", "id and secret were swapped")
        #expect(SentText.clientID(Array("No id".utf8)) == "(5 bytes)")
        #expect(SentText.address(Array("https://rp.example/cb?code=secret".utf8)) == "https://rp.example/cb?…")
        #expect(SentText.address(Array("https://rp.example/cb#a?code=secret".utf8)) == "https://rp.example/cb#…")
        #expect(SentText.address(Array("https://rp.example/cb?a#code=secret".utf8)) == "https://rp.example/cb?…")
        for user in ["ann:pa55@", "ann@", "a@b:pa55@", ":pa55@"] {
            #expect(
                SentText.address(Array("https://\(user)rp.example/c@d?e".utf8)) == "https://...@rp.example/c@d?…",
                "\(user)")
        }
        #expect(SentText.address(Array(#"https:\\u:pa55@evil.example\cb"#.utf8)) == #"https:\\...@evil.example\cb"#)
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
