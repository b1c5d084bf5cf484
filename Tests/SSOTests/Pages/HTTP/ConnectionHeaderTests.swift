import Testing

@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// RFC 9110 10.1.1 and RFC 9112 9.3.
@Suite("Expect: 100-continue, HTTP/1.0 and Connection: close", .program)
struct ConnectionHeaderTests {
    private static let form = "POST /form HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n"

    @Test("Expect: 100-continue gets 100 once, and then its response")
    func goOn() async throws {
        try await TinyServer.running { probe in
            let (first, reply) = try await onOwnThread {
                let connection = try probe.connect()
                try connection.send(Array("\(Self.form)Expect: 100-continue\r\nConnection: close\r\n\r\n".utf8))
                // No byte of the body before the 100: without it this call times out.
                let first = String(decoding: try connection.receive(), as: UTF8.self)
                try connection.send(Array("12345".utf8))
                return (first, try connection.reply())
            }
            #expect(first == "HTTP/1.1 100 Continue\r\n\r\n")
            #expect(reply.status == 200 && reply.text == "5")
        }
    }

    @Test("an announced body over the limit is refused before it is sent")
    func tooMuch() async throws {
        try await TestDeployment.open { deployment in
            let probe = HTTPProbe(port: deployment.port, authority: "localhost:4000")
            let reply = try await onOwnThread {
                let connection = try probe.connect()
                let form = "POST /sign-in HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n"
                try connection.send(Array("\(form)Content-Length: 65537\r\nExpect: 100-continue\r\n\r\n".utf8))
                return try connection.reply()
            }
            #expect(reply.status == 413)
        }
    }

    @Test("a request with more connection options than any client sends is answered, and the last of its connection")
    func manyOptions() async throws {
        try await TinyServer.running { probe in
            let options = (0..<4000).map { _ in "aa" }.joined(separator: ",")
            let head = "GET / HTTP/1.1\r\nHost: a\r\nConnection: \(options)\r\n\r\n"
            let answer = String(decoding: try await probe.raw(Array(head.utf8), halfClose: false), as: UTF8.self)
            #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.lowercased().contains("connection: close"))
        }
    }

    @Test("100 Continue never interrupts an earlier response")
    func inTurn() async throws {
        try await TinyServer.running { probe in
            let text = try await onOwnThread {
                let connection = try probe.connect()
                let first = "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n"
                try connection.send(
                    Array("\(first)\(Self.form)Expect: 100-continue\r\nConnection: close\r\n\r\n12345".utf8))
                return String(decoding: try connection.everything(), as: UTF8.self)
            }
            let statuses = text.matches(of: #/HTTP/1\.1 (\d\d\d)/#).map { String($0.1) }
            #expect(statuses == ["200", "100", "200"])
        }
    }

    @Test(
        "an HTTP/1.0 connection ends after its answer, and so does one with `Connection: close` in any case",
        arguments: [
            "GET / HTTP/1.0\r\nHost: a\r\n\r\n", "GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n",
            "GET / HTTP/1.0\r\nHost: a\r\nExpect: 100-continue\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: Close\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: foo, close\r\n\r\n",
        ])
    func close(_ request: String) async throws {
        try await TinyServer.running { probe in
            // A second request on this connection is never answered.
            let bytes = Array((request + request).utf8)
            let text = String(decoding: try await probe.raw(bytes, halfClose: false), as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 200"))
            #expect(text.hasSuffix("here"))
            #expect(text.matches(of: #/HTTP/1\.1/#).count == 1)
        }
    }
}
