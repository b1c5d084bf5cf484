package import SSOShared
package import SSOWeb
package import Storage

/// One proof of a sign-in.
package struct Proof: Codable, Sendable, Equatable {
    /// The name of the method or second factor on the wire: `email_code`; and marks (``SignInProofs/marks``) after it, each with a
    /// `+` before it.
    package let method: String
    /// When the user gave it; nil for a provider that does not say when.
    package let at: Timestamp?
    package let strength: Strength

    package init(_ method: String, at: Timestamp?, strength: Strength) {
        (self.method, self.at, self.strength) = (method, at, strength)
    }

    package var words: [String] { method.split(separator: " ").map(String.init) }
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

extension Proof.Need {
    /// Of a user who changes what signs in, gives the account away or ends it: no weaker way than the strongest that the account has,
    /// within the last ten minutes.
    ///
    /// - Parameter age: of the sign-in, where the user has a few minutes more for a second step.
    package static func ofAccount(
        _ account: Account, age: Duration? = recent.age, _ connection: any SQLConnection
    ) throws -> Proof.Need {
        Proof.Need(age: age, strength: try PasskeyStore.has(account.id, connection) ? .phr : .any)
    }

    /// Whether the sign-in of a user is recent and strong enough.
    package func isMet(by user: SignedInUser, now: Timestamp) -> Bool {
        isMet(by: user.signIn.proofs.strength, at: user.signIn.provenAt, now: now)
    }
}

extension Strength {
    /// The condition that a row with `strength` is as strong as `:required`: the order of the cases, for statements.
    ///
    /// - Parameter row: the name of the table in the statement.
    package static func holdsSQL(_ row: String) -> String {
        "(\(row).strength = :required OR \(row).strength = 'phr' OR :required = 'any')"
    }

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
}
