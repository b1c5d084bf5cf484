import Foundation
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// The HTTP parser reads nothing after a request for another protocol. If the connection stayed open, the next requests
/// of a proxy on it would be lost.
@Suite("Requests for another protocol", .deployment, .dependsOnMachine)
struct UpgradeTests {
    static let fields = [
        "Upgrade: websocket\r\nConnection: Upgrade\r\n", "Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\n",
        "Upgrade: made-up/9\r\nConnection: upgrade\r\n", "UPGRADE: WebSocket\r\nCONNECTION: UPGRADE\r\n",
        "Upgrade: a, b\r\nConnection: keep-alive, Upgrade\r\n", "Upgrade: a\r\nUpgrade: b\r\nConnection: upgrade\r\n",
        "Upgrade: a\r\nConnection: keep-alive\r\nConnection: Upgrade\r\n", "Upgrade: a\r\nConnection: \tupgrade ,x\r\n",
        "Upgrade:\r\nConnection: Upgrade\r\n", "Upgrade: websocket\r\n", "Connection: Upgrade\r\n",
    ]
    static let requests =
        fields.map { "GET / HTTP/1.1\r\nHost: a\r\n\($0)\r\n" }
        + fields.map { "GET / HTTP/1.0\r\nHost: a\r\n\($0)\r\n" }
        + fields.map { "POST /form HTTP/1.1\r\nHost: a\r\n\($0)Content-Length: 4\r\n\r\nhere" }
        + fields.map {
            "POST /form HTTP/1.1\r\nHost: a\r\n\($0)Transfer-Encoding: chunked\r\n\r\n4\r\nhere\r\n0\r\n\r\n"
        }

    /// Long enough that no timer closes a connection before the test's timeout.
    private static let limits = ServerLimits(idle: .seconds(300))

    /// Sends the request and a second one. Returns everything until the server closes.
    private static func exchange(_ request: String, _ probe: HTTPProbe) async throws -> String {
        let second = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        return try await onOwnThread {
            let connection = try HTTPConnection(host: probe.host, port: probe.port, timeout: .seconds(60))
            try connection.send(Array((request + second).utf8))
            return String(decoding: try connection.untilEnd(), as: UTF8.self)
        }
    }

    @Test("it is answered, the response says close, and the connection ends", arguments: requests)
    func direct(_ request: String) async throws {
        try await TinyServer.running(Self.limits) { probe in
            let text = try await Self.exchange(request, probe)
            #expect(text.hasPrefix("HTTP/1.1 200"))
            #expect(text.lowercased().contains("\r\nconnection: close\r\n"))
            #expect(text.hasSuffix(request.hasPrefix("GET") ? "here" : "4"))
            #expect(text.matches(of: #/HTTP/1\.1 /#).count == 1)
        }
    }

    @Test("CONNECT ends its connection in any form", arguments: ["/", "a:80", "*", "http://a/"])
    func connect(_ target: String) async throws {
        try await TinyServer.running(Self.limits) { probe in
            let text = try await Self.exchange("CONNECT \(target) HTTP/1.1\r\nHost: a\r\n\r\n", probe)
            #expect(text.hasPrefix("HTTP/1.1 4"))
            #expect(text.lowercased().contains("\r\nconnection: close\r\n"))
            #expect(text.matches(of: #/HTTP/1\.1 /#).count == 1)
        }
    }

    @Test("both fields among the trailers of a body do not stop the connection from reading")
    func trailers() async throws {
        try await TinyServer.running { probe in
            let chunks = "4\r\nhere\r\n0\r\nUpgrade: a\r\nConnection: Upgrade\r\n\r\n"
            let text = try await Self.exchange(
                "POST /form HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)"
                    + "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", probe)
            #expect(text.matches(of: #/HTTP/1\.1 200/#).count == 2)
        }
    }

    @Test("both programs do so on every path")
    func programs() async throws {
        try await TestDeployment.open { deployment in
            for port in [deployment.port, deployment.client.port] {
                let host = port == deployment.port ? "127.0.0.1" : "127.0.0.2"
                for target in ["/", "/healthz", "/nowhere", "/sign-out"] {
                    let request = "GET \(target) HTTP/1.1\r\nHost: a\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n"
                    let text = try await Self.exchange(request, HTTPProbe(host: host, port: port))
                    #expect(text.lowercased().contains("\r\nconnection: close\r\n"), "\(target)")
                    #expect(text.matches(of: #/HTTP/1\.1 \d/#).count == 1)
                }
            }
        }
    }

    @Test("a proxy with kept connections loses no request of a browser", arguments: ProxyProcess.Kind.installed)
    func proxy(_ kind: ProxyProcess.Kind) async throws {
        try await TinyServer.running(Self.limits) { server in
            let proxy = try await ProxyProcess(kind, to: [server.port])
            for round in 1...20 {
                let fields = Self.fields[round % Self.fields.count]
                _ = try await proxy.probe.raw(Array("GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n".utf8))
                // These requests would be lost on a connection in the proxy's pool that is no longer read.
                for _ in 1...2 {
                    let begin = ContinuousClock.now
                    #expect(try await proxy.probe.get("/").text == "here")
                    #expect(ContinuousClock.now - begin < .seconds(10))
                }
            }
        }
    }
}
