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

extension SQLRow {
    /// The columns `methods` and `strength` of a sign-in. A strength that this version does not know counts as ``Strength/any``.
    package func signInProofs() throws(DatabaseError) -> SignInProofs {
        SignInProofs(
            try text("methods").split(separator: " ").map(String.init), Strength(rawValue: try text("strength")) ?? .any
        )
    }
}

extension Strength {
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
