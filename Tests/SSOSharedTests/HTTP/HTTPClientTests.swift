import Foundation
import Testing

@testable import SSOShared
@testable import TestKit

@Suite("The HTTP client", .rules)
struct HTTPClientTests {
    typealias Fixture = BackChannelFixture

    private static func request(_ server: BackChannelStub) -> HTTPClient.Request {
        var request = HTTPClient.Request(url: server.origin + "/a/../b")
        request.allowsHTTP = true
        return request
    }

    @Test("GET, HEAD and POST are sent as given, the path unchanged, and the answer is returned as sent")
    func methods() async throws {
        let server = try BackChannelStub { _ in
            .bytesThenClose(Fixture.http("404 Not Found", ["X-A: 1 ", "x-a:2"], [1, 2]))
        }
        defer { server.stop() }
        let client = try HTTPClient()
        for (method, line) in [
            (HTTPClient.Request.Method.get, "GET"), (.head, "HEAD"), (.post(Array("body".utf8)), "POST"),
        ] {
            var request = Self.request(server)
            request.method = method
            request.headers = ["X-Own: yes"]
            let response = try await client.send(request)
            #expect(response.status == 404 && response.values("x-a") == ["1", "2"])
            #expect(response.body == (line == "HEAD" ? [] : [1, 2]) && response.address == "127.0.0.1")
            let sent = try #require(server.requests.last)
            #expect(sent.head.hasPrefix("\(line) /a/../b HTTP/1.1\r\n") && sent.header("x-own") == "yes")
            #expect(sent.header("expect") == nil && sent.header("accept-encoding") == nil)
            #expect(sent.body == (line == "POST" ? Array("body".utf8) : []))
        }
    }

    @Test(
        "http is refused unless the request allows it, other schemes always",
        arguments: ["http", "file", "ftp", "gopher"])
    func schemes(_ scheme: String) async throws {
        let server = try BackChannelStub { _ in .bytesThenClose(Fixture.http("200 OK", [], [])) }
        defer { server.stop() }
        var request = HTTPClient.Request(url: server.origin.replacing("http", with: scheme, maxReplacements: 1))
        request.allowsHTTP = scheme != "http"
        await #expect(throws: ConnectionError.self) { try await HTTPClient().send(request) }
        #expect(server.connections == 0)
    }

    @Test("a long body is cut only for a client that asks for that")
    func truncation() async throws {
        let server = try BackChannelStub { _ in
            .bytesThenClose(Fixture.http("200 OK", [], [UInt8](repeating: 7, count: 5000)))
        }
        defer { server.stop() }
        var options = HTTPClient.Options()
        options.limits.bodyBytes = 100
        let strict = try HTTPClient(options)
        await #expect(throws: ConnectionError.tooLarge) { try await strict.send(Self.request(server)) }
        options.truncatesBodies = true
        let response = try await HTTPClient(options).send(Self.request(server))
        #expect(response.isTruncated && response.body.count == 101 && response.status == 200)
        options.limits.bodyBytes = 5000
        let whole = try await HTTPClient(options).send(Self.request(server))
        #expect(!whole.isTruncated && whole.body.count == 5000)
    }

    @Test("an address that the caller refuses is not connected to, whatever name resolves to it")
    func refusedAddress() async throws {
        let server = try BackChannelStub { _ in .bytesThenClose(Fixture.http("200 OK", [], [])) }
        defer { server.stop() }
        var options = HTTPClient.Options()
        options.resolve = ["site.example:\(server.port):127.0.0.1"]
        var request = HTTPClient.Request(url: "http://site.example:\(server.port)/")
        request.allowsHTTP = true
        let client = try HTTPClient(options)
        #expect(try await client.send(request).status == 200)
        request.reusesConnection = false
        request.addressError = { $0 == [127, 0, 0, 1] ? "loopback" : nil }
        await #expect(throws: ConnectionError.addressRefused(["127.0.0.1 (loopback)"])) {
            try await client.send(request)
        }
        #expect(server.requests.count == 1)
    }

    @Test("a compressed answer is decompressed only when asked for, and its size is limited as it grows")
    func compression() async throws {
        let packed: [UInt8] = [
            0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 0xff, 0xab, 0xae, 5, 0, 0x43, 0xbf, 0xa6, 0xa3, 2, 0, 0, 0,
        ]
        let server = try BackChannelStub { _ in
            .bytesThenClose(Fixture.http("200 OK", ["Content-Encoding: gzip"], packed))
        }
        defer { server.stop() }
        let client = try HTTPClient()
        #expect(try await client.send(Self.request(server)).body == packed)
        var request = Self.request(server)
        request.acceptsCompression = true
        #expect(try await client.send(request).body == Array("{}".utf8))
        var options = HTTPClient.Options()
        options.limits.bodyBytes = 1
        options.truncatesBodies = true
        #expect(try await HTTPClient(options).send(request).isTruncated)
    }

    @Test("each cause of failure has its own error")
    func causes() async throws {
        let server = try BackChannelStub { _ in .bytesThenClose(Array("hello\r\n\r\n".utf8)) }
        let client = try HTTPClient()
        await #expect { try await client.send(Self.request(server)) } throws: { error in
            if case .malformed = error as? ConnectionError { true } else { false }
        }
        server.stop()
        await #expect { try await client.send(Self.request(server)) } throws: { error in
            if case .notConnected = error as? ConnectionError { true } else { false }
        }
        var request = Self.request(server)
        request.url = "http://name.invalid/"
        await #expect { try await client.send(request) } throws: { error in
            if case .nameNotFound = error as? ConnectionError { true } else { false }
        }
        request.url = "http:///"
        await #expect { try await client.send(request) } throws: { error in
            if case .impossible = error as? ConnectionError { true } else { false }
        }
    }
}
