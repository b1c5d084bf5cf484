import JWT
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdP
@testable import IdPClients
@testable import IdPOIDC
@testable import IdPServer
@testable import IdPSignOut
@testable import IdPSigningKeys
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// `/oidc/logout`, and the logout tokens that clients get. Any site may lead a browser there.
@Suite("OpenID Connect: logout", .program)
struct OIDCLogoutTests {
    private static let bye = "https://partner.example/bye"
    private static let keys =
        "post_logout_redirect_uris: [\"\(bye)\"], backchannel_logout_uri: \"https://partner.example/backchannel\""

    /// A user who is signed in at a client, and the client's ID token.
    private static func open(_ body: (TestDeployment, Browser, _ hint: String) async throws -> Void) async throws {
        try await TestDeployment.openWithOIDC(clients: 2, more: keys) { deployment in
            let browser = try await deployment.signedIn()
            let reply = try await deployment.oidcToken(deployment.oidcCode(browser), as: deployment.client)
            try await body(deployment, browser, #require(reply.json()["id_token"]?.text))
        }
    }

    private static func address(_ deployment: TestDeployment, _ fields: [(String, String?)]) -> String {
        let given = fields.compactMap { name, value in value.map { (name, $0) } }
        let query = given.isEmpty ? "" : "?" + FormCoding.encode(given)
        return deployment.origin + OIDCPath.logout + query
    }

    @Test(
        "with a hint for this browser's session the user is signed out and goes back: rp-initiated-logout, -no-state, and without an address to our page",
        arguments: [
            ("s1", bye, "https://partner.example/bye?state=s1"), (nil, bye, bye), (nil, nil, "http://localhost:4000/"),
        ])
    func signsOut(state: String?, address: String?, destination: String) async throws {
        try await Self.open { deployment, browser, hint in
            // Expired is fine.
            deployment.clock.advance(by: .minutes(30))
            let visit = try await browser.get(
                Self.address(
                    deployment, [("id_token_hint", hint), ("post_logout_redirect_uri", address), ("state", state)]))
            #expect(visit.status == 303)
            #expect(visit.reply.header("location").map { $0 == "/" ? "http://localhost:4000/" : $0 } == destination)
            #expect(try await !browser.isSignedInOnHomePage(of: deployment))
            #expect(!deployment.log.text.contains(hint))
        }
    }

    @Test("a POST comes again by GET, because it lacks the session's cookie")
    func post() async throws {
        try await Self.open { deployment, browser, hint in
            let post = try await browser.withoutCookies().post(
                WebAddress(deployment.origin + OIDCPath.logout),
                [("id_token_hint", hint), ("post_logout_redirect_uri", Self.bye)],
                [("Origin", "https://partner.example")])
            #expect(post.status == 303)
            let visit = try await browser.get(post.location())
            #expect(visit.reply.header("location") == Self.bye)
        }
    }

    /// What is wrong with each request, by the name of its module.
    enum Wrong: String, CaseIterable, Sendable {
        case badPostLogoutRedirectURI, modifiedHint, noHint, badHint, queryAdded, onlyState, noParams, otherClientsHint
        case otherClientID, otherUsersHint, earlierSession, logoutToken, twice
    }

    @Test("anything else asks and never redirects by itself: only the button signs out", arguments: Wrong.allCases)
    func asks(wrong: Wrong) async throws {
        try await Self.open { deployment, first, hint in
            var browser = first
            var fields: [(String, String?)] = [("id_token_hint", hint), ("post_logout_redirect_uri", Self.bye)]
            switch wrong {
            case .badPostLogoutRedirectURI: fields[1].1 = "https://evil.example/"
            case .modifiedHint: fields[0].1 = String(hint.dropLast(6)) + "AAAAAA"
            case .noHint: fields[0].1 = nil
            case .badHint: fields[0].1 = "eyJhbGciOiJub25lIn0.e30."
            case .queryAdded: fields[1].1 = Self.bye + "?a=b"
            case .onlyState: fields = [("state", "s")]
            case .noParams: fields = []
            case .otherClientsHint:
                // Of a client that this session has not told anything.
                browser = try await deployment.signedIn(as: "ben@example.com")
            case .otherClientID: fields.append(("client_id", "partner-2"))
            case .otherUsersHint: browser = try await deployment.signedIn(as: "ben@example.com")
            case .earlierSession:
                deployment.clock.advance(by: .minutes(2))
                try await deployment.forgetEmails(to: "ann@example.com")
                browser = try await deployment.signedIn()
            case .logoutToken:
                let keys = SigningKeys(
                    SigningKeyBox(keys: deployment.keys, randomness: SystemRandomness()),
                    AuditStore(
                        database: deployment.database, clock: deployment.clock.clock, randomness: SystemRandomness()),
                    clock: deployment.clock.clock, logger: deployment.log.logger("idp"))
                let key = try await deployment.database.read { try keys.current(.rs256, $0) }
                fields[0].1 = try keys.sign(
                    [.init("iss", deployment.origin), .init("aud", "partner-1")], type: "logout+jwt", with: key)
            case .twice: fields.append(("state", "a")); fields.append(("state", "b"))
            }
            let visit = try await browser.get(Self.address(deployment, fields))
            #expect(try visit.location().absolute == deployment.origin + OIDCPath.signOut)
            let page = try await browser.follow(visit)
            #expect(page.status == 200 && page.text.contains("Sign out?"))
            #expect(try await browser.isSignedInOnHomePage(of: deployment))
            let done = try await browser.submit(page.page().form(to: OIDCPath.signOut), on: page)
            // The hint of an earlier session still names the client and its user.
            #expect(done.reply.header("location") == (wrong == .earlierSession ? Self.bye : "/"))
            #expect(try await !browser.isSignedInOnHomePage(of: deployment))
        }
    }

    @Test("sign-out queues a logout token for each client, and ends access and refresh tokens in the same transaction")
    func tokens() async throws {
        try await TestDeployment.openWithOIDC(more: Self.keys) { deployment in
            let browser = try await deployment.signedIn()
            let code = try await deployment.oidcCode(browser, nil, ["scope": "openid offline_access"])
            let reply = try await deployment.oidcToken(code, as: deployment.client)
            let claims = try reply.idTokenClaims()
            let access = try #require(reply.json()["access_token"]?.text)
            let refresh = try #require(reply.json()["refresh_token"]?.text)
            let unused = try await deployment.oidcCode(browser)
            let home = try await browser.get(deployment.origin + "/")
            _ = try await browser.submit(home.page().form(to: "/sign-out"), on: home)
            #expect(try await deployment.oidcUserInfo(access).status == 401)
            #expect(try await deployment.oidcRefresh(refresh, as: deployment.client).status == 400)
            #expect(try await deployment.oidcToken(unused, as: deployment.client).status == 400)
            let messages = try await deployment.database.read {
                try SignOutQueue(randomness: SystemRandomness()).all(isWaiting: false, limit: 10, $0)
            }
            let message = try #require(messages.first { $0.kind == "oidc" })
            #expect(message.toldSession == claims["sid"]?.text)
            try await Self.check(message, deployment)
        }
    }

    @Test("an operator's sign-out of a user gives each session of the client a token with its own sid")
    func everySession() async throws {
        try await TestDeployment.openWithOIDC(more: Self.keys) { deployment in
            var (told, account): (Set<String>, String) = ([], "")
            for _ in 0..<2 {
                let browser = try await deployment.signedIn()
                let reply = try await deployment.oidcToken(deployment.oidcCode(browser), as: deployment.client)
                let claims = try reply.idTokenClaims()
                told.insert(try #require(claims["sid"]?.text))
                account = try #require(claims["sub"]?.text)
                // The next code by email takes a minute.
                deployment.clock.advance(by: .minutes(2))
            }
            let signOuts = SignOuts(clock: deployment.clock.clock, randomness: SystemRandomness())
            let messages = try await deployment.database.write { [account] connection in
                try signOuts.end(.all(of: account), .byOperator, by: .program, nil, connection)
                return try signOuts.queue.all(isWaiting: true, limit: 10, connection)
            }
            #expect(told.count == 2 && Set(messages.map(\.toldSession)) == told)
        }
    }

    /// The token of a message (OpenID Connect Back-Channel Logout 2.4).
    private static func check(_ message: QueuedSignOut, _ deployment: TestDeployment) async throws {
        let audit = AuditStore(
            database: deployment.database, clock: deployment.clock.clock, randomness: SystemRandomness())
        let keys = SigningKeys(
            SigningKeyBox(keys: deployment.keys, randomness: SystemRandomness()), audit,
            clock: deployment.clock.clock, logger: deployment.log.logger("idp"))
        let wire = OIDCSignOut(issuer: deployment.origin, keys: keys)
        let client = try #require(deployment.idp.clients.clients.client(id: message.clientID))
        let request = try #require(
            await wire.request(
                for: message, to: SignOutRecipient(client), at: deployment.clock.now))
        guard case .post(let body) = request.method else { throw ProbeFailure("no post") }
        let text = String(decoding: body, as: UTF8.self)
        #expect(text.hasPrefix("logout_token=") && request.url == "https://partner.example/backchannel")
        let token = try JWTParts(String(text.dropFirst("logout_token=".count)))
        #expect(token.header["typ"]?.text == "logout+jwt" && token.header["alg"]?.text == "RS256")
        let now = Double(deployment.clock.now.seconds)
        let expected: JSONValue = [
            "iss": .string(deployment.origin), "sub": .string(message.accountID), "aud": .string(message.clientID),
            "iat": .number(now), "exp": .number(now + 120), "jti": .string(message.id),
            "sid": .string(message.toldSession ?? ""),
            "events": ["http://schemas.openid.net/event/backchannel-logout": [:]],
        ]
        #expect(token.claims == expected, "and never a nonce")
        #expect(wire.verdict(on: 200) == .delivered && wire.verdict(on: 204) == .delivered)
        #expect(wire.verdict(on: 400) == .refused)
        #expect(wire.verdict(on: 500) == .failed)
    }
}
