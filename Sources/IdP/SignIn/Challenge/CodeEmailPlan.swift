import IdPAccounts
import IdPClients
import IdPMail
import Logging
import SSOShared
import SSOWeb

/// What happens when a user asks for a code by email. Decided once for pages and the API, from ``CodeEmailFacts``.
///
/// An address that may not sign in has the same plan as one that may, and only its email is a decoy (docs/architecture.md,
/// "no account enumeration").
struct CodeEmailPlan: Equatable, Sendable {
    /// Why the address may not sign in, for the log; nil for one that may.
    let reason: SignInEligibility.Reason?
    /// The id of the earlier challenge whose code is sent again; nil for a new one.
    let continued: String?
    /// When the challenge expires. Asking again does not prolong it.
    let expiresAt: Timestamp
    /// When the email of this request leaves; nil where it is left out.
    let leavesAt: Timestamp?
    /// When the newest email with this code leaves, or left; nil without one.
    let emailAt: Timestamp?
    /// Now, if the page confirms that another email has left; else nil.
    let sentAgainAt: Timestamp?

    /// Whether the email is counted and never sent.
    var isDecoy: Bool { reason != nil }

    static func next(_ facts: CodeEmailFacts) -> CodeEmailPlan {
        let expiresAt = facts.waiting?.expiresAt ?? facts.now + Challenge.lifetime
        let earlier = facts.waiting == nil ? nil : facts.heldEmailAt
        let leavesAt: Timestamp? =
            if let allowed = facts.nextAllowed {
                // A code that was sent already is not sent later again. A new one waits, if it is still valid then.
                earlier == nil && allowed < expiresAt ? allowed : nil
            } else {
                facts.now < expiresAt ? facts.now : nil
            }
        return CodeEmailPlan(
            reason: facts.reason, continued: facts.waiting?.id, expiresAt: expiresAt, leavesAt: leavesAt,
            emailAt: leavesAt ?? earlier,
            sentAgainAt: facts.heldEmailAt != nil && leavesAt == facts.now ? facts.now : nil)
    }

    /// What the log says.
    ///
    /// - Parameter id: of the email.
    func report(id: String, now: Timestamp) -> CodeEmail {
        if let reason { return .notSent(CodeEmail.Reason(reason)) }
        return leavesAt.map { .queued(id: id, leavesIn: $0 - now) } ?? .notSent(.addressLimit)
    }
}

/// What the plan for a code is made from. Read in one transaction, by the same statements for every address.
struct CodeEmailFacts: Sendable {
    /// An earlier challenge for the address that still accepts codes.
    struct Waiting: Sendable {
        let id: String
        let expiresAt: Timestamp
    }

    /// Why the address may not sign in; nil for one that may.
    var reason: SignInEligibility.Reason?
    /// The challenge that the browser holds for the address, if it still waits.
    var waiting: Waiting?
    /// When the last email left, or leaves, that the browser has asked for, also if its challenge has ended.
    var heldEmailAt: Timestamp?
    /// When the budget of the mailbox and of who asks allows the next email; nil for now.
    var nextAllowed: Timestamp?
    let now: Timestamp
}

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
    func event(_ address: TypedAddress?, account: String?, flow: String?) -> Event {
        var event =
            switch self {
            case .queued(let id, let leavesIn):
                Event(
                    .mailQueued, by: .visitor,
                    ["email": "\(id)", "leaves_in_seconds": .number(leavesIn.secondsRoundedUp)])
            case .notSent(let reason): Event(.mailNotSent, by: .visitor, cause: reason.rawValue)
            }
        (event.address, event.flow) = (address, flow)
        event.further["account"] = account.map { "\($0)" }
        return event
    }
}
