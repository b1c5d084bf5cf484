import NIOCore
import NIOHTTPTypes

/// Closes a connection whose request does not arrive completely in time, or whose response is not taken in time.
///
/// A body that arrives byte by byte keeps every idle timer quiet and would hold its connection for ever (slow body attack).
/// So would a client that sends a request and does not read.
///
/// A connection has at most one timer. A request that ends in time leaves it alone: when it fires, it is set again for the next
/// deadline, or not at all. Setting and cancelling a timer per request and response costs several per cent of a login.
///
/// An event loop that was busy runs its timers before it reads. So a deadline that has passed gets one more look at the socket:
/// bytes that have waited there are no client's fault.
final class RequestDeadline: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let limits: ServerLimits
    /// When the request that arrives must be complete.
    private var arrival: NIODeadline?
    /// When the responses that were begun must be taken, oldest first.
    private var departures: [NIODeadline] = []
    private var isResponding = false
    private var timer: (due: NIODeadline, task: Scheduled<Void>)?

    init(_ limits: ServerLimits) { self.limits = limits }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            let due = context.eventLoop.now + TimeAmount(limits.request)
            arrival = due
            watch(due, context)
        case .body: break
        case .end: arrival = nil
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if !isResponding {
            let due = context.eventLoop.now + TimeAmount(limits.answer)
            departures.append(due)
            watch(due, context)
            isResponding = true
        }
        guard case .end = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        isResponding = false
        let taken = promise ?? context.eventLoop.makePromise()
        // Responses are taken in the order in which they were written.
        taken.futureResult.assumeIsolated().whenComplete { _ in
            if !self.departures.isEmpty { self.departures.removeFirst() }
        }
        context.write(data, promise: taken)
    }

    func channelInactive(context: ChannelHandlerContext) {
        stop()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { stop() }

    private func stop() {
        timer?.task.cancel()
        (timer, arrival, departures) = (nil, nil, [])
    }

    /// Makes sure that the timer fires at `due` at the latest.
    private func watch(_ due: NIODeadline, _ context: ChannelHandlerContext) {
        if let timer {
            guard due < timer.due else { return }
            timer.task.cancel()
        }
        schedule(due, context) { self.fire(context, hasRead: false) }
    }

    private func schedule(_ due: NIODeadline, _ context: ChannelHandlerContext, _ fire: @escaping () -> Void) {
        timer = (due, context.eventLoop.assumeIsolated().scheduleTask(deadline: due, fire))
    }

    private func fire(_ context: ChannelHandlerContext, hasRead: Bool) {
        timer = nil
        guard let due = [arrival, departures.first].compactMap({ $0 }).min() else { return }
        guard due <= context.eventLoop.now else { return watch(due, context) }
        guard hasRead else {
            return schedule(context.eventLoop.now + .milliseconds(1), context) { self.fire(context, hasRead: true) }
        }
        context.close(promise: nil)
    }
}
