/// The mark of a database that was copied to another place, which is used instead of it.
///
/// A row of `schema_migration` after all steps: every version reads that table before anything else, and refuses a database with a
/// step that it does not know. So also a version that knows no mark does not work on it.
package enum MovedDatabase {
    /// After every step that there may be.
    private static let position: Int64 = 1_000_000
    private static let prefix = "moved to "

    /// Where it has moved to, by the name of a step; nil for a real step.
    package static func target(of step: String) -> String? {
        step.hasPrefix(prefix) ? String(step.dropFirst(prefix.count)) : nil
    }

    /// Marks a database, in the caller's transaction.
    ///
    /// - Parameter target: how the settings name the new place, without a password.
    package static func mark(_ target: String, _ connection: any SQLConnection) throws(DatabaseError) {
        try connection.execute(
            "INSERT INTO schema_migration (position, name, applied_at) VALUES (:position, :name, 0)",
            ["position": .integer(position), "name": .text(prefix + target)])
    }

    /// Takes the mark back, in the caller's transaction.
    ///
    /// - Returns: whether there was one.
    package static func unmark(_ connection: any SQLConnection) throws(DatabaseError) -> Bool {
        try connection.execute(
            "DELETE FROM schema_migration WHERE position = :position", ["position": .integer(position)]) > 0
    }
}
