import Foundation
import Testing

@testable import IdPTestKit
@testable import TestKit

/// Requests that two programs could read in two ways, and bytes that are not HTTP (RFC 9112 3.2, 5, 6.3; ASVS 4.2.1).
@Suite("Requests no browser sends", .program)
struct MalformedRequestTests {
    struct Attack: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]

        init(_ name: String, _ text: String) { (testDescription, bytes) = (name, Array(text.utf8)) }
        init(_ name: String, _ bytes: [UInt8]) { (testDescription, self.bytes) = (name, bytes) }
    }

    /// The request that a smuggling attack tries to get answered.
    static let second = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"

    private static func get(_ target: String = "/healthz", _ fields: String) -> String {
        "GET \(target) HTTP/1.1\r\n\(fields)\r\n"
    }

    private static func post(_ fields: String, _ body: String = "0\r\n\r\n") -> String {
        let type = "Content-Type: application/x-www-form-urlencoded\r\n"
        return "POST /sign-in HTTP/1.1\r\nHost: a\r\n\(type)\(fields)\r\n\(body)\(second)"
    }

    static let lengths: [Attack] = [
        Attack("length and chunks", post("Content-Length: 6\r\nTransfer-Encoding: chunked\r\n")),
        Attack("chunks and length", post("Transfer-Encoding: chunked\r\nContent-Length: 6\r\n")),
        Attack("two lengths", post("Content-Length: 5\r\nContent-Length: 6\r\n")),
        Attack("the same length twice", post("Content-Length: 5\r\nContent-Length: 5\r\n")),
        Attack("a list of lengths", post("Content-Length: 5, 5\r\n")),
        Attack("a length with a sign", post("Content-Length: +5\r\n")),
        Attack("a negative length", post("Content-Length: -5\r\n")),
        Attack("a hexadecimal length", post("Content-Length: 0x5\r\n")),
        Attack("a length beyond all numbers", post("Content-Length: 99999999999999999999999999\r\n")),
        Attack("xchunked", post("Transfer-Encoding: xchunked\r\n")),
        Attack("gzip, chunked", post("Transfer-Encoding: gzip, chunked\r\n")),
        Attack("identity, chunked", post("Transfer-Encoding: identity, chunked\r\n")),
        Attack("chunked twice", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n")),
        Attack("chunked, then identity", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n")),
        Attack("a blank before the colon", post("Transfer-Encoding : chunked\r\n")),
        Attack("a vertical tab before chunked", post("Transfer-Encoding: \u{b}chunked\r\n")),
        Attack("a folded line", post("Transfer-Encoding:\r\n chunked\r\n")),
        Attack("chunks without a size", post("Transfer-Encoding: chunked\r\n", "zz\r\nhello\r\n0\r\n\r\n")),
        Attack("chunks of any size", post("Transfer-Encoding: chunked\r\n", "FFFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n")),
        Attack("a chunk of a negative size", post("Transfer-Encoding: chunked\r\n", "-1\r\nhello\r\n0\r\n\r\n")),
        Attack("chunks with bare line feeds", post("Transfer-Encoding: chunked\r\n", "5\nhello\n0\n\n")),
        Attack("a chunk longer than it says", post("Transfer-Encoding: chunked\r\n", "2\r\nhello\r\n0\r\n\r\n")),
        Attack(
            "chunks in HTTP/1.0",
            post("Transfer-Encoding: chunked\r\n").replacing("/sign-in HTTP/1.1", with: "/sign-in HTTP/1.0")),
    ]

    static let heads: [Attack] = [
        Attack("no Host", get("/healthz", "")), Attack("two Hosts", get("/healthz", "Host: a\r\nHost: b\r\n")),
        Attack("the same Host twice", get("/healthz", "Host: a\r\nHost: a\r\n")),
        // It is HTTP, and only not for us.
        Attack("an empty Host", get("/healthz", "Host:\r\nConnection: close\r\n")),
        Attack("an absolute target", get("http://evil.example/healthz", "Host: a\r\n")),
        Attack("a target that is a host", get("//evil.example", "Host: a\r\n").replacing("//evil", with: "evil")),
        Attack("CONNECT", "CONNECT evil.example:443 HTTP/1.1\r\nHost: a\r\n\r\n"),
        Attack("OPTIONS *", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"),
        Attack("an unknown method", "BREW /healthz HTTP/1.1\r\nHost: a\r\n\r\n"),
        Attack("a method in lower case", "get /healthz HTTP/1.1\r\nHost: a\r\n\r\n"),
        Attack("a method with a NUL", "GE\u{0}T /healthz HTTP/1.1\r\nHost: a\r\n\r\n"),
        Attack("bare line feeds", "GET /healthz HTTP/1.1\nHost: a\n\n"),
        Attack("one bare line feed", get("/healthz", "Host: a\r\nX: y\nZ: z\r\n")),
        Attack("a bare carriage return", get("/healthz", "Host: a\r\nX: y\rZ: z\r\n")),
        Attack("a NUL in a field", get("/healthz", "Host: a\r\nX: y\u{0}z\r\n")),
        Attack("a folded field", get("/healthz", "Host: a\r\nX: y\r\n z\r\n")),
        Attack("a field without a name", get("/healthz", "Host: a\r\n: y\r\n")),
        Attack("a name with a bracket", get("/healthz", "Host: a\r\nX{: y\r\n")),
        Attack("a blank in the target", get("/healthz x", "Host: a\r\n")),
        Attack("a tab in the target", get("/healthz\tx", "Host: a\r\n")),
        Attack("HTTP/1.2", "GET /healthz HTTP/1.2\r\nHost: a\r\n\r\n"),
        Attack("HTTP/2.0", "GET /healthz HTTP/2.0\r\nHost: a\r\n\r\n"),
        Attack("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        Attack("TLS", [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]),
        Attack(
            "no UTF-8 in the path", Array("GET /".utf8) + [0xff, 0xfe] + Array(" HTTP/1.1\r\nHost: a\r\n\r\n".utf8)),
        Attack(
            "half a UTF-8 character",
            Array("GET /sign-in?flow=".utf8) + [0xc3] + Array(" HTTP/1.1\r\nHost: a\r\n\r\n".utf8)),
        Attack("a character outside ASCII", get("/caf\u{e9}", "Host: a\r\n")),
    ]

    @Test(
        "each gets one 4xx and the end of the connection, and the server continues", .oneDeployment,
        arguments: lengths + heads)
    func refused(_ attack: Attack) async throws {
        let deployment = try TestDeployment.shared()
        let raw = HTTPProbe(port: deployment.port, authority: "localhost:4000", timeout: .seconds(8))
        let answer = String(decoding: try await raw.raw(attack.bytes, halfClose: false), as: UTF8.self)
        let statuses = answer.matches(of: #/HTTP/1\.1 (\d\d\d)/#).map { String($0.1) }
        #expect(statuses.count == 1 && statuses[0].hasPrefix("4"), "\(answer)")
        #expect(!answer.contains("evil.example"))
        #expect(try await raw.get("/healthz").text == "ok")
    }

    @Test("the same bytes without an attack are requests with a response each")
    func harness() async throws {
        try await TestDeployment.open { deployment in
            let raw = HTTPProbe(port: deployment.port, timeout: .seconds(8))
            let bytes =
                Self.post("Transfer-Encoding: chunked\r\n") + Self.get("/healthz", "Host: a\r\nConnection: close\r\n")
            let answer = String(decoding: try await raw.raw(Array(bytes.utf8), halfClose: false), as: UTF8.self)
            let statuses = answer.matches(of: #/HTTP/1\.1 (\d\d\d)/#).map { String($0.1) }
            #expect(statuses == ["403", "200", "200"])
        }
    }
}
