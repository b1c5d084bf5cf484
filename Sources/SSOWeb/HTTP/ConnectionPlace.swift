import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Reports to ``ConnectionPlaces`` whether a connection waits for its client or is being answered, and what it holds.
final class ConnectionPlace: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// A client that sends this many requests without waiting for an answer is closed. Browsers and proxies wait, and a
    /// request in memory is many times as large as the few bytes it may have on the wire.
    static let maximumPipelined = 16

    /// Bytes of one read of a body that is longer than ``longBody``.
    private static let longRead = 16 * 1024
    private static let longBody = 64 * 1024

    private let places: ConnectionPlaces
    private let held: HeldBytes
    private var number: Int?
    /// Requests whose head has come, requests that have come whole, responses that were written whole, and those that the
    /// system has accepted whole. A response may be sent before its request is whole.
    private var (begun, arrived, written, answered) = (0, 0, 0, 0)
    private var isAnswering = false
    private var isBusy = false

    init(_ places: ConnectionPlaces, _ held: HeldBytes) { (self.places, self.held) = (places, held) }

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
        switch unwrapInboundIn(data) {
        case .head(let head):
            begun += 1
            held.headArrived()
            readMore(for: head, context)
        case .body:
            // Nobody reads the body of a request that has its answer.
            if written >= begun { return held.discard() }
        case .end:
            arrived += 1
            if answered < begun { held.requestArrived() } else { held.discard() }
            update()
        }
        if begun - answered > Self.maximumPipelined || held.isFarAhead {
            held.isLost = true
            context.close(promise: nil)
        }
        // The client would not see a response, so the request is not carried out.
        guard !held.isLost else { return }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head) where head.status.kind != .informational:
            isAnswering = true
            update()
        case .head, .body: break
        case .end:
            written += 1
            // Until the system has accepted all bytes: unsent bytes would be lost with the connection.
            let taken = promise ?? context.eventLoop.makePromise()
            taken.futureResult.assumeIsolated().whenComplete { [self] _ in
                answered += 1
                isAnswering = false
                held.requestAnswered()
                if answered == written { held.unsent = 0 }
                update()
            }
            return context.write(data, promise: taken)
        }
        context.write(data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        guard isAnswering || written > answered else { return }
        held.unsent = (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }

    private func enter(_ context: ChannelHandlerContext) {
        guard number == nil else { return }
        let channel = context.channel
        let number = places.enter(channel.remoteAddress.flatMap { IPAddress($0) }) {
            channel.close(promise: nil)
        }
        self.number = number
        held.number = number
    }

    private func leave() {
        number.map(places.leave)
        number = nil
        held.number = nil
    }

    /// A long body is read in large pieces: each read costs as much as a small request. The channel keeps the buffer.
    private func readMore(for head: HTTPRequest, _ context: ChannelHandlerContext) {
        guard held.readBuffer == 0, let length = head.headerFields[.contentLength].flatMap({ Int($0) }),
            length > Self.longBody, let options = context.channel.syncOptions
        else { return }
        let size = Self.longRead
        guard (try? options.setOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: size))) != nil
        else { return }
        held.readBuffer = size
    }

    private func update() {
        let isBusy = arrived > answered || isAnswering
        guard let number, isBusy != self.isBusy else { return }
        self.isBusy = isBusy
        if isBusy {
            if !places.beginAnswer(number) { held.isLost = true }
        } else {
            places.wait(number)
        }
    }
}
