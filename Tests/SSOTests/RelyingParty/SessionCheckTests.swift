import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Synchronization
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import RelyingParty
@testable import TestKit
@testable import WebTestKit

/// The relying party asks the identity provider about a session that is in use (`RP_SESSION_CHECK`).
@Suite("Questions about a session", .program)
struct SessionCheckTests {
    /// What the identity provider answers to a question. It signs in everyone.
    private static func idp(
        _ answer: @escaping @Sendable (FakeIdP.Request) -> FakeIdP.Answer
    ) throws -> FakeIdP {
        try FakeIdP { request in request.isQuestion ? answer(request) : .bytes(FakeIdP.signed(request)) }
    }

    private static func active(
        _ email: String = "ann@example.com", _ name: String = "Ann", groups: [String]? = nil, id: String = "u1"
    ) -> SessionAnswer {
        .active(
            VerifyReply(
                user: VerifiedUser(id: id, email: email, name: name, groups: groups), clientID: FakeIdP.clientID,
                session: VerifiedSession(id: "s1", authenticatedAt: 1_790_000_000, methods: ["email_code"])))
    }

    private static func signedIn(_ deployment: TestDeployment) async throws -> Browser {
        let browser = deployment.browser()
        _ = try await browser.comeBack(to: deployment.client, state: browser.state(at: deployment.client))
        #expect(try await browser.userID(at: deployment.client) == "u1")
        return browser
    }

    @Test("after five minutes of use it is asked once, and the next time five minutes later")
    func interval() async throws {
        let idp = try Self.idp { .bytes(FakeIdP.state($0, Self.active())) }
        try await idp.open(limits: .patient) { deployment in
            let browser = try await Self.signedIn(deployment)
            deployment.clock.advance(by: .seconds(299))
            #expect(try await browser.userID(at: deployment.client) == "u1")
            #expect(idp.questions == 0)
            for round in 1...3 {
                deployment.clock.advance(by: .seconds(round == 1 ? 1 : 300))
                for _ in 1...3 { #expect(try await browser.userID(at: deployment.client) == "u1") }
                #expect(idp.questions == round)
            }
        }
    }

    @Test("an active session takes over name, address and groups, which the account page shows")
    func takesOver() async throws {
        let idp = try Self.idp {
            .bytes(FakeIdP.state($0, Self.active("ann.b@example.com", "Ann B", groups: ["board", "<finance>"])))
        }
        try await idp.open(limits: .patient) { deployment in
            let browser = try await Self.signedIn(deployment)
            let before = try await browser.get(deployment.client.origin + "/account")
            #expect(before.text.contains("ann@example.com") && !before.text.contains("Groups"))
            deployment.clock.advance(by: .minutes(5))
            let account = try await browser.get(deployment.client.origin + "/account")
            #expect(account.text.contains("ann.b@example.com") && account.text.contains("Ann B"))
            #expect(account.text.contains("<dt>Groups</dt><dd><bdi>board, &lt;finance&gt;</bdi>"))
            let session = try JSONDecoding.value(
                await browser.get(deployment.client.origin + "/api/session").reply.body)
            #expect(session["user"]?["groups"]?.items.compactMap(\.text) == ["board", "<finance>"])
            #expect(idp.questions == 1)
        }
    }

    @Test("groups of the sign-in itself are shown, and none where the list is empty")
    func groupsOfVerify() async throws {
        let empty = Mutex(false)
        let idp = try FakeIdP { request in
            let groups = empty.withLock { $0 } ? [] : ["board"]
            guard case .active(let reply) = Self.active(groups: groups) else { return .hang }
            return .bytes(FakeIdP.signed(request, reply.body()))
        }
        try await idp.open { deployment in
            let (one, two) = (try await Self.signedIn(deployment), deployment.browser())
            #expect(
                try await one.get(deployment.client.origin + "/account").text.contains(
                    "<dt>Groups</dt><dd><bdi>board</bdi>"))
            empty.withLock { $0 = true }
            _ = try await two.comeBack(to: deployment.client, state: two.state(at: deployment.client))
            #expect(
                try await two.get(deployment.client.origin + "/account").text.contains(
                    "<dt>Groups</dt><dd><bdi>none</bdi>"))
        }
    }

    @Test(
        "every reason but expired ends the session, at once and for good",
        arguments: ["signed_out", "no_access", "account_ended", "expired", "unknown", "moved_away"])
    func ends(reason: String) async throws {
        let body = #"{"active":false,"client_id":"\#(FakeIdP.clientID)","reason":"\#(reason)"}"#
        let idp = try Self.idp { .bytes(FakeIdP.signed($0, Array(body.utf8))) }
        try await idp.open(limits: .patient) { deployment in
            let browser = try await Self.signedIn(deployment)
            deployment.clock.advance(by: .minutes(5))
            let isKept = reason == "expired"
            let account = try await browser.get(deployment.client.origin + "/account")
            #expect(account.status == (isKept ? 200 : 303))
            #expect(try await browser.userID(at: deployment.client) == (isKept ? "u1" : nil))
            #expect(idp.questions == 1)
            // A new sign-in is one of its own.
            if !isKept {
                _ = try await browser.comeBack(to: deployment.client, state: browser.state(at: deployment.client))
            }
            #expect(try await browser.userID(at: deployment.client) == "u1")
        }
    }

    struct Failure: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let answer: @Sendable (FakeIdP.Request) -> FakeIdP.Answer
    }

    private static let ended = Array(
        #"{"active":false,"client_id":"\#(FakeIdP.clientID)","reason":"signed_out"}"#.utf8)

    static let failures: [Failure] = [
        Failure(testDescription: "nothing") { _ in .bytesThenClose([]) },
        Failure(testDescription: "500") { _ in .bytes(FakeIdP.http("500 Internal Server Error")) },
        Failure(testDescription: "503 with an answer") {
            .bytes(FakeIdP.signed($0, ended, status: "503 Service Unavailable"))
        },
        Failure(testDescription: "404 of an older version") { _ in .bytes(FakeIdP.http("404 Not Found")) },
        Failure(testDescription: "429") { _ in .bytes(FakeIdP.http("429 Too Many Requests")) },
        Failure(testDescription: "401 invalid_signature") { _ in
            let body = Array(#"{"error":"invalid_signature"}"#.utf8)
            return .bytes(FakeIdP.http("401 Unauthorized", ["Content-Type: application/json"], body))
        },
        Failure(testDescription: "no signature") { _ in
            .bytes(FakeIdP.http("200 OK", ["Content-Type: application/json"], ended))
        },
        Failure(testDescription: "the signature of an answer to verify") { request in
            let verify = FakeIdP.Request(
                head: request.head.replacing(SSOPath.session, with: SSOPath.verify), body: request.body)
            return .bytes(FakeIdP.signed(verify, ended))
        },
        Failure(testDescription: "for another client") {
            .bytes(FakeIdP.state($0, .inactive(.signedOut, clientID: "other")))
        },
        Failure(testDescription: "about another user") {
            .bytes(FakeIdP.state($0, active("eve@example.com", id: "u2")))
        },
        Failure(testDescription: "an answer of verify") { .bytes(FakeIdP.signed($0)) },
        Failure(testDescription: "a redirect") { _ in
            .bytes(FakeIdP.http("302 Found", ["Location: http://127.0.0.1:1/"]))
        },
    ]

    @Test(
        "a question that fails changes nothing, and for a minute no session is asked about", arguments: failures)
    func fails(_ failure: Failure) async throws {
        let idp = try Self.idp(failure.answer)
        try await idp.open(limits: .patient) { deployment in
            let browsers = [try await Self.signedIn(deployment), try await Self.signedIn(deployment)]
            deployment.clock.advance(by: .minutes(5))
            for round in 1...3 {
                for browser in browsers + browsers {
                    let account = try await browser.get(deployment.client.origin + "/account")
                    #expect(account.status == 200 && account.text.contains("ann@example.com"))
                }
                #expect(idp.questions == round)
                deployment.clock.advance(by: .seconds(59))
                #expect(try await browsers[0].userID(at: deployment.client) == "u1")
                #expect(idp.questions == round)
                deployment.clock.advance(by: .seconds(1))
            }
            #expect(deployment.log.contains("session_check_failed"))
        }
    }

    @Test("an unreachable identity provider signs nobody out, and after its return the first question counts")
    func outage() async throws {
        let isBack = Mutex(false)
        let idp = try Self.idp { request in
            isBack.withLock { $0 }
                ? .bytes(FakeIdP.state(request, .inactive(.accountEnded, clientID: FakeIdP.clientID)))
                : .bytesThenClose([])
        }
        try await idp.open(limits: .patient) { deployment in
            let browser = try await Self.signedIn(deployment)
            deployment.clock.advance(by: .minutes(30))
            #expect(try await browser.userID(at: deployment.client) == "u1")
            isBack.withLock { $0 = true }
            deployment.clock.advance(by: .minutes(1))
            #expect(try await browser.userID(at: deployment.client) == nil)
        }
    }

    @Test("an identity provider that never answers delays one page by its limit and no other request of the session")
    func hung() async throws {
        let idp = try Self.idp { _ in .hang }
        try await idp.open { deployment in
            let browser = try await Self.signedIn(deployment)
            deployment.clock.advance(by: .minutes(5))
            async let waiting = browser.userID(at: deployment.client)
            _ = try await eventually("the question hangs") { idp.questions == 1 ? true : nil }
            let twin = browser.twin()
            for _ in 1...20 { #expect(try await twin.userID(at: deployment.client) == "u1") }
            #expect(try await waiting == "u1")
            #expect(idp.questions == 1)
        }
    }

    @Test("of a hundred requests of one session at two processes one asks")
    func oneAsks() async throws {
        let idp = try Self.idp { .bytes(FakeIdP.state($0, Self.active())) }
        try await idp.open(limits: .patient) { deployment in
            let browser = try await Self.signedIn(deployment)
            try await deployment.withSecondClient { second in
                deployment.clock.advance(by: .minutes(5))
                let routes = [deployment.client.origin: second.port]
                let browsers = [browser.twin(), browser.twin(routes: routes)]
                let users = try await atOnce(100) { try await browsers[$0 % 2].userID(at: deployment.client) }
                #expect(users.allSatisfy { $0 == "u1" } && idp.questions == 1)
            }
        }
    }

    @Test("off asks never, and another interval holds as it is set")
    func settings() async throws {
        for (value, minutes, count) in [("off", 600, 0), ("60m", 59, 0), ("60m", 60, 1), ("1m", 1, 1), ("90s", 1, 0)] {
            let idp = try Self.idp { .bytes(FakeIdP.state($0, Self.active())) }
            try await idp.open(settings: ["RP_SESSION_CHECK": value], limits: .patient) { deployment in
                let browser = try await Self.signedIn(deployment)
                // The session itself lasts an hour without use.
                for _ in 0..<(minutes / 50) {
                    deployment.clock.advance(by: .minutes(50))
                    _ = try await browser.userID(at: deployment.client)
                }
                deployment.clock.advance(by: .minutes(minutes % 50))
                _ = try await browser.userID(at: deployment.client)
                #expect(idp.questions == count, "\(value) after \(minutes) minutes")
            }
        }
    }

    @Test(
        "RP_SESSION_CHECK takes a minute to an hour, or off, and says so",
        arguments: [
            ("5m", 300), ("1m", 60), ("60m", 3600), ("1h", 3600), ("90s", 90), ("off", nil), ("0m", 0), ("61m", 0),
            ("59s", 0), ("5", 0), ("", 0), ("-5m", 0), ("5 m", 0), ("5d", 0), ("2h", 0), ("Off", 0), ("٥m", 0),
        ] as [(String, Int?)])
    func values(text: String, seconds: Int?) throws {
        guard seconds != 0 else {
            let error = #expect(throws: SettingError.self) { try SessionCheckInterval(text) }
            #expect(error?.description.contains("must be a time from 1m to 60m, such as 5m, or off.") == true)
            return
        }
        #expect(try SessionCheckInterval(text).duration == seconds.map { .seconds($0) })
    }

    @Test("a session that was never asked about is at its next request, and one without an id at the IdP never")
    func neverAsked() async throws {
        let idp = try Self.idp { .bytes(FakeIdP.state($0, Self.active())) }
        try await idp.open(limits: .patient) { deployment in
            let browser = try await Self.signedIn(deployment)
            func strip(_ member: Regex<Substring>) async throws {
                let database = deployment.client.database
                let slots = try await database.stored.sessions.slots()[0]
                let changed = slots.replacing(member, with: "")
                #expect(changed != slots)
                try await database.stored.sessions.setSlots(changed)
            }
            try await strip(#/,"checkedAt":[0-9]+/#)
            #expect(try await browser.userID(at: deployment.client) == "u1")
            #expect(idp.questions == 1)
            try await strip(#/"sessionID":"s1",/#)
            deployment.clock.advance(by: .minutes(30))
            #expect(try await browser.userID(at: deployment.client) == "u1")
            #expect(idp.questions == 1)
        }
    }

    @Test("signing out asks nothing")
    func signOut() async throws {
        let idp = try Self.idp { _ in .hang }
        try await idp.open { deployment in
            let browser = try await Self.signedIn(deployment)
            let home = try await browser.get(deployment.client.origin + "/")
            deployment.clock.advance(by: .minutes(5))
            _ = try await browser.submit(home.page().form(to: "/sign-out"), on: home)
            #expect(idp.questions == 0)
            #expect(try await browser.userID(at: deployment.client) == nil)
        }
    }

    @Test("while the database takes no change, pages of signed-in users are served without a question")
    func fullDisk() async throws {
        let idp = try Self.idp { .bytes(FakeIdP.state($0, .inactive(.signedOut, clientID: FakeIdP.clientID))) }
        try await idp.open(limits: .patient) { deployment in
            let browser = try await Self.signedIn(deployment)
            try await deployment.client.database.stored.refuseUpdates(of: "session")
            deployment.clock.advance(by: .minutes(5))
            #expect(try await browser.userID(at: deployment.client) == "u1")
            #expect(idp.questions == 0 && deployment.log.contains("session_check_failed"))
        }
    }

    @Test("an answer that names a newer secret is a warning, once per hour")
    func previousSecret() async throws {
        let header = "X-SSO-Key-Status: previous"
        let idp = try FakeIdP { request in
            .bytes(
                request.isQuestion
                    ? FakeIdP.state(request, Self.active(), [header]) : FakeIdP.signed(request, headers: [header]))
        }
        try await idp.open(limits: .patient) { deployment in
            func warnings() -> Int {
                deployment.log.text.split(separator: "\n").count { $0.hasPrefix("warning shared_secret_previous") }
            }
            let browser = try await Self.signedIn(deployment)
            #expect(warnings() == 1)
            for _ in 1...11 {
                deployment.clock.advance(by: .minutes(5))
                _ = try await browser.userID(at: deployment.client)
            }
            #expect(warnings() == 1 && idp.questions == 11)
            deployment.clock.advance(by: .minutes(5))
            _ = try await browser.userID(at: deployment.client)
            #expect(warnings() == 2)
        }
    }
}
