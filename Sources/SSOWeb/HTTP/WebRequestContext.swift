public import Hummingbird
import Logging
public import NIOCore

/// What every request of both programs carries: who sent it, and the reference under which the log knows it.
public protocol WebRequestContext: RequestContext {
    /// The peer of the connection; nil in tests without a network.
    var peer: SocketAddress? { get }
    /// Short enough to read out on the telephone; on the error page and in the log.
    var reference: RequestReference { get }
}

extension WebRequestContext {
    /// Has every line of this request's log carry its reference, in place of the framework's own number.
    public mutating func addReferenceToLog() {
        logger[metadataKey: "hb.request.id"] = nil
        logger[metadataKey: "reference"] = .stringConvertible(reference)
    }
}

/// Names one request: eight letters and digits.
public struct RequestReference: Sendable, CustomStringConvertible {
    /// The reference as people read it out.
    public let description: String
    private static let letters = Array("23456789ABCDEFGHJKMNPQRSTUVWXYZ".utf8)

    /// A fresh one.
    public init() {
        // No 0/O, 1/I/L: people type this from a screenshot. Needs to be unlikely, not secret.
        var rest = UInt64.random(in: .min ... .max)
        description = String(
            decoding: (0..<8).map { _ in
                defer { rest /= 31 }
                return Self.letters[Int(rest % 31)]
            }, as: UTF8.self)
    }
}
