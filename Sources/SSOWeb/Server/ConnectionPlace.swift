import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Tells ``ConnectionPlaces`` whether its connection waits for its client or is being answered.
final class ConnectionPlace: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let places: ConnectionPlaces
    private var number: Int?
    /// Requests that arrived whole, and answers that the system has taken whole. An answer may come before its request
    /// is whole, so neither alone says how many wait.
    private var (arrived, answered) = (0, 0)
    private var isAnswering = false
    private var isBusy = false
    /// Whether the place was given to another connection; this one is closing.
    private var isLost = false

    init(_ places: ConnectionPlaces) { self.places = places }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { enter(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        enter(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { leave() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .end = unwrapInboundIn(data) {
            arrived += 1
            update()
        }
        // A request that nobody would see answered is not carried out.
        guard !isLost else { return }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head) where head.status.kind != .informational:
            isAnswering = true
            update()
        case .head, .body: break
        case .end:
            // Until the system has taken all of it: what still lies here would be lost with the connection.
            let taken = promise ?? context.eventLoop.makePromise()
            taken.futureResult.assumeIsolated().whenComplete { [self] _ in
                answered += 1
                isAnswering = false
                update()
            }
            return context.write(data, promise: taken)
        }
        context.write(data, promise: promise)
    }

    private func enter(_ context: ChannelHandlerContext) {
        guard number == nil else { return }
        let channel = context.channel
        number = places.enter(channel.remoteAddress?.ipAddress.flatMap(IPAddress.init)) { channel.close(promise: nil) }
    }

    private func leave() {
        number.map(places.leave)
        number = nil
    }

    private func update() {
        let isBusy = arrived > answered || isAnswering
        guard let number, isBusy != self.isBusy else { return }
        self.isBusy = isBusy
        if isBusy { isLost = !places.beginAnswer(number) } else { places.wait(number) }
    }
}
