import SSOWeb

/// When the mail server was last asked, by an email or for a decoy.
struct MailContact {
    /// For how long an answer is taken for what the next email would get.
    private static let patience: Duration = .seconds(10)
    private static let patienceInOutage: Duration = .seconds(2)

    private var answered: Timestamp?
    private var isAsking = false
    private(set) var isOutage = false

    /// Begins to ask for a decoy, if the last answer is old and nobody asks already.
    mutating func begin(_ now: Timestamp) -> Bool {
        let patience = isOutage ? Self.patienceInOutage : Self.patience
        // An answer that is ahead was noted while the clock was wrong.
        guard !isAsking, answered.map({ now - $0 >= patience || now < $0 }) ?? true else { return false }
        isAsking = true
        return true
    }

    /// - Parameter isReached: nil when it is not known.
    mutating func end(_ isReached: Bool?, _ now: Timestamp) {
        (isAsking, answered) = (false, now)
        if let isReached { isOutage = !isReached }
    }
}
