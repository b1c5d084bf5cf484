import Foundation
import Testing

@testable import Counterparts
@testable import IdPServer
@testable import SSOWeb
@testable import TestKit

@Suite("The files of deploy/metrics", .deployment)
struct MetricsFilesTests {
    private static let files = ["alerts.yml", "dashboard.json"]
    /// What other programs measure: Prometheus itself, and its prober of certificates.
    private static let foreign: Set = ["up", "probe_ssl_earliest_cert_expiry"]

    private static func text(_ file: String) throws -> String {
        try DeployFiles.lines("metrics/\(file)").joined(separator: "\n")
    }

    /// The PromQL of a file.
    private static func expressions(_ file: String) throws -> [String] {
        let text = try text(file)
        let matches = file.hasSuffix(".json") ? text.matches(of: #/"expr": "(.*)",/#) : text.matches(of: #/expr: (.*)/#)
        return matches.map { String($0.1).replacing("\\\"", with: "\"") }
    }

    /// The names of an expression that are no functions, no words of the language, no labels and no values of labels.
    private static func names(_ expression: String) -> [String] {
        let bare = expression.replacing(#/\{[^}]*\}|\[[^\]]*\]|"[^"]*"/#, with: "")
            .replacing(#/\bby \([^)]*\)/#, with: "")
        return bare.matches(of: #/[a-zA-Z_][a-zA-Z0-9_]*(?![a-zA-Z0-9_]*\s*\()/#).map { String($0.0) }
            .filter { !["and", "or", "by", "sum", "max", "min"].contains($0) }
    }

    @Test("every metric that they name is one of the programs", arguments: files)
    func metrics(file: String) throws {
        let known = Set((CommonMetrics.all + IdPMetrics.all + [MetricsRegistry.overflow]).map(\.name))
            .union(Self.foreign)
        let expressions = try Self.expressions(file)
        #expect(expressions.count > 10)
        for expression in expressions {
            let names = Self.names(expression)
            #expect(!names.isEmpty && Set(names).isSubset(of: known), "\(names) in \(expression)")
        }
    }

    @Test("every event and cause that they name can happen", arguments: files)
    func events(file: String) throws {
        let text = try Self.expressions(file).joined(separator: "\n")
        let events = text.matches(of: #/event=~?"([^"]+)"(?:,cause="([^"]+)")?/#)
        #expect(events.count > 1)
        for match in events {
            for id in match.1.split(separator: "|") {
                let kind = IdPEvents.all.first { $0.id == id }
                #expect(kind != nil, "\(id)")
                if let cause = match.2 { #expect(kind?.causes.contains { $0.id == cause } == true, "\(id) \(cause)") }
            }
        }
    }

    @Test("every event of an alert begins at 0, so that the first one is seen")
    func alerted() throws {
        let named = try Self.text("alerts.yml").matches(of: #/event="([^"]+)"/#).map { String($0.1) }
        #expect(!named.isEmpty && Set(named).isSubset(of: IdPMetrics.alerted), "\(named)")
    }

    @Test("every alert has its entry in docs/operations.md")
    func documented() throws {
        let page = try String(
            contentsOf: TestVectors.repository.appending(path: "docs/operations.md"), encoding: .utf8)
        let alerts = try Self.text("alerts.yml").matches(of: #/alert: (\w+)/#).map { String($0.1) }
        #expect(alerts.count > 10)
        for alert in alerts { #expect(page.contains("`\(alert)`"), "\(alert)") }
    }

    @Test("the dashboard is JSON with a query in every panel, and no two panels overlap")
    func dashboard() throws {
        struct Dashboard: Decodable {
            struct Panel: Decodable {
                struct Target: Decodable { let expr: String }
                struct Place: Decodable, Hashable { let x, y, w, h: Int }
                let type: String
                let targets: [Target]?
                let gridPos: Place
            }
            let panels: [Panel]
        }
        let dashboard = try JSONDecoder().decode(Dashboard.self, from: Data(try Self.text("dashboard.json").utf8))
        #expect(dashboard.panels.count > 20)
        var cells = Set<[Int]>()
        for panel in dashboard.panels {
            #expect(panel.type == "row" || panel.targets?.isEmpty == false)
            let place = panel.gridPos
            for x in place.x..<place.x + place.w {
                for y in place.y..<place.y + place.h { #expect(cells.insert([x, y]).inserted && x < 24) }
            }
        }
    }

    @Test(
        "promtool accepts the files, and finds a wrong rule",
        .enabled(if: Prometheus.isInstalled, "script/setup --test-all could not unpack prometheus"))
    func checked() async throws {
        let folder = try TemporaryFolder()
        let rules = try Self.text("alerts.yml")
        let alerts = try folder.write(rules, to: "alerts.yml")
        let settings = try folder.write(try Self.text("prometheus.yml"), to: "prometheus.yml")
        let wrong = try folder.write(rules.replacing("> 60", with: "> sixty("), to: "wrong.yml")
        for (arguments, code) in [
            (["check", "rules", alerts], 0), (["check", "config", settings], 0), (["check", "rules", wrong], 1),
        ] as [([String], Int32)] {
            let run = try await WellKnownRun.command([try #require(Prometheus.path(of: "promtool"))] + arguments)
            #expect(run.code == code, "\(arguments): \(run.output) \(run.errors)")
        }
    }

    @Test(
        "each alert fires for what it names, and not for the usual",
        .enabled(if: Prometheus.isInstalled, "script/setup --test-all could not unpack prometheus"))
    func firing() async throws {
        let folder = try TemporaryFolder()
        try folder.write(try Self.text("alerts.yml"), to: "alerts.yml")
        let tests = AlertTable.all.map(\.yaml).joined()
        let file = try folder.write("rule_files: [alerts.yml]\nevaluation_interval: 15s\ntests:\n\(tests)", to: "t.yml")
        let run = try await WellKnownRun.command(
            [try #require(Prometheus.path(of: "promtool")), "test", "rules", file])
        #expect(run.code == 0, "\(run.output)\n\(run.errors)")
        let names = try Self.text("alerts.yml").matches(of: #/alert: (\w+)/#).map { String($0.1) }
        #expect(Set(AlertTable.all.map(\.alert)) == Set(names))
    }
}

/// A series every 15 seconds, and whether an alert fires at the end of an hour.
private struct AlertTable {
    let alert, series, values: String
    let fires: Bool

    /// Counters begin at 0 and rise once, ten minutes before the end.
    private static func event(_ id: String, _ more: String = "") -> String {
        #"sso_events_total{job="swift-sso-idp",instance="a",event="\#(id)"\#(more)}"#
    }
    private static let usual = "0x240"
    private static let once = "0x220 1x19"
    private static let idp = #"{job="swift-sso-idp",instance="a"}"#

    static let all: [AlertTable] = [
        .init(alert: "SSONotReady", series: "sso_ready\(idp)", values: "1x235 0x6", fires: true),
        .init(alert: "SSONotReady", series: "sso_ready\(idp)", values: "1x238 0x2", fires: false),
        .init(alert: "SSONotReady", series: "up\(idp)", values: "0x240", fires: true),
        .init(alert: "SSONotReady", series: #"up{job="other",instance="a"}"#, values: "0x240", fires: false),
        .init(alert: "SSOEmailsWait", series: "idp_oldest_email_seconds\(idp)", values: "61x240", fires: true),
        .init(alert: "SSOEmailsWait", series: "idp_oldest_email_seconds\(idp)", values: "60x240", fires: false),
        .init(
            alert: "SSOEmailsExpired", series: event("mail_not_sent", #",cause="expired""#), values: once, fires: true),
        .init(
            alert: "SSOEmailsExpired", series: event("mail_not_sent", #",cause="network_limit""#), values: once,
            fires: false),
        .init(alert: "SSOSignOutGivenUp", series: event("sign_out_given_up"), values: once, fires: true),
        .init(alert: "SSOSignOutGivenUp", series: event("sign_out_given_up"), values: usual, fires: false),
        .init(alert: "SSOGuessAlarm", series: event("guess_alarm_raised"), values: once, fires: true),
        .init(alert: "SSOGuessAlarm", series: event("guess_alarm_raised"), values: usual, fires: false),
        // promtool's time begins at 0: a backup of 27 hours ago, and one of an hour ago.
        .init(
            alert: "SSOBackupOld", series: "idp_newest_backup_timestamp_seconds\(idp)", values: "-93600x240",
            fires: true),
        .init(
            alert: "SSOBackupOld", series: "idp_newest_backup_timestamp_seconds\(idp)", values: "0x240", fires: false),
        .init(
            alert: "SSOStandbyAsynchronous", series: "sso_database_synchronous\(idp)", values: "1x200 0x40", fires: true
        ),
        .init(alert: "SSOStandbyAsynchronous", series: "sso_database_synchronous\(idp)", values: "0x240", fires: false),
        .init(alert: "SSOFailedOver", series: event("database_failed_over"), values: once, fires: true),
        .init(alert: "SSOFailedOver", series: event("database_failed_over"), values: usual, fires: false),
        .init(alert: "SSOSecretUnreadable", series: "idp_unreadable_secrets\(idp)", values: "1x240", fires: true),
        .init(alert: "SSOSecretUnreadable", series: "idp_unreadable_secrets\(idp)", values: "0x240", fires: false),
        .init(
            alert: "SSOSigningKeyOld", series: #"idp_signing_key_seconds{algorithm="RS256"}"#, values: "-3601x240",
            fires: true),
        .init(
            alert: "SSOSigningKeyOld", series: #"idp_signing_key_seconds{algorithm="RS256"}"#, values: "-60x240",
            fires: false),
        .init(
            alert: "SSOCertificateEnds", series: #"probe_ssl_earliest_cert_expiry{instance="a"}"#,
            values: "1000000x250", fires: true),
        .init(
            alert: "SSOCertificateEnds", series: #"probe_ssl_earliest_cert_expiry{instance="a"}"#,
            values: "2000000x250", fires: false),
    ]

    /// Compares the number of series that fire, so that no text of an alert stands here again.
    var yaml: String {
        """
          - interval: 15s
            input_series:
              - series: '\(series)'
                values: '\(values)'
            promql_expr_test:
              - expr: 'count(ALERTS{alertname="\(alert)",alertstate="firing"}) or vector(0)'
                eval_time: 1h
                exp_samples: [{labels: '{}', value: \(fires ? 1 : 0)}]

        """
    }
}
