import Logging
import NIOCore
import NIOHTTP1

/// Refuses heads that two programs could read in two ways (request smuggling, RFC 9112 3.2 and 6.3), with a bare 400
/// and the end of the connection.
///
/// The framework alone drops the host of an absolute target, takes the first of two Host fields, and answers before it
/// knows how long a body is. A proxy that decides otherwise would let a second request pass unchecked.
final class RequestHeadValidator: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    /// Bytes of `Connection` that are read. A client with more gets its answer and the end of the connection.
    private static let maximumOptionBytes = 256

    private let overhead: FramingOverhead
    private let shutdown: ShutdownState
    private let logger: Logger
    /// The bytes of a body that came with this read.
    private var body: ByteBuffer?
    /// After a refused head the position of the next request is unknown.
    private var hasRefused = false

    init(_ overhead: FramingOverhead, _ shutdown: ShutdownState, _ logger: Logger) {
        (self.overhead, self.shutdown, self.logger) = (overhead, shutdown, logger)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !hasRefused else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            if let cause = Self.ambiguity(of: head) {
                hasRefused = true
                log(cause, context)
                return context.fireErrorCaught(HTTPParserError.invalidHeaderToken)
            }
            return context.fireChannelRead(Self.wrapInboundOut(.head(withExplicitClose(head))))
        case .body(var bytes):
            overhead.bytes += FramingOverhead.piece - bytes.readableBytes
            // The chunks of one read go on together: each piece costs a turn of the program.
            if body?.writeBuffer(&bytes) == nil { body = bytes }
            return
        case .end:
            overhead.bytes = 0
            passBody(context)
        }
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        passBody(context)
        context.fireChannelReadComplete()
    }

    private func passBody(_ context: ChannelHandlerContext) {
        guard let bytes = body else { return }
        body = nil
        context.fireChannelRead(Self.wrapInboundOut(.body(bytes)))
    }

    /// Logs what is not HTTP. The framework answers it with a bare 400 and closes the connection.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is HTTPParserError { log("\(error)", context) }
        context.fireErrorCaught(error)
    }

    private func log(_ cause: String, _ context: ChannelHandlerContext) {
        // The peer only: what a proxy reports in such a request cannot be trusted.
        let peer = context.remoteAddress?.ipAddress ?? "-"
        logger.record(Event(.malformedRequest, cause: cause, ["client_address": "\(peer)"]))
    }

    /// What of a head can be read in two ways, for the log.
    private static func ambiguity(of head: HTTPRequestHead) -> String? {
        guard head.uri.utf8.allSatisfy({ (0x21...0x7e).contains($0) }), isOriginForm(head) || head.method != .CONNECT
        else { return "target" }
        guard head.headers["Host"].count == 1 || isHealthCheckWithoutHost(head) else { return "host" }
        let codings = head.headers["Transfer-Encoding"]
        guard !codings.isEmpty else { return nil }
        // HTTP/1.0 has no chunks, and implementations disagree on where any other coding ends (RFC 9112 6.1).
        let isPlain =
            head.version == .http1_1 && codings.count == 1 && codings.first?.lowercased() == "chunked"
            && head.headers["Content-Length"].isEmpty
        return isPlain ? nil : "transfer_encoding"
    }

    private static func isOriginForm(_ head: HTTPRequestHead) -> Bool { head.uri.utf8.first == UInt8(ascii: "/") }

    /// The plain check of HAProxy and others: HTTP/1.0 without Host at a health path. HTTP/1.1 needs one (RFC 9112
    /// 3.2).
    private static func isHealthCheckWithoutHost(_ head: HTTPRequestHead) -> Bool {
        head.version == .http1_0 && !head.headers.contains(name: "Host")
            && HealthPath.all.contains(String(head.uri.prefix { $0 != "?" }))
    }

    /// Marks the last request of a connection with the exact `Connection: close` that the framework compares with.
    ///
    /// The absolute form of a target names a second host (RFC 9112 3.2.2), and the framework would drop it. It becomes the `*` of
    /// OPTIONS, which ``RequestGuard`` refuses. An HTTP/1.0 connection ends after its answer (RFC 9112 9.3) and must not get
    /// `100 Continue` (RFC 9110 10.1.1). During shutdown every request is the last of its connection.
    private func withExplicitClose(_ head: HTTPRequestHead) -> HTTPRequestHead {
        var head = head
        let isOld = head.version != .http1_1
        if isOld { head.headers.remove(name: "Expect") }
        let isOtherForm = !Self.isOriginForm(head)
        if isOtherForm { head.uri = "*" }
        let options = Self.connectionOptions(head)
        if isOld || isOtherForm || options?.contains("close") ?? true || Self.endsParsing(head, options ?? [])
            || shutdown.isUnderWay
        {
            head.headers.replaceOrAdd(name: "Connection", value: "close")
        }
        return head
    }

    /// The options of `Connection` in lower case. nil for more than any client sends: to read them costs many times as much
    /// as the rest of the request.
    private static func connectionOptions(_ head: HTTPRequestHead) -> [String]? {
        let fields = head.headers["Connection"]
        guard fields.reduce(0, { $0 + $1.utf8.count }) <= maximumOptionBytes else { return nil }
        return head.headers[canonicalForm: "Connection"].map { $0.lowercased() }
    }

    /// Whether the parser may read nothing after this request.
    ///
    /// It stops after CONNECT and after a request for another protocol (`Upgrade` with `Connection: upgrade`; either
    /// field alone is enough here). A server may ignore the wish (RFC 9110 7.8), but a connection that no longer reads
    /// must end: a proxy would send the requests of other visitors into it.
    private static func endsParsing(_ head: HTTPRequestHead, _ options: [String]) -> Bool {
        head.method == .CONNECT || head.headers.contains(name: "Upgrade") || options.contains { $0.contains("upgrade") }
    }
}

/// The paths of health checks.
enum HealthPath {
    static let live = "/healthz"
    static let ready = "/readyz"
    static let all: Set<String> = [live, ready]
}
