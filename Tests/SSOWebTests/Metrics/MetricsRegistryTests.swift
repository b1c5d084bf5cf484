import CoreMetrics
import Logging
import SSOShared
import Testing

@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

@Suite("The registry of metrics", .rules)
struct MetricsRegistryTests {
    private static let visits = MetricDescription("visits_total", .counter, "Visits, by door.")
    private static let depth = MetricDescription("depth", .gauge, "How deep it is.")

    @Test("the text has the help, the type and each series by name and label, and values without a needless fraction")
    func text() {
        let registry = MetricsRegistry([Self.visits, Self.depth])
        for door in ["south", "north"] {
            Counter(label: "visits_total", dimensions: [("door", door)], factory: registry).increment(by: 2)
        }
        Counter(label: "visits_total", dimensions: [("door", "south")], factory: registry).increment()
        registry.set(Self.depth, 1.5)
        #expect(
            registry.text == """
                # HELP depth How deep it is.
                # TYPE depth gauge
                depth 1.5
                # HELP sso_metrics_dropped_series_total Series that found no place among the 500.
                # TYPE sso_metrics_dropped_series_total counter
                sso_metrics_dropped_series_total 0
                # HELP visits_total Visits, by door.
                # TYPE visits_total counter
                visits_total{door="north"} 2
                visits_total{door="south"} 3

                """)
    }

    @Test("a label's value cannot end its line, its quotation marks or its braces")
    func escapes() {
        let registry = MetricsRegistry([Self.visits])
        let value = "a\"} 1\nvisits_total{door=\"\\\r\n"
        Counter(label: "visits_total", dimensions: [("door", value)], factory: registry).increment()
        #expect(registry.text.hasSuffix("visits_total{door=\"a\\\"} 1\\nvisits_total{door=\\\"\\\\\\n\"} 1\n"))
    }

    @Test("never over 500 series, whatever is counted, and what found no place is counted")
    func limit() {
        let registry = MetricsRegistry([Self.visits])
        for number in 1...2000 {
            Counter(label: "visits_total", dimensions: [("door", "\(number)")], factory: registry).increment()
        }
        #expect(registry.seriesCount == MetricsRegistry.limit && MetricsRegistry.limit == 500)
        let lines = registry.text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(lines.count == MetricsRegistry.limit)
        #expect(lines.contains("sso_metrics_dropped_series_total 1501"))
        Counter(label: "visits_total", dimensions: [("door", "1")], factory: registry).increment()
        #expect(registry.text.contains("visits_total{door=\"1\"} 2\n"), "those that have a place go on")
    }

    @Test("a metric that nobody has described is dropped")
    func unknown() {
        let registry = MetricsRegistry([Self.visits])
        Counter(label: "secrets_total", factory: registry).increment()
        #expect(!registry.text.contains("secrets") && registry.seriesCount == 1)
    }

    @Test("no count is lost among many at once")
    func atOnce() async {
        let registry = MetricsRegistry([Self.visits])
        let counter = Counter(label: "visits_total", dimensions: [("door", "a")], factory: registry)
        await withTaskGroup { group in
            for _ in 1...8 { group.addTask { for _ in 1...1000 { counter.increment() } } }
        }
        #expect(registry.text.contains("visits_total{door=\"a\"} 8000\n"))
    }

    @Test("names and helps follow Prometheus' conventions")
    func names() {
        for metric in CommonMetrics.all {
            #expect(metric.name.wholeMatch(of: /[a-z][a-z0-9_]*/) != nil, "\(metric.name)")
            #expect((metric.kind == .counter) == metric.name.hasSuffix("_total"), "\(metric.name)")
            #expect(!metric.help.contains("\n") && metric.help.hasSuffix("."), "\(metric.name)")
        }
        #expect(Set(CommonMetrics.all.map(\.name)).count == CommonMetrics.all.count)
    }
}

@Suite("The address for metrics", .rules)
struct MetricsListenTests {
    @Test("all addresses are those of IPv4 on a machine without IPv6, as for the program itself")
    func withoutIPv6() async throws {
        let metrics = ProgramMetrics(
            try MetricsListen("[::]:0"), build: BuildStamp(version: "1", commit: "c", date: "d"), events: [])
        let (addresses, signal) = AsyncStream<String>.makeStream()
        let service = MetricsService(
            metrics, clock: TestClock().clock, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            hasIPv6: false
        ) { signal.yield($0) }
        let task = Task {
            defer { signal.finish() }
            try await service.run()
        }
        let address = await addresses.first { _ in true }
        task.cancel()
        _ = await task.result
        #expect(address?.hasPrefix("0.0.0.0:") == true, "\(address ?? "none")")
    }

    private func read(_ text: String) -> (isValid: Bool, reader: SettingsReader) {
        let reader = SettingsReader(SettingsSource(["IDP_METRICS_LISTEN": text]))
        return ((reader.value(MetricsListen.setting("IDP", port: 9464)) ?? nil) != nil, reader)
    }

    @Test(
        "loopback and private addresses are taken without a word",
        arguments: [
            "127.0.0.1:9464", "127.9.9.9:0", "[::1]:9464", "localhost:9464", "10.0.0.7:9464", "172.31.255.255:9464",
            "192.168.1.1:9464", "100.64.0.1:9464", "[fd00::7]:9464", "[fe80::1]:9464", "169.254.1.1:9464",
        ])
    func taken(text: String) {
        let (isValid, reader) = read(text)
        #expect(isValid && reader.problems.isEmpty && reader.warnings.isEmpty)
    }

    @Test(
        "the address of the program itself cannot be that of its metrics, and another port or address can",
        arguments: [
            ("127.0.0.1:9464", "127.0.0.1:9464", true), ("[::1]:9464", "[::1]:9464", true),
            ("127.0.0.1:9464", "127.0.0.1:8080", false), ("127.0.0.2:9464", "127.0.0.1:9464", false),
            ("127.0.0.1:0", "127.0.0.1:0", false),
            ("0.0.0.0:9464", "127.0.0.1:9464", true), ("127.0.0.1:9464", "0.0.0.0:9464", true),
            ("127.0.0.1:9464", "[::]:9464", true), ("[::]:9464", "localhost:9464", true),
            ("[::1]:9464", "0.0.0.0:9464", false), ("[::]:9464", "127.0.0.1:8080", false),
        ])
    func besideTheProgram(text: String, listen: String, isRefused: Bool) throws {
        let problem = try MetricsListen(text).problem(beside: ListenAddress(listen), "IDP_LISTEN")
        #expect((problem != nil) == isRefused)
        #expect(problem.map { $0.contains("IDP_LISTEN") && $0.contains("Use a port of its own.") } != false)
    }

    @Test("every address of the machine is taken with a warning", arguments: ["0.0.0.0:9464", "[::]:9464"])
    func unspecified(text: String) {
        let (isValid, reader) = read(text)
        #expect(isValid && reader.problems.isEmpty)
        #expect(reader.warnings.count == 1 && reader.warnings.allSatisfy { $0.contains("every address") })
    }

    @Test(
        "public addresses, names and what is no address are refused, and the setting is named",
        arguments: [
            "203.0.113.7:9464", "8.8.8.8:9464", "172.32.0.1:9464", "100.128.0.1:9464", "[2001:db8::1]:9464",
            "metrics.example.com:9464", "9464", "127.0.0.1", "", ":9464", "*:9464",
        ])
    func refused(text: String) {
        let (isValid, reader) = read(text)
        #expect(!isValid)
        #expect(
            text.isEmpty
                || reader.problems.count == 1 && reader.problems.allSatisfy { $0.hasPrefix("IDP_METRICS_LISTEN: ") },
            "\(reader.problems)")
    }
}
