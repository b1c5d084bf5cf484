package import SSOWeb
package import Storage

/// One proof of a sign-in.
package struct Proof: Codable, Sendable, Equatable {
    /// The name of the method or second factor on the wire: `email_code`.
    package let method: String
    /// When the user gave it; nil for a provider that does not say when.
    package let at: Timestamp?
    package let strength: Strength

    package init(_ method: String, at: Timestamp?, strength: Strength) {
        (self.method, self.at, self.strength) = (method, at, strength)
    }
}

extension Proof {
    /// What a sign-in must be like for a change that its user makes.
    package struct Need: Sendable, Equatable {
        /// How old the sign-in may be; nil for any age.
        package let age: Duration?
        package let strength: Strength

        package init(age: Duration?, strength: Strength = .any) { (self.age, self.strength) = (age, strength) }

        /// Of a user who changes how the account is signed in to: who finds a browser unlocked must not be able to keep the
        /// account (ASVS 7.5.1).
        package static let recent = Need(age: .minutes(10))
        /// Any user who is signed in may do it.
        package static let anySignIn = Need(age: nil)

        /// The moment that a sign-in must not be older than; nil when any will do.
        package func since(_ now: Timestamp) -> Timestamp? { age.map { now - $0 } }

        package func isMet(by strength: Strength, at provenAt: Timestamp?, now: Timestamp) -> Bool {
            strength.isEnough(at: provenAt, for: self.strength, since: since(now))
        }
    }
}

/// What all proofs of a sign-in together are, as it is stored with whatever the sign-in gives: a grant, a refresh token, a handoff.
package struct SignInProofs: Sendable, Equatable {
    /// The names of the methods on the wire, in the order of the proofs: `email_code`, and the second factor after it.
    package let methods: [String]
    package let strength: Strength

    package init(_ methods: [String], _ strength: Strength) { (self.methods, self.strength) = (methods, strength) }

    /// The text of ``methods`` in a column and in the audit log.
    package var text: String { methods.joined(separator: " ") }
}

extension SQLColumns {
    /// The columns `methods` and `strength` of a sign-in. A strength that this version does not know counts as ``Strength/any``.
    package func signInProofs() throws(DatabaseError) -> SignInProofs {
        SignInProofs(
            try text("methods").split(separator: " ").map(String.init), Strength(rawValue: try text("strength")) ?? .any
        )
    }
}

/// Which proofs a sign-in has. The raw values are stored and never change.
package enum Strength: String, Codable, Sendable, Comparable, CaseIterable {
    /// One proof of any kind.
    case any
    /// Two proofs of different kinds, or one that counts as two.
    case mfa
    /// A proof that cannot be given to another site (phishing-resistant).
    case phr

    /// Whether a sign-in of this strength will do.
    ///
    /// - Parameters:
    ///   - provenAt: when the user was authenticated; nil for a moment that is not proven, which is too old.
    ///   - since: the moment that the sign-in must not be older than; nil when any will do.
    package func isEnough(at provenAt: Timestamp?, for needed: Strength, since: Timestamp?) -> Bool {
        guard self >= needed else { return false }
        guard let since else { return true }
        return provenAt.map { $0 >= since } ?? false
    }

    package static func < (one: Strength, other: Strength) -> Bool { one.rank < other.rank }
    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
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
