/// A set of bytes.
struct ByteSet: Sendable, Hashable {
    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    init(_ bytes: some Sequence<UInt8> = []) {
        for byte in bytes { insert(byte) }
    }

    static let all = ByteSet(UInt8.min...UInt8.max)

    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        let bit: UInt64 = 1 << UInt64(byte & 63)
        switch byte >> 6 {
        case 0: return words.0 & bit != 0
        case 1: return words.1 & bit != 0
        case 2: return words.2 & bit != 0
        default: return words.3 & bit != 0
        }
    }

    mutating func insert(_ byte: UInt8) {
        let bit: UInt64 = 1 << UInt64(byte & 63)
        switch byte >> 6 {
        case 0: words.0 |= bit
        case 1: words.1 |= bit
        case 2: words.2 |= bit
        default: words.3 |= bit
        }
    }

    mutating func remove(_ byte: UInt8) { self = subtracting(ByteSet(CollectionOfOne(byte))) }

    func subtracting(_ other: ByteSet) -> ByteSet {
        var set = self
        set.words.0 &= ~other.words.0
        set.words.1 &= ~other.words.1
        set.words.2 &= ~other.words.2
        set.words.3 &= ~other.words.3
        return set
    }

    func intersection(_ other: ByteSet) -> ByteSet { subtracting(ByteSet.all.subtracting(other)) }

    var isEmpty: Bool { words.0 | words.1 | words.2 | words.3 == 0 }

    var bytes: [UInt8] { (UInt8.min...UInt8.max).filter(contains) }

    /// With every ASCII letter in both cases, written in lower case as folded texts are.
    var folded: ByteSet { ByteSet(bytes.map(\.asciiLowercased)) }

    static func == (left: ByteSet, right: ByteSet) -> Bool { left.words == right.words }

    func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
        hasher.combine(words.2)
        hasher.combine(words.3)
    }
}
