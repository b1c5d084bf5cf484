public import Foundation
public import SSOShared

/// Checks the posts in which the identity provider tells that a session has ended (docs/protocol.md), for any web framework.
///
/// Ending the sessions is the caller's: together with remembering the id of the message, in one durable step, before the answer
/// 200. A message with an id that was seen before ends nothing and gets 200 as well.
public struct SignOutReceiver: Sendable {
    /// How far ``SignOutMessage/issuedAt`` may be from this side's clock. An older copy of a message is of no use to an attacker who
    /// has it.
    public static let tolerance: Duration = .seconds(300)
    /// How long the id of a message is remembered: for longer than the identity provider tries to deliver it.
    public static let memory: Duration = .seconds(7 * 86_400)

    private let clientID: String
    private let secret: SharedSecret

    /// - Parameter clientID: as registered at the identity provider.
    public init(clientID: String, secret: SharedSecret) { (self.clientID, self.secret) = (clientID, secret) }

    /// Reads a post. The signature is checked, in constant time, before anything in the body is read.
    ///
    /// - Parameters:
    ///   - body: the exact bytes, at most ``SignOutMessage/maximumBytes``.
    ///   - signatures: all values of the header `X-SSO-Signature`.
    ///   - contentTypes: all values of the header `Content-Type`.
    /// - Returns: what the identity provider says. Whether a session or a user is known here is not checked.
    public func read(
        _ body: [UInt8], signatures: [String], contentTypes: [String], now: Date = Date()
    ) throws(SignOutError) -> SignOutMessage {
        guard signatures.count == 1, let given = RequestSignature(headerValue: signatures[0]),
            given.matches(.request(body: body, secret: secret, label: .logout))
        else { throw .unsigned(signatures.isEmpty ? "signature_missing" : "signature_wrong") }
        guard contentTypes.count == 1, BackChannelAnswer.isJSON(contentTypes[0]) else {
            throw .malformed("content_type", "The type must be application/json.")
        }
        let message: SignOutMessage
        do { message = try SignOutMessage(body: body) } catch { throw .malformed("body", "\(error)") }
        guard ConstantTime.equal(message.clientID, clientID) else {
            throw .malformed("other_client", "client_id is that of another client.")
        }
        // Doubles, not a difference of integers: the message may hold any number, and an overflow would end the process.
        guard abs(Double(message.issuedAt) - now.timeIntervalSince1970) <= Self.tolerance / .seconds(1) else {
            throw .malformed("issued_at", "issued_at is more than 5 minutes away from the clock here.")
        }
        return message
    }
}

/// Why a sign-out message was refused. Nothing may end then.
public struct SignOutError: Error, Sendable, Equatable {
    /// The HTTP status of the answer: 401 or 400.
    public let status: Int
    /// `invalid_signature` or `invalid_request`.
    public let code: VerifyError
    /// A stable id for the log. Contains nothing of the message.
    public let cause: String
    /// One sentence for the other side's developer.
    let words: String

    /// The body of the answer, JSON.
    public var body: [UInt8] { code.body(description: words) }

    static func unsigned(_ cause: String) -> SignOutError {
        SignOutError(
            status: 401, code: .invalidSignature, cause: cause,
            words: "The signature must be there once, and be the one of a sign-out message.")
    }

    static func malformed(_ cause: String, _ words: String) -> SignOutError {
        SignOutError(status: 400, code: .invalidRequest, cause: cause, words: words)
    }
}
