import Testing

@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// Bytes that are not HTTP get a 400 without a page. Heads that are valid HTTP, and too large or for a proxy, get a page.
@Suite("Requests that the server refuses before any route", .program)
struct BrokenRequestTests {
    struct InvalidRequest: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let status: Int
        let text: String

        init(_ name: String, _ text: String) { self.init(name, 400, text) }
        init(_ name: String, _ status: Int, _ text: String) {
            (testDescription, self.status, self.text) = (name, status, text)
        }
    }

    private static func a(_ count: Int) -> String { String(repeating: "a", count: count) }
    private static let chunked =
        "Host: a\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        + "Transfer-Encoding: chunked\r\n"

    static let malformed = [
        InvalidRequest("an unknown method", "BREW /sign-in HTTP/1.1\r\nHost: a\r\n\r\n"),
        InvalidRequest("no HTTP at all", "nonsense\r\n\r\n"),
        InvalidRequest("no Host", "GET / HTTP/1.1\r\n\r\n"),
        InvalidRequest("length and chunks", "POST /sign-in HTTP/1.1\r\n\(chunked)Content-Length: 5\r\n\r\n0\r\n\r\n"),
        InvalidRequest("a chunk without a size", "POST /sign-in HTTP/1.1\r\n\(chunked)\r\nzz\r\na\r\n0\r\n\r\n"),
        InvalidRequest("a line of 80 KiB", "GET /\(a(80 << 10)) HTTP/1.1\r\nHost: a\r\n\r\n"),
        InvalidRequest("a field of 80 KiB", "GET / HTTP/1.1\r\nHost: a\r\nX: \(a(80 << 10))\r\n\r\n"),
        InvalidRequest(
            "a field after 80 KiB of spaces",
            "GET / HTTP/1.1\r\nHost: a\r\nX:\(String(repeating: " ", count: 80 << 10))"),
        InvalidRequest(
            "three hundred fields", "GET / HTTP/1.1\r\nHost: a\r\n\((1...300).map { "X-\($0): a\r\n" }.joined())\r\n"),
        InvalidRequest(
            "endless chunk extensions",
            "POST /sign-in HTTP/1.1\r\n\(chunked)\r\n"
                + String(repeating: "1;\(a(1000))\r\na\r\n", count: 100)),
        InvalidRequest(
            "thousands of tiny chunks",
            "POST /sign-in HTTP/1.1\r\n\(chunked)\r\n" + String(repeating: "1\r\na\r\n", count: 2000)),
    ]

    static let refused = [
        InvalidRequest("the absolute form", 400, "GET http://localhost:4000/healthz HTTP/1.1\r\nHost: evil\r\n\r\n"),
        InvalidRequest("the asterisk form", 400, "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"),
        InvalidRequest("a line of 9 KiB", 414, "GET /\(a(9 << 10)) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"),
        InvalidRequest("a line of 17 KiB", 414, "GET /\(a(17 << 10)) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"),
        InvalidRequest(
            "a field of 17 KiB", 431, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX: \(a(17 << 10))\r\n\r\n"),
        InvalidRequest(
            "a hundred fields", 431,
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\((1...100).map { "X-\($0): a\r\n" }.joined())\r\n"),
    ]

    @Test(
        "bytes that are not HTTP get a 400 without a page, a log line and the end of the connection",
        arguments: malformed)
    func bare(_ invalid: InvalidRequest) async throws {
        try await TestDeployment.open { deployment in
            let probe = HTTPProbe(port: deployment.port, authority: "localhost:4000")
            let reply = try await Self.answer(to: invalid.text, from: probe)
            #expect(reply.status == invalid.status)
            #expect(reply.header("connection") == "close")
            #expect(reply.text.isEmpty)
            let line = deployment.log.text.split(separator: "\n").first { $0.contains("malformed_request") }
            #expect(line?.contains("client_address") == true && line?.contains("127.0.0.1") == true)
            #expect(line?.contains("\"cause\": host") == (invalid.testDescription == "no Host"), "\(line ?? "-")")
            #expect(try await probe.get("/healthz").text == "ok")
        }
    }

    @Test(
        "a head that is too large, or names a target as for a proxy, gets the page, the headers and a reference in the log",
        .oneDeployment, arguments: refused)
    func page(_ invalid: InvalidRequest) async throws {
        let deployment = try TestDeployment.shared()
        let probe = HTTPProbe(port: deployment.port, authority: "localhost:4000")
        let reply = try await Self.answer(to: invalid.text, from: probe)
        #expect(reply.status == invalid.status)
        #expect(reply.header("content-type") == "text/html; charset=utf-8")
        #expect(reply.header("content-security-policy")?.contains("default-src 'none'") == true)
        for name in ["x-content-type-options", "referrer-policy", "x-frame-options", "cache-control"] {
            #expect(reply.all(name).count == 1, "\(name)")
        }
        let reference = try #require(reply.text.firstMatch(of: #/<code translate="no">([0-9A-Z]{8})</code>/#)).1
        let line = deployment.log.text.split(separator: "\n").first { $0.contains(reference) }
        #expect(line?.contains("client_address") == true && line?.contains("127.0.0.1") == true)
        #expect(try await probe.get("/healthz").text == "ok")
    }

    @Test("at the back channel it is JSON, and over https the headers say so")
    func json() async throws {
        try await TestDeployment.open(settings: ["IDP_PUBLIC_URL": "https://localhost:4000"]) { deployment in
            let probe = HTTPProbe(port: deployment.port, authority: "localhost:4000")
            let fields = "Host: a\r\nContent-Type: application/json\r\nConnection: close\r\n"
            let text = "POST /auth/sso/verify HTTP/1.1\r\n\(fields)X: \(Self.a(17 << 10))\r\n\r\n"
            let reply = try await Self.answer(to: text, from: probe)
            #expect(reply.status == 431)
            #expect(reply.header("content-type") == "application/json")
            #expect(reply.error == "invalid_request")
            #expect(reply.header("strict-transport-security") != nil)
            let client = HTTPProbe(host: "127.0.0.2", port: deployment.client.port)
            let page = try await Self.answer(to: Self.refused[2].text, from: client)
            #expect(page.status == 414 && page.text.contains("Partner service"))
        }
    }

    /// RFC 9112 7.1.1: "A recipient MUST ignore unrecognized chunk extensions."
    @Test("chunk extensions and trailers of a reasonable size are ignored")
    func extensions() async throws {
        try await TinyServer.running { probe in
            let body = "3;name=value\r\nabc\r\n2;a;b=\"c\"\r\nde\r\n0\r\nX-Trailer: a\r\n\r\n"
            let text = "POST /form HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
            let small = try await Self.answer(to: text + body, from: probe)
            #expect(small.text == "5")
            // The largest form in small pieces is not an attack.
            let pieces = String(repeating: "80\r\n\(Self.a(128))\r\n", count: 512) + "0\r\n\r\n"
            let large = try await Self.answer(to: text + pieces, from: probe)
            #expect(large.text == "65536")
        }
    }

    /// The single answer, read to the end of the connection: any further byte is an error.
    private static func answer(to text: String, from probe: HTTPProbe) async throws -> ProbeReply {
        try await onOwnThread {
            let connection = try probe.connect()
            // The server may have answered and closed before it has read everything.
            try? connection.send(Array(text.utf8))
            let reply = try connection.reply()
            #expect(reply.header("connection") == "close" || text.contains("Connection: close"))
            #expect(try connection.everything().isEmpty)
            return reply
        }
    }
}
