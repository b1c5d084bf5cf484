import Testing

@testable import IdPAuthorization
@testable import IdPFlow
@testable import IdPSSO
@testable import IdPTestKit
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// `prompt`, `max_age` and `login_hint` of an authorize request (OpenID Connect Core 3.1.2.1).
@Suite("What an authorize request asks of the sign-in", .program)
struct SignInWishesTests {
    private static func read(_ query: String) throws(AuthorizeQueryError.Cause) -> SignInWishes {
        try SignInWishes.read(URLEncodedFields(Array(query.utf8)))
    }

    private static let accepted: [(String, SignInWishes)] = [
        ("", SignInWishes()), ("state=s&other=1", SignInWishes()), ("Prompt=login&MAX_AGE=x", SignInWishes()),
        ("prompt=login", SignInWishes(prompt: .login)), ("prompt=none", SignInWishes(prompt: .silent)),
        ("prompt=select_account", SignInWishes(prompt: .selectAccount)),
        ("prompt=%6cogin", SignInWishes(prompt: .login)), ("max_age=0", SignInWishes(maxAge: .zero)),
        ("max_age=300", SignInWishes(maxAge: .minutes(5))), ("max_age=0300", SignInWishes(maxAge: .minutes(5))),
        ("max_age=2147483647", SignInWishes(maxAge: .seconds(2_147_483_647))),
        ("login_hint=ann%40example.com", SignInWishes(loginHint: "ann@example.com")),
        ("login_hint=ann@b%C3%BCcher.example", SignInWishes(loginHint: "ann@xn--bcher-kva.example")),
        ("login_hint=%E2%80%8EAnn%20%3Cann@example.com%3E", SignInWishes(loginHint: "ann@example.com")),
        ("login_hint=ANN@Example.COM", SignInWishes(loginHint: "ann@example.com")),
        ("login_hint=ann%2Bnews@example.com", SignInWishes(loginHint: "ann+news@example.com")),
        (
            "login_hint=o'neil@example.com&max_age=60&prompt=none",
            SignInWishes(prompt: .silent, maxAge: .minutes(1), loginHint: "o'neil@example.com")
        ),
    ]

    @Test("are read as they were sent", arguments: accepted)
    func good(query: String, wishes: SignInWishes) throws {
        #expect(try Self.read(query) == wishes)
        // What a relying party in Swift sends is what is read.
        let sent = wishes.queryItems.map { "\($0.0)=\(FormCoding.encode($0.1))" }.joined(separator: "&")
        #expect(try Self.read(sent) == wishes)
    }

    private static let refused: [(String, AuthorizeQueryError.Cause)] =
        [
            "prompt=", "prompt", "prompt=LOGIN", "prompt=Login", "prompt=login%20", "prompt=%20login",
            "prompt=none%20login",
            "prompt=login+select_account", "prompt=login,none", "prompt=consent", "prompt=create", "prompt=login%00",
            "prompt=lo%CC%81gin", "prompt=%FF", "prompt=%zz", "prompt=%", "prompt=%EF%BD%8Cogin", "prompt=null",
        ].map { ($0, .promptUnknown) }
        + [
            "prompt=login&prompt=login", "prompt=login&prompt=none", "prompt=&prompt=login", "prompt[]=login",
            "prompt=login&prompt[]=none", "prompt[0]=login",
        ].map { ($0, .promptRepeated) }
        + [
            "max_age=", "max_age", "max_age=-1", "max_age=+60", "max_age=%2B60", "max_age=60.0", "max_age=1e3",
            "max_age=0x10", "max_age=%2060", "max_age=60%20", "max_age=60s", "max_age=2147483648",
            "max_age=4294967296", "max_age=9223372036854775808", "max_age=99999999999999999999999999",
            "max_age=00000000060",
            "max_age=%D9%A6%D9%A0", "max_age=%EF%BC%96%EF%BC%90", "max_age=NaN", "max_age=%FF", "max_age=%6",
            "max_age=6%00",
        ].map { ($0, .maxAgeMalformed) }
        + ["max_age=60&max_age=60", "max_age=60&max_age=0", "max_age[]=60"].map { ($0, .maxAgeRepeated) }
        + [
            "login_hint=", "login_hint", "login_hint=ann", "login_hint=ann@", "login_hint=@example.com",
            "login_hint=ann@example", "login_hint=ann+news@example.com",
            "login_hint=ben@b.example%20%3Cann@example.com%3E",
            "login_hint=ann@example.com%2Cben@example.com", "login_hint=ann@example.com%0d%0aBcc:x",
            "login_hint=%C3%A4nn@example.com", "login_hint=%22a%20b%22@example.com", "login_hint=ann@[127.0.0.1]",
            "login_hint=%FF@example.com", "login_hint=ann%40example.com%", "login_hint=a%00@example.com",
            "login_hint=tel:123", "login_hint=a@b@example.com",
            "login_hint=\(String(repeating: "a", count: 65))@example.com",
        ].map { ($0, .loginHintMalformed) }
        + [
            "login_hint=a@example.com&login_hint=a@example.com", "login_hint=a@example.com&login_hint[]=b@example.com",
        ].map { ($0, .loginHintRepeated) }

    @Test("anything else is refused with a cause of its own", arguments: refused)
    func bad(query: String, cause: AuthorizeQueryError.Cause) {
        #expect(throws: cause) { try Self.read(query) }
    }

    @Test("a refused one goes to the callback with the state, the cause is logged, and nothing is kept or asked")
    func answered() async throws {
        try await TestDeployment.open(settings: WebRelyingParty.settings) { deployment in
            let (ann, visitor) = (try await deployment.signedIn(), deployment.browser())
            let before = (try await deployment.rows(of: "sso_token"), try await deployment.rows(of: "session"))
            for (query, cause) in Self.refused {
                for browser in [ann, visitor] {
                    let visit = try await browser.get(
                        WebRelyingParty.authorize(at: deployment.origin, state: "kept") + "&" + query)
                    #expect(visit.status == 302, "\(query)")
                    let words = PercentCoding.encode(cause.explanation)
                    let callback =
                        "\(WebRelyingParty.redirectURI)?error=invalid_request&error_description=\(words)&state=kept"
                    #expect(visit.reply.all("location") == [callback], "\(query)")
                }
                let line = deployment.log.text.split(separator: "\n").last { $0.contains("authorize_refused") }
                #expect(line?.contains("\"cause\": \(cause.rawValue)") == true, "\(query): \(line ?? "")")
            }
            #expect(visitor.cookies.isEmpty)
            #expect(try await deployment.rows(of: "sso_token") == before.0)
            #expect(try await deployment.rows(of: "session") == before.1)
            #expect(!deployment.log.contains("example.com%") && !deployment.log.contains("tel:123"))
        }
    }

    @Test("a registered redirect URI comes first: a wrong prompt with an unknown client is a page")
    func unknownClient() async throws {
        try await TestDeployment.open { deployment in
            for query in ["prompt=login", "prompt=none", "prompt=x", "max_age=x"] {
                let visit = try await deployment.browser().get(
                    "\(deployment.origin)\(SSOPath.authorize)?client_id=x&redirect_uri=https://evil.example&state=s&\(query)"
                )
                #expect(visit.status == 400 && visit.reply.all("location") == [])
            }
        }
    }

    @Test(
        "a sign-in is recent enough up to its last second; prompt=login and max_age=0 accept none",
        arguments: [
            ("", 7199, true), ("prompt=none", 7199, true), ("prompt=select_account", 0, true),
            ("prompt=login", 0, false),
            ("prompt=login&max_age=600", 1, false), ("max_age=0", 0, false), ("max_age=1", 1, true),
            ("max_age=1", 2, false),
            ("max_age=300", 300, true), ("max_age=300", 301, false), ("max_age=2147483647", 2_147_483_647, true),
            ("max_age=60", -5, true),
        ])
    func age(query: String, seconds: Int, isMet: Bool) throws {
        let now = TestClock().now
        #expect(try Self.read(query).isMet(by: now - .seconds(seconds), now: now) == isMet)
    }

    @Test("half a second too old is too old")
    func milliseconds() throws {
        let now = TestClock().now
        #expect(try !Self.read("max_age=300").isMet(by: now - .milliseconds(300_001), now: now))
    }
}
