import ProbeKit
import SSOShared
import Storage
import StorageEngines
import Testing

@testable import IdPOperations
@testable import IdPSchema
@testable import IdPServer
@testable import IdPTestKit
@testable import PostgresStorage
@testable import RelyingParty
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

@Suite("Nodes on one PostgreSQL", .program, .alsoOnPostgres)
struct ProgramNodeTests {
    /// The two programs that may have several nodes.
    enum NodeProgram: CaseIterable, Sendable {
        case idp, relyingParty

        var prefix: String { self == .idp ? "IDP" : "RP" }
        var migrations: [Migration] { self == .idp ? IdPMigrations.all : RelyingPartyMigrations.all }

        /// A node of these settings.
        func node(
            _ fixture: PostgresFixture, key: String, url: String, _ further: [String: String] = [:]
        ) throws -> NodeDescription {
            try settings(fixture, key: key, url: url, further).node
        }

        /// What `check --connect` finds with these settings.
        func problems(_ fixture: PostgresFixture, key: String, url: String) async throws -> [String] {
            let (node, location) = try settings(fixture, key: key, url: url)
            let reader = SettingsReader(SettingsSource([:]))
            let logger = CapturedLog().logger("check")
            switch self {
            case .idp:
                await reader.checkConnection(
                    to: location, "IDP_DATABASE_URL", as: node, inspecting: ProgramDatabase.idp.inspect
                ) { location throws(DatabaseError) in try await ProgramDatabase.idp.open(location, logger) }
            case .relyingParty:
                await reader.checkConnection(
                    to: location, "RP_DATABASE_URL", as: node, inspecting: ProgramDatabase.relyingParty.inspect
                ) { location throws(DatabaseError) in try await ProgramDatabase.relyingParty.open(location, logger) }
            }
            return reader.problems
        }

        private func settings(
            _ fixture: PostgresFixture, key: String, url: String, _ further: [String: String] = [:]
        ) throws -> (node: NodeDescription, database: DatabaseLocation) {
            let changed = [
                "\(prefix)_DATABASE_URL": fixture.url, "\(prefix)_SECRET_KEY": key, "\(prefix)_PUBLIC_URL": url,
                "\(prefix)_LISTEN": "127.0.0.1:0",
            ].merging(further) { $1 }
            let found: (NodeDescription, DatabaseLocation)?
            let reader: SettingsReader
            switch self {
            case .idp:
                reader = SettingsReader(
                    SettingsSource(
                        SettingsFixture.idp.merging(["IDP_MAIL_URL": "smtps://mail.example.com"]) { $1 }
                            .merging(changed) { $1 }))
                found = try IdPSettings.read(reader).map {
                    (try NodeDescription(idp: $0), try $0[IdPSettings.database])
                }
            case .relyingParty:
                reader = SettingsReader(SettingsSource(SettingsFixture.client.merging(changed) { $1 }))
                found = try RelyingPartySettings.read(reader).map {
                    (try NodeDescription(relyingParty: $0), try $0[RelyingPartySettings.database])
                }
            }
            return try #require(found, "\(reader.problems)")
        }
    }

    @Test(
        "one with another public address or without a common key is refused, by the setting; others join",
        arguments: NodeProgram.allCases)
    func conflicts(_ program: NodeProgram) async throws {
        let (fixture, log) = (try await PostgresFixture.make(), CapturedLog())
        let database = try await fixture.open(program.migrations)
        let (old, new) = (TestSecret.new(), TestSecret.new())
        func join(_ key: String, url: String = "https://here.example.com") async throws -> String {
            let own = try await fixture.open(program.migrations)
            do {
                let node = try await ProgramNode.join(
                    own, as: try program.node(fixture, key: key, url: url), log.logger("node"))
                await own.close()
                return node == nil ? "alone" : "joined"
            } catch let error as SettingError {
                #expect(!error.description.contains(old) && !error.description.contains(new))
                await #expect(throws: DatabaseError.self, "it is closed") { try await own.checkReady() }
                return String(error.description.prefix { $0 != ":" })
            }
        }
        #expect(try await join(old) == "joined")
        #expect(try await join(new) == "\(program.prefix)_SECRET_KEY")
        #expect(try await join(old, url: "https://other.example.com") == "\(program.prefix)_PUBLIC_URL")
        // While keys are rotated.
        #expect(try await join("\(new),\(old)") == "joined")
        #expect(try await database.status().nodes.count == 2)
        // Nodes without a heartbeat for ten seconds no longer count.
        try await database.stored.nodes.age(by: .seconds(11))
        #expect(try await join(TestSecret.new(), url: "https://other.example.com") == "joined")
        #expect(try await database.status().nodes.count { $0.isAlive } == 1)
        await database.close()
    }

    @Test(
        "check --connect names the setting that a start beside a running node is refused for, and adds no node",
        arguments: NodeProgram.allCases)
    func checked(_ program: NodeProgram) async throws {
        let fixture = try await PostgresFixture.make()
        let database = try await fixture.open(program.migrations)
        let (key, url) = (TestSecret.new(), "https://here.example.com")
        _ = try await ProgramNode.join(
            database, as: try program.node(fixture, key: key, url: url), CapturedLog().logger("node"))
        #expect(try await program.problems(fixture, key: key, url: url) == [])
        let other = try await program.problems(fixture, key: TestSecret.new(), url: url)
        #expect(other.count == 1 && other[0].hasPrefix("\(program.prefix)_SECRET_KEY: a node that is running"))
        let elsewhere = try await program.problems(fixture, key: key, url: "https://other.example.com")
        #expect(elsewhere.count == 1 && elsewhere[0].hasPrefix("\(program.prefix)_PUBLIC_URL: a node that is running"))
        #expect(try await database.status().nodes.count == 1)
        await database.close()
    }

    @Test("check --connect warns of nodes whose lists of keys differ, with the two rounds of a rotation")
    func rotation() async throws {
        let fixture = try await PostgresFixture.make()
        let database = try await fixture.open(IdPMigrations.all)
        let (old, new, url) = (TestSecret.new(), TestSecret.new(), "https://here.example.com")
        let description = try NodeProgram.idp.node(fixture, key: old, url: url)
        _ = try await ProgramNode.join(database, as: description, CapturedLog().logger("node"))
        #expect(try await description.warnings(at: database) == [])
        let next = try NodeProgram.idp.node(fixture, key: "\(new),\(old)", url: url)
        let warnings = try await next.warnings(at: database)
        #expect(warnings.count == 1 && warnings[0].contains("OLD,NEW on every node, and then NEW,OLD"))
        #expect(next.differences(next.node("a"), from: description.node("b")) == ["IDP_SECRET_KEY"])
        await database.close()
    }

    @Test("check --connect names each setting and file in which a live node differs, and no secret is in what it shows")
    func differences() async throws {
        let (fixture, folder) = (try await PostgresFixture.make(), try TemporaryFolder())
        let database = try await fixture.open(IdPMigrations.all)
        let (key, url, secret) = (TestSecret.new(), "https://here.example.com", TestSecret.new())
        let own = [
            "SSO_CLIENT_ID": "one", "SSO_REDIRECT_URIS": "https://one.example.com/cb", "SSO_SHARED_SECRET": secret,
            "IDP_ALLOWED_EMAILS": "*@example.com, ann@example.org", "IDP_ADMINS": "ann@example.com",
            "IDP_CLIENTS_FILE": try folder.write("clients: []\n", to: "one.yaml"),
        ]
        func node(_ changed: [String: String] = [:]) throws -> NodeDescription {
            try NodeProgram.idp.node(fixture, key: key, url: url, own.merging(changed) { $1 })
        }
        let first = try node()
        _ = try await ProgramNode.join(database, as: first, CapturedLog().logger("node"))
        // The order of a list, and the name of a file, do not matter.
        let same = try node([
            "IDP_ALLOWED_EMAILS": "ann@example.org,*@example.com",
            "IDP_CLIENTS_FILE": try folder.write("clients: []\n", to: "same.yaml"),
        ])
        #expect(try await same.warnings(at: database) == [])
        for (name, value) in [
            ("SSO_CLIENT_ID", "two"), ("SSO_REDIRECT_URIS", "https://two.example.com/cb"),
            ("SSO_SHARED_SECRET", TestSecret.new()), ("IDP_ALLOWED_EMAILS", "*@example.com"), ("IDP_ADMINS", ""),
            ("IDP_CLIENTS_FILE", try folder.write("clients: [ ]\n", to: "other.yaml")),
        ] {
            let other = try node([name: value])
            let warnings = try await other.warnings(at: database)
            #expect(warnings.count == 1 && warnings[0].hasPrefix("\(name): the node node_"), "\(warnings)")
            #expect(other.differences(other.node("a"), from: first.node("b")) == [name])
            #expect(!"\(other.node("a"))".contains(value) || value.isEmpty)
        }
        // A node of a version that did not show its settings.
        var former = first.node("c")
        former = DatabaseNode(
            id: former.id, version: former.version, publicURL: former.publicURL, keys: former.keys,
            files: former.files.filter { $0.key.hasSuffix("_FILE") })
        #expect(first.differences(first.node("a"), from: former) == [])
        await database.close()
    }

    @Test("a command seals with a first key that every node has, and with no other")
    func sealing() async throws {
        let fixture = try await PostgresFixture.make()
        let database = try await fixture.open(IdPMigrations.all)
        let (old, new, url) = (TestSecret.new(), TestSecret.new(), "https://here.example.com")
        func check(_ text: String) throws -> KeyCheck {
            let keys = try DerivedKeys.parse(text, setting: "IDP_SECRET_KEY")
            return KeyCheck(database, keys, SealedValueStore(database: database, keys))
        }
        for keys in [old, "\(old),\(new)"] {
            _ = try await ProgramNode.join(
                database, as: try NodeProgram.idp.node(fixture, key: keys, url: url), CapturedLog().logger("node"))
            try await check(keys).start()
        }
        // One of the two nodes cannot open it yet.
        let error = await #expect(throws: SettingError.self) { try await check("\(new),\(old)").seal() }
        #expect(error?.description.contains("the node ") == true)
        try await check("\(old),\(new)").seal()
        await database.close()
    }

    @Test("a heartbeat tells the others of it, and the end of a node is seen at once")
    func heartbeat() async throws {
        let fixture = try await PostgresFixture.make()
        let database = try await fixture.open(IdPMigrations.all)
        func node(_ id: String, _ clients: String) -> DatabaseNode {
            DatabaseNode(
                id: id, version: "1", publicURL: "a", keys: ["k"], files: ["IDP_CLIENTS_FILE": clients])
        }
        let (first, second) = (node("node_1", "x"), node("node_2", "y"))
        #expect(try await database.join(first).get().others.isEmpty)
        #expect(try await database.join(second).get().others == [first])
        let report = try await database.beat(first)
        #expect(report.others == [second] && first.differences(from: second) == ["IDP_CLIENTS_FILE"])
        // The file was read again.
        #expect(try await database.beat(node("node_2", "x")).others == [first])
        #expect(try await database.beat(first).others.flatMap { first.differences(from: $0) }.isEmpty)
        try await database.leave(second)
        #expect(try await database.beat(first).others.isEmpty)
        // A node whose row is gone, as after a point-in-time recovery, joins again.
        try await database.leave(first)
        _ = try await database.beat(first)
        #expect(try await database.beat(second).others == [first])
        await database.close()
    }

    @Test("every table has an ending for a database that has gone back")
    func tables() async throws {
        let fixture = try await PostgresFixture.make()
        let database = try await fixture.open(IdPMigrations.all)
        let names = try await database.stored.tables(onPostgres: true)
        #expect(Set(names) == Set(IdPTable.all.map(\.name)).union(["schema_migration", "database_timeline", "node"]))
        let now = Timestamp(milliseconds: 1_000_000)
        for cause in [IdPTable.Cause.lostCommits, .restore] {
            try await database.write { try IdPTable.end(cause, at: now, $0) }
        }
        await database.close()
    }

    @Test("every table of a relying party is in the list that a copy takes")
    func tablesOfRelyingParty() async throws {
        let fixture = try await PostgresFixture.make()
        let database = try await fixture.open(RelyingPartyMigrations.all)
        let names = try await database.stored.tables(onPostgres: true)
        #expect(
            Set(names) == Set(RelyingPartyMigrations.tables).union(["schema_migration", "database_timeline", "node"]))
        await database.close()
    }
}
