import CPostgres
import Storage

/// A statement of the stores on one connection.
final class PreparedStatement {
    let name: String
    let text: String
    let types: [Oid]
    /// Whether PostgreSQL knows it by its name.
    var isPrepared = false
    /// The names of its columns, known after its first run.
    var columns: [String]?

    init(name: String, text: String, types: [Oid]) { (self.name, self.text, self.types) = (name, text, types) }
}

/// The statements of one connection. The stores have a fixed number of them.
struct PreparedStatements {
    private final class Entry {
        let statement: PostgresStatement
        /// Where the values of the last run stood among its arguments.
        var places: [Int]
        var variants: [PreparedStatement] = []

        init(_ statement: PostgresStatement) {
            (self.statement, places) = (statement, Array(statement.names.indices))
        }
    }

    // The server keeps each statement as long as the connection, so forgetting one here would save nothing.
    private var texts = StatementTexts(limit: .max)
    /// By the numbers of their texts.
    private var entries: [Entry] = []
    private var count = 0

    /// How a statement runs with these values.
    mutating func find(
        _ sql: String, _ values: SQLArguments
    ) throws(DatabaseError) -> (PreparedStatement, PostgresParameters) {
        let entry = entry(of: sql)
        let parameters = try PostgresParameters(entry.statement.names, &entry.places, values)
        if let known = entry.variants.first(where: { $0.types == parameters.types }) { return (known, parameters) }
        count += 1
        let new = PreparedStatement(name: "s\(count)", text: entry.statement.text, types: parameters.types)
        entry.variants.append(new)
        return (new, parameters)
    }

    private mutating func entry(of sql: String) -> Entry {
        if let number = texts.find(sql) { return entries[number] }
        let new = Entry(PostgresStatement(sql))
        entries.insert(new, at: texts.add(sql))
        return new
    }

    /// Forgets how statements were prepared: a step of the schema has changed the columns of one.
    mutating func forgetAll() {
        texts.removeAll()
        entries = []
    }
}

/// The statements that begin and end transactions. Prepared when a connection is opened.
enum PostgresControl: String, CaseIterable {
    /// Each statement of a write sees what was committed before it, and only the owner of ``lock`` writes.
    case beginWrite = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
    /// All statements of a read see one snapshot.
    case beginRead = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
    /// Writers of all processes take turns on one schema. The first half of the key is "SSO".
    case lock =
        """
        SELECT pg_advisory_xact_lock((5460815::bigint << 32) | current_schema()::text::regnamespace::oid::bigint), \
        current_setting('synchronous_standby_names')
        """
    case commit = "COMMIT"
    case rollback = "ROLLBACK"
    case beginBody = "SAVEPOINT body"
    case undoBody = "ROLLBACK TO body"
    case endBody = "RELEASE body"
    case beginStatement = "SAVEPOINT statement"
    case undoStatement = "ROLLBACK TO statement"
    case endStatement = "RELEASE statement"

    /// The name that it is prepared with.
    var name: String {
        switch self {
        case .beginWrite: "begin_write"
        case .beginRead: "begin_read"
        case .lock: "lock"
        case .commit: "commit"
        case .rollback: "rollback"
        case .beginBody: "begin_body"
        case .undoBody: "undo_body"
        case .endBody: "end_body"
        case .beginStatement: "begin_statement"
        case .undoStatement: "undo_statement"
        case .endStatement: "end_statement"
        }
    }
}
