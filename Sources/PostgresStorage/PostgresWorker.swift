import Dispatch
import Foundation
import Storage
import Synchronization

/// A thread with one connection: takes calls out of a queue and serves them. Opens the connection again after it was lost.
///
/// While there is none, calls wait up to the patience and then fail, so that nobody waits for a database that is away.
final class PostgresWorker: Sendable {
    private let queue: CallQueue
    private let connector: PostgresConnector
    private let patience: Duration
    /// Takes calls and serves them. They are answered, or back in the queue, when it returns.
    private let serve: @Sendable (PostgresConnection) -> Void

    init(
        _ queue: CallQueue, _ connector: PostgresConnector, patience: Duration,
        serve: @escaping @Sendable (PostgresConnection) -> Void
    ) {
        (self.queue, self.connector, self.patience, self.serve) = (queue, connector, patience, serve)
    }

    /// Starts the thread. It ends when the queue is closed and empty.
    ///
    /// - Parameter running: is left at the end.
    func start(_ name: String, in running: DispatchGroup) {
        running.enter()
        let thread = Thread { [self] in
            work()
            running.leave()
        }
        thread.name = name
        thread.start()
    }

    private func work() {
        var connection: PostgresConnection?
        var opening: PostgresConnector.Opening?
        while queue.waitForWork() {
            if let open = connection {
                // An old primary that is cut off from the new one may still answer.
                if connector.timeline.admits(open.session.timeline) { serve(open) } else { open.session.close() }
                if !open.session.isOpen {
                    connector.noteEnd(isServerBusy: open.session.leftServerBusy)
                    connection = nil
                }
            } else if let attempt = opening ?? connector.open() {
                opening = attempt
                switch attempt.wait(atMost: .milliseconds(20)) {
                case .success(let session)?: (connection, opening) = (PostgresConnection(session), nil)
                case .failure?: opening = nil
                case nil: break
                }
            } else {
                Thread.sleep(forTimeInterval: 0.02)
            }
            guard connection == nil else { continue }
            let overdue = queue.take(arrivedBefore: .now - patience)
            overdue.forEach { $0.fail(connector.noConnection) }
            // A call wakes one thread, and another one may have a connection.
            queue.passOn()
        }
        connection?.session.close()
    }
}
