import CSQLite
import Dispatch
import Foundation
import Storage
import Synchronization

/// The connections that read beside the writer: some each with a thread of its own, and some for reads at once. They are
/// opened when they are first needed.
final class SQLiteReaders: Sendable {
    private let queue: CallQueue
    private let opening: SQLiteOpening
    /// Held so that it is closed after the readers: only a connection that may write can move the log into the file.
    private let writer: SQLiteHandle
    private let started = Mutex(0)
    private let atOnce = Mutex(AtOnce())
    private let running = DispatchGroup()

    init(capacity: Int, _ opening: SQLiteOpening, besides writer: SQLiteHandle) {
        (queue, self.opening, self.writer) = (CallQueue(capacity: capacity), opening, writer)
    }

    func add(_ call: PendingCall) throws(DatabaseError) {
        let isTaken = try queue.add(call)
        let isNeeded =
            !isTaken
            && started.withLock { count in
                guard count < SQLiteOpening.readers else { return false }
                count += 1
                return true
            }
        if isNeeded { start() }
    }

    /// Runs `body` on the calling thread; nil while no connection is free for that.
    func readAtOnce<T>(_ body: (any SQLConnection) throws -> T?) throws -> T? {
        // Looking at the file could wait for a disk. The next read or write with a thread of its own does it.
        guard opening.file.isChecked, let reader = takeFree() else { return nil }
        defer {
            giveBack(reader)
            running.leave()
        }
        let connection = SQLiteConnection(reader)
        do {
            return try transaction(connection, body)
        } catch  where connection.failureCode == SQLITE_BUSY {
            return nil
        } catch let error as SQLiteError {
            throw DatabaseError(error).asUnavailable
        }
    }

    /// Refuses further calls. Those that wait are served.
    func close() {
        let free = atOnce.withLock { state in
            defer { (state.free, state.isClosed) = ([], true) }
            return state.free
        }
        free.forEach { $0.close() }
        queue.close()
    }

    /// Refuses further calls, and returns when those that wait are served and all connections are closed.
    func stop() async {
        close()
        await withCheckedContinuation { caller in running.notify(queue: .global()) { caller.resume() } }
    }

    private func start() {
        running.enter()
        let thread = Thread { [self] in
            serve()
            running.leave()
        }
        thread.name = "database-reader"
        thread.start()
    }

    private func serve() {
        var reader: SQLiteHandle?
        while queue.waitForWork() {
            guard let call = queue.take(1).first else { continue }
            do {
                let open = try reader ?? opening.openReader()
                reader = open
                try serve(call, on: open)
            } catch {
                call.fail(DatabaseError(error).asUnavailable)
            }
        }
        reader?.close()
    }

    /// - Throws: what has prevented the call. It has no answer then.
    private func serve(_ call: PendingCall, on reader: SQLiteHandle) throws {
        try opening.file.checkUnchanged()
        try transaction(SQLiteConnection(reader)) { call.run($0).answer }(nil)
    }

    /// Runs the body in a transaction of the reader, so that all its statements see the same snapshot.
    ///
    /// - Throws: what has prevented that, or what the body throws.
    private func transaction<T>(_ connection: SQLiteConnection, _ body: (SQLiteConnection) throws -> T) throws -> T {
        // A transaction is still open only when its rollback failed.
        try connection.handle.rollBack()
        try connection.execute("BEGIN DEFERRED")
        // Nothing was changed. The reader must only not stay in its transaction.
        defer { _ = try? connection.execute("ROLLBACK") }
        return try body(connection)
    }
}

/// The connections of those who read at once. Opening one takes time, so a thread of the readers does it for the next who asks.
extension SQLiteReaders {
    private struct AtOnce {
        var free: [SQLiteHandle] = []
        var opened = 0
        var isClosed = false
    }

    private func takeFree() -> SQLiteHandle? {
        let (reader, isMissing) = atOnce.withLock { state in
            if let reader = state.free.popLast() {
                // The writer is closed after it.
                running.enter()
                return (SQLiteHandle?.some(reader), false)
            }
            guard !state.isClosed, state.opened < SQLiteOpening.readers else { return (nil, false) }
            state.opened += 1
            return (nil, true)
        }
        if isMissing { openAnother() }
        return reader
    }

    private func giveBack(_ reader: SQLiteHandle) {
        let isLate = atOnce.withLock { state in
            if !state.isClosed { state.free.append(reader) }
            return state.isClosed
        }
        if isLate { reader.close() }
    }

    private func openAnother() {
        let failed: @Sendable () -> Void = { [self] in atOnce.withLock { $0.opened -= 1 } }
        let call = PendingCall(
            run: { [self] _ in
                do {
                    let reader = try opening.openReader()
                    reader.stopWaiting()
                    giveBack(reader)
                } catch { failed() }
                return (true, { _ in })
            }, fail: { _ in failed() })
        do throws(DatabaseError) { try add(call) } catch { failed() }
    }
}
