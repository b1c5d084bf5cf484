package import CoreMetrics
import Synchronization

/// The numbers of one program, as the backend of swift-metrics, and their text for Prometheus.
///
/// Prometheus' exposition format 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/). Counters and gauges alone:
/// a series costs one atomic number, and nothing that is counted takes a lock. A label must come from a fixed list. The
/// registry holds at most ``limit`` series all the same; what comes beyond is counted in ``overflow`` and nowhere else.
package final class MetricsRegistry: MetricsFactory {
    /// At most so many series, ``overflow`` included.
    package static let limit = 500
    /// Counts the series that found no place.
    package static let overflow = MetricDescription(
        "sso_metrics_dropped_series_total", .counter, "Series that found no place among the 500.")

    private struct Family {
        let description: MetricDescription
        var series: [String: Series] = [:]
    }

    private let families: Mutex<[String: Family]>
    private let count = Atomic(1)
    private let dropped = Series()

    /// - Parameter descriptions: every metric that there can be. A metric that is not in it is dropped.
    package init(_ descriptions: [MetricDescription]) {
        var families: [String: Family] = [:]
        for description in descriptions { families[description.name] = Family(description: description) }
        families[Self.overflow.name] = Family(description: Self.overflow, series: ["": dropped])
        self.families = Mutex(families)
    }

    /// The number of series.
    package var seriesCount: Int { count.load(ordering: .relaxed) }

    private func series(_ label: String, _ dimensions: [(String, String)]) -> Series {
        let key = Self.labels(dimensions)
        let found = families.withLock { families -> Series? in
            guard families[label] != nil else { return nil }
            if let series = families[label]?.series[key] { return series }
            guard count.load(ordering: .relaxed) < Self.limit else { return nil }
            let series = Series()
            families[label]?.series[key] = series
            count.add(1, ordering: .relaxed)
            return series
        }
        guard let found else {
            dropped.add(1)
            return Series()
        }
        return found
    }

    /// `{route="/sign-in",status="2xx"}`, or nothing without labels.
    private static func labels(_ dimensions: [(String, String)]) -> String {
        guard !dimensions.isEmpty else { return "" }
        return "{" + dimensions.map { "\($0.0)=\"\(escaped($0.1))\"" }.joined(separator: ",") + "}"
    }

    /// A label's value: `\`, `"` and line ends are escaped.
    private static func escaped(_ text: String) -> String {
        text.contains { $0 == "\\" || $0 == "\"" || $0.isNewline }
            ? text.reduce(into: "") { result, character in
                switch character {
                case "\\": result += "\\\\"
                case "\"": result += "\\\""
                case let line where line.isNewline: result += "\\n"
                default: result.append(character)
                }
            } : text
    }

    /// All metrics that have a value, by name.
    package var text: String {
        let all = families.withLock { $0.values.filter { !$0.series.isEmpty } }
        var text = ""
        for family in all.sorted(by: { $0.description.name < $1.description.name }) {
            let name = family.description.name
            text += "# HELP \(name) \(family.description.help)\n# TYPE \(name) \(family.description.kind.rawValue)\n"
            for (labels, series) in family.series.sorted(by: { $0.key < $1.key }) {
                text += "\(name)\(labels) \(series.text)\n"
            }
        }
        return text
    }

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(label, dimensions)
    }

    package func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler { series(label, dimensions) }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(label, dimensions)
    }

    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler { series(label, dimensions) }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        series(label, dimensions)
    }

    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    package func destroyMeter(_ handler: any MeterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}
}

extension MetricsRegistry {
    /// Sets a gauge.
    package func set(_ metric: MetricDescription, _ value: Double, _ dimensions: [(String, String)] = []) {
        Meter(label: metric.name, dimensions: dimensions, factory: self).set(value)
    }
}

/// A metric: its name by Prometheus' conventions (https://prometheus.io/docs/practices/naming/), and its help.
package struct MetricDescription: Sendable {
    /// What a metric does.
    package enum Kind: String, Sendable {
        case counter, gauge
    }

    package let name: String
    package let kind: Kind
    /// One sentence, without line ends.
    package let help: String

    package init(_ name: String, _ kind: Kind, _ help: String) {
        (self.name, self.kind, self.help) = (name, kind, help)
    }
}

/// One number. A time is a number of seconds.
private final class Series: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler, TimerHandler {
    private let bits = Atomic<UInt64>(0)

    private var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

    /// Whole numbers without a fraction, all others as Swift prints them.
    var text: String {
        let value = value
        return Int64(exactly: value).map(String.init) ?? "\(value)"
    }

    func add(_ amount: Double) {
        var old = bits.load(ordering: .relaxed)
        while true {
            let new = (Double(bitPattern: old) + amount).bitPattern
            let result = bits.weakCompareExchange(expected: old, desired: new, ordering: .relaxed)
            if result.exchanged { return }
            old = result.original
        }
    }

    func increment(by amount: Int64) { add(Double(amount)) }
    func increment(by amount: Double) { add(amount) }
    func decrement(by amount: Double) { add(-amount) }
    func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }
    func set(_ value: Int64) { set(Double(value)) }
    func record(_ value: Int64) { set(Double(value)) }
    func record(_ value: Double) { set(value) }
    func recordNanoseconds(_ duration: Int64) { add(Double(duration) / 1_000_000_000) }
    func reset() { set(0.0) }
}
