import NIOCore
import NIOHTTP1

/// Turns away heads that two programs could read in two ways (RFC 9112 3.2 and 6.3), with 400 and the end of the
/// connection, before the framework makes its own sense of them: it drops the host of an absolute target, takes the
/// first of two Hosts, and answers before it has understood how long a body is. Behind a proxy that decides otherwise,
/// each of these smuggles a request past it.
final class RequestHeadValidator: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private let framing: Framing
    private let shutdown: ShutdownState
    /// What follows a refused head is not a request any more.
    private var hasRefused = false

    init(_ framing: Framing, _ shutdown: ShutdownState) { (self.framing, self.shutdown) = (framing, shutdown) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasRefused else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            framing.began(head.uri)
            guard max(Self.size(of: head), framing.head) <= RequestLimits.head,
                head.headers.count <= RequestLimits.fields
            else {
                hasRefused = true
                return context.fireErrorCaught(HTTPParserError.headerOverflow)
            }
            guard Self.isClear(head) else {
                hasRefused = true
                // As if the parser itself had not understood it.
                return context.fireErrorCaught(HTTPParserError.invalidHeaderToken)
            }
            return context.fireChannelRead(Self.wrapInboundOut(.head(spelledOut(head))))
        case .body(let bytes): framing.carried(bytes.readableBytes)
        case .end: framing.ended()
        }
        context.fireChannelRead(data)
    }

    /// What it takes on the wire at least (`name:value`, CR, LF): of requests that come in one piece with others, nobody
    /// has counted the padding.
    private static func size(of head: HTTPRequestHead) -> Int {
        let line = head.method.rawValue.utf8.count + head.uri.utf8.count + " HTTP/1.1".utf8.count + 3
        return head.headers.reduce(line + 2) { $0 + $1.name.utf8.count + $1.value.utf8.count + 3 }
    }

    static func isClear(_ head: HTTPRequestHead) -> Bool {
        // Origin-form only (RFC 9112 3.2.1): the absolute form brings a second opinion on the host.
        guard head.uri.utf8.first == UInt8(ascii: "/"), head.uri.utf8.allSatisfy({ (0x21...0x7e).contains($0) }),
            head.headers["Host"].count == 1 || Self.isOldHealthCheck(head)
        else { return false }
        let codings = head.headers["Transfer-Encoding"]
        guard !codings.isEmpty else { return true }
        // HTTP/1.0 has no chunks, and any coding but this one ends where nobody agrees (RFC 9112 6.1).
        return head.version == .http1_1 && codings.count == 1 && codings.first?.lowercased() == "chunked"
            && head.headers["Content-Length"].isEmpty
    }

    /// The plain check of HAProxy and others: HTTP/1.0, which knows no Host, at a health path. HTTP/1.1 must name one
    /// (RFC 9112 3.2).
    private static func isOldHealthCheck(_ head: HTTPRequestHead) -> Bool {
        head.version == .http1_0 && !head.headers.contains(name: "Host")
            && HealthRoutes.paths.contains(String(head.uri.prefix { $0 != "?" }))
    }

    /// The same head in the one spelling of `Connection: close` that the framework knows. An HTTP/1.0 connection is
    /// closed after its answer whatever it asks for (RFC 9112 9.3), and cannot be told to go on (RFC 9110 10.1.1). When
    /// the program is about to stop, every request is the last one of its connection.
    private func spelledOut(_ head: HTTPRequestHead) -> HTTPRequestHead {
        var head = head
        let isOld = head.version != .http1_1
        if isOld { head.headers.remove(name: "Expect") }
        let options = head.headers[canonicalForm: "Connection"].map { $0.lowercased() }
        if isOld || options.contains("close") || Self.endsParsing(head, options) || shutdown.isUnderWay {
            head.headers.replaceOrAdd(name: "Connection", value: "close")
        }
        return head
    }

    /// Whether the parser may read nothing after this request. It stops after one that asks for another protocol
    /// (`Upgrade`, CONNECT), since what follows would be that protocol. None is offered here, and a server may ignore
    /// the wish (RFC 9110 7.8), but a connection on which nobody reads any more must end: a proxy would send the next
    /// visitors' requests into it. The parser wants both fields; either is enough here.
    private static func endsParsing(_ head: HTTPRequestHead, _ options: [String]) -> Bool {
        head.method == .CONNECT || head.headers.contains(name: "Upgrade") || options.contains { $0.contains("upgrade") }
    }
}

/// Puts ``FramingBudget`` and ``RequestHeadValidator`` around the parser, places the server's configuration has no word for.
final class StrictHeadInstaller: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any

    private let framing: Framing
    private let shutdown: ShutdownState

    init(_ framing: Framing, _ shutdown: ShutdownState) { (self.framing, self.shutdown) = (framing, shutdown) }

    func handlerAdded(context: ChannelHandlerContext) {
        let pipeline = context.pipeline.syncOperations
        do {
            let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(FramingBudget(framing), position: .before(parser))
            try pipeline.addHandler(RequestHeadValidator(framing, shutdown), position: .after(parser))
        } catch {
            // A connection without its guard is none.
            context.close(promise: nil)
        }
    }
}
