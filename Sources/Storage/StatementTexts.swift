import Glibc

/// Numbers the texts of the statements that a connection keeps prepared. The connection has a statement for each number.
///
/// A text is found by its length and some of its words, and then compared. A constant text lies at one address, so that comparing it
/// costs nothing; hashing its hundreds of bytes would cost more than the rest of a small statement.
package struct StatementTexts {
    private struct Entry {
        let sql: String
        var lastUse: Int
        /// The next entry with the same words.
        var next: Int?
    }

    private let limit: Int
    private var entries: [Entry] = []
    private var buckets: [Int?]
    private var uses = 0

    /// - Parameter limit: how many texts have a number.
    package init(limit: Int) {
        self.limit = limit
        buckets = Array(repeating: nil, count: 512)
    }

    package var count: Int { entries.count }

    /// The number of a text.
    package mutating func find(_ sql: String) -> Int? {
        uses += 1
        var place = buckets[bucket(of: sql)]
        while let number = place {
            if Self.isSame(entries[number].sql, sql) {
                entries[number].lastUse = uses
                return number
            }
            place = entries[number].next
        }
        return nil
    }

    /// Gives a number to a text that has none: the next one, and at the limit that of the text that was not used for longest.
    package mutating func add(_ sql: String) -> Int {
        let number = entries.count < limit ? entries.count : removeOldest()
        let bucket = bucket(of: sql)
        let entry = Entry(sql: sql, lastUse: uses, next: buckets[bucket])
        if number == entries.count { entries.append(entry) } else { entries[number] = entry }
        buckets[bucket] = number
        return number
    }

    package mutating func removeAll() { self = StatementTexts(limit: limit) }

    /// Takes a text out of its bucket, and returns its number.
    private mutating func removeOldest() -> Int {
        let oldest = entries.indices.min { entries[$0].lastUse < entries[$1].lastUse } ?? 0
        let bucket = bucket(of: entries[oldest].sql)
        guard buckets[bucket] != oldest else {
            buckets[bucket] = entries[oldest].next
            return oldest
        }
        var place = buckets[bucket]
        while let number = place, entries[number].next != oldest { place = entries[number].next }
        if let place { entries[place].next = entries[oldest].next }
        return oldest
    }

    private func bucket(of sql: String) -> Int { Self.hash(sql) & (buckets.count - 1) }

    /// A number of the text's length, and of eight of its words.
    private static func hash(_ sql: String) -> Int {
        let hash: UInt64? = sql.utf8.withContiguousStorageIfAvailable { text in
            var hash = UInt64(text.count)
            guard text.count >= 8 else { return text.reduce(hash) { ($0 &* 31) &+ UInt64($1) } }
            let bytes = UnsafeRawBufferPointer(text)
            for part in 0..<8 {
                let word = bytes.loadUnaligned(fromByteOffset: (text.count - 8) * part / 7, as: UInt64.self)
                hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
                hash ^= hash >> 32
            }
            return hash
        }
        return Int(truncatingIfNeeded: hash ?? 0)
    }

    /// Byte by byte: texts that look the same are equal in Swift, also with other bytes.
    private static func isSame(_ one: String, _ other: String) -> Bool {
        let isSame = one.utf8.withContiguousStorageIfAvailable { one in
            other.utf8.withContiguousStorageIfAvailable { other in
                guard one.count == other.count else { return false }
                guard let start = one.baseAddress, let otherStart = other.baseAddress else { return true }
                return start == otherStart || memcmp(start, otherStart, one.count) == 0
            }
        }
        return isSame.flatMap { $0 } ?? one.utf8.elementsEqual(other.utf8)
    }
}
