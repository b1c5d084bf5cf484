import Storage
import Synchronization
import Testing

@testable import PostgresStorage
@testable import TestKit
@testable import WebTestKit

/// A trigger of the test fails a transaction inside the server: at a statement, or while it commits.
@Suite("Outcomes of a transaction on PostgreSQL", .deployment)
struct PostgresOutcomeTests {
    /// When the trigger fires.
    enum Place: String, CaseIterable, Sendable {
        case statement = "CREATE TRIGGER fault BEFORE INSERT ON item FOR EACH ROW EXECUTE FUNCTION fault()"
        case commit = """
            CREATE CONSTRAINT TRIGGER fault AFTER INSERT ON item DEFERRABLE INITIALLY DEFERRED \
            FOR EACH ROW EXECUTE FUNCTION fault()
            """
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let name: String
        let place: Place
        /// What happens at the first times.
        let sql: String
        var times = 1
        /// How the write ends; nil: it succeeds.
        let end: DatabaseError.Kind?
        /// How often the body ran.
        let runs: Int64
        /// How many rows are there afterwards.
        let rows: Int64
        var testDescription: String { "\(name) at the \(place)" }
    }

    private static let terminate = "PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(1)"
    private static let serialisation = "RAISE EXCEPTION 'injected' USING ERRCODE = '40001'"

    static let faults = [
        Fault(
            name: "a serialisation failure", place: .statement, sql: serialisation, times: 3, end: nil, runs: 4, rows: 1
        ),
        Fault(
            name: "a serialisation failure", place: .commit, sql: serialisation, times: 3, end: nil, runs: 4, rows: 1),
        Fault(
            name: "a deadlock", place: .statement, sql: "RAISE EXCEPTION 'injected' USING ERRCODE = '40P01'", end: nil,
            runs: 2, rows: 1),
        Fault(
            name: "failures without end", place: .statement, sql: serialisation, times: 1000, end: .unavailable,
            runs: 5,
            rows: 0),
        Fault(name: "the end of the connection", place: .statement, sql: terminate, end: nil, runs: 2, rows: 1),
        // From here on the program cannot know whether anything was committed.
        Fault(name: "the end of the connection", place: .commit, sql: terminate, end: .unavailable, runs: 1, rows: 0),
        Fault(name: "a warning", place: .commit, sql: "RAISE WARNING 'injected'", end: .unavailable, runs: 1, rows: 1),
        // A warning of a statement says nothing about the commit.
        Fault(name: "a warning", place: .statement, sql: "RAISE WARNING 'injected'", end: nil, runs: 1, rows: 1),
        Fault(
            name: "a full disk", place: .commit, sql: "RAISE EXCEPTION 'injected' USING ERRCODE = '53100'",
            end: .unavailable, runs: 1, rows: 0),
        Fault(
            name: "a full disk", place: .statement, sql: "RAISE EXCEPTION 'injected' USING ERRCODE = '53100'",
            end: .unavailable, runs: 1, rows: 0),
        Fault(
            name: "a server that takes no writes", place: .statement,
            sql: "RAISE EXCEPTION 'injected' USING ERRCODE = '25006'", end: .unavailable, runs: 1, rows: 0),
        Fault(
            name: "a violated constraint", place: .commit, sql: "RAISE EXCEPTION 'injected' USING ERRCODE = '23505'",
            end: .unavailable, runs: 1, rows: 0),
    ]

    @Test("what failed before the commit runs again, and what has an unknown outcome never does", arguments: faults)
    func outcome(fault: Fault) async throws {
        let fixture = try await PostgresFixture.make()
        var timing = PostgresTiming.patient
        timing.runs = PostgresTiming().runs
        let log = CapturedLog()
        let database = try await fixture.open(DatabaseClaim.steps, timing: timing, logger: log.logger("test"))
        try await fixture.inject(fault.sql, times: fault.times, fault.place)
        let outcomes = Mutex<[CommitOutcome]>([])
        var isOutcomeKnown = true
        let end = try await DatabaseError.kind {
            do {
                try await database.write { connection in
                    connection.afterCommit { outcome in outcomes.withLock { $0.append(outcome) } }
                    try connection.add(item: 1)
                }
            } catch let error as DatabaseError {
                isOutcomeKnown = error.isOutcomeKnown
                throw error
            }
        }
        #expect(end == fault.end)
        #expect(try await fixture.run("SELECT last_value FROM \(fixture.schema).runs") == ["\(fault.runs)"])
        #expect(try await database.items() == fault.rows)
        let isUnknown = fault.place == .commit && (fault.sql == Self.terminate || fault.sql.contains("WARNING"))
        #expect(log.text.contains("database_commit_unknown") == isUnknown && isOutcomeKnown == !isUnknown)
        #expect(outcomes.withLock { $0 } == (isUnknown ? [.unknown] : end == nil ? [.kept] : []))
        // The next write works without a restart.
        try await fixture.run("ALTER TABLE \(fixture.schema).item DISABLE TRIGGER fault")
        try await database.add(items: [2])
        #expect(try await database.items() == fault.rows + 1)
        await database.close()
    }

    @Test(
        "a warning at the commit of a new connection's first transaction, which may void grants, is a failure: it is given up, and the writes wait for the next one"
    )
    func settling() async throws {
        let fixture = try await PostgresFixture.make()
        await (try await fixture.open(DatabaseClaim.steps)).close()
        try await fixture.run("DELETE FROM \(fixture.schema).database_timeline")
        try await fixture.inject("RAISE WARNING 'injected'", times: 1, .commit, on: "database_timeline")
        let log = CapturedLog()
        let database = try await fixture.open(DatabaseClaim.steps, logger: log.logger("test"))
        try await database.add(items: [1])
        #expect(try await database.items() == 1)
        #expect(log.text.contains("PostgreSQL has warned at the commit"), "\(log.text)")
        #expect(try await fixture.run("SELECT last_value FROM \(fixture.schema).runs") == ["1"])
        await database.close()
    }

    @Test("a commit without an answer in time is unknown, and the connection is given up")
    func commitWithoutAnswer() async throws {
        let fixture = try await PostgresFixture.make()
        var timing = PostgresTiming.patient
        timing.limit = .milliseconds(1500)
        let log = CapturedLog()
        let database = try await fixture.open(DatabaseClaim.steps, timing: timing, logger: log.logger("test"))
        try await fixture.inject("PERFORM pg_sleep(4)", times: 1, .commit)
        #expect(try await DatabaseError.kind { try await database.add(items: [1]) } == .unavailable)
        #expect(log.text.contains("database_commit_unknown"))
        #expect(try await fixture.run("SELECT last_value FROM \(fixture.schema).runs") == ["1"])
        await database.close()
    }

    @Test("when every body of a transaction fails, the connection stays in use")
    func allFail() async throws {
        let fixture = try await PostgresFixture.make()
        let log = CapturedLog()
        let database = try await fixture.open(DatabaseClaim.steps, logger: log.logger("test"))
        try await database.add(items: [1])
        @Sendable func backend() async throws -> Int64? {
            try await database.write { try $0.query("SELECT pg_backend_pid()::bigint AS n").first?.integer("n") }
        }
        let before = try await backend()
        for _ in 1...5 {
            let kinds = try await atOnce(40) { _ in
                try await DatabaseError.kind { try await database.add(items: [1]) }
            }
            #expect(kinds.allSatisfy { $0 == .conflict })
        }
        #expect(try await backend() == before)
        #expect(!log.text.contains("database_unavailable"), "\(log.text)")
        await database.close()
    }

    @Test("one body of many fails alone, also after it went on")
    func oneOfMany() async throws {
        let fixture = try await PostgresFixture.make()
        let database = try await fixture.open(DatabaseClaim.steps)
        try await database.add(items: [1000])
        let kept = try await atOnce(60) { number in
            try await database.write { connection in
                let id = Int64(number) + 1
                try connection.add(item: id)
                guard number.isMultiple(of: 3) else { return true }
                do throws(DatabaseError) {
                    try connection.execute("INSERT INTO item (id, owner) VALUES (1000, 'again')")
                } catch {
                    // Goes on: the row of this body stays.
                    try connection.execute("UPDATE item SET used_by = 7 WHERE id = :id", ["id": .integer(id)])
                }
                return false
            }
        }
        #expect(kept.count { $0 } == 40)
        #expect(try await database.items() == 61)
        #expect(try await database.number("SELECT COUNT(*) AS n FROM item WHERE used_by = 7") == 20)
        await database.close()
    }
}

extension PostgresFixture {
    /// Lets the insertion of an item fail so many times. The sequence `runs` counts them.
    func inject(
        _ sql: String, times: Int, _ place: PostgresOutcomeTests.Place, on table: String = "item"
    ) async throws {
        for statement in [
            "CREATE SEQUENCE \(schema).runs",
            """
            CREATE FUNCTION \(schema).fault() RETURNS trigger LANGUAGE plpgsql AS $fault$
            BEGIN
                IF nextval('\(schema).runs') <= \(times) THEN \(sql); END IF;
                RETURN NEW;
            END $fault$
            """,
            place.rawValue.replacing("ON item", with: "ON \(schema).\(table)")
                .replacing("fault()", with: "\(schema).fault()"),
        ] {
            try await run(statement)
        }
    }
}
