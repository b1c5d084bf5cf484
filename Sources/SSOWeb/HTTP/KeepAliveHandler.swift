import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Says something in the server's place where it would say little or nothing: a page for what it could not read,
/// `100 Continue` for who asks before sending (RFC 9110 10.1.1), and `Connection: close` in an answer after which the
/// connection ends, so that no proxy keeps it (RFC 9112 9.6).
final class FramingAnswer: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let framing: Framing
    private let broken: BrokenRequests
    private let shutdown: ShutdownState
    private var refusal: BrokenRequests.Refusal?
    /// Requests of which the head came, which came whole, which were answered.
    private var (begun, arrived, answered) = (0, 0, 0)
    /// The number of the last request on this connection, once it is known.
    private var last: Int?
    /// Whether the framework does not know of ``last``: then the connection is ended here.
    private var endsHere = false
    /// Whether the last of them waits for leave to go on.
    private var continueIsDue = false

    /// Requests that are not answered yet.
    private var waiting: Int { begun - answered }

    init(_ framing: Framing, _ broken: BrokenRequests, _ shutdown: ShutdownState) {
        (self.framing, self.broken, self.shutdown) = (framing, broken, shutdown)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // After the answer that said so, nothing more is carried out.
        guard !endsHere else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            begun += 1
            if last == nil, head.headerFields[.connection] == "close" { last = begun }
            // Who says that more will come than anything here takes is refused without sending it.
            let length = head.headerFields[.contentLength].flatMap { Int($0) } ?? 0
            continueIsDue =
                head.headerFields[.expect]?.lowercased() == "100-continue" && length <= Request.maximumFormBytes
            // Not into the middle of an earlier answer.
            if waiting == 1 { sayContinue(context) }
        case .body: break
        case .end: arrived += 1
        }
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // What the parser lets through and the framework's types do not hold.
        let fault = error is HTTP1TypeConversionError ? HTTPParserError.invalidHeaderToken : error as? HTTPParserError
        guard let fault else { return context.fireErrorCaught(error) }
        refusal =
            refusal
            ?? .init(fault: fault, path: framing.path, line: framing.line, peer: context.remoteAddress?.ipAddress)
        context.fireErrorCaught(fault)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            guard let refusal, Self.isBare(head) else {
                guard head.status.kind != .informational, isLast() else { break }
                head.headerFields[.connection] = "close"
                return context.write(wrapOutboundOut(.head(head)), promise: promise)
            }
            let (page, body) = broken.answer(refusal)
            context.write(wrapOutboundOut(.head(page)), promise: promise)
            return context.write(wrapOutboundOut(.body(body)), promise: nil)
        case .body: break
        case .end:
            answered += 1
            guard !(endsHere && answered == last) else { return end(context, data, promise) }
            context.write(data, promise: promise)
            if waiting == 1 { sayContinue(context) }
            return
        }
        context.write(data, promise: promise)
    }

    /// Whether the answer that begins now is the last of its connection. When the program is about to stop, the answer to
    /// the one request that is there is, also when that request began before.
    private func isLast() -> Bool {
        if last == nil, shutdown.isUnderWay, begun == answered + 1, arrived == begun {
            (last, endsHere) = (begun, true)
        }
        return last == answered + 1
    }

    /// Our half of the connection is closed and the client closes the other, so that it reads all of the answer. Clients
    /// that do not are closed as idle.
    private func end(_ context: ChannelHandlerContext, _ data: NIOAny, _ promise: EventLoopPromise<Void>?) {
        let (taken, channel) = (promise ?? context.eventLoop.makePromise(), context.channel)
        taken.futureResult.whenComplete { _ in channel.close(mode: .output, promise: nil) }
        context.write(data, promise: taken)
    }

    private func sayContinue(_ context: ChannelHandlerContext) {
        guard continueIsDue else { return }
        continueIsDue = false
        context.writeAndFlush(wrapOutboundOut(.head(HTTPResponse(status: .continue))), promise: nil)
    }

    /// The framework's answer to an error of the parser. None of ours is as short.
    private static func isBare(_ head: HTTPResponse) -> Bool {
        head.status == .badRequest && head.headerFields[.contentLength] == "0"
            && head.headerFields[.connection] == "close"
    }
}
