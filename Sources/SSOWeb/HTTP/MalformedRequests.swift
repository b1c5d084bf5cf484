import Logging
import NIOCore
import NIOHTTP1

/// The bytes of the current request that are not its body: the head, chunk sizes, chunk extensions and trailers.
///
/// Shared by the two handlers around the parser of one connection, on the event loop of that connection.
final class FramingOverhead {
    /// Four times the limit of a head. The largest form sent in chunks of 16 bytes needs 24 KiB.
    static let maximum = 64 * 1024

    var bytes = 0
}

/// Refuses a request with more than 64 KiB of framing, before the parser sees the excess.
///
/// A recipient ignores chunk extensions (RFC 9112 7.1.1), so the parser would read them without end.
final class FramingLimit: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let overhead: FramingOverhead
    private var isExceeded = false

    init(_ overhead: FramingOverhead) { self.overhead = overhead }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isExceeded else { return }
        overhead.bytes += unwrapInboundIn(data).readableBytes
        // The parser runs inside this call. RequestHeadValidator then subtracts the bytes of the body.
        context.fireChannelRead(data)
        guard overhead.bytes > FramingOverhead.maximum else { return }
        isExceeded = true
        context.fireErrorCaught(HTTPParserError.invalidChunkSize)
    }
}

/// Puts ``FramingLimit`` before the parser and ``RequestHeadValidator`` after it. The server's configuration can only
/// add handlers further down.
final class RequestValidationInstaller: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any

    private let shutdown: ShutdownState
    private let logger: Logger

    init(_ shutdown: ShutdownState, _ logger: Logger) { (self.shutdown, self.logger) = (shutdown, logger) }

    func handlerAdded(context: ChannelHandlerContext) {
        let (pipeline, overhead) = (context.pipeline.syncOperations, FramingOverhead())
        do {
            let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(FramingLimit(overhead), position: .before(parser))
            try pipeline.addHandler(RequestHeadValidator(overhead, shutdown, logger), position: .after(parser))
        } catch {
            // Never serve a connection without these checks.
            context.close(promise: nil)
        }
    }
}
