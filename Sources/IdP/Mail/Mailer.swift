/// Gets letters out of the house.
protocol Mailer: Sendable {
    /// Returns once somebody else has taken the letter over, durably as far as he says so.
    ///
    /// Cancelling the task gives up soon after. Whether the letter went is then not known.
    func send(_ letter: Letter) async throws(MailFailure)
}

/// Why a letter did not go. The texts hold codes and our own words: never an address, a login, or what a server said, since servers
/// like to repeat addresses.
enum MailFailure: Error, Equatable, CustomStringConvertible {
    /// Trying again later may help: server down, slow, busy, or its certificate not valid today.
    case temporary(String)
    /// Trying again cannot help: the server has refused this letter for good (SMTP 5xx).
    case permanent(String)

    var description: String {
        switch self {
        case .temporary(let reason): reason
        case .permanent(let reason): reason
        }
    }
}
