import Glibc

/// The prepared statements of one connection by their text.
///
/// A text is found by its length and some of its words, and then compared. A constant text lies at one address, so that comparing it
/// costs nothing; hashing its hundreds of bytes would cost more than the rest of a small statement.
package struct StatementCache<Statement: AnyObject> {
    private final class Entry {
        let sql: String
        let statement: Statement
        var lastUse: Int
        let next: Entry?

        init(_ sql: String, _ statement: Statement, lastUse: Int, next: Entry?) {
            (self.sql, self.statement, self.lastUse, self.next) = (sql, statement, lastUse, next)
        }
    }

    private let limit: Int
    private var buckets: [Entry?]
    private var uses = 0
    package private(set) var count = 0

    /// - Parameter limit: how many statements are kept. One more removes the one that was not used for longest.
    package init(limit: Int) {
        self.limit = limit
        buckets = Array(repeating: nil, count: 512)
    }

    /// The statement with this text.
    package mutating func find(_ sql: String) -> Statement? {
        uses += 1
        var entry = buckets[bucket(of: sql)]
        while let found = entry {
            if Self.isSame(found.sql, sql) {
                found.lastUse = uses
                return found.statement
            }
            entry = found.next
        }
        return nil
    }

    /// Adds a statement whose text is not there yet.
    package mutating func add(_ sql: String, _ statement: Statement) {
        if count >= limit { removeOldest() }
        let bucket = bucket(of: sql)
        buckets[bucket] = Entry(sql, statement, lastUse: uses, next: buckets[bucket])
        count += 1
    }

    package mutating func removeAll() {
        buckets = Array(repeating: nil, count: buckets.count)
        count = 0
    }

    private mutating func removeOldest() {
        let oldest = entries.min { $0.lastUse < $1.lastUse }
        let kept = entries.filter { $0 !== oldest }
        removeAll()
        for entry in kept {
            let bucket = bucket(of: entry.sql)
            buckets[bucket] = Entry(entry.sql, entry.statement, lastUse: entry.lastUse, next: buckets[bucket])
        }
        count = kept.count
    }

    private var entries: [Entry] {
        buckets.flatMap { first in
            Array(
                sequence(state: first) { entry in
                    defer { entry = entry?.next }
                    return entry
                })
        }
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
