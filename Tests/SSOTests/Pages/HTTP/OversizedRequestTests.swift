import Foundation
import Testing

@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// Requests over the limits are refused early. The server's memory does not grow with them.
@Suite("Requests that are too large", .program)
struct OversizedRequestTests {
    struct Flood: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let statuses: Set<Int>
        let target: String
        let headers: HTTPProbe.Headers

        init(_ name: String, _ statuses: Set<Int>, target: String = "/healthz", _ headers: HTTPProbe.Headers = []) {
            (testDescription, self.statuses, self.target, self.headers) = (name, statuses, target, headers)
        }
    }

    private static func a(_ count: Int) -> String { String(repeating: "a", count: count) }

    static let floods: [Flood] = [
        Flood("an address of 9 KiB", [414], target: "/sign-in?flow=" + a(9 << 10)),
        Flood("an address of 40 KiB", [400, 414], target: "/sign-in?flow=" + a(40 << 10)),
        Flood("a field of 17 KiB", [431], [("X-Big", a(17 << 10))]),
        Flood("a field of 100 KiB", [400, 431], [("X-Big", a(100 << 10))]),
        Flood("fields of 20 KiB together", [431], (0..<20).map { ("X-\($0)", a(1000)) }),
        Flood("seventy fields", [431], (0..<70).map { ("X-\($0)", "a") }),
        Flood("a thousand fields", [400, 431], (0..<1000).map { ("X-\($0)", "a") }),
        Flood(
            "three thousand cookies", [400, 431],
            [("Cookie", (0..<3000).map { "c\($0)=\($0)" }.joined(separator: "; "))]),
    ]

    @Test("heads over the limits get a 4xx, and the server continues", .oneDeployment, arguments: floods)
    func heads(_ flood: Flood) async throws {
        let deployment = try TestDeployment.shared()
        let probe = HTTPProbe(port: deployment.port, authority: "localhost:4000")
        do {
            let reply = try await probe.get(flood.target, flood.headers)
            #expect(flood.statuses.contains(reply.status), "\(reply.status)")
        } catch {
            // The server may close while the test still sends.
            let bytes = probe.request("GET", flood.target, flood.headers).count
            #expect(bytes >= 40 << 10, "\(error)")
        }
        let after = try await probe.get("/healthz")
        #expect(after.text == "ok")
    }

    @Test(
        "16 KiB of request line and fields pass, one byte more does not",
        arguments: ["Host: %\r\n", "Host: a\r\nX: %\r\n", "Host: %\r\nX: a\r\n", "Host: a\r\nX: b\r\nY: %\r\n"])
    func exact(_ form: String) async throws {
        try await TinyServer.running { probe in
            for (length, status) in [(16_384, 200), (16_385, 431)] {
                let frame = "GET / HTTP/1.1\r\n\(form)Connection: close\r\n\r\n"
                let filling = Self.a(length - (frame.utf8.count - 1))
                let request = frame.replacing("%", with: filling)
                #expect(request.utf8.count == length)
                let reply = try await onOwnThread {
                    let connection = try probe.connect()
                    try? connection.send(Array(request.utf8))
                    return try connection.reply()
                }
                #expect(reply.status == status, "\(length)")
            }
        }
    }

    @Test("64 fields pass, Host among them, one more does not")
    func fields() async throws {
        try await TestDeployment.open { deployment in
            let probe = HTTPProbe(port: deployment.port, authority: "localhost:4000")
            for (count, status) in [(64, 200), (65, 431)] {
                let fields = (0..<count - 2).map { "X-\($0): a\r\n" }.joined()
                let text = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\(fields)\r\n"
                let answer = try await probe.raw(Array(text.utf8))
                #expect(String(decoding: answer, as: UTF8.self).hasPrefix("HTTP/1.1 \(status)"))
            }
        }
    }

    @Test("a head just below the limits is served")
    func below() async throws {
        try await TestDeployment.open { deployment in
            let probe = HTTPProbe(port: deployment.port, authority: "localhost:4000")
            let fields = (0..<50).map { ("X-\($0)", Self.a(250)) }
            let reply = try await probe.get("/healthz?" + Self.a(2000), fields)
            #expect(reply.status == 200)
        }
    }

    @Test("forms over 64 KiB get 413, announced or in chunks; the length alone is enough")
    func bodies() async throws {
        try await TestDeployment.open { deployment in
            let probe = HTTPProbe(port: deployment.port, authority: "localhost:4000")
            let form = [("Content-Type", "application/x-www-form-urlencoded")]
            let exact = try await probe.post("/sign-in", form, body: [UInt8](repeating: 0x61, count: 64 << 10))
            #expect(exact.status == 403)
            if let reply = try? await probe.post("/sign-in", form, body: [UInt8](repeating: 0x61, count: 1 + 64 << 10))
            {
                #expect(reply.status == 413)
            }
            let announced = Array(
                ("POST /sign-in HTTP/1.1\r\nHost: localhost:4000\r\nConnection: close\r\nContent-Length: 99999999\r\n"
                    + "Content-Type: application/x-www-form-urlencoded\r\n\r\n").utf8)
            let early = String(decoding: try await probe.raw(announced), as: UTF8.self)
            #expect(early.hasPrefix("HTTP/1.1 413"))
            let chunk = "4000\r\n\(Self.a(0x4000))\r\n"
            let cookie = try await probe.get("/sign-in").header("set-cookie")?.prefix { $0 != ";" } ?? ""
            let chunks =
                "POST /sign-in HTTP/1.1\r\nHost: localhost:4000\r\nConnection: close\r\nCookie: \(cookie)\r\n"
                + "Content-Type: application/x-www-form-urlencoded\r\nTransfer-Encoding: chunked\r\n\r\n"
                + String(repeating: chunk, count: 6)
            if let answer = try? await probe.raw(Array(chunks.utf8)), !answer.isEmpty {
                #expect(String(decoding: answer, as: UTF8.self).hasPrefix("HTTP/1.1 413"))
            }
            #expect(try await probe.get("/healthz").text == "ok")
        }
    }

    @Test("a form of nobody, or of another site, is refused although most of it never comes")
    func unread() async throws {
        try await TestDeployment.open { deployment in
            let probe = HTTPProbe(port: deployment.port, authority: "localhost:4000")
            let cookie = try await probe.get("/sign-in").header("set-cookie")?.prefix { $0 != ";" } ?? ""
            let foreign = [("Cookie", String(cookie)), ("Origin", "https://evil.example")]
            let refused: [(String, HTTPProbe.Headers, Int)] = [
                ("/sign-in", [], 403), ("/sign-in", [("Cookie", "idp_session=unknown")], 403),
                ("/sign-in", foreign, 403), ("/sign-in/code", [], 303), ("/sign-out", [], 303),
                ("/sign-out", foreign, 403), ("/name", [], 303),
            ]
            for (path, headers, status) in refused {
                let head = probe.request(
                    "POST", path,
                    headers + [
                        ("Content-Type", "application/x-www-form-urlencoded"), ("Content-Length", "60000"),
                    ])
                let reply = try await onOwnThread {
                    let connection = try probe.connect()
                    try connection.send(head + [UInt8](repeating: 0x61, count: 9000))
                    return try connection.reply()
                }
                #expect(reply.status == status, "\(path) \(reply.status)")
            }
            // A short one is read: the page leads back to the flow that it names.
            let flow = String(repeating: "A", count: 22)
            let short = try await probe.post(
                "/sign-in", [("Content-Type", "application/x-www-form-urlencoded")], body: Array("flow=\(flow)".utf8))
            #expect(short.status == 403 && short.text.contains("/sign-in?flow=\(flow)"))
        }
    }

    @Test("thousands of fields or brackets in a form get a 4xx, not a 500")
    func nested() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let form = try await browser.follow(browser.get(deployment.origin + "/sign-in"))
            let address = form.address
            let deep = [("email" + String(repeating: "[a]", count: 5000), "x")]
            let wide = (0..<5000).map { ("f\($0)", "x") }
            for fields in [deep, wide, wide + [("email", "ann@example.com")]] {
                let visit = try await browser.post(address, fields)
                #expect((400..<500).contains(visit.status))
            }
            #expect(try await browser.ask(for: "ann@example.com", on: form).page().form(with: "code") != nil)
        }
    }
}
