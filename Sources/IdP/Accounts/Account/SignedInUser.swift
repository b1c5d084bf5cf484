package import IdPClients
package import SSOShared
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

/// What all proofs of a sign-in together are, as it is stored with whatever the sign-in gives: a grant, a refresh token, a handoff.
package struct SignInProofs: Sendable, Equatable {
    /// The names of the methods on the wire, in the order of the proofs: `email_code`, and the second factor after it.
    package let methods: [String]
    /// Further values of RFC 8176 for this very sign-in: `hwk` for a key that never leaves its device.
    package let marks: [String]
    package let strength: Strength

    /// - Parameter words: the names of the methods, and marks with a `+` before each.
    package init(_ words: [String], _ strength: Strength) {
        methods = words.filter { !$0.hasPrefix("+") }
        marks = words.filter { $0.hasPrefix("+") }.map { String($0.dropFirst()) }
        self.strength = strength
    }

    /// As they are stored.
    var words: [String] { methods + marks.map { "+" + $0 } }

    /// The text of ``words`` in a column and in the audit log.
    package var text: String { words.joined(separator: " ") }
}

extension SQLColumns {
    /// The columns `methods` and `strength` of a sign-in. A strength that this version does not know counts as ``Strength/any``.
    package func signInProofs() throws(DatabaseError) -> SignInProofs {
        SignInProofs(
            try text("methods").split(separator: " ").map(String.init), Strength(rawValue: try text("strength")) ?? .any
        )
    }
}

/// Owns the rule whether the moment of a sign-in is proven.
///
/// A code, a link or an answer by email proves its moment. A sign-in with a provider proves one only if the provider says
/// when it authenticated the user (`auth_time`, OpenID Connect Core 1.0, 2): without that word one press of a button is
/// enough in a browser that is signed in there. A moment that is not proven counts as too old wherever a new sign-in is
/// needed.
enum ProvenMoment {
    /// - Parameters:
    ///   - stored: what was stored with the sign-in; nil where nothing was. Then only a proof by email counts, whose moment is known.
    ///   - methods: of the sign-in.
    static func isProven(stored: Bool?, methods: [String]) -> Bool {
        stored ?? (!methods.isEmpty && methods.allSatisfy { $0.hasPrefix("email_") })
    }
}

extension SQLColumns {
    /// The columns `authenticated_at`, `is_proven` and `methods` of a sign-in: when the user was authenticated; nil where
    /// nothing proves a moment.
    package func provenMoment() throws(DatabaseError) -> Timestamp? {
        let stored = try optionalInteger("is_proven").map { $0 != 0 }
        let methods = stored == nil ? try text("methods").split(separator: " ").map(String.init) : []
        return ProvenMoment.isProven(stored: stored, methods: methods) ? try timestamp("authenticated_at") : nil
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
