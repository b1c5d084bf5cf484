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
