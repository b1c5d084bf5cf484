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
/// An event loop that was busy runs its timers before it reads. So a timer that fires late closes nothing yet: bytes that wait in
/// the socket are not the client's fault.
final class RequestDeadline: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// A timer that fires later than this tells of a busy event loop.
    private static let lateness = TimeAmount.milliseconds(20)
    /// Until the next look after a late timer, and how many there are: an event loop that is always busy still closes connections.
    private static let (pause, looks) = (TimeAmount.milliseconds(50), 3)

    private let limits: ServerLimits
    private let now: (any EventLoop) -> NIODeadline
    /// When the request that arrives must be complete.
    private var arrival: NIODeadline?
    /// When the responses that were begun must be taken, oldest first.
    private var departures: [NIODeadline] = []
    private var isResponding = false
    private var timer: (due: NIODeadline, task: Scheduled<Void>)?

    /// - Parameter now: the time of an event loop, for tests.
    init(_ limits: ServerLimits, now: @escaping (any EventLoop) -> NIODeadline = { $0.now }) {
        (self.limits, self.now) = (limits, now)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            let due = now(context.eventLoop) + TimeAmount(limits.request)
            arrival = due
            watch(due, context)
        case .body: break
        case .end: arrival = nil
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if !isResponding {
            let due = now(context.eventLoop) + TimeAmount(limits.answer)
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
        schedule(due, context, looks: Self.looks)
    }

    private func schedule(_ due: NIODeadline, _ context: ChannelHandlerContext, looks: Int) {
        let task = context.eventLoop.assumeIsolated().scheduleTask(deadline: due) {
            self.fire(context, isLate: self.now(context.eventLoop) > due + Self.lateness, looks: looks)
        }
        timer = (due, task)
    }

    private func fire(_ context: ChannelHandlerContext, isLate: Bool, looks: Int) {
        timer = nil
        guard let due = [arrival, departures.first].compactMap({ $0 }).min() else { return }
        let now = now(context.eventLoop)
        guard due <= now else { return watch(due, context) }
        if isLate, looks > 0 { return schedule(now + Self.pause, context, looks: looks - 1) }
        context.close(promise: nil)
    }
}
