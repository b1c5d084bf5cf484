package import SSOWeb

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

/// Which proofs a sign-in has. The raw values are stored and never change.
package enum Strength: String, Codable, Sendable, Comparable, CaseIterable {
    /// One proof of any kind.
    case any
    /// Two proofs of different kinds, or one that counts as two.
    case mfa
    /// A proof that cannot be given to another site (phishing-resistant).
    case phr

    package static func < (one: Strength, other: Strength) -> Bool { one.rank < other.rank }
    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
