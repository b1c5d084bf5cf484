import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

/// Runs a connection's task on the thread of its event loop.
///
/// Without it each request goes to a thread of the pool and its answer comes back: two more wake-ups of a thread, which cost
/// more than most requests. So nothing in a request may block its thread: what does has a thread of its own (the database,
/// mail, calls to others).
final class EventLoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: UnownedJob) {
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// HTTP/1.1 whose requests are answered on the connection's event loop.
struct EventLoopHTTP1Channel: ServerChildChannel {
    let base: HTTP1Channel

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        base.setup(channel: channel, logger: logger)
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await withTaskExecutorPreference(EventLoopExecutor(value.channel.eventLoop)) {
            await base.handle(value: value, logger: logger)
        }
    }
}
