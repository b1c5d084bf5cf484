import Testing

@testable import SSOShared
@testable import TestKit

/// The other end is broken or hostile. Whatever it sends, no user is signed in and memory use is limited.
@Suite("Hostile answers on the back channel", .rules)
struct HostileAnswerTests {
    typealias Fixture = BackChannelFixture
    typealias Maker = @Sendable (BackChannelStub.Request) -> BackChannelStub.Answer

    private func outcome(_ answer: @escaping Maker) async throws -> Result<VerifyReply, BackChannelError> {
        let server = try BackChannelStub(answer)
        defer { server.stop() }
        // With signatures off as well: the limits on size and form must hold without them.
        let lax = await Fixture.outcome(try Fixture.client(server.origin, requireSignedResponse: false))
        let strict = await Fixture.outcome(try Fixture.client(server.origin))
        if case .success = lax { Issue.record("accepted without signature") }
        return strict
    }

    private func isUntrusted(_ outcome: Result<VerifyReply, BackChannelError>) -> Bool {
        if case .failure(.untrusted) = outcome { true } else { false }
    }

    @Test("a redirect is not followed, whatever its status", arguments: [301, 302, 303, 307, 308])
    func redirect(_ status: Int) async throws {
        let target = try BackChannelStub { .bytes(Fixture.signed($0)) }
        defer { target.stop() }
        let location = "Location: \(target.origin)/auth/sso/verify"
        let outcome = try await outcome { _ in .bytes(Fixture.http("\(status) Moved", [location], [])) }
        #expect(outcome == .failure(.untrusted("status \(status)")))
        #expect(target.connections == 0)
    }

    @Test("an answer of 10 MiB is not read, with its length announced or without")
    func giant() async throws {
        let megabytes = [UInt8](repeating: 0x20, count: 10 << 20)
        let announced = try await outcome { _ in
            .bytesThenClose(Fixture.http("200 OK", ["Content-Type: application/json"], megabytes))
        }
        #expect(announced == .failure(.untrusted("the answer is too large")))
        let streamed = try await outcome { _ in .endless([UInt8]("HTTP/1.1 200 OK\r\n\r\n".utf8), again: megabytes) }
        #expect(streamed == .failure(.untrusted("the answer is too large")))
    }

    @Test("endless headers are not read")
    func giantHeaders() async throws {
        let line = [UInt8]("X-Fill: \(String(repeating: "a", count: 1000))\r\n".utf8)
        let outcome = try await outcome { _ in .endless([UInt8]("HTTP/1.1 200 OK\r\n".utf8), again: line) }
        #expect(outcome == .failure(.untrusted("the answer is too large")))
    }

    @Test("64 KiB are read, and not one byte more")
    func limit() async throws {
        let body = Fixture.reply().body()
        let full = body + [UInt8](repeating: 0x20, count: 65536 - body.count)
        let server = try BackChannelStub { .bytes(Fixture.signed($0, body: full)) }
        defer { server.stop() }
        #expect(await Fixture.outcome(try Fixture.client(server.origin)) == .success(Fixture.reply()))
        #expect(isUntrusted(try await outcome { .bytes(Fixture.signed($0, body: full + [0x20])) }))
    }

    @Test("a compressed answer is not decompressed: a compression bomb stays small")
    func gzip() async throws {
        // gzip of {} as Python writes it. Correctly signed, and still not JSON.
        let packed: [UInt8] = [
            0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 0xff, 0xab, 0xae, 5, 0, 0x43, 0xbf, 0xa6, 0xa3, 2, 0, 0, 0,
        ]
        let outcome = try await outcome {
            .bytes(
                Fixture.http(
                    "200 OK",
                    ["Content-Type: application/json", "Content-Encoding: gzip", Fixture.signature($0, packed)], packed)
            )
        }
        #expect(isUntrusted(outcome))
    }

    @Test("a truncated answer is refused", arguments: [1, 10, 60, 120, 200, 300])
    func truncated(_ bytes: Int) async throws {
        let outcome = try await outcome { .bytesThenClose(Array(Fixture.signed($0).prefix(bytes))) }
        #expect((try? outcome.get()) == nil)
    }

    @Test("an answer without a length is accepted or refused by its signature alone")
    func closeDelimited() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
        let outcome = try await outcome {
            let body = Fixture.reply().body()
            return .bytesThenClose([UInt8]("\(head)\(Fixture.signature($0, body))\r\n\r\n".utf8) + body.dropLast(9))
        }
        #expect(outcome == .failure(.untrusted("the answer's signature is wrong")))
    }

    @Test(
        "a page with status 200 is refused, correctly signed or not", arguments: ["text/html", "application/json", ""])
    func html(_ type: String) async throws {
        let page = [UInt8]("<!doctype html><title>Welcome</title>".utf8)
        #expect(isUntrusted(try await outcome { .bytes(Fixture.signed($0, body: page, type: type)) }))
    }

    @Test(
        "JSON with another content type is refused",
        arguments: [
            "text/html", "text/plain", "application/jsonp", "application/x-json", "xapplication/json",
        ])
    func wrongType(_ type: String) async throws {
        #expect(
            try await outcome { .bytes(Fixture.signed($0, type: type)) }
                == .failure(.untrusted("the answer is not JSON by its content type")))
    }

    @Test("a header given twice is refused, even when one of the two is right")
    func doubleSignature() async throws {
        let server = try BackChannelStub { request in
            let body = Fixture.reply().body()
            let good = Fixture.signature(request, body)
            return .bytes(Fixture.http("200 OK", ["Content-Type: application/json", good, good], body))
        }
        defer { server.stop() }
        #expect(
            await Fixture.outcome(try Fixture.client(server.origin))
                == .failure(.untrusted("the answer's signature is wrong")))
    }

    @Test("a signature in the trailer is ignored")
    func trailer() async throws {
        let server = try BackChannelStub { request in
            let body = Fixture.reply().body()
            let text = """
                HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r
                \(String(body.count, radix: 16))\r\n\(String(decoding: body, as: UTF8.self))\r\n0\r
                \(Fixture.signature(request, body))\r\n\r\n
                """
            return .bytesThenClose([UInt8](text.utf8))
        }
        defer { server.stop() }
        #expect(
            await Fixture.outcome(try Fixture.client(server.origin)) == .failure(.untrusted("the answer is not signed"))
        )
    }

    @Test("headers of an interim answer do not count for the final one")
    func interim() async throws {
        let server = try BackChannelStub { request in
            let body = Fixture.reply().body()
            let early = "HTTP/1.1 103 Early Hints\r\n\(Fixture.signature(request, body))\r\n\r\n"
            return .bytes([UInt8](early.utf8) + Fixture.http("200 OK", ["Content-Type: application/json"], body))
        }
        defer { server.stop() }
        #expect(
            await Fixture.outcome(try Fixture.client(server.origin)) == .failure(.untrusted("the answer is not signed"))
        )
    }

    @Test(
        "bytes that are not HTTP are refused",
        arguments: ["", "hello\r\n\r\n", "HTTP/9.9 200 OK\r\n\r\n", "\u{0}\u{1}"])
    func noise(_ text: String) async throws {
        let outcome = try await outcome { _ in .bytesThenClose([UInt8](text.utf8)) }
        #expect((try? outcome.get()) == nil)
    }
}
