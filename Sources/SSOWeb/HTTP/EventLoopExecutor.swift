import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import Synchronization

/// Runs a connection's task on the thread of its event loop.
///
/// Without it each request goes to a thread of the pool and its answer comes back: two more wake-ups of a thread, which cost
/// more than most requests. So nothing in a request may block its thread: what does has a thread of its own (the database,
/// mail, calls to others).
final class EventLoopExecutor: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        /// Whether the loop is going to run them.
        var isDue = false
    }

    private let loop: any EventLoop
    private let state = Mutex(State())

    init(_ loop: any EventLoop) { self.loop = loop }

    /// The jobs that other threads add until the loop gets to them run in one go, such as the answers of one commit.
    func enqueue(_ job: UnownedJob) {
        let isFirst = state.withLock { state in
            state.jobs.append(job)
            defer { state.isDue = true }
            return !state.isDue
        }
        if isFirst { loop.execute { self.run() } }
    }

    private func run() {
        let jobs = state.withLock { state in
            defer { state = State() }
            return state.jobs
        }
        for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}

/// The executors of the event loops: one for each, so that all connections of a loop share its queue.
final class EventLoopExecutors: Sendable {
    static let shared = EventLoopExecutors()

    private let executors = Mutex<[ObjectIdentifier: EventLoopExecutor]>([:])

    func executor(of loop: any EventLoop) -> EventLoopExecutor {
        executors.withLock { executors in
            if let known = executors[ObjectIdentifier(loop)] { return known }
            let new = EventLoopExecutor(loop)
            executors[ObjectIdentifier(loop)] = new
            return new
        }
    }
}

/// HTTP/1.1 whose requests are answered on the connection's event loop.
struct EventLoopHTTP1Channel: ServerChildChannel {
    let base: HTTP1Channel

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        base.setup(channel: channel, logger: logger)
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await withTaskExecutorPreference(EventLoopExecutors.shared.executor(of: value.channel.eventLoop)) {
            await base.handle(value: value, logger: logger)
        }
    }
}
