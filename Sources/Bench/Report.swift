import Foundation

/// Prints line by line, so that an interrupted run has shown what it measured.
enum Report {
    static func title(_ text: String) { line("\n\(text)\n\(String(repeating: "-", count: text.count))", "") }

    static func line(_ what: String, _ text: String) {
        print(text.isEmpty ? what : what.padding(toLength: 42, withPad: " ", startingAt: 0) + text)
        fflush(nil)
    }

    static func table(_ label: String, _ result: Measurements) {
        line("\(label):", "")
        line("  logins per second", range(result.rates, 0))
        line("  processor time per login", "\(range(result.processorTimes.map { $0 * 1_000 }, 3)) ms")
        line("  p50 and p99 of a login", "\(number(result.latency(0.50), 2)) ms, \(number(result.latency(0.99), 2)) ms")
        line("  constant route, answers per second", range(result.constantRates, 0))
        line("  logins as a share of half of that", range(result.shares, 2))
        line("  errors", result.errors.isEmpty ? "none" : "\(result.errors)")
        line(
            "  the load generator's share of one core",
            "\(number(Statistics.median(result.logins.map(\.generatorShare)) * 100, 0)) %")
    }

    /// How many times the first does of what the second does: medians of the ratios round by round.
    static func ratios(_ first: Measurements, _ second: Measurements) {
        line("ratios, first to second:", "")
        line("  logins per second", range(zip(first.rates, second.rates).map(/), 2))
        line("  processor time per login", range(zip(first.processorTimes, second.processorTimes).map(/), 2))
        line(
            "  p50 and p99 of a login",
            "\(number(first.latency(0.50) / second.latency(0.50), 2)), \(number(first.latency(0.99) / second.latency(0.99), 2))"
        )
        line("  constant route", range(zip(first.constantRates, second.constantRates).map(/), 2))
    }

    /// The median, and in brackets the lowest and the highest.
    static func range(_ values: [Double], _ digits: Int) -> String {
        let (low, high) = (values.min() ?? 0, values.max() ?? 0)
        return "\(number(Statistics.median(values), digits)) (\(number(low, digits)) to \(number(high, digits)))"
    }

    static func number(_ value: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", value) }
}
