import Foundation
import SQLiteStorage
import Testing

@testable import IdPSchema
@testable import IdPServer
@testable import IdPTestKit
@testable import RelyingParty
@testable import TestKit
@testable import WebTestKit

/// The version before this one.
enum FormerVersion {
    /// The folder of its programs, as script/previous prints it.
    static let programs = ProcessInfo.processInfo.environment["SSO_TEST_PREVIOUS"].flatMap { $0.isEmpty ? nil : $0 }
}

extension Journeys.Operators {
    /// The ways of docs/upgrading.md, with the programs of two versions.
    @Suite(
        "An upgrade from the version before, and back", .journey,
        .enabled(
            if: FormerVersion.programs != nil,
            "there is no program of the version before: script/previous builds it, script/test nightly does so"))
    struct PackageUpgrade {
        @Test("users stay signed in over the upgrade, and the version before works again by the book")
        func thereAndBack() async throws {
            let pair = try ProcessDeployment()
            let (former, client) = (try Self.former(of: pair.idp, in: pair), pair.client)
            try await former.start()
            try await client.process.start()
            let (browser, other) = (Browser(), Browser())
            _ = try await browser.signIn(at: client, of: pair, as: "ann@example.com")
            let waiting = try await other.ask(for: "ben@example.com", on: other.beginSignIn(at: client))
            let code = try await pair.mailbox.code(to: "ben@example.com", count: 1)
            let token = try await browser.token(for: client, of: pair)

            // Before: what the upgrade will do, and the backup by the program that still runs.
            let steps = try await Self.steps(of: pair)
            let check = ProgramProcess("idp", ["check"], environment: pair.idp.settings, folder: pair.folder)
            #expect(try await check.run() == .code(0), "\(check.output)")
            for step in steps { #expect(check.output.contains(step), "\(step)") }
            let backup = pair.folder.path(of: "backup.sqlite")
            #expect(try await Self.former(of: pair.idp, in: pair, ["backup", backup]).run() == .code(0))
            try await former.terminate()

            // The session, the unused token and the sign-in in progress are those of the version before.
            try await pair.idp.start()
            #expect(try await Self.steps(of: pair).isEmpty)
            #expect(try await browser.isSignedIn(at: pair))
            #expect(try await pair.verify(token, as: client).status == 200)
            #expect(try await other.enter(code, on: waiting).callback().query("token") != nil)
            try await pair.idp.terminate()

            if steps.isEmpty {
                try await former.start()
                #expect(try await browser.isSignedIn(at: pair))
            } else {
                try await Self.goBack(to: former, with: backup, in: pair)
                // A restored database signs everyone out, because what was used after the backup is unused in it.
                #expect(try await !browser.isSignedIn(at: pair))
            }
            let again = Browser()
            _ = try await again.signIn(at: client, of: pair, as: "ann@example.com")
            #expect(try await again.isSignedIn(at: pair))
            try await former.terminate()
            try await client.process.terminate()
        }

        @Test(
            "a process of the version before serves beside a new one, and their users are signed in at both",
            arguments: ["SQLite", "PostgreSQL"])
        func besideEachOther(engine: String) async throws {
            let database = engine == "SQLite" ? [:] : ["IDP_DATABASE_URL": try await PostgresFixture.make().url]
            let pair = try ProcessDeployment(idps: 2, settings: database)
            let (former, client) = (try Self.former(of: pair.idps[0], in: pair), pair.client)
            try await former.start()
            try await client.process.start()
            let browser = Browser()
            _ = try await browser.signIn(at: client, of: pair, as: "ann@example.com")
            let token = try await browser.token(for: client, of: pair)

            try await pair.idps[1].start()
            #expect(try await HTTPProbe(port: former.port).get("/readyz").status == 200)
            #expect(try await browser.isSignedIn(at: pair))
            let there = browser.twin(routes: pair.routes(to: 1))
            #expect(try await there.isSignedIn(at: pair))
            #expect(try await pair.verify(token, as: client, at: pair.idps[1]).status == 200)
            #expect(try await pair.verify(token, as: client).status == 401, "the token is used at both")

            let second = Browser(routes: pair.routes(to: 1))
            _ = try await second.signIn(at: client, of: pair, as: "ben@example.com")
            let fresh = try await second.token(for: client, of: pair)
            #expect(try await second.twin(routes: [:]).isSignedIn(at: pair))
            #expect(try await pair.verify(fresh, as: client).status == 200)

            try await former.terminate()
            #expect(try await there.isSignedIn(at: pair))
            try await pair.idps[1].terminate()
            try await client.process.terminate()
        }

        @Test("users of a relying party stay signed in over its upgrade, and back where its schema has no new step")
        func relyingParty() async throws {
            let pair = try ProcessDeployment()
            let client = pair.client
            let former = ProgramProcess(
                "relying-party", environment: client.process.settings, host: client.process.host,
                port: client.process.port, folder: pair.folder,
                path: "\(try #require(FormerVersion.programs))/relying-party")
            try await pair.idp.start()
            try await former.start()
            let (browser, other) = (Browser(), Browser())
            _ = try await browser.follow(
                browser.get(browser.signIn(at: client, of: pair, as: "ann@example.com").callback().absolute))
            #expect(try await browser.isSignedIn(at: client))
            // On its way at the identity provider while the service is replaced.
            let waiting = try await other.ask(for: "ben@example.com", on: other.beginSignIn(at: client))
            let code = try await pair.mailbox.code(to: "ben@example.com", count: 1)
            let path = pair.folder.path(of: "\(client.id).sqlite")
            let steps = try await SQLiteDatabase.inspect(path: path, migrations: RelyingPartyMigrations.all)
            try await former.terminate()

            try await client.process.start()
            #expect(try await browser.isSignedIn(at: client))
            _ = try await other.follow(other.get(other.enter(code, on: waiting).callback().absolute))
            #expect(try await other.isSignedIn(at: client))
            try await client.process.terminate()

            if steps.isEmpty {
                try await former.start()
                #expect(try await browser.isSignedIn(at: client))
                try await former.terminate()
            } else {
                #expect(try await former.run() == .code(1))
                #expect(former.log.contains("it was written by a newer version"), "\(former.log)")
            }
            try await pair.idp.terminate()
        }
    }
}

extension Journeys.Operators.PackageUpgrade {
    /// The former `idp` with the address and the settings of a process of the deployment.
    private static func former(
        of process: ProgramProcess, in pair: ProcessDeployment, _ arguments: [String]? = nil
    ) throws -> ProgramProcess {
        ProgramProcess(
            "idp", arguments ?? ["serve"], environment: process.settings, port: arguments == nil ? process.port : 0,
            folder: pair.folder, path: "\(try #require(FormerVersion.programs))/idp")
    }

    /// The steps that a start of the present version would apply.
    private static func steps(of pair: ProcessDeployment) async throws -> [String] {
        try await SQLiteDatabase.inspect(path: pair.databasePath, migrations: IdPMigrations.all)
    }

    /// The former program refuses the newer database, and serves after the restore.
    private static func goBack(
        to former: ProgramProcess, with backup: String, in pair: ProcessDeployment
    ) async throws {
        let refused = try Self.former(of: pair.idp, in: pair, ["serve"])
        #expect(try await refused.run() == .code(1))
        #expect(refused.log.contains("it was written by a newer version"), "\(refused.log)")
        let restore = try Self.former(of: pair.idp, in: pair, ["restore", backup])
        #expect(try await restore.run() == .code(0), "\(restore.output)")
        try await former.start()
    }
}
