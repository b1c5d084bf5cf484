import SSOWeb

/// Owns the rule which codes a browser may type: the one it asked for last. Those of other addresses it keeps for the
/// rest of their lives, so that whoever types a wrong address and comes back gets the same code again.
struct HeldChallenges: Codable, Sendable {
    struct Held: Codable, Sendable {
        let address: String
        let id: String
        /// When a letter with this code leaves, or left. Nil where the address has had its share of letters: none comes.
        var letterAt: Timestamp?
    }

    /// One's own address, a slip or two, somebody else's. Beyond these the oldest is forgotten, and asking for it again
    /// makes a new code.
    static let maximumCount = 5

    /// The newest last, one an address.
    private var all: [Held] = []

    /// What the page shows, and what a code is compared with.
    var current: Held? { all.last }

    /// The one for an address, if this browser still holds it.
    func held(for address: LetterAddress) -> Held? { all.last { $0.address == address.text } }

    /// Makes this the current one.
    mutating func keep(_ held: Held) {
        all = Array((all.filter { $0.address != held.address } + [held]).suffix(Self.maximumCount))
    }
}
