import NIOCore

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
    /// Where the request goes, once its head is understood.
    private(set) var path: String?

    /// Counts what came over the wire.
    func received(_ bytes: ByteBufferView) {
        overhead += bytes.count
        guard !hasLine else { return }
        let end = bytes.firstIndex(of: UInt8(ascii: "\n"))
        line += bytes.distance(from: bytes.startIndex, to: end ?? bytes.endIndex)
        hasLine = end != nil
    }

    /// The head is understood.
    func began(_ uri: String) { path = String(uri.prefix { $0 != "?" }) }

    /// So much of what was counted is body.
    func carried(_ count: Int) { overhead -= count }

    /// The request is whole; what follows is another.
    func ended() { (overhead, line, hasLine, path) = (0, 0, false, nil) }
}
