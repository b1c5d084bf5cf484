/// How long things took, in microseconds.
struct Latencies {
    private var values: [UInt32] = []

    init(expecting count: Int) {
        values.reserveCapacity(count)
    }

    var count: Int { values.count }

    mutating func note(_ microseconds: UInt32) {
        values.append(microseconds)
    }

    /// The 50th, 95th and 99th percentile and the slowest, in milliseconds.
    func percentiles() -> (p50: Double, p95: Double, p99: Double, slowest: Double) {
        let sorted = values.sorted()
        guard let last = sorted.last else { return (0, 0, 0, 0) }
        func at(_ share: Double) -> Double {
            let rank = Int((share * Double(sorted.count)).rounded(.up))
            return Double(sorted[min(max(rank, 1), sorted.count) - 1]) / 1_000
        }
        return (at(0.50), at(0.95), at(0.99), Double(last) / 1_000)
    }
}
