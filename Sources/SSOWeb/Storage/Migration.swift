/// One step of the schema. Strings alone, so that a later refactoring cannot change what an old step does.
///
/// The list is append-only: a step that has shipped never changes, moves or goes. All pending steps run in one transaction.
public struct Migration: Sendable {
    /// Unique and ordered by eye: `v001-sessions`.
    public let name: String
    /// One statement each, run in order.
    public let sql: [String]

    public init(name: String, sql: [String]) {
        self.name = name
        self.sql = sql
    }
}
