/// DEFLATE (RFC 1951), the way back only: a manifest or a signature inside an APK is packed with it.
///
/// Own code because nothing the tool links with unpacks it: Foundation keeps its zlib to itself, Debian builds libcrypto
/// without one. Bounded by the size the caller allows; every read is checked.
struct Inflate {
    enum Fault: Error, Equatable {
        case truncated
        case malformed
        case tooLarge
    }

    /// - Parameter limit: the most bytes that may come out; a bomb ends there.
    static func unpack(_ packed: [UInt8], limit: Int) throws(Fault) -> [UInt8] {
        var inflate = Inflate(packed: packed, limit: limit)
        return try inflate.run()
    }

    private let packed: [UInt8]
    private let limit: Int
    private var next = 0
    private var held: UInt32 = 0
    private var heldBits = 0
    private var output: [UInt8] = []

    private init(packed: [UInt8], limit: Int) { (self.packed, self.limit) = (packed, limit) }

    private mutating func run() throws(Fault) -> [UInt8] {
        var isLast = false
        while !isLast {
            isLast = try bits(1) == 1
            switch try bits(2) {
            case 0: try stored()
            case 1: try compressed(Self.fixedLiterals, Self.fixedDistances)
            case 2:
                let (literals, distances) = try tables()
                try compressed(literals, distances)
            default: throw .malformed
            }
        }
        return output
    }

    private mutating func bits(_ count: Int) throws(Fault) -> Int {
        while heldBits < count {
            guard next < packed.count else { throw .truncated }
            held |= UInt32(packed[next]) << UInt32(heldBits)
            next += 1
            heldBits += 8
        }
        let value = Int(held & ((1 << UInt32(count)) - 1))
        held >>= UInt32(count)
        heldBits -= count
        return value
    }

    private mutating func stored() throws(Fault) {
        (held, heldBits) = (0, 0)
        guard packed.count - next >= 4 else { throw .truncated }
        let count = Int(packed[next]) | Int(packed[next + 1]) << 8
        guard packed[next + 2] == ~packed[next], packed[next + 3] == ~packed[next + 1] else { throw .malformed }
        next += 4
        guard packed.count - next >= count else { throw .truncated }
        guard count <= limit - output.count else { throw .tooLarge }
        output.append(contentsOf: packed[next..<(next + count)])
        next += count
    }

    private mutating func symbol(_ table: HuffmanTable) throws(Fault) -> Int {
        var (code, first, index) = (0, 0, 0)
        for count in table.counts.dropFirst() {
            code |= try bits(1)
            if code - count < first { return table.symbols[index + (code - first)] }
            index += count
            first = (first + count) << 1
            code <<= 1
        }
        throw .malformed
    }

    private mutating func compressed(_ literals: HuffmanTable, _ distances: HuffmanTable) throws(Fault) {
        while true {
            let value = try symbol(literals)
            if value < 256 {
                guard output.count < limit else { throw .tooLarge }
                output.append(UInt8(value))
            } else if value == 256 {
                return
            } else {
                guard value - 257 < Self.lengths.count else { throw .malformed }
                let (base, extra) = Self.lengths[value - 257]
                let length = base + (try bits(extra))
                let place = try symbol(distances)
                guard place < Self.distances.count else { throw .malformed }
                let distance = Self.distances[place].base + (try bits(Self.distances[place].extra))
                guard distance <= output.count else { throw .malformed }
                guard length <= limit - output.count else { throw .tooLarge }
                // Byte by byte: a run may overlap what it writes.
                for _ in 0..<length { output.append(output[output.count - distance]) }
            }
        }
    }

    private mutating func tables() throws(Fault) -> (HuffmanTable, HuffmanTable) {
        let (literalCount, distanceCount) = (try bits(5) + 257, try bits(5) + 1)
        let lengthCount = try bits(4) + 4
        guard literalCount <= 286, distanceCount <= 30 else { throw .malformed }
        var lengths = [Int](repeating: 0, count: 19)
        for index in 0..<lengthCount { lengths[Self.order[index]] = try bits(3) }
        let codes = try HuffmanTable(lengths)

        var all: [Int] = []
        while all.count < literalCount + distanceCount {
            let value = try symbol(codes)
            switch value {
            case 0..<16: all.append(value)
            case 16:
                guard let last = all.last else { throw .malformed }
                all += [Int](repeating: last, count: 3 + (try bits(2)))
            case 17: all += [Int](repeating: 0, count: 3 + (try bits(3)))
            default: all += [Int](repeating: 0, count: 11 + (try bits(7)))
            }
        }
        guard all.count == literalCount + distanceCount, all[256] != 0 else { throw .malformed }
        return (try HuffmanTable(Array(all[..<literalCount])), try HuffmanTable(Array(all[literalCount...])))
    }

    private static let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

    private static let lengths: [(base: Int, extra: Int)] = {
        let extras = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5]
        var base = 3
        return extras.map { extra in
            defer { base += 1 << extra }
            return (base, extra)
        } + [(258, 0)]
    }()

    private static let distances: [(base: Int, extra: Int)] = {
        var base = 1
        return (0..<30).map { index in
            let extra = max(0, index / 2 - 1)
            defer { base += 1 << extra }
            return (base, extra)
        }
    }()

    private static let fixedLiterals = HuffmanTable(
        complete: [Int](repeating: 8, count: 144) + [Int](repeating: 9, count: 112)
            + [Int](repeating: 7, count: 24) + [Int](repeating: 8, count: 8))
    private static let fixedDistances = HuffmanTable(complete: [Int](repeating: 5, count: 30))
}

/// A canonical Huffman code: how many codes have each length, and the symbols in the order of their codes.
struct HuffmanTable {
    /// From length 0 to 15.
    let counts: [Int]
    let symbols: [Int]

    /// - Throws: `malformed` when more codes are claimed than the lengths leave room for.
    init(_ lengths: [Int]) throws(Inflate.Fault) {
        self.init(complete: lengths)
        var left = 1
        for count in counts.dropFirst() {
            left = left * 2 - count
            guard left >= 0 else { throw .malformed }
        }
    }

    init(complete lengths: [Int]) {
        var counts = [Int](repeating: 0, count: 16)
        for length in lengths { counts[length] += 1 }
        counts[0] = 0
        self.counts = counts
        symbols = lengths.indices.filter { lengths[$0] > 0 }.sorted { (lengths[$0], $0) < (lengths[$1], $1) }
    }
}
