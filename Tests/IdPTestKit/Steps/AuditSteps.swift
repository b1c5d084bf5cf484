import SSOShared
import SSOWeb
import Storage
import Testing

@testable import IdPClients
@testable import IdPSchema
@testable import SQLiteStorage
@testable import TestKit
@testable import WebTestKit

extension TestDeployment {
    var audit: AuditStore {
        AuditStore(database: database, clock: clock.clock, randomness: SystemRandomness())
    }

    /// All rows, the oldest first.
    func auditRows(_ events: EventKind...) async throws -> [AuditEntry] {
        try await audit.page(AuditSearch()).filter { row in
            events.isEmpty || events.contains { $0.id == row.event }
        }
    }

    /// The rows of an event once there are so many. Rows of refusals are written after the answer.
    func auditRows(_ event: EventKind, untilThereAre count: Int) async throws -> [AuditEntry] {
        try await eventually("\(count) rows of \(event.id)") {
            let rows = try await auditRows(event)
            return rows.count >= count ? rows : nil
        }
    }
}

/// A store on a database of its own.
struct AuditScene: Sendable {
    let store: AuditStore
    let database: RecordingDatabase
    let clock = TestClock()

    static func open(_ body: (AuditScene) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        let real = try await SQLiteDatabase(path: folder.path(of: "idp.sqlite"), migrations: IdPMigrations.all)
        try await body(AuditScene(RecordingDatabase(real)))
        await real.close()
    }

    private init(_ database: RecordingDatabase) {
        self.database = database
        store = AuditStore(database: database, clock: clock.clock, randomness: SystemRandomness())
    }

    func write(_ row: Event, times: Int = 1) async throws {
        try await database.write { [store] connection in
            for _ in 0..<times { try store.write(row, connection) }
        }
    }

    func page(_ change: (inout AuditSearch) -> Void = { _ in }, limit: Int = 5000) async throws -> [AuditEntry] {
        var search = AuditSearch()
        change(&search)
        return try await store.page(search, limit: limit)
    }
}
