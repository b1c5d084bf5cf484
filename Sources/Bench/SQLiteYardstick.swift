/// The two durable statements of a login straight on SQLite: the same table, the same indexes, the same statements, one
/// thread and no network. What the IdP does between them is what it is measured for.
struct SQLiteYardstick {
    private let file: SQLiteFile
    private let issue: SQLiteStatement
    private let consume: SQLiteStatement
    private let begin: SQLiteStatement
    private let commit: SQLiteStatement
    private var random = SystemRandomNumberGenerator()

    /// - Parameter schema: the `CREATE` statements of the IdP's own database.
    init(path: String, schema: [String]) throws {
        file = try SQLiteFile(path)
        for statement in schema { try file.run(statement) }
        try file.run(TokenRows.person)
        issue = try file.prepare(TokenRows.issue)
        consume = try file.prepare(TokenRows.consume)
        begin = try file.prepare("BEGIN IMMEDIATE")
        commit = try file.prepare("COMMIT")
    }

    /// Logins a second with so many of them in one transaction.
    mutating func perSecond(inOneTransaction count: Int, for seconds: Double) throws -> Double {
        try timed(seconds) { yardstick in
            try yardstick.begin.run()
            for _ in 0..<count { try yardstick.login() }
            try yardstick.commit.run()
            return count
        }
    }

    /// Logins a second with each statement its own commit, as the wire between the two demands of a lonely login.
    mutating func perSecondWithTwoCommits(for seconds: Double) throws -> Double {
        try timed(seconds) { yardstick in
            try yardstick.login()
            return 1
        }
    }

    private mutating func login() throws {
        let digest = (0..<4).flatMap { _ in withUnsafeBytes(of: random.next() as UInt64) { Array($0) } }
        try issue.run(digest)
        guard try consume.run(digest) == 1 else { throw BenchFault("the yardstick's own token was refused") }
    }

    private mutating func timed(_ seconds: Double, _ work: (inout Self) throws -> Int) throws -> Double {
        let start = LoadLoop.now()
        var (count, now) = (0, start)
        while now - start < UInt64(seconds * 1e9) {
            count += try work(&self)
            now = LoadLoop.now()
        }
        return Double(count) / (Double(now - start) / 1e9)
    }
}
