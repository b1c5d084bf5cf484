import SSOShared
import Synchronization

/// Numbers that follow from a seed alone (SplitMix64), the same on every machine.
struct Seed: RandomNumberGenerator {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }

    mutating func one<Element>(of choices: [Element]) -> Element { choices[below(choices.count)] }

    /// True once in so many.
    mutating func once(in number: Int) -> Bool { below(number) == 0 }
}

/// What the program takes for random, from a seed.
final class SeededRandomness: Randomness {
    private let seed: Mutex<Seed>

    init(_ seed: UInt64) { self.seed = Mutex(Seed(seed)) }

    func bytes(_ count: Int) throws -> [UInt8] {
        seed.withLock { seed in (0..<count).map { _ in UInt8(truncatingIfNeeded: seed.next() >> 24) } }
    }
}
