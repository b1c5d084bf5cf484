import Foundation
import Synchronization
import Testing

@testable import SSOShared
@testable import TestKit

@Suite("The back channel client", .rules)
struct BackChannelClientTests {
    typealias Fixture = BackChannelFixture

    @Test("a correct answer is accepted, and the request has the form of docs/protocol.md")
    func honest() async throws {
        let server = try BackChannelStub { .bytes(Fixture.signed($0)) }
        defer { server.stop() }
        let reply = try await Fixture.client(server.origin)
            .verify(token: Fixture.token, redirectURI: "https://rp.example/cb", codeVerifier: nil)
        #expect(reply == Fixture.reply())

        let request = try #require(server.requests.first)
        #expect(request.head.hasPrefix("POST /auth/sso/verify HTTP/1.1\r\n"))
        #expect(
            String(decoding: request.body, as: UTF8.self)
                == "{\"token\":\"\(Fixture.token)\",\"redirect_uri\":\"https://rp.example/cb\"}")
        #expect(request.header("content-type") == "application/json")
        #expect(request.header("x-sso-client") == "partner")
        let given = try #require(RequestSignature(headerValue: request.header("x-sso-signature") ?? ""))
        #expect(given.matches(.request(body: request.body, secret: try Fixture.secret())))
        for name in ["expect", "accept-encoding", "cookie", "authorization", "transfer-encoding"] {
            #expect(request.header(name) == nil)
        }
    }

    @Test("connections are used again")
    func reuse() async throws {
        let server = try BackChannelStub { .bytes(Fixture.signed($0)) }
        defer { server.stop() }
        let client = try Fixture.client(server.origin)
        for _ in 0..<20 { _ = try await client.verify(token: Fixture.token) }
        // More than one is possible: on a busy machine a connection may be idle longer than it is kept.
        #expect(server.requests.count == 20 && server.connections < 20)
    }

    @Test(
        "the error codes of the contract are mapped to their meaning",
        arguments: [
            (
                "400 Bad Request", VerifyError.invalidRequest,
                BackChannelError.rejected(.invalidRequest, description: "Because.")
            ),
            ("401 Unauthorized", .invalidSignature, .rejected(.invalidSignature, description: "Because.")),
            ("401 Unauthorized", .invalidToken, .rejected(.invalidToken, description: "Because.")),
            ("415 Unsupported Media Type", .invalidRequest, .rejected(.invalidRequest, description: "Because.")),
            ("429 Too Many Requests", .rateLimited, .unavailable("rate limited")),
            ("503 Service Unavailable", .temporarilyUnavailable, .unavailable("status 503")),
        ])
    func codes(_ status: String, _ code: VerifyError, _ failure: BackChannelError) async throws {
        let server = try BackChannelStub { _ in
            .bytes(Fixture.http(status, ["Content-Type: application/json"], code.body(description: "Because.")))
        }
        defer { server.stop() }
        #expect(await Fixture.outcome(try Fixture.client(server.origin)) == .failure(failure))
    }

    @Test(
        "other answers are never read as a verdict on the token",
        arguments: [
            ("404 Not Found", "<html>", true), ("403 Forbidden", "{}", true), ("401 Unauthorized", "", true),
            ("500 Internal Server Error", "{\"error\":\"invalid_token\"}", false), ("502 Bad Gateway", "<html>", false),
            ("204 No Content", "", true), ("201 Created", "{}", true),
        ])
    func otherAnswers(_ status: String, _ body: String, _ isUntrusted: Bool) async throws {
        let server = try BackChannelStub { _ in .bytesThenClose(Fixture.http(status, [], [UInt8](body.utf8))) }
        defer { server.stop() }
        switch await Fixture.outcome(try Fixture.client(server.origin)) {
        case .failure(.untrusted): #expect(isUntrusted)
        case .failure(.unavailable): #expect(!isUntrusted)
        case let other: Issue.record("\(other)")
        }
    }

    @Test("an unsigned answer is accepted only when that is configured")
    func unsigned() async throws {
        let server = try BackChannelStub { _ in
            .bytes(Fixture.http("200 OK", ["Content-Type: application/json; charset=utf-8"], Fixture.reply().body()))
        }
        defer { server.stop() }
        #expect(
            await Fixture.outcome(try Fixture.client(server.origin)) == .failure(.untrusted("the answer is not signed"))
        )
        #expect(
            await Fixture.outcome(try Fixture.client(server.origin, requireSignedResponse: false))
                == .success(Fixture.reply()))
    }

    @Test(
        "a correctly signed answer for another client is refused, with required signatures and without",
        arguments: [true, false])
    func otherClient(_ requireSignedResponse: Bool) async throws {
        let server = try BackChannelStub { .bytes(Fixture.signed($0, body: Fixture.reply(clientID: "other").body())) }
        defer { server.stop() }
        #expect(
            await Fixture.outcome(try Fixture.client(server.origin, requireSignedResponse: requireSignedResponse))
                == .failure(.untrusted("the answer is for another client")))
    }

    @Test("an answer to another request is refused")
    func replayedAnswer() async throws {
        let first = try BackChannelStub { .bytes(Fixture.signed($0)) }
        defer { first.stop() }
        _ = try await Fixture.client(first.origin).verify(token: Fixture.token)
        let recorded = try #require(first.requests.first)
        let second = try BackChannelStub { _ in .bytes(Fixture.signed(recorded)) }
        defer { second.stop() }
        let client = try Fixture.client(second.origin)
        #expect(await Fixture.outcome(client) == .success(Fixture.reply()))
        let other = try SSOToken().wire
        #expect(
            await Fixture.outcome(client, token: other) == .failure(.untrusted("the answer's signature is wrong")))
    }

    @Test(
        "an address that is not an https origin is refused at start",
        arguments: [
            ("http://idp.example.com", BackChannelSetupError.plaintext), ("http://127.0.0.1.example.com", .plaintext),
            ("http://localhost.example.com", .plaintext), ("http://10.0.0.1:8080", .plaintext),
            ("http://[::2]", .plaintext),
            ("http://127.0.0.1@evil.example", .notAnOrigin), ("https://user:pass@idp.example", .notAnOrigin),
            ("https://idp.example/path", .notAnOrigin), ("https://idp.example/?q", .notAnOrigin),
            ("https://idp.example/#f", .notAnOrigin), ("https://evil.example\\@idp.example", .notAnOrigin),
            ("ftp://idp.example", .notAnOrigin), ("file:///etc/passwd", .notAnOrigin), ("idp.example", .notAnOrigin),
            ("", .notAnOrigin), ("https://", .notAnOrigin), ("https://idp.example\r\nX: y", .notAnOrigin),
            ("https://idp.example ", .notAnOrigin), ("https://idp.example:99999", .notAnOrigin),
            ("javascript:1", .notAnOrigin),
        ])
    func badOrigins(_ origin: String, _ error: BackChannelSetupError) {
        #expect(throws: error) { try BackChannelEndpoint(origin: origin, allowPlaintext: false) }
    }

    @Test("https is allowed everywhere, http on this machine, and http elsewhere only when configured")
    func goodOrigins() throws {
        func url(_ origin: String, _ allowPlaintext: Bool = false) throws -> String {
            try BackChannelEndpoint(origin: origin, allowPlaintext: allowPlaintext).verifyURL
        }
        #expect(try url("https://idp.example.com") == "https://idp.example.com/auth/sso/verify")
        #expect(try url("HTTPS://idp.example.com:8443/").hasSuffix("://idp.example.com:8443/auth/sso/verify"))
        #expect(try url("http://localhost:8080") == "http://localhost:8080/auth/sso/verify")
        #expect(try url("http://127.1.2.3") == "http://127.1.2.3/auth/sso/verify")
        #expect(try url("http://[::1]:8080") == "http://[::1]:8080/auth/sso/verify")
        #expect(try url("http://idp.internal:8080", true) == "http://idp.internal:8080/auth/sso/verify")
    }

    @Test("a client id that could end a header line, and a missing certificate file, are refused at start")
    func badSettings() throws {
        for id in ["", "-a", "A", "a b", "a\r\nX-Evil: 1", "é", String(repeating: "a", count: 64)] {
            #expect(throws: BackChannelSetupError.clientID) {
                try BackChannelClient(origin: "https://idp.example", clientID: id, secret: try Fixture.secret())
            }
        }
        #expect(throws: BackChannelSetupError.caFile(path: "/nonexistent")) {
            try Fixture.client("https://idp.example", caFile: "/nonexistent")
        }
        #expect(throws: BackChannelSetupError.caFile(path: #filePath + "/..")) {
            try Fixture.client("https://idp.example", caFile: #filePath + "/..")
        }
    }

    @Test("a failure is logged with its kind and its reason")
    func words() throws {
        #expect("\(BackChannelError.untrusted("cause"))" == "untrusted: cause")
    }
}
