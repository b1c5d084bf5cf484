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

/// What the program takes for random, from a seed. Values begin with a number that grows, in characters of base64url that are in
/// the order of their bytes: what is sorted by its id is in the order in which it was made.
final class SeededRandomness: Randomness {
    private let state: Mutex<(seed: Seed, count: Int)>

    init(_ seed: UInt64) { state = Mutex((Seed(seed), 0)) }

    func bytes(_ count: Int) throws -> [UInt8] {
        state.withLock { state in
            state.count += 1
            let digits = [17_576, 676, 26, 1].map { state.count / $0 % 26 }
            let ordered = digits.reduce(0) { $0 << 6 | $1 }
            let first = [16, 8, 0].map { UInt8(truncatingIfNeeded: ordered >> $0) }
            return first.prefix(count > 8 ? 3 : 0)
                + (0..<max(0, count > 8 ? count - 3 : count)).map { _ in
                    UInt8(truncatingIfNeeded: state.seed.next() >> 24)
                }
        }
    }
}
