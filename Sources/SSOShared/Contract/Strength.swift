/// Which proofs a sign-in has: `acr` on the wire. The raw values are stored and never change.
public enum Strength: String, Codable, Sendable, Comparable, CaseIterable {
    /// One proof of any kind.
    case any
    /// Two proofs of different kinds, or one that counts as two.
    case mfa
    /// A proof that cannot be given to another site (phishing-resistant): a passkey.
    case phr

    public static func < (one: Strength, other: Strength) -> Bool { one.rank < other.rank }
    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
