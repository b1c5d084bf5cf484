import ProbeKit
import Storage
import Testing

@testable import IdPSchema
@testable import IdPTestKit
@testable import TestKit

/// PostgreSQL may abort any transaction and ask for another run. Triggers of the test do so inside the server.
@Suite(
    "Serialisation failures and deadlocks", .program, .alsoOnPostgres,
    .enabled(if: DeploymentDatabases.areOnPostgres, "only PostgreSQL has them"))
struct SerialisationFailureTests {
    @Test(
        "at the first statement on each table, and at its commit: sign-in and verification answer as without them",
        arguments: ["40001", "40P01"], ["BEFORE INSERT OR UPDATE OR DELETE", "CONSTRAINT"])
    func injected(state: String, place: String) async throws {
        try await TestDeployment.open { deployment in
            try await deployment.database.write { connection in
                for table in IdPTable.all.map(\.name) {
                    for sql in Self.fault(state: state, place: place, table: table) { try connection.execute(sql) }
                }
            }
            let browser = deployment.browser()
            _ = try await browser.signIn(at: deployment.client, of: deployment, as: "ann@example.com")
            let token = try await browser.token(for: deployment.client, of: deployment)
            #expect(try await deployment.verify(token, as: deployment.client).status == 200)
            #expect(try await deployment.verify(token, as: deployment.client).status == 401)
            // It was a sign-in with faults: several tables have had one.
            let counts = try await deployment.database.read { connection in
                try IdPTable.all.map { table in
                    try connection.query("SELECT last_value AS n FROM \(table.name)_runs")[0].integer("n")
                }
            }
            #expect(counts.count { $0 > 1 } >= 4, "\(counts)")
            #expect(try await deployment.rows(of: "account") == 1)
            #expect(try await deployment.stored.challenges.used.count() == 1)
            #expect(deployment.mailbox.all(to: "ann@example.com").count == 1)
        }
    }

    /// The first change of a table fails, and no later one.
    private static func fault(state: String, place: String, table: String) -> [String] {
        let body = """
            BEGIN
                IF nextval('\(table)_runs') = 1 THEN RAISE EXCEPTION 'injected' USING ERRCODE = '\(state)'; END IF;
                RETURN COALESCE(NEW, OLD);
            END
            """
        let trigger =
            place == "CONSTRAINT"
            ? "CONSTRAINT TRIGGER fault AFTER INSERT OR UPDATE OR DELETE ON \(table) DEFERRABLE INITIALLY DEFERRED"
            : "TRIGGER fault \(place) ON \(table)"
        return [
            "CREATE SEQUENCE \(table)_runs",
            "CREATE FUNCTION \(table)_fault() RETURNS trigger LANGUAGE plpgsql AS $body$\(body)$body$",
            "CREATE \(trigger) FOR EACH ROW EXECUTE FUNCTION \(table)_fault()",
        ]
    }
}
