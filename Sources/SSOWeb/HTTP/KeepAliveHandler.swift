import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Sends what the framework leaves out about the connection itself: `100 Continue` to a client that asks before it
/// sends (RFC 9110 10.1.1), and `Connection: close` in the last answer, so that no proxy reuses the connection (RFC
/// 9112 9.6).
///
/// It also holds back what the framework sends too much: a second answer, 400, to a request that was answered before its
/// body turned out not to be HTTP. A proxy would give it to the next visitor (RFC 9110 15, one final response).
final class KeepAliveHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let shutdown: ShutdownState
    /// Requests whose head arrived, that arrived whole, and that were answered.
    private var (begun, arrived, answered) = (0, 0, 0)
    /// The number of the last request on this connection, once it is known.
    private var last: Int?
    /// Whether the framework does not know that ``last`` is the last one. Then this handler ends the connection.
    private var endsHere = false
    /// Whether bytes have come that are not HTTP. Nothing after them is a request.
    private var isBroken = false
    /// Whether the newest request waits for `100 Continue`.
    private var needsContinue = false

    /// Requests that are not answered yet.
    private var waiting: Int { begun - answered }

    init(_ shutdown: ShutdownState) { self.shutdown = shutdown }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // After an answer with `Connection: close` no request is carried out.
        guard !endsHere else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            begun += 1
            if last == nil, head.headerFields[.connection] == "close" { last = begun }
            // A body that is longer than any form is refused without `100 Continue`.
            let length = head.headerFields[.contentLength].flatMap { Int($0) } ?? 0
            needsContinue =
                head.headerFields[.expect]?.lowercased() == "100-continue" && length <= Request.maximumFormBytes
            // Not into the middle of an earlier answer.
            if waiting == 1 { sendContinue(context) }
        case .body: break
        case .end: arrived += 1
        }
        context.fireChannelRead(data)
    }

    /// Makes the framework answer 400 to a head that its types cannot hold. It would close without an answer.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let error = error is HTTP1TypeConversionError ? HTTPParserError.invalidHeaderToken : error
        if error is HTTPParserError, !isBroken {
            isBroken = true
            // The fault is in the request that arrives, or in a head that no handler has seen.
            last = min(last ?? .max, arrived < begun ? begun : begun + 1)
        }
        context.fireErrorCaught(error)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // The framework closes its side of the connection next.
        if isBroken, let last, answered >= last {
            promise?.succeed()
            return
        }
        switch unwrapOutboundIn(data) {
        case .head(var head) where head.status.kind != .informational && answersLast():
            head.headerFields[.connection] = "close"
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .head, .body:
            context.write(data, promise: promise)
        case .end:
            answered += 1
            guard !(endsHere && answered == last) else { return end(context, data, promise) }
            context.write(data, promise: promise)
            if waiting == 1 { sendContinue(context) }
        }
    }

    /// Whether the answer that begins now is the last of its connection. During shutdown that is the answer to the only
    /// pending request, also when the request began before the shutdown.
    private func answersLast() -> Bool {
        if last == nil, shutdown.isUnderWay, begun == answered + 1, arrived == begun {
            (last, endsHere) = (begun, true)
        }
        return last == answered + 1
    }

    /// Closes this side of the connection after the answer, so that the client can read all of it and then close. The
    /// idle timeout closes clients that do not.
    private func end(_ context: ChannelHandlerContext, _ data: NIOAny, _ promise: EventLoopPromise<Void>?) {
        let (written, channel) = (promise ?? context.eventLoop.makePromise(), context.channel)
        written.futureResult.whenComplete { _ in channel.close(mode: .output, promise: nil) }
        context.write(data, promise: written)
    }

    private func sendContinue(_ context: ChannelHandlerContext) {
        guard needsContinue else { return }
        needsContinue = false
        context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
    }
}
