import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import RelyingParty
@testable import TestKit
@testable import WebTestKit

/// `POST /auth/sso/logout` of the relying party.
@Suite("Sign-out messages at the relying party", .program)
struct SignOutMessageTests {
    /// An identity provider at which each token is of a user and a session of its own: `sst_ann1` is Ann in the session `ann1`.
    private static func idp() throws -> FakeIdP {
        try FakeIdP { request in
            let body = String(decoding: request.body, as: UTF8.self)
            let session = body.firstMatch(of: #/sst_([a-z]+[0-9])/#).map { String($0.1) } ?? "ann1"
            let reply = VerifyReply(
                user: VerifiedUser(id: String(session.dropLast()), email: "a@example.com", name: "A"),
                clientID: FakeIdP.clientID,
                session: VerifiedSession(id: session, authenticatedAt: 1_790_000_000, methods: ["email_code"]))
            return .bytes(FakeIdP.signed(request, reply.body()))
        }
    }

    /// A browser that is signed in, in a session of the identity provider with this name.
    private static func browser(_ session: String, _ deployment: TestDeployment) async throws -> Browser {
        let browser = deployment.browser()
        let state = try await browser.state(at: deployment.client)
        _ = try await browser.comeBack(to: deployment.client, [("token", "sst_\(session)"), ("state", state)])
        #expect(try await browser.userID(at: deployment.client) == String(session.dropLast()))
        return browser
    }

    private static func message(
        _ deployment: TestDeployment, id: String = "evt_1", user: String = "ann", session: String? = "ann1",
        issuedAt: Int? = nil, client: String = FakeIdP.clientID
    ) -> [UInt8] {
        SignOutMessage(
            id: id, clientID: client, user: user, session: session, issuedAt: issuedAt ?? deployment.clock.now.seconds
        ).body()
    }

    /// Posts a message, to the first process unless another is named.
    private static func post(
        _ body: [UInt8], to deployment: TestDeployment, port: UInt16? = nil, signature: String? = nil,
        type: String = "application/json"
    ) async throws -> ProbeReply {
        let probe = HTTPProbe(
            host: "127.0.0.2", port: port ?? deployment.client.port, authority: "127.0.0.2:4100")
        let signature = try signature ?? FakeIdP.signature(of: body)
        return try await probe.post(
            SSOPath.logout,
            [("Content-Type", type)] + (signature.isEmpty ? [] : [(RequestSignature.headerName, signature)]), body: body
        )
    }

    private static func sessions(_ deployment: TestDeployment) async throws -> Int {
        try await deployment.client.database.stored.count(of: "session")
    }

    @Test("a message ends the session that it names and no other one, and a second time nothing")
    func oneSession() async throws {
        try await Self.idp().open { deployment in
            let (ann, elsewhere) = (
                try await Self.browser("ann1", deployment), try await Self.browser("ann2", deployment)
            )
            let ben = try await Self.browser("ben1", deployment)
            let message = Self.message(deployment)
            #expect(try await Self.post(message, to: deployment).status == 200)
            #expect(try await ann.userID(at: deployment.client) == nil)
            #expect(try await elsewhere.userID(at: deployment.client) == "ann")
            #expect(try await ben.userID(at: deployment.client) == "ben")
            #expect(deployment.log.contains("sign_out_received"))
            // A new try of the same message: the user has signed in again since.
            let again = try await Self.browser("ann3", deployment)
            let retry = Self.message(deployment, session: nil, issuedAt: deployment.clock.now.seconds + 60)
            #expect(try await Self.post(retry, to: deployment).status == 200, "its id was seen")
            #expect(try await again.userID(at: deployment.client) == "ann")
        }
    }

    @Test("without a session all sessions of the user end that began before it, and no later one")
    func allSessions() async throws {
        try await Self.idp().open { deployment in
            let (one, two) = (try await Self.browser("ann1", deployment), try await Self.browser("ann2", deployment))
            let ben = try await Self.browser("ben1", deployment)
            let issuedAt = deployment.clock.now.seconds
            deployment.clock.advance(by: .seconds(2))
            let later = try await Self.browser("ann3", deployment)
            let message = Self.message(deployment, session: nil, issuedAt: issuedAt)
            #expect(try await Self.post(message, to: deployment).status == 200)
            #expect(try await one.userID(at: deployment.client) == nil)
            #expect(try await two.userID(at: deployment.client) == nil)
            #expect(try await later.userID(at: deployment.client) == "ann")
            #expect(try await ben.userID(at: deployment.client) == "ben")
        }
    }

    @Test("the answers are those of docs/protocol.md, and only a right message ends something")
    func answers() async throws {
        try await Self.idp().open { deployment in
            let browser = try await Self.browser("ann1", deployment)
            let (now, right) = (deployment.clock.now.seconds, Self.message(deployment))
            let signature = try FakeIdP.signature(of: right)
            let verify = RequestSignature.request(
                body: right, secret: try .parse(FakeIdP.secret, setting: "secret")
            ).headerValue
            let cases: [(String, [UInt8], String?, String, Int)] = [
                ("no signature", right, "", "application/json", 401),
                ("no signature, whatever the body", Array("<p>".utf8), "", "text/html", 401),
                ("the signature of verify", right, verify, "application/json", 401),
                ("two signatures", right, "\(signature), \(signature)", "application/json", 401),
                ("one byte changed", right.dropLast() + [0x20], signature, "application/json", 401),
                ("another client", Self.message(deployment, client: "other"), nil, "application/json", 400),
                ("another type", right, nil, "text/plain", 400),
                ("no JSON", Array("logout".utf8), nil, "application/json", 400),
                (
                    "a key twice", Array(#"{"user":"ben",\#(String(decoding: right.dropFirst(), as: UTF8.self))"#.utf8),
                    nil,
                    "application/json", 400
                ),
                ("six minutes old", Self.message(deployment, issuedAt: now - 360), nil, "application/json", 400),
                ("six minutes ahead", Self.message(deployment, issuedAt: now + 360), nil, "application/json", 400),
                ("too large", right + [UInt8](repeating: 0x20, count: 9000), nil, "application/json", 413),
                ("another user", Self.message(deployment, id: "evt_2", user: "ben"), nil, "application/json", 200),
                (
                    "an unknown session", Self.message(deployment, id: "evt_3", session: "x"), nil, "application/json",
                    200
                ),
                (
                    "an unknown user", Self.message(deployment, id: "evt_4", user: "x", session: nil), nil,
                    "application/json", 200
                ),
            ]
            for (name, body, signature, type, status) in cases {
                let reply = try await Self.post(body, to: deployment, signature: signature, type: type)
                #expect(reply.status == status, "\(name)")
                #expect(reply.header("content-type") == "application/json", "\(name)")
                #expect(try await browser.userID(at: deployment.client) == "ann", "\(name)")
            }
            let get = try await deployment.clientProbe().get(SSOPath.logout)
            #expect(get.status == 405 && get.header("allow") == "POST")
            #expect(get.header("content-type") == "application/json")
            #expect(try await Self.post(right, to: deployment).status == 200)
            #expect(try await browser.userID(at: deployment.client) == nil)
        }
    }

    @Test("of every vector of docs/protocol.md the right ones end the session, and the others nothing")
    func vectors() async throws {
        let clock = TestClock()
        clock.advance(by: .seconds(1_790_000_000 - clock.now.seconds))
        let settings = ["SSO_CLIENT_ID": "partner", "SSO_SHARED_SECRET": BackChannelFixture.secretText]
        let idp = try FakeIdP()
        try await idp.open(at: clock, settings: settings) { deployment in
            let good = try BackChannelVector.named("event-session")
            let (user, session) = (try good.required("user-id"), try good.required("session-id"))
            for vector in BackChannelVector.of(.event) {
                let stored = deployment.client.database.stored
                try await stored.deleteAll(of: "seen_sign_out", "session")
                try await stored.sessions.addAtRelyingParty(
                    user: user, session: session, since: clock.now - .hours(1), until: clock.now + .hours(1))
                let reply = try await Self.post(
                    vector.body, to: deployment, signature: try vector.required("signature"))
                let status = ["ok": 200, "invalid_signature": 401, "invalid_request": 400][vector["expect"] ?? ""]
                #expect(reply.status == status, "\(vector.name)")
                #expect(try await Self.sessions(deployment) == (vector.isGood ? 0 : 1), "\(vector.name)")
            }
        }
    }

    @Test("of a hundred posts of one message at two processes one ends the session")
    func oneWinner() async throws {
        try await Self.idp().open { deployment in
            _ = try await Self.browser("ann1", deployment)
            let message = Self.message(deployment)
            try await deployment.withSecondClient { second in
                let ports = [deployment.client.port, second.port]
                let statuses = try await atOnce(100) { index in
                    try await Self.post(message, to: deployment, port: ports[index % 2]).status
                }
                #expect(statuses.allSatisfy { $0 == 200 })
            }
            let lines = deployment.log.text.split(separator: "\n").filter { $0.contains("sign_out_received") }
            #expect(lines.count == 100 && lines.count { $0.contains("\"repeated\": false") } == 1)
            #expect(try await Self.sessions(deployment) == 0)
        }
    }

    @Test("while the database takes no row the answer is 503, and the next try ends the session")
    func storage() async throws {
        try await Self.idp().open { deployment in
            let browser = try await Self.browser("ann1", deployment)
            let stored = deployment.client.database.stored
            try await stored.refuseRows(in: "seen_sign_out")
            let message = Self.message(deployment)
            let reply = try await Self.post(message, to: deployment)
            #expect(reply.status == 503 && reply.header("retry-after") != nil)
            #expect(try await browser.userID(at: deployment.client) == "ann")
            try await stored.takeRows(in: "seen_sign_out")
            #expect(try await Self.post(message, to: deployment).status == 200)
            #expect(try await browser.userID(at: deployment.client) == nil)
        }
    }

    @Test("a message that arrives while the token is redeemed keeps the user out", arguments: [true, false])
    func race(named: Bool) async throws {
        try await Self.idp().open { deployment in
            // An earlier message about all sessions says nothing about a sign-in that begins now.
            let old = Self.message(deployment, id: "evt_0", session: nil)
            #expect(try await Self.post(old, to: deployment).status == 200)
            deployment.clock.advance(by: .seconds(1))
            _ = try await Self.browser("ann2", deployment)
            let message = Self.message(deployment, session: named ? "ann1" : nil)
            let browser = deployment.browser()
            let state = try await browser.state(at: deployment.client)
            // The clock stands still: the message comes after the beginning of the callback.
            #expect(try await Self.post(message, to: deployment).status == 200)
            let visit = try await browser.comeBack(
                to: deployment.client, [("token", "sst_ann1"), ("state", state)])
            #expect(visit.status == 400 && visit.reply.header("set-cookie") == nil)
            #expect(try visit.page().link(containing: SSOPath.start) != nil)
            #expect(try await browser.userID(at: deployment.client) == nil)
        }
    }

    @Test("ids of messages are kept for longer than the identity provider tries, and purged then")
    func purge() async throws {
        try await Self.idp().open { deployment in
            let store = SignOutStore(database: deployment.client.database, clock: deployment.clock.clock)
            let reply = try await Self.post(Self.message(deployment), to: deployment)
            #expect(reply.status == 200)
            deployment.clock.advance(by: .hours(25))
            #expect(try await store.purge(limit: 10) == 0)
            deployment.clock.advance(by: .days(6))
            #expect(try await store.purge(limit: 10) == 1)
        }
    }
}
