import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Says something in the server's place where it would say little or nothing: a page for what it could not read, and
/// `100 Continue` for who asks before sending (RFC 9110 10.1.1).
final class FramingAnswer: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let framing: Framing
    private let broken: BrokenRequests
    private var refusal: BrokenRequests.Refusal?
    /// Requests that are not answered yet.
    private var waiting = 0
    /// Whether the last of them waits for leave to go on.
    private var continueIsDue = false

    init(_ framing: Framing, _ broken: BrokenRequests) { (self.framing, self.broken) = (framing, broken) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = unwrapInboundIn(data) {
            waiting += 1
            // Who says that more will come than anything here takes is refused without sending it.
            let length = head.headerFields[.contentLength].flatMap { Int($0) } ?? 0
            continueIsDue =
                head.headerFields[.expect]?.lowercased() == "100-continue" && length <= Request.maximumFormBytes
            // Not into the middle of an earlier answer.
            if waiting == 1 { sayContinue(context) }
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
        case .head(let head):
            guard let refusal, Self.isBare(head) else { break }
            let (page, body) = broken.answer(refusal)
            context.write(wrapOutboundOut(.head(page)), promise: promise)
            return context.write(wrapOutboundOut(.body(body)), promise: nil)
        case .body: break
        case .end:
            waiting -= 1
            context.write(data, promise: promise)
            if waiting == 1 { sayContinue(context) }
            return
        }
        context.write(data, promise: promise)
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
