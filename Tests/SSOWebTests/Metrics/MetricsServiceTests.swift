import SSOShared
import Testing

@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

@Suite("The listener for metrics", .rules)
struct MetricsServiceTests {
    private static func running(_ limits: ServerLimits, _ body: (HTTPProbe) async throws -> Void) async throws {
        let metrics = ProgramMetrics(
            try MetricsListen("127.0.0.1:0"), build: BuildStamp(version: "1", commit: "2", date: "3"),
            events: [])
        try await serving({ started in
            MetricsService(
                metrics, clock: TestClock().clock, limits: limits, logger: CapturedLog().logger("metrics"),
                started: started)
        }) { port in
            try await body(HTTPProbe(port: port))
        }
    }

    @Test("a connection that says nothing, and one that ends no request, are closed")
    func silent() async throws {
        let limits = ServerLimits(idle: .milliseconds(200), request: .milliseconds(200))
        try await Self.running(limits) { probe in
            for bytes in [[], Array("GET /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n1".utf8)] as [[UInt8]]
            {
                let connection = try probe.connect()
                if !bytes.isEmpty { try connection.send(bytes) }
                _ = try await onOwnThread { try connection.untilEnd() }
            }
            #expect(try await probe.get("/metrics").status == 200)
        }
    }

    @Test("answers HEAD as GET, without the content")
    func head() async throws {
        try await Self.running(ServerLimits()) { probe in
            let (head, get) = (try await probe.send("HEAD", "/metrics"), try await probe.get("/metrics"))
            #expect(head.status == 200 && head.text.isEmpty)
            #expect(head.header("content-type") == get.header("content-type"))
        }
    }

    @Test("connections beyond the limit wait until others are closed")
    func places() async throws {
        try await Self.running(ServerLimits(idle: .seconds(60), connections: 2)) { probe in
            // The listener accepts four at once.
            var silent = try (1...8).map { _ in try probe.connect() }
            let late = try HTTPConnection(host: "127.0.0.1", port: probe.port, timeout: .seconds(1))
            try late.send(Array("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
            await #expect(throws: ProbeFailure.self) { try await onOwnThread { try late.receive() } }
            silent = []
            #expect(silent.isEmpty)
            let reply = try await eventually("the answer") { try? await onOwnThread { try late.reply() } }
            #expect(reply.status == 200)
        }
    }
}
