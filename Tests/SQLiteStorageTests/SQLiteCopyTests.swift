import Storage
import Testing

@testable import SQLiteStorage
@testable import TestKit
@testable import WebTestKit

@Suite("A file that is copied", .rules)
struct SQLiteCopyTests {
    @Test("a source whose COMMIT fails has no mark, and the copy is complete")
    func commit() async throws {
        let fixture = try StorageFixture()
        await (try fixture.open()).close()
        // Without a log, a writer waits for those who read.
        let handle = try SQLiteHandle(path: fixture.path, .readWrite)
        try handle.prepare("PRAGMA journal_mode = DELETE")
        handle.close()
        let reader = try SQLiteHandle(path: fixture.path, .readOnly)
        defer { reader.close() }
        let (tables, source) = try SQLiteDatabase.copySource(
            path: fixture.path, migrations: StorageFixture.migrations, movingTo: "elsewhere"
        ) { _ throws(DatabaseError) in
            do { try reader.prepare("BEGIN; SELECT COUNT(*) FROM token") } catch { throw DatabaseError(error) }
            let content = CopiedTable.Content(rows: 0, hash: "")
            return [CopiedTable(name: "token", source: content, target: content)]
        }
        #expect(tables.map(\.name) == ["token"])
        guard case .unmarked(let reason) = source else {
            Issue.record("\(source)")
            return
        }
        #expect(!reason.isEmpty)
    }
}
