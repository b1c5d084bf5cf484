import Foundation
import SQLiteStorage
import SSOShared
import SSOWeb
import Storage

@testable import IdPClients
@testable import IdPFlow
@testable import IdPSchema
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// What happens to the program as a whole.
extension World {
    private var path: String { folder.path(of: "idp.sqlite") }
    private var backup: String { folder.path(of: "backup.sqlite") }

    /// All processes end and begin again, with nothing of what they had in memory.
    func restart() async throws {
        for index in nodes.indices where nodes[index] != nil || index == current {
            nodes[index] = try startNode()
            await nodes[index]?.features.atStart()
        }
    }

    func kill(_ operation: Operation, after steps: Int) async throws -> String {
        breaking.begin(after: steps)
        let answer: String
        do { answer = try await self.answer(operation) } catch is DatabaseError { answer = "503" }
        breaking.begin(after: nil)
        try await restart()
        return answer.hasPrefix("503") ? "dies" : "lives: \(answer)"
    }

    /// Of a file. PostgreSQL has backups of its own.
    func backUp() async throws {
        guard !DeploymentDatabases.areOnPostgres else { return }
        try? FileManager.default.removeItem(atPath: backup)
        _ = try await SQLiteDatabase.backup(
            path: path, migrations: IdPMigrations.all, keys: node.values[FlowSettings.secretKey], to: backup)
    }

    /// As `idp restore` does it, on a stopped program.
    func restore() async throws -> String {
        guard FileManager.default.fileExists(atPath: backup) else { return "nothing" }
        let (protocols, keys) = (
            try node.features.parts.clients.registry.protocols, try node.values[FlowSettings.secretKey]
        )
        let clock = clock.clock
        await database.close()
        restores += 1
        _ = try await SQLiteDatabase.restore(
            path: path, migrations: IdPMigrations.all, from: backup, keys: keys, acceptsUnverified: false,
            keepingOldAs: "before-\(restores)"
        ) { database, replaced in
            let restored = RestoredDatabase(database: database, of: protocols, clock: clock)
            guard case .readable(let old) = replaced else { throw ProbeFailure("the old database cannot be read") }
            try await restored.endSignIns(
                now: clock.now(), telling: RestoredDatabase.clientSignIns(of: old), comparing: old)
            try await restored.end(restored.ended(in: old))
        }
        database = breaking.wrapping(try await SQLiteDatabase(path: path, migrations: IdPMigrations.all))
        try await restart()
        return "done"
    }
}
