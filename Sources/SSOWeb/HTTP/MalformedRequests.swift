import Logging
import NIOCore
import NIOHTTP1

/// The bytes of the current request that are not its body: the head, chunk sizes, chunk extensions and trailers.
///
/// Shared by the two handlers around the parser of one connection, on the event loop of that connection.
final class FramingOverhead {
    /// Four times the limit of a head. The largest form sent in chunks of 128 bytes needs 35 KiB.
    static let maximum = 64 * 1024
    /// What each piece of a body counts beside its bytes on the wire. A thousand tiny chunks are as much work as a page.
    static let piece = 64

    var bytes = 0
}

/// Refuses a request with more than 64 KiB of framing, before the parser sees the excess. Counts what comes as held.
///
/// A recipient ignores chunk extensions (RFC 9112 7.1.1), so the parser would read them without end.
final class FramingLimit: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let overhead: FramingOverhead
    private let held: HeldBytes
    private var isExceeded = false

    init(_ overhead: FramingOverhead, _ held: HeldBytes) { (self.overhead, self.held) = (overhead, held) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let count = unwrapInboundIn(data).readableBytes
        guard !isExceeded, held.arrive(count) else { return }
        overhead.bytes += count
        // The parser runs inside this call. RequestHeadValidator then subtracts the bytes of the body.
        context.fireChannelRead(data)
        held.endRead()
        guard overhead.bytes > FramingOverhead.maximum else { return }
        isExceeded = true
        context.fireErrorCaught(HTTPParserError.invalidChunkSize)
    }
}

/// Puts ``FramingLimit`` before the parser and ``RequestHeadValidator`` after it. The server's configuration can only
/// add handlers further down.
final class RequestValidationInstaller: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = Any

    /// Bytes of one read. A channel keeps the buffer of its last read, and by default those of four with up to 64 KiB each,
    /// so a body would leave its size behind in every connection.
    private static let readBytes = 2 * 1024

    private let shutdown: ShutdownState
    private let held: HeldBytes
    private let logger: Logger

    init(_ shutdown: ShutdownState, _ held: HeldBytes, _ logger: Logger) {
        (self.shutdown, self.held, self.logger) = (shutdown, held, logger)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let (pipeline, overhead) = (context.pipeline.syncOperations, FramingOverhead())
        do {
            let options = context.channel.syncOptions
            try options?.setOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: Self.readBytes))
            try options?.setOption(.maxMessagesPerRead, value: 1)
            let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(FramingLimit(overhead, held), position: .before(parser))
            try pipeline.addHandler(RequestHeadValidator(overhead, shutdown, logger), position: .after(parser))
        } catch {
            // Never serve a connection without these checks.
            context.close(promise: nil)
        }
    }
}
