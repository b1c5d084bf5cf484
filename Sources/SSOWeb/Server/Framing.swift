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
