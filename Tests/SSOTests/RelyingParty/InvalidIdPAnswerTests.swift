import Synchronization
import Testing

@testable import IdPTestKit
@testable import RelyingParty
@testable import SSOWeb
@testable import TestKit

/// Counts requests that have ended.
private final class Counter: Sendable { let value = Atomic(0) }

/// The IdP is unavailable, broken or replaced: no user is signed in, and the page offers to start again (ASVS 16.5.3).
@Suite("The relying party and the IdP's answer", .program)
struct InvalidIdPAnswerTests {
    struct InvalidAnswer: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let status: Int
        let answer: @Sendable (FakeIdP.Request) -> FakeIdP.Answer

        init(_ name: String, _ status: Int, _ answer: @escaping @Sendable (FakeIdP.Request) -> FakeIdP.Answer) {
            (testDescription, self.status, self.answer) = (name, status, answer)
        }
    }

    @Test("the difference of two clocks is told for every number that an answer may have")
    func clocks() {
        let rows: [(told: Int, ahead: Int)] = [
            (1000, 0), (1001, 0), (1002, 0), (990, 10), (1012, -10), (0, 1000), (-5, 1000), (.min, 1000),
            (.max, 1002 - (1 << 52)),
        ]
        for row in rows { #expect(SettingsReader.ahead(row.told, asked: 1000, answered: 1002) == row.ahead, "\(row)") }
    }

    private static func json(_ text: String) -> [UInt8] { Array(text.utf8) }

    static let invalidAnswers: [InvalidAnswer] = [
        InvalidAnswer("another client's user", 502) { .bytes(FakeIdP.signed($0, FakeIdP.reply(client: "other"))) },
        InvalidAnswer("no signature", 502) { _ in
            .bytes(FakeIdP.http("200 OK", ["Content-Type: application/json"], FakeIdP.reply()))
        },
        InvalidAnswer("the signature for another request", 502) { request in
            let other = FakeIdP.Request(head: request.head, body: request.body + [0x20])
            return .bytes(FakeIdP.signed(other))
        },
        InvalidAnswer("the user changed after signing", 502) { request in
            let text = String(decoding: FakeIdP.signed(request), as: UTF8.self)
            return .bytes(Array(text.replacing("u1", with: "u2").utf8))
        },
        InvalidAnswer("a redirect", 502) { _ in .bytes(FakeIdP.http("302 Found", ["Location: http://127.0.0.1:1/"])) },
        InvalidAnswer("204", 502) { _ in .bytes(FakeIdP.http("204 No Content")) },
        InvalidAnswer("a page", 502) { .bytes(FakeIdP.signed($0, json("<title>Hi</title>"), type: "text/html")) },
        InvalidAnswer("a page with the JSON content type", 502) {
            .bytes(FakeIdP.signed($0, json("<title>Hi</title>")))
        },
        InvalidAnswer("an empty object", 502) { .bytes(FakeIdP.signed($0, json("{}"))) },
        InvalidAnswer("an empty user id", 502) { .bytes(FakeIdP.signed($0, FakeIdP.reply(user: ""))) },
        InvalidAnswer("two objects", 502) { .bytes(FakeIdP.signed($0, FakeIdP.reply() + FakeIdP.reply())) },
        InvalidAnswer("ten megabytes", 502) {
            .bytesThenClose(FakeIdP.signed($0, FakeIdP.reply() + [UInt8](repeating: 0x20, count: 10 << 20)))
        },
        InvalidAnswer("cut short", 503) { .bytesThenClose(FakeIdP.signed($0).dropLast(20)) },
        InvalidAnswer("nothing", 503) { _ in .bytesThenClose([]) },
        InvalidAnswer("500", 503) { _ in .bytes(FakeIdP.http("500 Internal Server Error")) },
        InvalidAnswer("500 with a user", 503) { .bytes(FakeIdP.signed($0, status: "500 Internal Server Error")) },
        InvalidAnswer("503 with its own body", 503) { _ in
            .bytes(
                FakeIdP.http(
                    "503 Service Unavailable", ["Content-Type: application/json"],
                    json(#"{"error":"temporarily_unavailable"}"#)))
        },
        InvalidAnswer("429", 503) { _ in .bytes(FakeIdP.http("429 Too Many Requests", ["Retry-After: 1"])) },
        InvalidAnswer("401 invalid_token", 400) { _ in
            .bytes(
                FakeIdP.http(
                    "401 Unauthorized", ["Content-Type: application/json"], json(#"{"error":"invalid_token"}"#)))
        },
        InvalidAnswer("401 invalid_token with a user", 400) { _ in
            .bytes(
                FakeIdP.http(
                    "401 Unauthorized", ["Content-Type: application/json"],
                    json(#"{"error":"invalid_token","user":{"id":"u1"}}"#)))
        },
        InvalidAnswer("401 invalid_signature", 502) { _ in
            .bytes(
                FakeIdP.http(
                    "401 Unauthorized", ["Content-Type: application/json"], json(#"{"error":"invalid_signature"}"#)))
        },
        InvalidAnswer("404 of another server", 502) { _ in .bytes(FakeIdP.http("404 Not Found")) },
    ]

    @Test("only a correct answer signs a user in, and the page leads back to the start", arguments: invalidAnswers)
    func invalidAnswer(_ invalidAnswer: InvalidAnswer) async throws {
        let idp = try FakeIdP(invalidAnswer.answer)
        try await idp.open { deployment in
            let browser = deployment.browser()
            let state = try await browser.state(at: deployment.client, returnTo: "/account")
            let visit = try await browser.comeBack(to: deployment.client, state: state)
            #expect(visit.status == invalidAnswer.status)
            #expect(try visit.page().link(containing: "/auth/sso/") == "/auth/sso/start?return_to=/account")
            #expect((visit.reply.header("retry-after") != nil) == (invalidAnswer.status == 503))
            #expect(visit.reply.all("referrer-policy") == ["no-referrer"])
            #expect(try await browser.userID(at: deployment.client) == nil)
            // Called once: a failed call may have used the token, and is not repeated.
            #expect(idp.calls == 1)
        }
    }

    @Test("the correct answer signs the user in: the others were refused for their defects")
    func correctAnswer() async throws {
        let idp = try FakeIdP()
        try await idp.open { deployment in
            let browser = deployment.browser()
            let state = try await browser.state(at: deployment.client)
            #expect(try await browser.comeBack(to: deployment.client, state: state).status == 303)
            #expect(try await browser.userID(at: deployment.client) == "u1")
        }
    }

    @Test("an unreachable IdP gives a 503 page with a retry, and signed-in users stay signed in")
    func down() async throws {
        let idp = try FakeIdP { .bytesThenClose(FakeIdP.signed($0)) }
        try await idp.open { deployment in
            let (ann, bob) = (deployment.browser(), deployment.browser())
            _ = try await ann.comeBack(to: deployment.client, state: ann.state(at: deployment.client))
            let state = try await bob.state(at: deployment.client)
            idp.stop()
            let visit = try await bob.comeBack(to: deployment.client, state: state)
            #expect(visit.status == 503)
            let retry = try #require(try visit.page().link(containing: "/auth/sso/start"))
            #expect(try await bob.click(retry, on: visit).status == 302)
            #expect(try await ann.userID(at: deployment.client) == "u1")
        }
    }

    @Test("an IdP that never answers gives a 503 page, and other pages do not wait for it")
    func hung() async throws {
        let idp = try FakeIdP { _ in .hang }
        try await idp.open { deployment in
            let ended = Counter()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 1...60 {
                    let browser = deployment.browser()
                    group.addTask {
                        let state = try await browser.state(at: deployment.client)
                        #expect(try await browser.comeBack(to: deployment.client, state: state).status == 503)
                        ended.value.add(1, ordering: .relaxed)
                    }
                }
                _ = try await eventually("calls hang") { idp.calls > 20 ? true : nil }
                #expect(try await deployment.browser().get(deployment.client.origin + "/").status == 200)
                #expect(
                    ended.value.load(ordering: .relaxed) < 60, "the page was served while other requests still waited")
                try await group.waitForAll()
            }
            #expect(ended.value.load(ordering: .relaxed) == 60)
        }
    }

    @Test("a callback with an error is reported, and the page offers to start again")
    func error() async throws {
        let idp = try FakeIdP()
        try await idp.open { deployment in
            let browser = deployment.browser()
            let state = try await browser.state(at: deployment.client, returnTo: "/account")
            let script = "<script>alert(1)</script>"
            let visit = try await browser.comeBack(to: deployment.client, [("error", script), ("state", state)])
            #expect(visit.status == 400)
            #expect(!visit.text.contains(script) && !visit.text.contains("alert(1)"))
            #expect(try visit.page().link(containing: "/auth/sso/") == "/auth/sso/start?return_to=/account")
            #expect(idp.calls == 0)
        }
    }
}
