/// Reads CBOR in the canonical form of CTAP 2 (8): one spelling for each value, so that no two readers see different ones.
///
/// The order of the keys of a map is not checked: password managers write others, and no reader sees another value by it.
struct CBORReader {
    /// CTAP 2 section 8. It also bounds the recursion.
    static let depth = 4

    private let bytes: ArraySlice<UInt8>
    /// The index of the next byte.
    private(set) var next: Int

    /// - Parameter bytes: of a response, which has 64 KiB at the most.
    init(_ bytes: ArraySlice<UInt8>) { (self.bytes, next) = (bytes, bytes.startIndex) }

    /// Reads bytes that are one value and nothing more.
    static func read(_ bytes: [UInt8]) throws(WebAuthnError) -> CBOR {
        var reader = CBORReader(bytes[...])
        let value = try reader.value()
        guard reader.next == bytes.endIndex else { throw .cborLeftOver }
        return value
    }

    /// The next value. Bytes after it may follow.
    mutating func value() throws(WebAuthnError) -> CBOR { try value(depth: 0) }

    private mutating func value(depth: Int) throws(WebAuthnError) -> CBOR {
        guard let first = try take(1).first else { throw .cborTruncated }
        let (kind, information) = (first >> 5, first & 31)
        switch kind {
        case 0: return .integer(try integer(information))
        // -1 - n (RFC 8949 3.1).
        case 1: return .integer(-1 - (try integer(information)))
        case 2: return .bytes(Array(try take(try integer(information))))
        case 3:
            let text = String(validating: try take(try integer(information)), as: UTF8.self)
            guard let text else { throw .cborText }
            return .text(text)
        case 4: return .array(try array(try integer(information), depth: depth + 1))
        case 5: return .map(try map(try integer(information), depth: depth + 1))
        case 6: throw .cborTag
        default: return try simple(information)
        }
    }

    private mutating func array(_ count: Int, depth: Int) throws(WebAuthnError) -> [CBOR] {
        guard depth <= Self.depth else { throw .cborTooDeep }
        // Without room for `count`: it may be anything, and each item takes a byte at least.
        var items: [CBOR] = []
        while items.count < count { items.append(try value(depth: depth)) }
        return items
    }

    private mutating func map(_ count: Int, depth: Int) throws(WebAuthnError) -> [CBOR.Key: CBOR] {
        guard depth <= Self.depth else { throw .cborTooDeep }
        var members: [CBOR.Key: CBOR] = [:]
        while members.count < count {
            let key: CBOR.Key
            switch try value(depth: depth) {
            case .integer(let number): key = .integer(number)
            case .text(let text): key = .text(text)
            default: throw .cborKey
            }
            guard members.updateValue(try value(depth: depth), forKey: key) == nil else { throw .cborDuplicateKey }
        }
        return members
    }

    private func simple(_ information: UInt8) throws(WebAuthnError) -> CBOR {
        switch information {
        case 20: return .bool(false)
        case 21: return .bool(true)
        case 22: return .null
        case 25...27: throw .cborFloat
        case 28...30: throw .cborReserved
        case 31: throw .cborIndefinite
        default: throw .cborSimple
        }
    }

    /// The number that stands in the first byte or after it: a value, or a length.
    private mutating func integer(_ information: UInt8) throws(WebAuthnError) -> Int {
        switch information {
        case 0..<24: return Int(information)
        case 28...30: throw .cborReserved
        case 31: throw .cborIndefinite
        default: break
        }
        let size = 1 << Int(information - 24)
        let number = try take(size).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        // What one, two or four bytes less would have held.
        let shorter: UInt64 = size == 1 ? 23 : (1 << UInt64(size * 4)) - 1
        guard number > shorter else { throw .cborNotShortest }
        guard let integer = Int(exactly: number) else { throw .cborInteger }
        return integer
    }

    private mutating func take(_ count: Int) throws(WebAuthnError) -> ArraySlice<UInt8> {
        guard count <= bytes.endIndex - next else { throw .cborTruncated }
        defer { next += count }
        return bytes[next..<next + count]
    }
}
