import NIOCore
import NIOHTTP1

/// Turns away heads that two programs could read in two ways (RFC 9112 3.2 and 6.3), with 400 and the end of the
/// connection, before the framework makes its own sense of them: it drops the host of an absolute target, takes the
/// first of two Hosts, and answers before it has understood how long a body is. Behind a proxy that decides otherwise,
/// each of these smuggles a request past it.
final class StrictHead: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    /// What follows a refused head is not a request any more.
    private var hasRefused = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasRefused else { return }
        if case .head(let head) = unwrapInboundIn(data), !Self.isClear(head) {
            hasRefused = true
            // The server's answer to any error of the parser: 400, close.
            context.fireErrorCaught(HTTPParserError.invalidHeaderToken)
            return
        }
        context.fireChannelRead(data)
    }

    static func isClear(_ head: HTTPRequestHead) -> Bool {
        // Origin-form only (RFC 9112 3.2.1): the absolute form brings a second opinion on the host.
        guard head.uri.utf8.first == UInt8(ascii: "/"), head.uri.utf8.allSatisfy({ (0x21...0x7e).contains($0) }),
            head.headers["Host"].count == 1
        else { return false }
        let codings = head.headers["Transfer-Encoding"]
        guard !codings.isEmpty else { return true }
        // HTTP/1.0 has no chunks, and any coding but this one ends where nobody agrees (RFC 9112 6.1).
        return head.version == .http1_1 && codings.count == 1 && codings.first?.lowercased() == "chunked"
            && head.headers["Content-Length"].isEmpty
    }
}

/// Puts a ``StrictHead`` right behind the parser, a place the server's configuration has no word for.
final class StrictHeadInstaller: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any

    func handlerAdded(context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        do {
            let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(StrictHead(), position: .after(parser))
        } catch {
            // A connection without its guard is none.
            context.close(promise: nil)
        }
    }
}
