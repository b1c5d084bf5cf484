import IdPClients
package import SSOShared
package import SSOWeb

/// What the clients of one protocol redeem: a token, a code, a ticket.
package struct GrantKind: Sendable {
    /// Stored with every grant. Never changes.
    let id: String
    let lifetime: Duration
    /// Whether a client must send the return address that the grant was issued for. If not, one that is sent must be right.
    let needsReturnAddress: Bool
    /// Whether the payload of the request is stored with the grant.
    let keepsPayload: Bool
    /// Whether a grant is void after an attempt that was refused, whatever the reason. If not, only after one that shows that it
    /// has leaked, or that it must never hold again.
    let isVoidAfterAnyAttempt: Bool
    /// The event of the audit log when a grant is refused.
    let refused: EventKind
    let make: @Sendable (any Randomness) throws -> (wire: String, digest: [UInt8])

    /// - Parameter secret: the form of the secret, with a prefix of its own.
    package init<Kind: SecretKind>(
        id: String, secret: Kind.Type, lifetime: Duration, needsReturnAddress: Bool, keepsPayload: Bool = false,
        isVoidAfterAnyAttempt: Bool = false, refused: EventKind = .verifyRefused
    ) {
        (self.id, self.lifetime, self.needsReturnAddress, self.keepsPayload) = (
            id, lifetime, needsReturnAddress, keepsPayload
        )
        (self.isVoidAfterAnyAttempt, self.refused) = (isVoidAfterAnyAttempt, refused)
        make = {
            let new = try Secret<Kind>(randomness: $0)
            return (new.wire, new.digest)
        }
    }
}

/// A grant for a client, before its browser has it.
package struct NewGrant: Sendable {
    /// The secret as it travels. Never log it.
    package let wire: String
    /// What the log calls the flow.
    let logID: String
    /// Whether the user has just signed in for this request, or chosen an account.
    package let hasAsked: Bool
    /// Whether a grant of the same request was redeemed already: the user comes back with the Back button.
    package let isRedeemedBefore: Bool
}
