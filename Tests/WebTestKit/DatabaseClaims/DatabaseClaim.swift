import Storage
import Testing

/// One claim about a ``Database``. The stores rely on all of them, so each engine is held to all of them.
struct DatabaseClaim: Sendable, CustomTestStringConvertible {
    /// Opens one and the same database with these steps. It has no tables at first. Also called several times at once.
    typealias Open = @Sendable (_ steps: [Migration]) async throws -> any Database

    static let all = values + cursors + statements + writes + reads + openings

    let testDescription: String
    /// Asserts the claim on a database of its own.
    let check: @Sendable (@escaping Open) async throws -> Void

    /// A claim about a database with the tables of ``steps``.
    init(_ words: String, _ check: @escaping @Sendable (any Database) async throws -> Void) {
        self.init(words) { open in
            let database = try await open(Self.steps)
            try await check(database)
            await database.close()
        }
    }

    /// A claim about how a database is opened, or about several connections to it.
    init(_ words: String, opening check: @escaping @Sendable (@escaping Open) async throws -> Void) {
        testDescription = words
        self.check = check
    }

    static let steps = [
        Migration(
            name: "v001-claims",
            sql: [
                "CREATE TABLE sample (id BIGINT NOT NULL PRIMARY KEY, words TEXT, bytes BLOB, number BIGINT)",
                "CREATE TABLE item (id BIGINT NOT NULL PRIMARY KEY, owner TEXT NOT NULL UNIQUE, used_by BIGINT)",
                """
                CREATE TABLE part (
                    id BIGINT NOT NULL PRIMARY KEY, item_id BIGINT NOT NULL REFERENCES item (id), digest BLOB UNIQUE,
                    amount BIGINT NOT NULL CHECK (amount > 0), ended_at BIGINT
                )
                """,
                "CREATE UNIQUE INDEX part_open ON part (item_id) WHERE ended_at IS NULL",
            ])
    ]
}

extension Database {
    /// The number `n` that a query returns.
    func number(_ sql: String, _ values: SQLArguments = [:]) async throws -> Int64 {
        try await read { try $0.query(sql, values).first?.integer("n") ?? -1 }
    }

    /// How many rows of `item` there are.
    func items() async throws -> Int64 { try await number("SELECT COUNT(*) AS n FROM item") }

    /// Stores items with these ids in one transaction.
    func add(items ids: [Int64]) async throws {
        try await write { connection in for id in ids { try connection.add(item: id) } }
    }
}

extension SQLConnection {
    func add(item id: Int64) throws {
        try execute(
            "INSERT INTO item (id, owner) VALUES (:id, :owner)", ["id": .integer(id), "owner": .text("owner-\(id)")])
    }
}

extension DatabaseError {
    /// The case without its words.
    enum Kind { case unavailable, conflict, misuse, schema, refused }

    var kind: Kind {
        switch self {
        case .unavailable, .uncertain: .unavailable
        case .conflict: .conflict
        case .misuse: .misuse
        case .schema: .schema
        case .refused, .outOfUse: .refused
        }
    }

    /// What kind of error `work` ends with; nil when it succeeds.
    ///
    /// - Throws: any other error of `work`.
    static func kind(of work: () async throws -> Void) async throws -> Kind? {
        do {
            try await work()
            return nil
        } catch let error as DatabaseError {
            return error.kind
        }
    }
}
