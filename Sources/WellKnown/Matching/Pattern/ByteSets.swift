import SSOShared

struct ByteSet: Sendable, Hashable {
    private var words = SIMD4<UInt64>()

    init(_ bytes: some Sequence<UInt8> = []) {
        for byte in bytes { insert(byte) }
    }

    static let all = ByteSet(UInt8.min...UInt8.max)

    @inline(__always) func contains(_ byte: UInt8) -> Bool { words[Int(byte >> 6)] & 1 << UInt64(byte & 63) != 0 }

    mutating func insert(_ byte: UInt8) { words[Int(byte >> 6)] |= 1 << UInt64(byte & 63) }

    func subtracting(_ other: ByteSet) -> ByteSet {
        var set = self
        set.words &= ~other.words
        return set
    }

    var bytes: [UInt8] { (UInt8.min...UInt8.max).filter(contains) }

    /// The set for folded texts: every ASCII letter is replaced with its lower-case form.
    var folded: ByteSet { ByteSet(bytes.map(\.asciiLowercased)) }
}

/// The possible positions of a match in a text, as bits, and the moves between them. One operation moves 64 positions.
struct PositionSet: Sendable {
    /// The positions of each byte in a text. Built once per text.
    struct Occurrences: Sendable {
        let wordCount: Int
        let length: Int
        /// The positions at which a character begins, and the end, as bits.
        let boundaries: [UInt64]
        private var masks: [[UInt64]?] = Array(repeating: nil, count: 256)

        init(_ text: LinkText) {
            length = text.count
            wordCount = (text.count + 64) / 64
            var boundaries = Array(repeating: UInt64(0), count: wordCount)
            for (place, byte) in text.slice.enumerated() {
                var mask = masks[Int(byte)].take() ?? Array(repeating: 0, count: wordCount)
                mask[place >> 6] |= 1 << UInt64(place & 63)
                masks[Int(byte)] = mask
                // A continuation byte of UTF-8 begins with the bits 10.
                if text.isASCII || byte & 0xc0 != 0x80 { boundaries[place >> 6] |= 1 << UInt64(place & 63) }
            }
            boundaries[length >> 6] |= 1 << UInt64(length & 63)
            self.boundaries = boundaries
        }

        subscript(byte: UInt8) -> [UInt64]? { masks[Int(byte)] }
    }

    private(set) var words: [UInt64]

    /// Creates the set with only the beginning of the text.
    init(start occurrences: Occurrences) {
        words = Array(repeating: 0, count: occurrences.wordCount)
        words[0] = 1
    }

    init(none occurrences: Occurrences) { words = Array(repeating: 0, count: occurrences.wordCount) }

    var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

    func contains(_ place: Int) -> Bool { words[place >> 6] & 1 << UInt64(place & 63) != 0 }

    mutating func insert(_ place: Int) { words[place >> 6] |= 1 << UInt64(place & 63) }

    mutating func formUnion(_ other: PositionSet) {
        for index in words.indices { words[index] |= other.words[index] }
    }

    /// Moves one byte forward where the mask allows it.
    mutating func advance(over mask: [UInt64]?) {
        guard let mask else {
            for index in words.indices { words[index] = 0 }
            return
        }
        var carry: UInt64 = 0
        for index in words.indices {
            let word = words[index] & mask[index]
            words[index] = word << 1 | carry
            carry = word >> 63
        }
    }

    mutating func advanceOne(_ occurrences: Occurrences) {
        // The end cannot move, because no character follows it. A character has at most four bytes.
        var mask = Array(repeating: UInt64.max, count: words.count)
        mask[occurrences.length >> 6] &= ~(1 << UInt64(occurrences.length & 63))
        var arrived = PositionSet(none: occurrences)
        for _ in 0..<4 {
            advance(over: mask)
            for index in words.indices {
                arrived.words[index] |= words[index] & occurrences.boundaries[index]
                words[index] &= ~occurrences.boundaries[index]
            }
        }
        self = arrived
    }

    /// Moves any number of characters forward, from the first position.
    mutating func advanceAny(_ occurrences: Occurrences) {
        guard let first = words.firstIndex(where: { $0 != 0 }) else { return }
        words[first] |= ~((words[first] & (~words[first] &+ 1)) &- 1)
        for index in words.indices where index > first { words[index] = .max }
        for index in words.indices { words[index] &= occurrences.boundaries[index] }
    }

    var places: [Int] {
        var places: [Int] = []
        for (index, word) in words.enumerated() {
            var rest = word
            while rest != 0 {
                places.append(index << 6 | rest.trailingZeroBitCount)
                rest &= rest &- 1
            }
        }
        return places
    }
}
