import Dispatch
import Glibc
import SQLiteStorage
import Testing

@testable import IdPSchema
@testable import IdPTestKit
@testable import RelyingParty
@testable import TestKit
@testable import WebTestKit

/// A start can wait for a database that another process holds.
@Suite("Signals before a program serves", .deployment)
struct EarlySignalTests {
    @Test(
        "SIGTERM and SIGINT end a start with 0, and SIGHUP does not end it", arguments: ["idp", "relying-party"])
    func waiting(name: String) async throws {
        let pair = try ProcessDeployment()
        let process = name == "idp" ? pair.idp : pair.client.process
        let setting = name == "idp" ? "IDP_DATABASE_URL" : "RP_DATABASE_URL"
        let path = String(try #require(process.settings[setting]).dropFirst("sqlite:".count))
        // A database that lacks a step: the start must write.
        let steps = name == "idp" ? IdPMigrations.all : RelyingPartyMigrations.all
        let database = try await SQLiteDatabase(path: path, migrations: steps.dropLast())
        for signal in [SIGTERM, SIGINT, SIGHUP] {
            let gate = DispatchSemaphore(value: 0)
            let holder = await database.hold(gate)
            let before = process.log.count
            try process.launch()
            try await eventually("it has read its settings") { () -> Void? in
                process.log.dropFirst(before).contains(" setting ") ? () : nil
            }
            process.send(signal)
            if signal == SIGHUP {
                gate.signal()
                try await holder.value
                try await process.logs(" listening ")
                #expect(try await process.terminate() == .code(0))
            } else {
                #expect(try await process.waitForExit() == .code(0))
                #expect(!process.log.contains(" listening "), "\(process.log)")
                gate.signal()
                try await holder.value
            }
        }
        await database.close()
    }
}
