import IdPAccounts
import IdPClients
import IdPMail
import Logging
import SSOShared
import SSOWeb

/// What became of the email with a code, for log and audit log: an operator can tell why a user got none.
///
/// One line of the same level for every submitted address, whether or not it may sign in, so that writing it takes as long.
enum CodeEmail: Sendable {
    case queued(id: String, leavesIn: Duration)
    case notSent(Reason)

    /// The raw values are stable: the log has them as `reason`.
    enum Reason: String, Sendable, CaseIterable {
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

    /// - Parameters:
    ///   - account: the id of the address's account, if there is one. The row has none, so that it is the same for every address.
    ///   - flow: the flow that the code is for, as the log calls it.
    func event(_ address: TypedAddress?, account: String?, flow: String) -> Event {
        var event =
            switch self {
            case .queued(let id, let leavesIn):
                Event(
                    .mailQueued, by: .visitor,
                    ["email": "\(id)", "leaves_in_seconds": .number(leavesIn.secondsRoundedUp)])
            case .notSent(let reason): Event(.mailNotSent, by: .visitor, cause: reason.rawValue)
            }
        (event.address, event.flow) = (address, flow == "-" ? nil : flow)
        event.further["flow"] = "-"
        event.further["account"] = account.map { "\($0)" }
        return event
    }
}
