import Dispatch
import Foundation
import Glibc
import SQLiteStorage
import Storage
import Synchronization
import Testing

@testable import TestKit
@testable import WebTestKit

@Suite("Storage errors while running", .rules)
struct SQLiteRuntimeErrorTests {
    private let fixture: StorageFixture

    init() throws { fixture = try StorageFixture() }

    @Test("the folder has mode 0700, file, log and index have 0600, also if they were wider")
    func modes() async throws {
        let path = fixture.folder.path(of: "var/idp.sqlite")
        await (try SQLiteDatabase(path: path, migrations: StorageFixture.migrations)).close()
        #expect(fixture.mode(fixture.folder.path(of: "var")) == 0o700)
        chmod(path, 0o644)
        let database = try await SQLiteDatabase(path: path, migrations: StorageFixture.migrations)
        try await database.insertToken(1)
        for name in [path, path + "-wal", path + "-shm"] { #expect(fixture.mode(name) == 0o600) }
    }

    @Test(
        "a deleted file fails every call, is not created again, and works after it is restored",
        arguments: ["", "-wal"])
    func vanished(suffix: String) async throws {
        let database = try await fixture.open()
        try await database.insertToken(1)
        let name = fixture.path + suffix
        try FileManager.default.moveItem(atPath: name, toPath: name + ".away")
        for _ in 1...2 {
            // Readiness is checked at every call, reads and writes at most once per second. After a failure all of
            // them check.
            await #expect(throws: DatabaseError.self) { try await database.checkReady() }
            await #expect(throws: DatabaseError.self) { try await database.insertToken(2) }
            await #expect(throws: DatabaseError.self) { try await database.count() }
        }
        #expect(fixture.size(name) == -1)
        try FileManager.default.moveItem(atPath: name + ".away", toPath: name)
        try await database.insertToken(3)
        try await database.checkReady()
        #expect(try await database.count() == 2)
    }

    @Test("writes to a deleted file fail within about a second, also when nothing asks for readiness")
    func deletedDuringWrites() async throws {
        let database = try await fixture.open()
        try await database.insertToken(1)
        try FileManager.default.removeItem(atPath: fixture.path)
        let id = Mutex<Int64>(1)
        let failure: String = try await eventually("a write fails") {
            let next = id.withLock { id in
                id += 1
                return id
            }
            do {
                try await database.insertToken(next)
                return nil
            } catch DatabaseError.unavailable(let reason) {
                return reason
            }
        }
        #expect(failure.contains("has vanished"))
    }

    @Test("another file in its place is not used")
    func replaced() async throws {
        let database = try await fixture.open()
        try await database.insertToken(1)
        let other = try StorageFixture()
        await (try other.open()).close()
        try FileManager.default.moveItem(atPath: fixture.path, toPath: fixture.path + ".old")
        try FileManager.default.copyItem(atPath: other.path, toPath: fixture.path)
        await #expect(throws: DatabaseError.self) { try await database.checkReady() }
        do {
            _ = try await database.count()
            Issue.record("it was read")
        } catch DatabaseError.unavailable(let reason) {
            #expect(reason.contains("replaced"))
        }
        await #expect(throws: DatabaseError.self) { try await database.insertToken(2) }
    }

    @Test(
        "a full disk fails the batch, keeps the earlier rows, and works again after space is freed",
        .enabled(if: SmallDisk.canMount, "mounting needs root"))
    func fullDisk() async throws {
        let disk = try SmallDisk(kilobytes: 2_048)
        let database = try await SQLiteDatabase(
            path: disk.path + "/test.sqlite", migrations: StorageFixture.migrations)
        for id in Int64(1)...5 { try await database.insertToken(id) }
        let ballast = try disk.fill()
        let failures = await withTaskGroup(of: Bool.self) { group in
            for id in Int64(10)...29 {
                group.addTask {
                    do {
                        try await database.write { connection in
                            try connection.execute(
                                "INSERT INTO token (id, owner) VALUES (:id, :id)", ["id": .integer(id)])
                            try connection.execute("INSERT INTO note (body) VALUES (randomblob(20000))")
                        }
                        return false
                    } catch {
                        guard case .unavailable = error as? DatabaseError else { return false }
                        return true
                    }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(failures == 20)
        // Not ready either, so that a proxy sends no requests.
        await #expect(throws: DatabaseError.self) { try await database.checkReady() }
        // Reads continue, and see exactly what was acknowledged.
        #expect(try await database.count() == 5)
        #expect(try await database.count("note") == 0)
        try FileManager.default.removeItem(atPath: ballast)
        try await database.checkReady()
        try await database.insertToken(100)
        #expect(try await database.count() == 6)
        await database.close()
        let again = try await SQLiteDatabase(path: disk.path + "/test.sqlite", migrations: StorageFixture.migrations)
        #expect(try await again.count() == 6)
    }

    @Test(
        "a write whose body ignores a full disk is not acknowledged",
        .enabled(if: SmallDisk.canMount, "mounting needs root"))
    func swallowed() async throws {
        let disk = try SmallDisk(kilobytes: 2_048)
        let database = try await SQLiteDatabase(
            path: disk.path + "/test.sqlite", migrations: StorageFixture.migrations)
        await #expect(throws: DatabaseError.self) {
            try await database.write { connection in
                try connection.execute("INSERT INTO token (id, owner) VALUES (1, 'x')")
                // More than the disk, and more than the page cache: the failure comes in the body, not at the commit.
                for _ in 1...40 { _ = try? connection.execute("INSERT INTO note (body) VALUES (randomblob(200000))") }
            }
        }
        #expect(try await database.count() == 0)
        try await database.insertToken(2)
        #expect(try await database.count() == 1)
    }

    @Test(
        "another process holds the lock: writes fail at their own deadline, reads continue, and writes work afterwards")
    func busy() async throws {
        let blocker = try await fixture.open()
        let database = try await fixture.open(patience: .milliseconds(300))
        let gate = DispatchSemaphore(value: 0)
        let holder = await blocker.hold(gate)
        try await withThrowingTaskGroup(of: Duration.self) { group in
            for delay in [0, 100, 200, 250] {
                group.addTask {
                    // The callers arrive one after the other: each has its own deadline.
                    try await Task.sleep(for: .milliseconds(delay))
                    let asked = ContinuousClock.now
                    await #expect(throws: DatabaseError.self) { try await database.insertToken(Int64(delay)) }
                    return asked.duration(to: .now)
                }
            }
            #expect(try await database.count() == 0)
            // At most two rounds of 300 ms each: one that had begun before the call, and one more. Without a deadline of its own
            // each would have the usual one, of five seconds.
            for try await waited in group { #expect(waited >= .milliseconds(290) && waited < .seconds(4)) }
        }
        gate.signal()
        try await holder.value
        try await database.insertToken(1)
    }

    @Test("a write gets the lock as soon as it is free, within its deadline")
    func lockFreed() async throws {
        let (blocker, database) = (try await fixture.open(), try await fixture.open())
        let gate = DispatchSemaphore(value: 0)
        let holder = await blocker.hold(gate)
        async let written: Void = database.insertToken(1)
        try await database.queued(1)
        gate.signal()
        try await holder.value
        try await written
        #expect(try await blocker.count() == 1)
    }

    @Test("synchronous is FULL and foreign keys are on")
    func pragmas() async throws {
        let database = try await fixture.open()
        let (synchronous, keys) = try await database.write { connection in
            (
                try connection.query("PRAGMA synchronous").first?.integer("synchronous"),
                try connection.query("PRAGMA foreign_keys").first?.integer("foreign_keys")
            )
        }
        #expect(synchronous == 2)
        #expect(keys == 1)
    }
}
