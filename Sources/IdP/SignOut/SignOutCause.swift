package import SSOShared
import SSOWeb

/// Why sessions end before their time. The raw values are stable: the audit log has them as `cause`.
package enum SignOutCause: String, Sendable, CaseIterable {
    /// The user, in the browser or app that ends.
    case signedOut = "signed_out"
    /// The user, in another browser or app.
    case endedElsewhere = "ended_elsewhere"
    /// Another account signed in, or was asked for, in the same browser.
    case otherAccount = "other_account"
    /// An operator, without a change of the account.
    case byOperator = "operator"
    /// The user has removed a way to sign in.
    case identityRemoved = "identity_removed"
    /// The first proof of the account's address has ended what was there before.
    case addressProven = "address_proven"
    /// A provider's word has ended a way to sign in.
    case withdrawn
    /// The account has another address.
    case addressChanged = "address_changed"
    /// A backup was put in the place of the database.
    case restored
    /// The user may not enter the client any more.
    case noAccess = "no_access"
    case disabled
    /// The account's end date is over.
    case endDate = "end_date"
    case erased
    /// `IDP_ALLOWED_EMAILS` does not name the account's address any more.
    case notAllowed = "not_allowed"

    /// What a client reads that asks about the session.
    package var end: SessionEndReason {
        switch self {
        case .signedOut, .endedElsewhere, .otherAccount, .byOperator, .identityRemoved, .addressProven, .withdrawn,
            .addressChanged, .restored:
            .signedOut
        case .noAccess: .noAccess
        case .disabled, .endDate, .erased, .notAllowed: .accountEnded
        }
    }

    /// Whether the browser or app itself has caused it. The audit log has a row of its own for that.
    var isOwn: Bool { self == .signedOut || self == .otherAccount }
}

/// Which sessions end.
package enum EndedSessions: Sendable, Equatable {
    /// One, by its ``Session/handle``.
    case one(String)
    /// All of an account.
    case all(of: String)
    /// All of an account but this one; nil where the one that goes on has not begun yet. Each is named to its clients: a
    /// message about all sessions would end what the user does with the one that goes on.
    case others(of: String, keeping: String?)
    /// What a client was told of an account. The sessions here go on.
    case atClient(String, of: String)

    /// The account whose sign-ins end.
    package var account: String? {
        switch self {
        case .all(let account), .others(let account, _), .atClient(_, let account): account
        case .one: nil
        }
    }
}

extension SignOutCause {
    var eventCause: EventCause { EventCause(rawValue, meaning) }

    private var meaning: String {
        switch self {
        case .signedOut: "The user, in the browser or app that ends."
        case .endedElsewhere: "The user, on another device."
        case .otherAccount: "Another account signed in, or was asked for, in the same browser."
        case .byOperator: "An operator, with a command."
        case .identityRemoved: "The user removed a way to sign in."
        case .addressProven: "The first proof of the address ended what was there before."
        case .withdrawn: "A provider has ended a way to sign in."
        case .addressChanged: "The account has another address."
        case .restored: "A backup was put in the place of the database."
        case .noAccess: "The user may not enter the client any more: [access](operations.md#groups-and-access)."
        case .disabled: "The account was disabled."
        case .endDate: "The account's end date is over."
        case .erased: "The account was erased."
        case .notAllowed: "`IDP_ALLOWED_EMAILS` does not name the address any more."
        }
    }
}
