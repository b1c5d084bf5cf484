package import IdPClients
import SSOShared
package import SSOWeb
package import Storage

/// The session slot of a finished sign-in.
package struct CurrentSignIn: SessionSlot {
    package static let key = "signIn"
    /// A sign-in replaces the one before it.
    package static let survivesSignIn = false

    package struct SignIn: Codable, Sendable {
        package let accountID: String
        /// When the user signed in here, or when the provider authenticated the user if it said so. Only
        /// ``provenAt`` may decide whether a sign-in is new enough.
        package let authenticatedAt: Timestamp
        private let methods: [String]
        /// Nil for ``Strength/any``.
        private let strength: Strength?
        /// The account's ``Account/signOuts`` at that moment. Nil: zero.
        package var signOuts: Int64?
        /// The flow that the sign-in was for; nil without one.
        package var flow: String?
        /// Whether the sign-in made the account. Nil in a session of an app.
        package var isFirst: Bool?
        /// Whether the user was authenticated at ``authenticatedAt``. Nil where it was not stored (``ProvenMoment``).
        var isProven: Bool?

        package init(
            accountID: String, authenticatedAt: Timestamp, proofs: SignInProofs, signOuts: Int64? = nil,
            flow: String? = nil, isFirst: Bool? = nil, isProven: Bool? = nil
        ) {
            (self.accountID, self.authenticatedAt, self.signOuts, self.flow) = (
                accountID, authenticatedAt, signOuts, flow
            )
            (self.isFirst, self.isProven, methods) = (isFirst, isProven, proofs.words)
            strength = proofs.strength == .any ? nil : proofs.strength
        }

        /// How the user proved an identity.
        package var proofs: SignInProofs { SignInProofs(methods, strength ?? .any) }

        package var accountSignOuts: Int64 { signOuts ?? 0 }

        /// When the user was authenticated. Nil where nothing proves a moment: the provider did not say when, and may have
        /// a session of its own that is weeks old.
        package var provenAt: Timestamp? {
            ProvenMoment.isProven(stored: isProven, methods: methods) ? authenticatedAt : nil
        }

        /// The first moment at which a sign-in is newer than this one; nil where no moment of this one is proven.
        package var earliestNext: Timestamp? { provenAt.map { $0 + .milliseconds(1) } }
    }

    /// Nil for a visitor who is not signed in.
    package var signIn: SignIn?

    package init() {}
    package init(_ signIn: SignIn) { self.signIn = signIn }
    package init(from decoder: any Decoder) throws { signIn = try SignIn(from: decoder) }

    package func encode(to encoder: any Encoder) throws {
        guard let signIn else {
            var container = encoder.singleValueContainer()
            return try container.encodeNil()
        }
        try signIn.encode(to: encoder)
    }
}

/// A user who is signed in. The account is not optional: holding this value is the proof.
package struct SignedInUser: Sendable {
    package let session: Session
    package let signIn: CurrentSignIn.SignIn
    package let account: Account
}

extension AccountStore {
    /// Who sent the request, or nil for a visitor who is not signed in.
    package func signedIn(_ context: VisitorContext) async throws -> SignedInUser? {
        guard let session = context.session, session[CurrentSignIn.self].signIn != nil else { return nil }
        return try await database.read { connection in try signedIn(session, connection) }
    }

    /// The user of a session. An account that may not sign in any more counts as signed out, and so does a sign-in from
    /// before all sign-ins of the account were ended.
    package func signedIn(_ session: Session, _ connection: any SQLConnection) throws -> SignedInUser? {
        try signedIn(session, as: session[CurrentSignIn.self], connection)
    }

    /// The user of a session whose sign-in was read in the caller's transaction: another request of the browser may have
    /// changed it since the session was read.
    package func signedIn(
        _ session: Session, as current: CurrentSignIn, _ connection: any SQLConnection
    ) throws -> SignedInUser? {
        guard let signIn = current.signIn,
            let account = try eligibility.signIn.account(
                signIn.accountID, signOuts: signIn.accountSignOuts, connection)
        else { return nil }
        return SignedInUser(session: session, signIn: signIn, account: account)
    }
}
