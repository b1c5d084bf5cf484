package import IdPAccounts
package import IdPClients
import IdPFlow
package import IdPSignOut
package import SSOShared
package import SSOWeb
package import Storage

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

/// What a client presents to redeem a grant, and what becomes of it.
extension GrantStore {
    /// What became of a grant that was presented.
    package enum Outcome<More: Sendable>: Sendable {
        /// With what its protocol has made of it.
        case accepted(Account, Redeemed, More)
        /// Unknown, expired, used, void, or for another redirect URI or verifier.
        case refused(GrantError)
        /// The client, or what it has proven itself with, was dropped since its request was checked.
        case clientDropped
        /// The grant of another client. It has leaked and is void from now on.
        case burnt(GrantError, owner: String)
    }

    /// The sign-in that a redeemed grant stands for.
    package struct Redeemed: Sendable {
        package let sessionHandle: String
        /// The session as the client was told it first: a new sign-in of the user in the same browser keeps it.
        package let toldSession: String
        /// When the user was authenticated; nil for a moment that is not proven (``ProvenMoment``).
        package let provenAt: Timestamp?
        package let proofs: SignInProofs
        /// Whether the user has signed in for this very grant.
        package let causedSignIn: Bool
        /// What its protocol has kept with it.
        package let payload: String
        /// The flow it was issued for, as the log calls it.
        package let flow: String
        /// The user's groups that the client is told, sorted; nil if it is told none.
        package let groups: [String]?
        /// What the client's sign-in is called where something hangs on it.
        package let signIn: ClientSignInName

        /// - Parameter row: of the grant.
        init(_ row: SQLRow, groups: [String]?) throws {
            sessionHandle = try row.text("session_handle")
            signIn = try ClientSignInName(noted: row, of: sessionHandle)
            (toldSession, provenAt) = (signIn.session, try row.provenMoment())
            (proofs, causedSignIn) = (try row.signInProofs(), try row.integer("caused_sign_in") != 0)
            payload = String(decoding: try row.optionalBlob("payload") ?? [], as: UTF8.self)
            flow = FlowLogID.name(digest: try row.blob("state_digest"))
            self.groups = groups
        }
    }

    /// What a protocol does in the transaction of the redemption.
    package struct Effects<More: Sendable>: Sendable {
        let accepted: @Sendable (Account, Redeemed, Client, any SQLConnection) throws -> More
        let repeated: @Sendable (Account?, GrantError, any SQLConnection) throws -> Void

        /// - Parameters:
        ///   - accepted: what follows from the grant, such as an access token. The client is the one that is registered now.
        ///   - repeated: what a second use ends, by whichever client (RFC 6749 4.1.2).
        package init(
            accepted: @escaping @Sendable (Account, Redeemed, Client, any SQLConnection) throws -> More,
            repeated: @escaping @Sendable (Account?, GrantError, any SQLConnection) throws -> Void
        ) {
            (self.accepted, self.repeated) = (accepted, repeated)
        }
    }

    /// Why a grant was refused. The log gets all of it.
    package struct GrantError: Sendable {
        package let cause: GrantErrorCause
        /// The session it was issued in.
        package let session: String?
        /// The flow it was issued for, as the log calls it.
        package let flow: String?
        /// Whether it was redeemed before, by any client.
        package let isUsed: Bool
    }

    /// What a client presents.
    package struct Presented: Sendable {
        let kind: GrantKind
        let digest: [UInt8]
        let client: Client
        let returnTo: String?
        let codeVerifier: String?
        let isAllowed: @Sendable (Client) -> Bool
        let audit: RequestAudit?
        let use: SecretName?

        /// - Parameters:
        ///   - isAllowed: whether the client that is registered now is the one that has proven itself with this request.
        ///   - audit: the audit log of the request.
        ///   - use: the secret that the client has proven itself with.
        ///   - returnTo: must be the one the grant was issued for. Nil if the client sends none.
        ///   - codeVerifier: must match the challenge of the request. A request without a challenge must have none, so that
        ///     an attacker cannot remove the challenge on the way (RFC 9700 4.8).
        package init<Kind>(
            _ secret: Secret<Kind>, _ kind: GrantKind, by client: Client, returnTo: String?, codeVerifier: String?,
            _ audit: RequestAudit?, use: SecretName? = nil, whereStill isAllowed: @escaping @Sendable (Client) -> Bool
        ) {
            (self.kind, digest, self.client, self.use) = (kind, secret.digest, client, use)
            (self.returnTo, self.codeVerifier, self.isAllowed, self.audit) = (returnTo, codeVerifier, isAllowed, audit)
        }

        /// What the grant must have as its challenge: nothing without a verifier. No grant has that of a malformed one.
        var challenge: String { hasMalformedVerifier ? "-" : codeVerifier.map(CodeChallenge.s256) ?? "" }

        /// RFC 7636 4.1: 43 to 128 unreserved characters.
        var hasMalformedVerifier: Bool { codeVerifier.map { !CodeChallenge.isWellFormedVerifier($0) } ?? false }

        /// Nothing is issued for an empty address, so a missing one is wrong where one is needed. A verifier does its work: it is
        /// right only for the request that had its challenge (OAuth 2.1 10.2).
        var neededReturnTo: String? { returnTo ?? (kind.needsReturnAddress && codeVerifier == nil ? "" : nil) }
    }
}
