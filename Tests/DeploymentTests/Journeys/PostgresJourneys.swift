import Glibc
import SSOShared
import SSOWeb
import Testing

@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

extension Journeys.Operators {
    /// Whole programs on PostgreSQL: several processes of the identity provider and a relying party.
    @Suite("Several nodes on PostgreSQL", .journey)
    struct PostgresNodes {
        private static func deployment(idps: Int) async throws -> (pair: ProcessDeployment, idp: PostgresFixture) {
            let (idp, client) = (try await PostgresFixture.make(), try await PostgresFixture.make())
            let pair = try ProcessDeployment(
                idps: idps, settings: ["IDP_DATABASE_URL": idp.url], clientSettings: ["RP_DATABASE_URL": client.url])
            return (pair, idp)
        }

        @Test(
            "of 100 verifications at once over three nodes one succeeds, also of a token that a killed node has issued")
        func oneWinner() async throws {
            let (pair, _) = try await Self.deployment(idps: 3)
            try await ProcessDeployment.running(pair) { pair in
                let browser = Browser()
                let complete = try await browser.signIn(at: pair.client, of: pair, as: "ann@example.com")
                #expect(try complete.token().hasPrefix("sst_"))
                for round in 1...3 {
                    let token = try await browser.token(for: pair.client, of: pair, state: "round-\(round)")
                    if round == 3 { try await pair.idps[0].kill() }
                    let idps = round == 3 ? Array(pair.idps.dropFirst()) : pair.idps
                    let replies = try await atOnce(100) { index in
                        try await pair.verify(token, as: pair.client, at: idps[index % idps.count])
                    }
                    #expect(replies.count { $0.status == 200 } == 1 && replies.count { $0.status == 401 } == 99)
                }
                try await pair.idps[0].start()
                #expect(try await browser.isSignedIn(at: pair))
            }
        }

        @Test(
            "a node with another key or address ends with 78, the status has all nodes, and after-restore may last without them"
        )
        func nodes() async throws {
            let (pair, fixture) = try await Self.deployment(idps: 2)
            try await ProcessDeployment.running(pair) { pair in
                for (setting, value) in [
                    ("IDP_SECRET_KEY", TestSecret.new()), ("IDP_PUBLIC_URL", "http://localhost:4999"),
                ] {
                    let other = ProgramProcess(
                        "idp",
                        environment: pair.idp.settings.merging([setting: value, "IDP_LISTEN": "127.0.0.1:0"]) { $1 },
                        folder: try TemporaryFolder())
                    #expect(try await other.run() == .code(78), "\(other.output)")
                    #expect(other.log.contains("\(setting): a node that is running"), "\(other.log)")
                }
                let database = ["IDP_DATABASE_URL": fixture.url]
                let status = try await pair.idp(["database", "status"], settings: database)
                #expect(status.printed.contains("timeline 1") && status.printed.contains("no standby (asynchronous)"))
                #expect(status.printed.split(separator: "\n").count { $0.hasPrefix("node_") } == 2)
                #expect(try await pair.idp(["user", "list"], settings: database).printed.contains("ADDRESS"))
                let backup = try await pair.idp(["backup", "x"], settings: database, endsWith: 1)
                #expect(backup.log.contains("pg_dump") && backup.log.contains("PITR"))
                let refused = try await pair.idp(["database", "after-restore"], settings: database, endsWith: 1)
                #expect(refused.log.contains("2 nodes use the database"))
            }
            // They have left. A statement on a large table lasts longer than any request may.
            try await fixture.run(
                """
                DO $all$ BEGIN
                    CREATE FUNCTION \(fixture.schema).wait() RETURNS trigger LANGUAGE plpgsql
                        AS $$ BEGIN PERFORM pg_sleep(4.5); RETURN NULL; END $$;
                    CREATE TRIGGER slow BEFORE DELETE ON \(fixture.schema).session
                        FOR EACH STATEMENT EXECUTE FUNCTION \(fixture.schema).wait();
                END $all$
                """)
            let browser = try await pair.idp(
                ["database", "after-restore"], settings: ["IDP_DATABASE_URL": fixture.url])
            #expect(browser.printed == "Everybody is signed out.\n")
        }

        @Test(
            "while the server is away requests are 503 with Retry-After, health and files serve, and then all goes on")
        func outage() async throws {
            try await PostgreSQLServer.open { server in
                let address = "host=\(server.socket) user=postgres dbname=postgres password=S3CRET"
                let pair = try ProcessDeployment(settings: ["IDP_DATABASE_URL": address])
                try await ProcessDeployment.running(pair) { pair in
                    let browser = Browser()
                    _ = try await browser.signIn(at: pair.client, of: pair, as: "ann@example.com")
                    let token = try await browser.token(for: pair.client, of: pair, state: "before")
                    try await server.kill(SIGQUIT)
                    let refused = try await pair.verify(token, as: pair.client, at: pair.idp)
                    #expect(refused.status == 503 && refused.header("retry-after") == "1")
                    let probe = HTTPProbe(host: pair.idp.host, port: pair.idp.port)
                    let ready = try await probe.get("/readyz")
                    #expect(ready.status == 503)
                    #expect(try JSONDecoding.value(ready.body)["reason"] == "database")
                    #expect(try await probe.get("/healthz").status == 200)
                    try await server.start()
                    try await eventually("the node is ready") { () -> Void? in
                        try await probe.get("/readyz").status == 200 ? () : nil
                    }
                    #expect(try await pair.verify(token, as: pair.client, at: pair.idp).status == 200)
                    #expect(try await pair.verify(token, as: pair.client, at: pair.idp).status == 401)
                    for event in ["database_connected", "database_unavailable"] {
                        try await pair.idp.logs(event)
                    }
                    #expect(!pair.idp.output.contains("S3CRET"))
                }
            }
        }

        @Test(
            "check connects only with --connect, and reports a server that is away; the start ends with 1",
            arguments: ["idp", "relying-party"])
        func check(name: String) async throws {
            let (prefix, base) = name == "idp" ? ("IDP", SettingsFixture.idp) : ("RP", SettingsFixture.client)
            func run(_ arguments: [String], _ url: String, endsWith code: Int32) async throws -> ProgramProcess {
                let folder = try TemporaryFolder()
                try folder.write("\(url)\n", to: "url")
                let program = ProgramProcess(
                    name, arguments,
                    environment: base.merging([
                        "\(prefix)_LISTEN": "127.0.0.1:0", "\(prefix)_DATABASE_URL_FILE": folder.path(of: "url"),
                        "IDP_MAIL_URL": "outbox:\(folder.path)", "RP_IDP_URL": "http://127.0.0.1:1",
                    ]) { $1 }, folder: folder)
                #expect(try await program.run() == .code(code), "\(program.output)")
                #expect(!program.output.contains("S3CRET"))
                return program
            }
            let away = "postgres://ann:S3CRET@127.0.0.1:1/\(name)"
            let plain = try await run(["check"], away, endsWith: 0)
            #expect(
                plain.printed.contains("\(prefix)_DATABASE_URL")
                    && plain.printed.contains("postgres://ann@127.0.0.1:1/"))
            #expect(!plain.log.contains("cannot use the database"), "\(plain.log)")
            let connecting = try await run(["check", "--connect"], away, endsWith: 1)
            #expect(connecting.log.contains("error: \(prefix)_DATABASE_URL: cannot use the database postgres://ann@"))
            let start = try await run(["serve"], away, endsWith: 1)
            #expect(start.log.contains("startup_failed") && start.log.contains("cannot use the database"))
            let wrong = try await run(["serve"], "postgres://ann:S3CRET@db.invalid/x?sslmode=require", endsWith: 78)
            #expect(wrong.log.contains("sslmode=require"), "\(wrong.log)")
            let file = try await run(["serve"], "\(away)?sslrootcert=/nowhere.pem", endsWith: 78)
            #expect(file.log.contains("sslrootcert= that cannot be read"), "\(file.log)")
        }
    }
}
