import Testing

@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// A request with a chunked body that breaks off, and the only status that answers it.
private struct Fault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let path: String
    let status: String
    var type = "application/x-www-form-urlencoded"
    var body = "zz\r\n"
}

private let extensions = "1;" + String(repeating: "a", count: 100_000) + "\r\n"

private let early: [Fault] = [
    Fault(testDescription: "a path that is not there", path: "/nothing", status: "404"),
    Fault(
        testDescription: "a form of another type", path: "/sign-in", status: "415", type: "text/plain",
        body: extensions),
    Fault(
        testDescription: "a request without a signature", path: "/auth/sso/verify", status: "401",
        type: "application/json"),
]

private let late: [Fault] = ["/oidc/token", "/oidc/revoke", "/oidc/introspect"].flatMap { path in
    [
        Fault(
            testDescription: "\(path), a chunk without a size", path: path, status: "400", body: "1\r\na\r\nzz\r\n"),
        Fault(testDescription: "\(path), an end too early", path: path, status: "400", body: "9\r\na"),
    ]
}

/// A fault in a body is its sender's, also when it is found after the answer (RFC 9110 15, RFC 9112 8; ASVS 4.2.1).
@Suite("Bodies that turn out not to be HTTP", .program)
struct OneAnswerTests {
    private static func statuses(of fault: Fault, from probe: HTTPProbe, halfClose: Bool) async throws -> [String] {
        let head = "POST \(fault.path) HTTP/1.1\r\nHost: a\r\nContent-Type: \(fault.type)\r\n"
        let text = head + "Transfer-Encoding: chunked\r\n\r\n" + fault.body
        let answer = String(decoding: try await probe.raw(Array(text.utf8), halfClose: halfClose), as: UTF8.self)
        return answer.matches(of: #/HTTP/1\.1 (\d\d\d)/#).map { String($0.1) }
    }

    @Test("a fault after an early answer ends the connection without a second answer", arguments: early)
    fileprivate func answeredBefore(_ fault: Fault) async throws {
        try await TestDeployment.open { deployment in
            let probe = HTTPProbe(port: deployment.port, authority: "localhost:4000", timeout: .seconds(8))
            let first = try await Self.statuses(of: fault, from: probe, halfClose: false)
            #expect(first == [fault.status])
            let client = HTTPProbe(host: "127.0.0.2", port: deployment.client.port, timeout: .seconds(8))
            let unknown = Fault(testDescription: "", path: "/nothing", status: "404", body: fault.body)
            let second = try await Self.statuses(of: unknown, from: client, halfClose: false)
            #expect(second == ["404"])
        }
    }

    @Test("a body for OpenID Connect that is cut off gets one 400, and no event says that we failed", arguments: late)
    fileprivate func cutOff(_ fault: Fault) async throws {
        try await TestDeployment.open { deployment in
            let probe = HTTPProbe(port: deployment.port, authority: "localhost:4000", timeout: .seconds(8))
            let answered = try await Self.statuses(of: fault, from: probe, halfClose: true)
            #expect(answered == [fault.status])
            #expect(!deployment.log.text.contains("token_request_failed"))
            #expect(!deployment.log.text.contains("request_failed"))
        }
    }
}
