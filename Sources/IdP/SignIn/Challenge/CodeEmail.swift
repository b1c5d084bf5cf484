import IdPAccounts
import IdPClients
import Logging
import SSOShared
import SSOWeb
import Synchronization

/// What became of the email with a code, for the log: an operator can tell why a user got none.
///
/// One line of the same level for every submitted address, whether or not it may sign in, so that writing it takes as long.
enum CodeEmail: Sendable {
    case queued(id: String, leavesIn: Duration)
    case notSent(Reason)

    /// The raw values are stable: the log has them as `reason`.
    enum Reason: String, Sendable {
        /// `IDP_ALLOWED_EMAILS` does not name the address, and nobody has added its account.
        case addressNotAllowed = "address_not_allowed"
        case accountDisabled = "account_disabled"
        /// The account's end date is over.
        case accountEnded = "account_ended"
        /// The mailbox has got as many as it may.
        case addressLimit = "address_limit"
        /// The network, or the known browser, has submitted as many addresses as it may.
        case networkLimit = "network_limit"

        init(_ reason: SignInEligibility.Reason) {
            self =
                switch reason {
                case .notAllowed: .addressNotAllowed
                case .disabled: .accountDisabled
                case .ended: .accountEnded
                }
        }
    }

    /// What the audit log says of it, with the same statements for every address.
    func auditRow(_ address: TypedAddress?, flow: String) -> Event {
        var row =
            switch self {
            case .queued: Event(.mailQueued, by: .visitor)
            case .notSent(let reason): Event(.mailNotSent, by: .visitor, cause: reason.rawValue)
            }
        (row.address, row.flow) = (address, flow == "-" ? nil : flow)
        return row
    }

    /// - Parameters:
    ///   - account: the id of the address's account, if there is one.
    ///   - flow: the flow that the code is for, as the log calls it.
    func log(to logger: Logger, _ address: TypedAddress?, account: String?, flow: String) {
        let (logger, shared) = (logger.about(address, account: account), ["flow": "\(flow)"] as Logger.Metadata)
        switch self {
        case .queued(let id, let leavesIn):
            logger.info(
                "mail_queued",
                metadata: shared.merging([
                    "email": "\(id)", "leaves_in_seconds": .number(leavesIn.secondsRoundedUp),
                ]) { $1 })
        case .notSent(let reason):
            logger.info("mail_not_sent", metadata: shared.merging(["reason": "\(reason.rawValue)"]) { $1 })
        }
    }
}

/// Carries what a transaction has decided to the code after it. A body that runs again decides again.
final class CodeEmailNote: Sendable {
    private let noted = Mutex<(email: CodeEmail, account: String?)?>(nil)

    var value: (email: CodeEmail, account: String?)? {
        get { noted.withLock { $0 } }
        set { noted.withLock { $0 = newValue } }
    }
}
