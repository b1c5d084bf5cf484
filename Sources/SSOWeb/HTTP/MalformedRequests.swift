import HTTPTypes
public import Logging
import NIOCore
import NIOHTTP1

/// Counts the bytes before the parser sees them, and ends a request that is all frame and no picture: extensions of
/// chunks are to be ignored (RFC 9112 7.1.1), and the parser ignores them without end.
final class FramingBudget: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let framing: Framing
    private var isSpent = false

    init(_ framing: Framing) { self.framing = framing }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isSpent else { return }
        framing.received(unwrapInboundIn(data).readableBytesView)
        // The parser works on it before this returns, and takes the body out of the count.
        context.fireChannelRead(data)
        guard framing.overhead > Framing.maximumOverhead else { return }
        isSpent = true
        context.fireErrorCaught(HTTPParserError.invalidChunkSize)
    }
}

/// What the handlers of one connection know of the request that is coming in. Belongs to the connection's event loop.
final class Framing {
    /// Bytes of one request that are not its body: the head, and around the pieces of a body their sizes, extensions
    /// and trailers, which the parser swallows. Twice what a head may have (contract 7), and as much again.
    static let maximumOverhead = 64 * 1024

    /// How many such bytes came since the request began.
    private(set) var overhead = 0
    /// How long the request line is, as far as it has come.
    private(set) var line = 0
    private var hasLine = false
    /// How many bytes the head has, padding and blank line included, as far as it has come.
    private(set) var head = 0
    private var isHeadWhole = false
    private var isLineEmpty = true
    private var hasBegun = false
    /// Where the request goes, once its head is understood.
    private(set) var path: String?

    /// Counts what came over the wire.
    func received(_ bytes: ByteBufferView) {
        overhead += bytes.count
        countHead(bytes)
        guard !hasLine else { return }
        let end = bytes.firstIndex(of: UInt8(ascii: "\n"))
        line += bytes.distance(from: bytes.startIndex, to: end ?? bytes.endIndex)
        hasLine = end != nil
    }

    /// Up to the blank line. Blank lines before the first do not end anything (RFC 9112 2.2).
    private func countHead(_ bytes: ByteBufferView) {
        for byte in bytes {
            guard !isHeadWhole else { return }
            head += 1
            if byte == UInt8(ascii: "\n") {
                isHeadWhole = isLineEmpty && hasBegun
                isLineEmpty = true
            } else if byte != UInt8(ascii: "\r") {
                (isLineEmpty, hasBegun) = (false, true)
            }
        }
    }

    /// The head is understood.
    func began(_ uri: String) { path = String(uri.prefix { $0 != "?" }) }

    /// So much of what was counted is body.
    func carried(_ count: Int) { overhead -= count }

    /// The request is whole; what follows is another.
    func ended() {
        (overhead, line, hasLine, path) = (0, 0, false, nil)
        (head, isHeadWhole, isLineEmpty, hasBegun) = (0, false, true, false)
    }
}

/// Answers what never became a request: unknown methods, endless heads, broken chunks. The same page, headers and line
/// in the log as any other refusal, and the end of the connection, since nobody knows where the next request begins.
public struct BrokenRequests: Sendable {
    /// What is known of one.
    struct Refusal {
        let fault: HTTPParserError
        /// Where it was going, if its head was understood.
        let path: String?
        /// How many bytes its first line has, as far as it came.
        let line: Int
        /// The other end of the connection: what a proxy says of a client behind it cannot be believed here.
        let peer: String?
    }

    private let pages: Pages
    private let fields: SecurityFields
    private let jsonPaths: Set<String>
    private let logger: Logger

    /// - Parameters:
    ///   - origin: the program's public address, for the headers that depend on it.
    ///   - jsonPaths: where programs ask, not people: the answer is `{"error":"CODE"}` there.
    public init(pages: Pages, origin: PublicOrigin, jsonPaths: Set<String> = [], logger: Logger) {
        self.pages = pages
        self.jsonPaths = jsonPaths
        self.logger = logger
        fields = SecurityFields(origin: origin)
    }

    func answer(_ refusal: Refusal) -> (HTTPResponse, ByteBuffer) {
        let (failure, reference) = (Self.failure(for: refusal), RequestReference())
        logger.notice(
            "request refused",
            metadata: [
                "status": "\(failure.status.code)", "code": "\(failure.code)", "cause": "\(refusal.fault)",
                "reference": "\(reference)", "client_address": "\(refusal.peer ?? "-")",
            ])
        let isJSON = refusal.path.map(jsonPaths.contains) ?? false
        let text = isJSON ? failure.json : pages.failureText(failure, reference: reference)
        var headers: HTTPFields = [
            .contentType: isJSON ? "application/json" : "text/html; charset=utf-8",
            .contentLength: "\(text.utf8.count)", .connection: "close",
            // Where it came from is as unclear as what it is.
            .referrerPolicy: "no-referrer",
        ]
        fields.add(to: &headers)
        return (HTTPResponse(status: failure.status, headerFields: headers), ByteBuffer(string: text))
    }

    private static func failure(for refusal: Refusal) -> PublicError {
        guard case .headerOverflow = refusal.fault else {
            return .badRequest("It is not HTTP as this service speaks it.")
        }
        return refusal.line > RequestLimits.target ? .addressTooLong : .headTooLarge
    }
}
