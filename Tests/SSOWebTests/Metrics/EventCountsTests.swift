import CoreMetrics
import Logging
import SSOShared
import Storage
import Testing

@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

@Suite("Counts of events", .rules)
struct EventCountsTests {
    private static let signedIn = EventKind(
        "signed_in", .info, by: [.detail("method", ["email_code", "email_link"], others: "provider")], "A sign-in.")
    private static let refused = EventKind(
        "refused", .info, line: [.cause()], by: [.field("protocol", ["sso", "oidc"])],
        causes: [.init("late", "Be early."), .init("stolen", .warning, remedy: "Look.")], "A refusal.")
    private static let broken = EventKind("broken", .error, line: [.reason], "Storage.")
    private static let lost = EventKind("commit_lost", .warning, causes: [.init("network", "Look.")], "A commit.")
    private static let audited = EventKind("audited", nil, .row(""), "A command.")
    private static let all = [signedIn, refused, broken, lost, audited]

    private func registry() -> MetricsRegistry { MetricsRegistry([CommonMetrics.events]) }

    private func series(_ registry: MetricsRegistry) -> [String] {
        registry.text.split(separator: "\n").map(String.init).filter { $0.hasPrefix("sso_events_total") }
            .map { String($0.dropFirst("sso_events_total".count)) }
    }

    @Test(
        "an event counts by kind, labels and cause; a value that is not in a list is another one, and none is no label")
    func labels() {
        let registry = registry()
        let counts = EventCounts([Self.signedIn, Self.refused], in: registry)
        for method in ["email_code", "email_code", "google", nil] { counts.count(Event(Self.signedIn, detail: method)) }
        counts.count(Event(Self.refused, cause: "late", ["protocol": "oidc"]))
        counts.count(Event(Self.refused, cause: "because of \(registry)", ["protocol": "telnet"]))
        counts.count(Event(Self.refused))
        #expect(
            series(registry) == [
                #"{event="refused",protocol="oidc",cause="late"} 1"#,
                #"{event="refused",protocol="oidc",cause="other"} 0"#,
                #"{event="refused",protocol="other",cause="other"} 1"#,
                #"{event="refused",protocol="sso",cause="other"} 0"#,
                #"{event="refused"} 1"#,
                #"{event="signed_in",method="email_code"} 2"#,
                #"{event="signed_in",method="provider"} 1"#,
                #"{event="signed_in"} 1"#,
            ])
    }

    @Test(
        "what can be a warning begins at 0, what is alerted on with each cause; an event outside the list counts nowhere"
    )
    func start() {
        let registry = registry()
        let told = EventKind("told", .info, by: [.field("protocol", ["sso"])], "A message.")
        let kinds = [Self.broken, Self.lost, Self.audited, Self.refused, told]
        let counts = EventCounts(kinds, in: registry, alerted: ["commit_lost", "told"])
        counts.count(Event(Self.signedIn))
        #expect(
            series(registry) == [
                #"{event="broken"} 0"#, #"{event="commit_lost",cause="network"} 0"#,
                #"{event="refused",protocol="oidc",cause="other"} 0"#,
                #"{event="refused",protocol="other",cause="other"} 0"#,
                #"{event="refused",protocol="sso",cause="other"} 0"#,
                #"{event="told",protocol="other"} 0"#, #"{event="told",protocol="sso"} 0"#,
            ])
    }

    @Test("where no place is left, a cause that is new counts as another one")
    func full() {
        let registry = registry()
        let counts = EventCounts([Self.lost], in: registry)
        for number in 0..<MetricsRegistry.limit {
            Counter(label: CommonMetrics.events.name, dimensions: [("event", "\(number)")], factory: registry)
                .increment()
        }
        counts.count(Event(Self.lost, cause: "network"))
        #expect(series(registry).contains(#"{event="commit_lost",cause="other"} 1"#))
    }

    @Test("the logger counts an event once, whatever levels are written, and no unknown commit")
    func logger() {
        let (registry, log) = (registry(), CapturedLog())
        var logger = log.logger("idp").counting(EventCounts(Self.all, in: registry))
        logger[metadataKey: "reference"] = "abc"
        logger.record(Event(Self.signedIn, detail: "email_link"))
        logger.logLevel = .critical
        logger.record(Event(Self.signedIn, detail: "email_link"))
        logger.record(Event(Self.signedIn, detail: "email_link"), .kept)
        logger.record(Event(Self.signedIn, detail: "email_link"), .unknown)
        logger.record(Event(Self.audited).only(in: .auditLog))
        #expect(log.count == 1)
        let counted = series(registry)
        #expect(counted.contains(#"{event="signed_in",method="email_link"} 3"#), "\(counted)")
        #expect(counted.contains(#"{event="audited"} 1"#), "\(counted)")
    }

    @Test("a line that no event made counts by its id, with its cause if the kind has a list")
    func lines() {
        let registry = registry()
        let logger = CapturedLog().logger("idp").counting(EventCounts(Self.all, in: registry))
        logger.warning("commit_lost", metadata: ["reason": "network"])
        logger.error("broken", metadata: ["reason": "a sentence of the system"])
        logger.info("nothing_known")
        logger.info("audited")
        let counted = series(registry)
        #expect(counted.contains(#"{event="commit_lost",cause="network"} 1"#), "\(counted)")
        #expect(counted.contains(#"{event="broken"} 1"#), "\(counted)")
        #expect(
            !counted.contains { $0.contains("audited") || $0.contains("nothing_known") },
            "\(counted)")
    }

    @Test("the handler of the programs counts too, also in copies of its logger, and without metrics it counts nothing")
    func handler() {
        let registry = registry()
        let plain = Logger(label: "idp") { EventLogHandler(label: $0, format: .text) }
        var logger = plain.counting(EventCounts([Self.signedIn], in: registry))
        logger.logLevel = .critical
        var copy = logger
        copy[metadataKey: "reference"] = "abc"
        for logger in [logger, copy, logger.counting(nil)] { logger.record(Event(Self.signedIn)) }
        #expect(series(registry).filter { !$0.hasSuffix(" 0") } == [#"{event="signed_in"} 3"#])
        var quiet = plain
        quiet.logLevel = .critical
        quiet.record(Event(Self.signedIn))
        #expect(series(registry).filter { !$0.hasSuffix(" 0") } == [#"{event="signed_in"} 3"#])
    }

    @Test("no count is lost among many at once")
    func atOnce() async {
        let registry = registry()
        let counts = EventCounts([Self.signedIn], in: registry)
        await withTaskGroup { group in
            for _ in 1...8 {
                group.addTask { for _ in 1...1000 { counts.count(Event(Self.signedIn, detail: "email_code")) } }
            }
        }
        #expect(series(registry).first == #"{event="signed_in",method="email_code"} 8000"#)
    }

    @Test("20,000 events with random values make no more series than their lists allow")
    func bounded() {
        let registry = registry()
        let counts = EventCounts(Self.all, in: registry)
        func count(_ numbers: ClosedRange<Int>) {
            for number in numbers {
                let text = "\(number &* 7919)"
                counts.count(
                    Event(
                        Self.all[number % Self.all.count], account: text, client: text, cause: text, detail: text,
                        ["protocol": "\(text)", "path": "/\(text)"]))
            }
        }
        count(1...1000)
        let before = registry.seriesCount
        count(1001...20_000)
        #expect(registry.seriesCount == before && before < 30)
        #expect(registry.text.contains("sso_metrics_dropped_series_total 0\n"))
    }
}
