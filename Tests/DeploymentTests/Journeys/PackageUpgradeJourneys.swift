import Foundation
import SQLiteStorage
import Testing

@testable import IdP
@testable import IdPTestKit
@testable import TestKit

/// The last package.
enum LastPackage {
    /// The folder of its `idp`, unpacked.
    static let programs = ProcessInfo.processInfo.environment["SSO_TEST_PREVIOUS"]
}

extension Journeys.Operators {
    /// The way of docs/operations.md, "Upgrading", with the programs of two packages.
    @Suite("An upgrade from the last package, and back")
    struct PackageUpgrade {
        @Test(
            "users stay signed in over the upgrade, and with the backup from before it the last version works again",
            .enabled(
                if: LastPackage.programs != nil,
                "SSO_TEST_PREVIOUS names no folder with the programs of the last package"))
        func thereAndBack() async throws {
            let pair = try ProcessDeployment()
            let last = try Self.last(of: pair)
            let backup = pair.folder.path(of: "backup.sqlite")
            try await last.start()
            try await pair.client.process.start()
            let browser = Browser()
            _ = try await browser.signIn(at: pair.client, of: pair, as: "ann@example.com")
            #expect(try await Self.last(of: pair, ["backup", backup]).run() == .code(0))
            try await last.terminate()

            let steps = try await SQLiteDatabase.inspect(path: pair.databasePath, migrations: IdPMigrations.all)
            try await pair.idp.start()
            #expect(try await browser.isSignedIn(at: pair))
            _ = try await browser.token(for: pair.client, of: pair)
            try await pair.idp.terminate()

            if !steps.isEmpty {
                let refused = try Self.last(of: pair, ["serve"])
                #expect(try await refused.run() == .code(1))
                #expect(refused.log.contains("it was written by a newer version"), "\(refused.log)")
            }
            #expect(try await Self.last(of: pair, ["restore", backup]).run() == .code(0))
            try await last.start()
            // A restored database signs everyone out, because what was used after the backup is unused in it.
            #expect(try await !browser.isSignedIn(at: pair))
            let again = Browser()
            _ = try await again.signIn(at: pair.client, of: pair, as: "ann@example.com")
            #expect(try await again.isSignedIn(at: pair))
            try await last.terminate()
            try await pair.client.process.terminate()
        }

        /// The last package's `idp` at the address, on the database and with the settings of a deployment.
        private static func last(of pair: ProcessDeployment, _ arguments: [String]? = nil) throws -> ProgramProcess {
            let path = "\(try #require(LastPackage.programs))/idp"
            return ProgramProcess(
                "idp", arguments ?? ["serve"], environment: pair.idp.settings,
                port: arguments == nil ? pair.idp.port : 0, folder: pair.folder, path: path)
        }
    }
}
