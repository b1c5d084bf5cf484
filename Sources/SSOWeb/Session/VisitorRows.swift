import Storage
import Synchronization

/// Bounds the rows of visitors who have submitted nothing: the oldest go as fast as new ones come, so that no purge has
/// to keep up with a flood.
final class VisitorRows: Sendable {
    /// Rows are counted once in so many new ones: to count is a walk over the index.
    static let interval = 256
    private let maximum: Int
    private let begun = Atomic(0)

    init(maximum: Int) { self.maximum = maximum }

    /// Itself when the rows are to be counted with the row that begins now, nil otherwise. By the first of a process.
    func next() -> VisitorRows? {
        begun.add(1, ordering: .relaxed).oldValue.isMultiple(of: Self.interval) ? self : nil
    }

    /// Deletes the oldest beyond the maximum, a bounded number: four times what came since the last count, so that
    /// a table that is too large shrinks and no sign-in waits long for it.
    func evict(_ connection: any SQLConnection) throws {
        let count = try connection.query("SELECT COUNT(*) AS n FROM session WHERE submitted = 0")
        guard let rows = try count.first?.integer("n"), rows > Int64(maximum) else { return }
        try connection.execute(
            """
            DELETE FROM session WHERE id_digest IN
                (SELECT id_digest FROM session WHERE submitted = 0 ORDER BY created_at LIMIT :excess)
            """, ["excess": .integer(min(rows - Int64(maximum), Int64(Self.interval * 4)))])
    }
}
