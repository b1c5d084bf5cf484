/// Reads numbers and counted parts from bytes that may lie about their lengths. Every read is checked; none traps.
struct ByteCursor {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: some Collection<UInt8>) { rest = Array(bytes)[...] }

    private init(slice: ArraySlice<UInt8>) { rest = slice }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ count: Int) throws(CertificateFault) -> ArraySlice<UInt8> {
        guard count >= 0, count <= rest.count else { throw .malformed("it ends in the middle of a value") }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// The next bytes as one number, most significant first.
    mutating func bigEndian(_ count: Int) throws(CertificateFault) -> UInt64 {
        try take(count).reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func littleEndian(_ count: Int) throws(CertificateFault) -> UInt64 {
        try take(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// A part with its length in 4 bytes before it, as the APK signature schemes write everything.
    mutating func counted() throws(CertificateFault) -> ByteCursor {
        let count = try littleEndian(4)
        guard count <= UInt64(rest.count) else { throw .malformed("a part is longer than what holds it") }
        return ByteCursor(slice: try take(Int(count)))
    }

    /// All the parts that are left, at most `limit` of them.
    mutating func parts(atMost limit: Int) throws(CertificateFault) -> [ByteCursor] {
        var parts: [ByteCursor] = []
        while !isAtEnd {
            guard parts.count < limit else { throw .malformed("it has more than \(limit) parts in one list") }
            parts.append(try counted())
        }
        return parts
    }
}

extension Sequence<UInt8> {
    /// The first four bytes as a little-endian number of a zip archive; 0 when there are fewer.
    func littleEndianWord() -> UInt32 {
        var word: UInt32 = 0
        var shift: UInt32 = 0
        for byte in self.prefix(4) {
            word |= UInt32(byte) << shift
            shift += 8
        }
        return word
    }
}
