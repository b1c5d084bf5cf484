import Foundation

/// Prints the table line by line, so that an interrupted run has shown what it knew.
struct Report {
    func title(_ text: String) {
        print("\n\(text)")
        print(String(repeating: "-", count: text.count))
    }

    func line(_ what: String, text: String) {
        print(what.padding(toLength: 42, withPad: " ", startingAt: 0) + text)
        fflush(nil)
    }

    func line(_ what: String, seconds: Double) { line(what, text: Self.number(seconds, 3) + " s") }
    func line(_ what: String, mebibytes: Double) { line(what, text: Self.number(mebibytes, 1) + " MiB") }

    func line(_ what: String, perSecond: Double, note: String = "") {
        line(what, text: Self.left(Self.number(perSecond, 0), 9) + " /s" + (note.isEmpty ? "" : "   " + note))
    }

    /// A yardstick measured after each slice of pairs: the median of its rates, and of the pairs' rates against them.
    func line(_ what: String, perSecond rates: [Double], against pairs: [Double]) {
        let ratios = zip(pairs, rates).map { $0 / $1 }.sorted()
        let range = "\(Self.number(ratios.first ?? 0, 2)) to \(Self.number(ratios.last ?? 0, 2))"
        line(
            what, perSecond: Self.median(rates),
            note: "login pairs are \(Self.number(Self.median(ratios), 2)) of it (\(range))")
    }

    func latencies(_ what: String, _ latencies: Latencies) {
        let (p50, p95, p99, slowest) = latencies.percentiles()
        let parts = [("p50", p50), ("p95", p95), ("p99", p99), ("slowest", slowest)]
        line(what, text: parts.map { "\($0.0) \(Self.left(Self.number($0.1, 2), 7)) ms" }.joined(separator: "   "))
    }

    static func mebibytes(_ values: [Double]) -> String {
        values.map { number($0, 1) }.joined(separator: "  ") + " MiB"
    }

    static func microseconds(_ seconds: Double) -> String { number(seconds * 1e6, 0) + " µs" }
    static func percent(_ share: Double) -> String { number(share * 100, 0) + " %" }
    private static func median(_ values: [Double]) -> Double {
        let (sorted, middle) = (values.sorted(), values.count / 2)
        guard !sorted.isEmpty else { return 0 }
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    private static func number(_ value: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", value) }
    private static func left(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
