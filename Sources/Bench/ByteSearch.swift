/// Looking for ASCII in bytes without making Strings of them. Letters in the needle match either case.
enum ByteSearch {
    static func find(_ needle: StaticString, in bytes: UnsafeRawBufferPointer, from start: Int = 0) -> Int? {
        let (length, text) = (needle.utf8CodeUnitCount, needle.utf8Start)
        guard bytes.count >= length, start <= bytes.count - length else { return nil }
        let first = text[0]
        var index = start
        let last = bytes.count - length
        search: while index <= last {
            if lower(bytes[index]) != first {
                index += 1
                continue
            }
            var offset = 1
            while offset < length {
                if lower(bytes[index + offset]) != text[offset] {
                    index += 1
                    continue search
                }
                offset += 1
            }
            return index
        }
        return nil
    }

    /// The decimal number that follows a needle.
    static func number(after needle: StaticString, in bytes: UnsafeRawBufferPointer) -> Int? {
        guard let found = find(needle, in: bytes) else { return nil }
        var (index, value) = (found + needle.utf8CodeUnitCount, 0)
        while index < bytes.count, (48...57).contains(bytes[index]), value < 1 << 40 {
            value = value * 10 + Int(bytes[index] - 48)
            index += 1
        }
        return value
    }

    /// What stands between a needle and the next of the given bytes.
    static func text(
        after needle: StaticString, until ends: StaticString, in bytes: UnsafeRawBufferPointer, from start: Int = 0
    )
        -> String?
    {
        guard let found = find(needle, in: bytes, from: start) else { return nil }
        let begin = found + needle.utf8CodeUnitCount
        let stops = UnsafeBufferPointer(start: ends.utf8Start, count: ends.utf8CodeUnitCount)
        guard let end = bytes[begin...].firstIndex(where: { stops.contains($0) }) else { return nil }
        return String(decoding: bytes[begin..<end], as: UTF8.self)
    }

    @inline(__always)
    private static func lower(_ byte: UInt8) -> UInt8 {
        byte &- 65 < 26 ? byte | 32 : byte
    }
}
