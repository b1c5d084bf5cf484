import Foundation
import SSOShared
import Testing

@testable import TestSupport

/// Runs the samples of docs/protocol.md as they stand there.
@Suite("The samples of docs/protocol.md")
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

    /// What a server answers to a call, in place of the IdP. All but the last two bodies are rightly signed.
    enum Answer: String, CaseIterable, Sendable {
        case good, withCharset
        case created, redirect, temporaryRedirect, html, tooLarge, rightSignatureFirst, rightSignatureLast
        case rightSignatureTwice, silence
        case refusal, page

        var isGood: Bool { self == .good || self == .withCharset }

        func bytes(to request: BackChannelStub.Request, elsewhere: String) -> [UInt8] {
            let json = "Content-Type: application/json"
            let body = BackChannelFixture.reply().body()
            let right = BackChannelFixture.signature(request, body)
            let wrong = "X-SSO-Signature: sha256=\(String(repeating: "0", count: 64))"
            let location = "Location: \(elsewhere)/auth/sso/verify"
            switch self {
            case .good, .silence: return BackChannelFixture.signed(request)
            case .withCharset: return BackChannelFixture.signed(request, type: "application/json; charset=utf-8")
            case .created: return BackChannelFixture.http("201 Created", [json, right], body)
            case .redirect: return BackChannelFixture.http("302 Found", [json, right, location], body)
            case .temporaryRedirect:
                return BackChannelFixture.http("307 Temporary Redirect", [json, right, location], body)
            case .html: return BackChannelFixture.signed(request, type: "text/html")
            case .tooLarge:
                let large =
                    Array(body.dropLast()) + Array(#","more":"\#(String(repeating: "x", count: 70_000))"}"#.utf8)
                return BackChannelFixture.signed(request, body: large)
            case .rightSignatureFirst: return BackChannelFixture.http("200 OK", [json, right, wrong], body)
            case .rightSignatureLast: return BackChannelFixture.http("200 OK", [json, wrong, right], body)
            case .rightSignatureTwice: return BackChannelFixture.http("200 OK", [json, right, right], body)
            case .refusal:
                let error = #"{"error":"invalid_token","error_description":"The token: it was used."}"#
                return BackChannelFixture.http("401 Unauthorized", [json], Array(error.utf8))
            case .page:
                return BackChannelFixture.http("502 Bad Gateway", ["Content-Type: text/html"], Array("<p>".utf8))
            }
        }
    }

    @Test(
        "each refuses what section 9 lists, sends the token once and nowhere else, and waits no longer than its limit",
        arguments: SampleLanguage.allCases)
    func transport(_ language: SampleLanguage) async throws {
        let elsewhere = try BackChannelStub { .bytesThenClose(BackChannelFixture.signed($0)) }
        let stubs = try Answer.allCases.map { answer in
            try BackChannelStub { request in
                answer == .silence
                    ? .hang : .bytesThenClose(answer.bytes(to: request, elsewhere: elsewhere.origin))
            }
        }
        let results = try await language.run(
            stubs.map { SampleCall(call: .verify, idp: $0.origin, token: Self.token, redirectURI: Self.callback) })
        for (answer, (stub, result)) in zip(Answer.allCases, zip(stubs, results)) {
            #expect((result.reply != nil) == answer.isGood, "\(answer): \(result)")
            #expect(stub.requests.count == 1, "\(answer)")
            #expect(stub.requests.first?.head.hasPrefix("POST /auth/sso/verify HTTP/1.1\r\n") == true)
            #expect(stub.requests.first?.header("content-type") == "application/json")
        }
        #expect(elsewhere.requests.isEmpty)
        let refusal = try #require(zip(Answer.allCases, results).first { $0.0 == .refusal }?.1)
        #expect(refusal.error == "invalid_token")
        // The library for Swift keeps the code alone.
        #expect(refusal.description == "The token: it was used.")
        for stub in stubs + [elsewhere] { stub.stop() }
    }

    @Test(
        "each redeems a token of the IdP once, with a code verifier too, and keeps the reason of a refusal",
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
            call(plain, secret: ProcessDeployment.secret()),
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
        try await pair.stop()
    }
}
