import Foundation
import SSOShared
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit

/// Runs the samples as they stand there.
@Suite("The samples of examples/partners", .deployment, .dependsOnMachine)
struct SampleTests {
    private static let token = BackChannelFixture.token
    private static let callback = "https://partner.example.com/auth/sso/callback"

    @Test("each builds and signs the body of the worked example, byte for byte", arguments: SampleLanguage.allCases)
    func workedExample(_ language: SampleLanguage) async throws {
        let plain = try BackChannelVector.named("request-redirect-uri")
        let bound = try BackChannelVector.named("request-code-verifier")
        let results = try await language.run([
            SampleCall(call: .body, token: Self.token, redirectURI: Self.callback),
            SampleCall(
                call: .body, token: Self.token, redirectURI: Self.callback, codeVerifier: bound["code-verifier"]),
            SampleCall(call: .sign, body: Data(plain.body)),
            SampleCall(call: .sign, body: Data(bound.body)),
            // A line end that was copied along with the secret.
            SampleCall(call: .sign, secret: "\(BackChannelFixture.secretText)\n", body: Data(plain.body)),
        ])
        let expected = [
            String(decoding: plain.body, as: UTF8.self), String(decoding: bound.body, as: UTF8.self),
            plain["signature"], bound["signature"], plain["signature"],
        ]
        #expect(results.map(\.text) == expected)
    }

    @Test("each accepts every good vector, and refuses every bad one that it must", arguments: SampleLanguage.allCases)
    func vectors(_ language: SampleLanguage) async throws {
        let vectors = BackChannelVector.of(.response)
        let results = try await language.run(try vectors.map(SampleCall.check))
        for (vector, result) in zip(vectors, results) where vector.isRequired {
            #expect((result.reply != nil) == vector.isGood, "\(vector.name): \(result)")
            #expect((result.refused == nil) == vector.isGood, "\(vector.name): \(result)")
            guard vector.isGood, let reply = result.reply else { continue }
            #expect(reply.user.id == vector["user-id"] && reply.user.email == vector["email"])
            #expect(reply.user.name == vector["name"] && reply.session.id == vector["session-id"])
            #expect(reply.session.time.map { "\($0)" } == vector["authenticated-at"])
            #expect(reply.session.methods.joined(separator: ",") == vector["methods"])
        }
    }

    @Test(
        "each accepts every good sign-out message, and refuses every bad one that it must with the documented status",
        arguments: SampleLanguage.allCases)
    func events(_ language: SampleLanguage) async throws {
        let vectors = BackChannelVector.of(.event)
        var calls = try vectors.map(SampleCall.event)
        // Two headers, and not one that a proxy has joined.
        let good = try #require(calls.first { $0.headers?.count == 2 })
        for twice in [good.headers?[1], ["x-sso-signature", "sha256=" + String(repeating: "0", count: 64)]] {
            var call = good
            call.headers = (good.headers ?? []) + [try #require(twice)]
            calls.append(call)
        }
        let results = try await language.run(calls)
        for (vector, result) in zip(vectors, results) where vector.isRequired {
            #expect((result.event != nil) == vector.isGood, "\(vector.name): \(result)")
            let status = ["invalid_signature": 401, "invalid_request": 400][vector["expect"] ?? ""]
            #expect(result.status == status, "\(vector.name): \(result)")
            guard vector.isGood, let event = result.event else { continue }
            #expect(
                event.id == vector["id"] && event.user == vector["user-id"] && event.session == vector["session-id"])
            #expect("\(event.time)" == vector["issued-at"])
        }
        #expect(results.suffix(2).map(\.status) == [401, 401])
    }

    @Test("each judges answers about a session as their vectors say", arguments: SampleLanguage.allCases)
    func answers(_ language: SampleLanguage) async throws {
        let vectors = BackChannelVector.of(.answer)
        let results = try await language.run(try vectors.map(SampleCall.checkSession))
        for (vector, result) in zip(vectors, results) {
            #expect((result.state != nil) == vector.isGood, "\(vector.name): \(result)")
            #expect((result.refused == nil) == vector.isGood, "\(vector.name): \(result)")
            guard vector.isGood, let state = result.state else { continue }
            #expect("\(state.active)" == vector["active"] && state.reason == vector["reason"], "\(vector.name)")
            #expect(state.user?.id == vector["user-id"] && state.user?.email == vector["email"], "\(vector.name)")
            #expect(state.user?.groups?.joined(separator: ",") == vector["groups"], "\(vector.name)")
        }
    }

    @Test(
        "each asks about a session with the label of the question, and takes no answer that is not one to it",
        arguments: SampleLanguage.allCases)
    func question(_ language: SampleLanguage) async throws {
        let vector = try BackChannelVector.named("question-session")
        let ended = Array(#"{"active":false,"client_id":"partner","reason":"signed_out"}"#.utf8)
        let answers: [@Sendable (BackChannelStub.Request) -> [UInt8]] = [
            { BackChannelFixture.signed($0, label: .session, body: ended) },
            // Signed as the answer to a request of verify.
            { BackChannelFixture.signed($0, body: ended) },
            { _ in BackChannelFixture.http("503 X", ["Content-Type: application/json"], Array(#"{"error":"x"}"#.utf8))
            },
            { _ in BackChannelFixture.http("404 Not Found", [], []) },
            { BackChannelFixture.signed($0, label: .session, body: BackChannelFixture.reply().body()) },
        ]
        let stubs = try answers.map { answer in try BackChannelStub { .bytesThenClose(answer($0)) } }
        let results = try await language.run(
            try stubs.map {
                SampleCall(
                    call: .session, idp: $0.origin, session: try vector.required("session-id"),
                    user: try vector.required("user-id"))
            })
        #expect(results[0].state?.active == false && results[0].state?.reason == "signed_out", "\(results[0])")
        #expect(results.dropFirst().allSatisfy { $0.state == nil && $0.refused != nil }, "\(results)")
        for stub in stubs {
            let request = try #require(stub.requests.first)
            #expect(stub.requests.count == 1 && request.head.hasPrefix("POST /auth/sso/session HTTP/1.1\r\n"))
            #expect(request.body == vector.body && request.header("x-sso-signature") == vector["signature"])
            stub.stop()
        }
    }

    @Test(
        "each tries its settings with the label of the try, and takes no answer that is not one to it",
        arguments: SampleLanguage.allCases)
    func ping(_ language: SampleLanguage) async throws {
        let pong = PingAnswer(clientID: "partner", isRegistered: true, time: 1_790_000_001, version: "0.1.0").body()
        let other = PingAnswer(clientID: "other", isRegistered: true, time: 1_790_000_001, version: "0.1.0").body()
        let answers: [@Sendable (BackChannelStub.Request) -> [UInt8]] = [
            { BackChannelFixture.signed($0, label: .ping, body: pong) },
            // Signed as the answer to a request of verify.
            { BackChannelFixture.signed($0, body: pong) },
            { BackChannelFixture.signed($0, label: .ping, body: other) },
        ]
        let stubs = try answers.map { answer in try BackChannelStub { .bytesThenClose(answer($0)) } }
        let results = try await language.run(
            stubs.map { SampleCall(call: .ping, idp: $0.origin, redirectURI: Self.callback) })
        #expect(results[0].pong?.redirectURI == "registered" && results[0].pong?.time == 1_790_000_001, "\(results[0])")
        #expect(results.dropFirst().allSatisfy { $0.pong == nil && $0.refused != nil }, "\(results)")
        for stub in stubs {
            let request = try #require(stub.requests.first)
            #expect(stub.requests.count == 1 && request.head.hasPrefix("POST /auth/sso/ping HTTP/1.1\r\n"))
            #expect(try PingQuestion(body: request.body).redirectURI == Self.callback)
            stub.stop()
        }
    }

    @Test(
        """
        each accepts every legal form of an answer, refuses every other one within its limit, sends the token once and \
        nowhere else, and its errors are printable
        """,
        arguments: SampleLanguage.allCases)
    func transport(_ language: SampleLanguage) async throws {
        let elsewhere = try BackChannelStub { .bytesThenClose(BackChannelFixture.signed($0)) }
        let answers = SampleAnswer.all(elsewhere: elsewhere.origin)
        let stubs = try answers.map { try BackChannelStub($0.bytes) }
        let calls = stubs.map {
            SampleCall(call: .verify, idp: $0.origin, token: Self.token, redirectURI: Self.callback)
        }
        // Those that take five seconds run side by side.
        let slow = answers.indices.filter { answers[$0].isSlow }
        let groups = [answers.indices.filter { !answers[$0].isSlow }] + slow.map { [$0] }
        let results = try await withThrowingTaskGroup(of: [(Int, SampleResult)].self) { tasks in
            for group in groups {
                tasks.addTask { Array(zip(group, try await language.run(group.map { calls[$0] }))) }
            }
            return try await tasks.reduce(into: [:]) { $0.merge($1) { $1 } }
        }
        for (index, answer) in answers.enumerated() {
            let result = try #require(results[index])
            #expect((result.reply != nil) == answer.isGood, "\(answer.name): \(result)")
            #expect(answer.isGood ? result.reply?.user.id == "u1" : result.refused != nil, "\(answer.name): \(result)")
            let texts = [result.refused, result.error, result.description].compactMap { $0 }
            #expect(texts.joined().utf8.allSatisfy { (0x20...0x7e).contains($0) }, "\(answer.name): \(texts)")
            #expect(stubs[index].requests.count == 1, "\(answer.name)")
            let request = stubs[index].requests.first
            #expect(request?.head.hasPrefix("POST /auth/sso/verify HTTP/1.1\r\n") == true)
            #expect(request?.header("content-type") == "application/json")
            if answer.name == "refusal: the IdP's" {
                #expect(result.error == "invalid_token" && result.description == "The token: it was used.")
            }
        }
        #expect(elsewhere.requests.isEmpty)
        for stub in stubs + [elsewhere] { stub.stop() }
    }

    @Test(
        "each redeems a token of the IdP once, tries its settings, and keeps the reason of a refusal",
        arguments: SampleLanguage.allCases)
    func identityProvider(_ language: SampleLanguage) async throws {
        let pair = try ProcessDeployment()
        try await pair.idp.start()
        let (browser, client) = (Browser(), pair.client)
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        let challenge = "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM&code_challenge_method=S256"
        func token(_ state: String, _ more: String = "") async throws -> String {
            try await browser.get(pair.authorize(client, state: state) + more).token()
        }
        let form = try await browser.follow(browser.get(pair.authorize(client, state: "first")))
        let waiting = try await browser.ask(for: "ann@example.com", on: form)
        let plain = try await browser.enter(
            pair.mailbox.code(to: "ann@example.com", count: 1), on: waiting
        ).token()
        let (bound, stolen) = (try await token("second", challenge), try await token("third", challenge))
        func call(_ token: String, verifier: String? = nil, secret: String? = nil) -> SampleCall {
            SampleCall(
                call: .verify, idp: "http://127.0.0.1:\(pair.idp.port)", client: client.id,
                secret: secret ?? client.secret, token: token, redirectURI: client.callback, codeVerifier: verifier)
        }
        let results = try await language.run([
            call(plain), call(plain), call(bound, verifier: verifier), call(stolen),
            call(plain, secret: TestSecret.new()),
        ])
        for result in [results[0], results[2]] {
            #expect(result.reply?.user.email == "ann@example.com" && result.reply?.user.name == "ann", "\(result)")
            #expect(result.reply?.session.methods == ["email_code"])
        }
        for (result, error) in zip(
            results.filter { $0.reply == nil }, ["invalid_token", "invalid_token", "invalid_signature"])
        {
            #expect(result.error == error && result.refused?.contains(error) == true, "\(result)")
            #expect(result.description?.isEmpty == false, "\(result)")
        }
        #expect(results.map { $0.reply == nil } == [false, true, false, true, true])

        func attempt(_ redirectURI: String, secret: String) -> SampleCall {
            SampleCall(
                call: .ping, idp: "http://127.0.0.1:\(pair.idp.port)", client: client.id, secret: secret,
                redirectURI: redirectURI)
        }
        let pings = try await language.run([
            attempt(client.callback, secret: client.secret), attempt(client.callback + "/", secret: client.secret),
            attempt(client.callback, secret: TestSecret.new()),
        ])
        #expect(pings.map { $0.pong?.redirectURI } == ["registered", "not_registered", nil], "\(pings)")
        #expect(pings.last?.error == "invalid_signature", "\(pings)")
        try await pair.stop()
    }
}
