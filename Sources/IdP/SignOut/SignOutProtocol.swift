package import SSOShared
package import SSOWeb

/// What the messages of one client protocol about the end of sessions look like. The queue and its rules are the same for all.
package protocol SignOutProtocol: Sendable {
    /// The id of the ``GrantKind`` whose redemption the message is about. It is stored.
    static var id: String { get }
    /// The request of one try, signed for this moment; nil for a client that takes no messages.
    ///
    /// - Throws: when it cannot be signed now. Then it is tried again.
    func request(
        for message: QueuedSignOut, to recipient: SignOutRecipient, at now: Timestamp
    ) async throws -> HTTPClient.Request?
    /// What an answer means.
    func verdict(on status: Int) -> SignOutVerdict
}

/// What became of a try.
package enum SignOutVerdict: Sendable, Equatable {
    case delivered
    /// To be tried again.
    case failed
    /// The client will never take it.
    case refused
}
