import Foundation
import SSOWeb
import Testing

@testable import Counterparts
@testable import TestKit
@testable import WebTestKit

/// Slow clients in any number never hold a connection forever (ASVS 15.1.3, slow request attacks).
@Suite("Slow clients and floods of connections", .deployment, .dependsOnMachine)
struct SlowClientTests {
    static let limits = ServerLimits(
        idle: .milliseconds(300), request: .milliseconds(600), answer: .seconds(1), connections: 16)

    /// Sends something every 50 ms, up to twenty seconds. Returns how long the connection lasted.
    private func duration(
        of probe: HTTPProbe, with beginning: String, then drip: String
    ) async throws -> Duration {
        try await onOwnThread {
            let connection = try probe.connect()
            let start = ContinuousClock.now
            do {
                try connection.send(Array(beginning.utf8))
                while ContinuousClock.now - start < .seconds(20) {
                    // A slow peer is the point of this test.
                    Thread.sleep(forTimeInterval: 0.05)
                    try connection.send(Array(drip.utf8))
                }
            } catch is ProbeFailure {}
            return ContinuousClock.now - start
        }
    }

    @Test(
        "a slow head, a slow body and slow chunks: the connection is closed in time",
        arguments: [
            ("GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ", "a"),
            ("GET / HTTP/1.1\r\nHost: a\r\n", "X-Slow: a\r\n"),
            ("POST /form HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n", "a"),
            ("POST /form HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\na\r\n"),
        ])
    func drip(beginning: String, drip: String) async throws {
        try await TinyServer.running(Self.limits) { probe in
            let duration = try await duration(of: probe, with: beginning, then: drip)
            #expect(duration < .seconds(18))
            #expect(try await probe.get("/").text == "here")
        }
    }

    @Test(
        "many requests on one connection may together take longer than one deadline, and a slow one after them is closed"
    )
    func deadlinePerRequest() async throws {
        try await TinyServer.running(ServerLimits(request: .seconds(2))) { probe in
            try await onOwnThread {
                let connection = try probe.connect()
                let form = probe.request("POST", "/form", body: Array("12345".utf8), close: false)
                let start = ContinuousClock.now
                while ContinuousClock.now - start < .seconds(3) {
                    try connection.send(Array(form.dropLast(2)))
                    // Each request takes a while, and all of them take longer than the deadline of one.
                    Thread.sleep(forTimeInterval: 0.05)
                    try connection.send(Array(form.suffix(2)))
                    #expect(try connection.reply().text == "5")
                }
                let slow = ContinuousClock.now
                try connection.send(Array("POST /form HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n".utf8))
                while ContinuousClock.now - slow < .seconds(20), (try? connection.send([1])) != nil {
                    Thread.sleep(forTimeInterval: 0.05)
                }
                #expect(ContinuousClock.now - slow < .seconds(18))
            }
        }
    }

    @Test(
        "an idle connection, half a head, and an idle connection after an answer are closed",
        arguments: ["", "G", "GET / HTTP/1.1\r\nHost: a\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"])
    func silent(_ beginning: String) async throws {
        try await TinyServer.running(Self.limits) { probe in
            let start = ContinuousClock.now
            let answer = try await onOwnThread {
                let connection = try HTTPConnection(host: probe.host, port: probe.port, timeout: .seconds(30))
                try connection.send(Array(beginning.utf8))
                return try connection.everything()
            }
            #expect(ContinuousClock.now - start < .seconds(30))
            #expect(answer.isEmpty == !beginning.hasSuffix("\r\n\r\n"))
            #expect(try await probe.get("/").text == "here")
        }
    }

    @Test("a client that sends requests and does not read is closed before it has received everything")
    func slowReader() async throws {
        try await TinyServer.running(Self.limits) { probe in
            let got = try await onOwnThread {
                let connection = try probe.connect()
                for _ in 1...3 { try connection.send(probe.request("GET", "/big", close: false)) }
                try SocketTable.waitForEnd(of: connection, at: probe.port)
                return try connection.everything().count
            }
            #expect(got < 2 * TinyServer.bigBytes)
        }
        // A client that reads receives everything, however slow this machine is.
        try await TinyServer.running(ServerLimits(answer: .seconds(600), heldBytes: 64 << 20)) { probe in
            let whole = try await probe.raw(probe.request("GET", "/big"), halfClose: false)
            #expect(whole.count > TinyServer.bigBytes)
        }
    }

    @Test("connections over the limit are closed in turn, so that a browser is served")
    func flood() async throws {
        try await TinyServer.running(Self.limits) { probe in
            let flood = try (0..<120).map { _ in try probe.connect() }
            // On a busy machine the limit of a fifth of a second may close this connection too, before it is read.
            try await eventually("a browser is served") { (try? await probe.get("/").text) == "here" ? () : nil }
            withExtendedLifetime(flood) {}
        }
    }

    @Test(
        "with the delivered rules Caddy buffers a slow body until it is complete",
        .enabled(if: ProxyProcess.Kind.caddy.path != nil))
    func bufferedBody() async throws {
        try await TinyServer.running(ServerLimits(request: .milliseconds(200))) { server in
            let proxy = try await ProxyProcess(
                .caddy, to: [server.port], extra: try await ProxyProcess.deliveredRules())
            let form = proxy.probe.request("POST", "/form", body: Array("12345".utf8))
            let reply = try await onOwnThread {
                let connection = try proxy.probe.connect()
                try connection.send(Array(form.dropLast(2)))
                // A slow peer is required here: the server alone would have closed the connection.
                Thread.sleep(forTimeInterval: 1)
                try connection.send(Array(form.suffix(2)))
                return try connection.reply()
            }
            #expect(reply.status == 200 && reply.text == "5")
        }
    }

    @Test("the default limits are those in docs/limits.md")
    func defaults() {
        let limits = ServerLimits()
        #expect(limits.idle == .seconds(15))
        #expect(limits.request == .seconds(10))
        #expect(limits.drain == .seconds(10))
        #expect(limits.connections == 1536)
    }
}
