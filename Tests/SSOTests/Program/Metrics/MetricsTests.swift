import Foundation
import Hummingbird
import SSOShared
import Storage
import Testing

@testable import IdP
@testable import IdPClients
@testable import IdPFlow
@testable import IdPMail
@testable import IdPServer
@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

@Suite("Metrics of the IdP", .program)
struct MetricsTests {
    private static let listens = ["IDP_METRICS_LISTEN": "127.0.0.1:0"]

    /// The address that the log names.
    private func probe(_ deployment: TestDeployment) async throws -> HTTPProbe {
        let address = try await eventually("metrics are served", within: TestTimeout.limit) { () -> String? in
            deployment.log.text.firstMatch(of: /metrics_listening .*127\.0\.0\.1:([0-9]+)/).map { String($0.1) }
        }
        return HTTPProbe(host: "127.0.0.1", port: try #require(UInt16(address)))
    }

    private func settings(_ deployment: TestDeployment, _ further: [String: String] = [:]) throws -> SettingValues {
        try TestDeployment.readIdPSettings(deployment.idp.values.merging(further) { $1 })
    }

    private func services(_ deployment: TestDeployment) -> IdPServices {
        IdPServices(
            ProgramServices(
                database: deployment.database, clock: deployment.clock.clock, logger: deployment.log.logger("idp")),
            mailer: OutboxMailer(folder: deployment.mailbox.folder), devPages: deployment.dev)
    }

    private func series(_ text: String) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap { line in
                line.lastIndex(of: " ").map { (String(line[..<$0]), String(line[line.index(after: $0)...])) }
            })
    }

    @Test("requests are counted by route and status class, and nothing of a request is a label")
    func requests() async throws {
        try await TestDeployment.open(settings: Self.listens) { deployment in
            let metrics = try await probe(deployment)
            let visitor = deployment.browser()
            for _ in 1...3 { #expect(try await visitor.get(deployment.origin + "/sign-in").status == 200) }
            for path in ["/nowhere", "/secret-path?token=sst_abc", "/auth/sso/authorize?client_id=nobody"] {
                #expect(try await visitor.get(deployment.origin + path).status >= 400)
            }
            let answer = try await metrics.get("/metrics")
            #expect(answer.status == 200)
            #expect(answer.header("content-type") == "text/plain; version=0.0.4; charset=utf-8")
            let series = series(answer.text)
            #expect(series["http_requests_total{route=\"/sign-in\",status=\"2xx\"}"] == "3", "\(answer.text)")
            #expect(series["http_requests_total{route=\"NotFound\",status=\"4xx\"}"] == "2", "\(answer.text)")
            #expect(
                series["http_requests_total{route=\"/auth/sso/authorize\",status=\"4xx\"}"] == "1", "\(answer.text)")
            #expect(!answer.text.contains("secret-path") && !answer.text.contains("nobody"))
            #expect(series["sso_build_info{version=\"\(IdPProgram.build.version)\"}"] == "1")
        }
    }

    @Test("the numbers of the process and of the tables are there, and a signed-in user counts once")
    func gauges() async throws {
        try await TestDeployment.open(settings: Self.listens) { deployment in
            let metrics = try await probe(deployment)
            _ = try await deployment.signedIn()
            let registry = MetricsRegistry(CommonMetrics.all + IdPMetrics.all)
            let services = services(deployment)
            let features = try IdPFeatures(settings(deployment), services, adding: .init())
            for reading in IdPMetrics.readings(features.parts, features.signingKeys) { try await reading(registry) }
            let own = series(registry.text)
            #expect(own["idp_accounts"] == "1" && own["idp_sessions"] == "1", "\(registry.text)")
            #expect(own["idp_emails_waiting"] == "0" && own["idp_sign_outs_waiting"] == "0", "\(registry.text)")
            let text = try await metrics.get("/metrics").text
            for name in ["process_resident_memory_bytes", "process_open_fds", "process_cpu_seconds_total"] {
                #expect(Double(series(text)[name] ?? "") ?? 0 > 0, "\(name) in \(text)")
            }
        }
    }

    @Test("a sign-in counts once by its method, and events of alerts are there before they happen")
    func events() async throws {
        try await TestDeployment.open(settings: Self.listens) { deployment in
            let metrics = try await probe(deployment)
            let browser = deployment.browser()
            let complete = try await browser.signIn(at: deployment.client, of: deployment, as: "ann@example.com")
            _ = try await browser.follow(browser.get(complete.callback()))
            let text = try await metrics.get("/metrics").text
            let series = series(text)
            #expect(series["sso_events_total{event=\"signed_in\",method=\"email_code\"}"] == "1", "\(text)")
            for event in ["token_issued", "token_redeemed"] {
                let counted = series.filter { $0.key.hasPrefix("sso_events_total{event=\"\(event)\"") }
                #expect(counted.values.sorted().last == "1", "\(counted)")
            }
            for event in ["guess_alarm_raised", "sign_out_given_up"] {
                let counted = series.filter { $0.key.hasPrefix("sso_events_total{event=\"\(event)\"") }
                #expect(!counted.isEmpty && counted.values.allSatisfy { $0 == "0" }, "\(event): \(counted)")
            }
            #expect(!text.contains("ann@") && !text.contains("partner-1"))
        }
    }

    @Test("readiness, the database, keys and backups are read, and an export of one user's data is no backup")
    func readings() async throws {
        try await TestDeployment.open { deployment in
            let shutdown = ShutdownState()
            func read() async throws -> [String: String] {
                let registry = MetricsRegistry(CommonMetrics.all + IdPMetrics.all)
                let readings =
                    IdPMetrics.readings(
                        of: deployment.keys, deployment.database, isFile: true, clock: deployment.clock.clock,
                        randomness: SystemRandomness())
                    + CommonMetrics.readings(deployment.database, shutdown)
                for reading in readings { try await reading(registry) }
                return series(registry.text)
            }
            _ = try await deployment.signedIn()
            let before = try await read()
            #expect(before["sso_ready"] == "1" && before["idp_secret_keys"] == "1")
            #expect(before["idp_replaced_client_secrets"] == "0" && before["idp_unreadable_secrets"] == "0")
            #expect(before["idp_newest_backup_timestamp_seconds"] == "0", "\(before)")
            #expect(before["sso_database_synchronous"] == nil, "a file has no standby")
            let commits = try #require(before["sso_database_commits_total"].flatMap { Int($0) })
            #expect(try commits > 0 && #require(before["sso_database_writes_total"].flatMap { Int($0) }) >= commits)
            #expect(before["sso_database_commit_seconds_total"].flatMap { Double($0) } ?? 0 > 0)

            let audit = AuditStore(database: deployment.database, clock: deployment.clock.clock)
            let now = deployment.clock.clock.now()
            try await deployment.database.write { try audit.write(Event(.backupMade, detail: "idp.sqlite"), $0) }
            deployment.clock.advance(by: .hours(1))
            try await deployment.database.write {
                try audit.write(Event(.backupMade, account: "acc_1", detail: "ann.json"), $0)
            }
            shutdown.begin()
            let after = try await read()
            #expect(after["sso_ready"] == "0")
            #expect(
                after["idp_newest_backup_timestamp_seconds"].flatMap { Double($0) }
                    == Double(now.milliseconds) / 1000)
        }
    }

    @Test("there is no /metrics at the public address, and nothing else at the address for metrics")
    func apart() async throws {
        try await TestDeployment.open(settings: Self.listens) { deployment in
            let metrics = try await probe(deployment)
            #expect(try await deployment.browser().get(deployment.origin + "/metrics").status == 404)
            for path in ["/", "/sign-in", "/metrics/x", "/healthz"] {
                #expect(try await metrics.get(path).status == 404, "\(path)")
            }
            #expect(try await metrics.send("POST", "/metrics").status >= 400)
        }
    }

    @Test("random paths, methods, clients and addresses of 600 requests make no series of their own")
    func bounded() async throws {
        try await TestDeployment.open(settings: Self.listens) { deployment in
            let metrics = try await probe(deployment)
            let probe = HTTPProbe(host: "127.0.0.1", port: deployment.port, authority: "localhost:4000")
            for number in 1...200 {
                _ = try await probe.get("/\(number)/\(number * 7919)")
                _ = try await probe.send("M\(number)", "/sign-in")
                let client = HTTPProbe(
                    host: "127.0.0.1", port: deployment.port, authority: "localhost:4000",
                    source: "127.0.1.\(number)")
                _ = try await client.get("/auth/sso/authorize?client_id=c\(number)&state=s\(number)")
            }
            let all = series(try await metrics.get("/metrics").text)
            let requests = all.keys.filter { $0.hasPrefix("http_requests_total") }
            #expect(requests.count < 8, "\(requests)")
            #expect(all.count < 400 && all["sso_metrics_dropped_series_total"] == "0")
        }
    }

    @Test(
        "each route answered and timed has a place beside all events that begin at 0 and one of each kind"
    )
    func roomForAll() async throws {
        try await TestDeployment.open { deployment in
            var labels = Set(["-", "NotFound"])
            _ = try buildIdP(
                settings: settings(deployment, ProgramPaths.everyFeature), services: services(deployment),
                inspecting: { router, _ in
                    labels.formUnion(router.routes.map { RequestMetrics<VisitorContext>.label(of: "\($0.path)") })
                })
            #expect(labels.count > 50 && labels.contains("/sign-in"))
            let metrics = ProgramMetrics.idp(try MetricsListen("127.0.0.1:0"))
            let begun = metrics.registry.seriesCount
            for kind in IdPEvents.all { metrics.counts.count(Event(kind)) }
            let events = metrics.registry.seriesCount
            #expect(begun <= events && !metrics.registry.text.contains("dropped_series_total 1"))
            // The two algorithms beyond one.
            let others = CommonMetrics.all.count + IdPMetrics.all.count + 2
            #expect(labels.count * 2 + others + events < MetricsRegistry.limit, "\(labels.count), \(events)")
        }
    }

    @Test("after a visit of every route by a visitor and an admin there are at most 500 series, and none was dropped")
    func everyRoute() async throws {
        var settings = ProgramPaths.everyFeature.merging(Self.listens) { $1 }
        settings["IDP_ADMINS"] = "ann@example.com"
        try await TestDeployment.open(settings: settings) { deployment in
            let metrics = try await probe(deployment)
            let browsers = [deployment.browser(), try await deployment.signedIn()]
            let served = try await deployment.servedByIdP()
            // A stream has no end.
            for path in served.paths.sorted() where path != "/sign-in/events" {
                for browser in browsers {
                    _ = try await browser.get(deployment.origin + path)
                    _ = try await browser.post(try WebAddress(deployment.origin + path), [])
                }
                deployment.clock.advance(by: .seconds(10))
            }
            let text = try await metrics.get("/metrics").text
            let all = series(text)
            #expect(all.keys.filter { $0.hasPrefix("http_requests_total") }.count > 100)
            #expect(all.count <= 500 && all["sso_metrics_dropped_series_total"] == "0", "\(all.count): \(text)")
        }
    }

    @Test("metric names are unlike in both lists, with units in their names")
    func names() {
        let all = CommonMetrics.all + IdPMetrics.all
        #expect(Set(all.map(\.name)).count == all.count)
        for metric in IdPMetrics.all {
            #expect(metric.name.hasPrefix("idp_") && metric.help.hasSuffix("."), "\(metric.name)")
        }
    }
}
