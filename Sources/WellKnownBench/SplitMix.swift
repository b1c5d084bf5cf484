/// SplitMix64 (Steele, Lea and Flood 2014): small, seeded, and the same everywhere.
struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
        return word ^ (word >> 31)
    }

    /// From 0 up to, not including, `bound`; 0 for a bound below 1.
    mutating func below(_ bound: Int) -> Int { bound < 1 ? 0 : Int(next() % UInt64(bound)) }

    mutating func pick<Element>(_ list: [Element]) -> Element? { list.isEmpty ? nil : list[below(list.count)] }
}
