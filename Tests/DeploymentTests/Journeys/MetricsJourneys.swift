import Foundation
import SSOShared
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit

extension Journeys.Operators {
    @Suite("Prometheus reads both programs", .journey, .dependsOnMachine)
    struct Metrics {
        @Test(
            "a counted sign-in is found at Prometheus, which reads both programs with the delivered files",
            .enabled(if: Prometheus.isInstalled, "script/setup --test-all could not unpack prometheus"))
        func signIn() async throws {
            let (idp, client) = ("127.0.0.1:\(try FreePort.find())", "127.0.0.1:\(try FreePort.find())")
            let pair = try ProcessDeployment(
                settings: ["IDP_METRICS_LISTEN": idp], clientSettings: ["RP_METRICS_LISTEN": client])
            try await pair.start()
            let prometheus = try await Prometheus(scraping: ["127.0.0.1:9464": idp, "127.0.0.1:9465": client])
            let rules = try await prometheus.rules()
            #expect(rules.contains("SSONotReady") && !rules.contains(#""health":"err""#))
            let browser = Browser()
            let complete = try await browser.signIn(at: pair.client, of: pair, as: "ann@example.com")
            _ = try await browser.follow(browser.get(complete.callback()))
            for (query, number) in [
                (#"sso_events_total{job="swift-sso-idp",event="signed_in",method="email_code"}"#, 1),
                (#"sum(up{job=~"swift-sso-(idp|relying-party)"})"#, 2),
                ("sum(sso_ready)", 2),
                (#"sum(http_requests_total{job="swift-sso-relying-party",route="/auth/sso/callback"}) > bool 0"#, 1),
            ] as [(String, Double)] {
                try await eventually("\(query) is \(number)", every: .milliseconds(200)) { () -> Void? in
                    try await prometheus.value(query) == number ? () : nil
                }
            }
            #expect(try await prometheus.value(#"sum(ALERTS{alertname="SSONotReady",alertstate="firing"})"#) == nil)
            try await prometheus.stop()
            try await pair.stop()
        }

        /// Paths, methods, clients and addresses that no other request of the test has.
        private static func send(_ number: Int, to pair: ProcessDeployment) async throws {
            let probe = HTTPProbe(port: pair.idp.port, source: "127.0.\(number % 200).\(number / 200 % 200 + 1)")
            let word = "\(number &* 7919)"
            switch number % 4 {
            case 0: _ = try await probe.get("/\(word)/\(number)")
            case 1: _ = try? await probe.send("M\(word)", "/sign-in")
            case 2: _ = try await probe.get("/auth/sso/authorize?client_id=c\(word)&state=\(word)")
            default: _ = try await probe.post(SSOPath.verify, [("X-SSO-Client", "c\(word)")], body: Array(word.utf8))
            }
        }

        private static func send(_ numbers: Range<Int>, to pair: ProcessDeployment) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for part in 0..<8 {
                    group.addTask {
                        for number in numbers where number % 8 == part { try await send(number, to: pair) }
                    }
                }
                try await group.waitForAll()
            }
        }

        /// In MiB.
        private static func memory(of process: ProgramProcess) throws -> Int {
            let pid = try #require(process.pid)
            let text = try String(contentsOfFile: "/proc/\(pid)/statm", encoding: .utf8)
            let pages = try #require(text.split(separator: " ").dropFirst().first.flatMap { Int($0) })
            return pages * sysconf(Int32(_SC_PAGESIZE)) >> 20
        }

        @Test(
            "20,000 requests with random paths, methods, clients and addresses make at most 500 series and keep no memory"
        )
        func bounded() async throws {
            let port = try FreePort.find()
            let pair = try ProcessDeployment(settings: [
                "IDP_METRICS_LISTEN": "127.0.0.1:\(port)", "LOG_LEVEL": "error",
            ])
            try await pair.start()
            let metrics = HTTPProbe(port: port)
            func series() async throws -> [Substring] {
                try await metrics.get("/metrics").text.split(separator: "\n").filter { !$0.hasPrefix("#") }
            }
            try await Self.send(0..<8_000, to: pair)
            let (first, memory) = (try await series(), try Self.memory(of: pair.idp))
            try await Self.send(8_000..<20_000, to: pair)
            let last = try await series()
            #expect(last.count == first.count && last.count <= 500, "\(last)")
            #expect(last.contains("sso_metrics_dropped_series_total 0"))
            #expect(try Self.memory(of: pair.idp) < memory + 32)
            try await pair.stop()
        }
    }
}
