import NIOCore
import NIOHTTPTypes

/// Closes a connection whose request does not arrive whole in time, or whose answer is not taken in time.
///
/// A body that drips a byte now and then keeps every idle timer quiet and would hold its place for ever (slow body
/// attack); so would a client that asks and then does not read.
final class RequestDeadline: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let limits: ServerLimits
    private var arrival: Scheduled<Void>?
    private var departure: Scheduled<Void>?

    init(_ limits: ServerLimits) { self.limits = limits }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            arrival?.cancel()
            arrival = alarm(in: limits.request, context)
        case .body: break
        case .end:
            arrival?.cancel()
            arrival = nil
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .end = unwrapOutboundIn(data) else {
            if departure == nil { departure = alarm(in: limits.answer, context) }
            return context.write(data, promise: promise)
        }
        let taken = promise ?? context.eventLoop.makePromise()
        let alarm = departure
        departure = nil
        taken.futureResult.whenComplete { _ in alarm?.cancel() }
        context.write(data, promise: taken)
    }

    func channelInactive(context: ChannelHandlerContext) {
        arrival?.cancel()
        departure?.cancel()
        context.fireChannelInactive()
    }

    private func alarm(in limit: Duration, _ context: ChannelHandlerContext) -> Scheduled<Void> {
        let channel = context.channel
        return context.eventLoop.scheduleTask(in: TimeAmount(limit)) { channel.close(promise: nil) }
    }
}
