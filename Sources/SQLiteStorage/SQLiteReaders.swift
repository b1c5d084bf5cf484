import Dispatch
import Foundation
import Storage
import Synchronization

/// The connections that read beside the writer, each with a thread of its own. They are opened when they are first needed.
final class SQLiteReaders: Sendable {
    private let queue: CallQueue
    private let opening: SQLiteOpening
    /// Held so that it is closed after the readers: only a connection that may write can move the log into the file.
    private let writer: SQLiteHandle
    private let started = Mutex(0)
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

    /// Refuses further calls. Those that wait are served.
    func close() { queue.close() }

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

    /// Runs the body in a transaction of the reader, so that all its statements see the same snapshot.
    ///
    /// - Throws: what has prevented that. The call has no answer then.
    private func serve(_ call: PendingCall, on reader: SQLiteHandle) throws {
        let connection = SQLiteConnection(reader)
        try opening.file.checkUnchanged()
        // A transaction is still open only when its rollback failed.
        try reader.rollBack()
        try connection.execute("BEGIN DEFERRED")
        let (_, answer) = call.run(connection)
        // Nothing was changed. The reader must only not stay in its transaction.
        _ = try? connection.execute("ROLLBACK")
        answer(nil)
    }
}
