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
    /// The server takes no email at all at the moment: it cannot be reached, has no acceptable TLS, or refuses the login.
    case unreachable(String)
    /// Trying again later may help: the server is slow or busy, or puts this email off.
    case temporary(String)
    /// Trying again cannot help: the server has refused this letter for good (SMTP 5xx).
    case permanent(String)

    var description: String {
        switch self {
        case .unreachable(let reason): reason
        case .temporary(let reason): reason
        case .permanent(let reason): reason
        }
    }
}
