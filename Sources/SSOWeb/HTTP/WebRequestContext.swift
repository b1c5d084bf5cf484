public import HTTPTypes
public import Hummingbird
import Logging
public import NIOCore

/// What every request carries: its peer, and the reference that connects an error page with the log.
public protocol WebRequestContext: RequestContext {
    /// The peer of the connection. nil in tests without a network.
    var peer: SocketAddress? { get }
    /// Appears on error pages and in the log.
    var reference: RequestReference { get }
    /// The method that was sent, where no route of any path serves it; nil for all others. Set by ``RoutedMethods``.
    var unservedMethod: HTTPRequest.Method? { get set }
}

extension WebRequestContext {
    /// Adds the reference to every log line of this request, instead of the framework's number.
    public mutating func addReferenceToLog() {
        // Each change through the property would copy the logger.
        var changed = logger
        changed[metadataKey: "hb.request.id"] = nil
        changed[metadataKey: "reference"] = .stringConvertible(reference)
        logger = changed
    }
}

/// Identifies one request: eight letters and digits, short enough to read out on the telephone.
public struct RequestReference: Sendable, CustomStringConvertible {
    /// The eight characters.
    public let description: String
    private static let letters = Array("23456789ABCDEFGHJKMNPQRSTUVWXYZ")

    /// Makes a random reference.
    public init() {
        // Without 0, O, 1, I and L, which are easily confused. A reference is not a secret.
        var rest = UInt64.random(in: .min ... .max)
        var text = ""
        for _ in 0..<8 {
            text.append(Self.letters[Int(rest % 31)])
            rest /= 31
        }
        description = text
    }
}
