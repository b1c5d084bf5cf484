/// A value to write as CBOR, also in ways that CTAP 2 forbids.
indirect enum CBORItem: Sendable {
    case integer(Int)
    case bytes([UInt8])
    case text(String)
    case array([CBORItem])
    case map([(CBORItem, CBORItem)])
    case bool(Bool)
    /// Bytes as they are.
    case raw([UInt8])

    static let empty = CBORItem.map([])

    var encoded: [UInt8] {
        switch self {
        case .integer(let number): number < 0 ? Self.head(1, -1 - number) : Self.head(0, number)
        case .bytes(let bytes): Self.head(2, bytes.count) + bytes
        case .text(let text): Self.head(3, text.utf8.count) + Array(text.utf8)
        case .array(let items): Self.head(4, items.count) + items.flatMap(\.encoded)
        case .map(let members): Self.head(5, members.count) + members.flatMap { $0.0.encoded + $0.1.encoded }
        case .bool(let flag): [flag ? 0xf5 : 0xf4]
        case .raw(let bytes): bytes
        }
    }

    /// The member of a map with a number as its key. Setting nil drops it.
    subscript(key: Int) -> CBORItem? {
        get { members.first { $0.0.isKey(key) }?.1 }
        set {
            let others = members.filter { !$0.0.isKey(key) }
            self = .map(others + (newValue.map { [(.integer(key), $0)] } ?? []))
        }
    }

    private var members: [(CBORItem, CBORItem)] { if case .map(let members) = self { members } else { [] } }
    private func isKey(_ key: Int) -> Bool { if case .integer(key) = self { true } else { false } }

    /// The kind and a number, in the fewest bytes.
    static func head(_ kind: UInt8, _ number: Int) -> [UInt8] {
        switch number {
        case 0..<24: [kind << 5 | UInt8(number)]
        case 24..<0x100: [kind << 5 | 24, UInt8(number)]
        case 0x100..<0x10000: [kind << 5 | 25] + bigEndian(number, 2)
        case 0x10000..<0x1_0000_0000: [kind << 5 | 26] + bigEndian(number, 4)
        default: [kind << 5 | 27] + bigEndian(number, 8)
        }
    }

    static func bigEndian(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
}
