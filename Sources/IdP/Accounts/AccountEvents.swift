import IdPClients
import Logging
package import SSOWeb

/// What happens to accounts and their sessions.
extension EventKind {
    package static let signedOut = EventKind(
        "signed_out", .info, .row("session; `cause=other_account`: the user chose another"), line: [.session],
        causes: [.init("other_account", "The user chose another account in the same browser.")],
        user: Text("activity.signed-out"), "A user signed out; with `next`, to choose another account.")
    package static let appSignedOut = EventKind(
        "app_signed_out", .info, .row("session; `detail`: the app"),
        line: [.account, .session.orDash, .detail("device")], user: Text("activity.app-signed-out"),
        "A user signed an app out, on the home page or in another app.")
    package static let identityLinked = EventKind(
        "identity_linked", .notice, .row("`detail`: the provider"), line: [.account, .detail("provider")],
        user: Text("activity.identity-added"), "A way to sign in was added to an account.")
    package static let identityRevoked = EventKind(
        "identity_revoked", .warning, .row("`detail`: the provider; `cause`"),
        line: [.account, .detail("provider").orDash, .reason],
        causes: [
            .init(
                "address_proven",
                "A user proved the mailbox of an account that a provider had made, and the provider's identity was removed. Many: [pre-hijacking](threat-model.md#sign-in-with-a-provider)."
            ),
            .init("withdrawn", "The provider has ended it."),
            .init(
                "address_change_stopped",
                "The owner of the old address has stopped a change of it, and the identity was added since."),
        ], user: Text("activity.identity-removed"), "A way to sign in was removed from an account.")
    package static let passkeyRemoved = EventKind(
        "passkey_removed", .notice, .row("session; `cause`; `detail`: the passkey"),
        line: [.account, .detail("passkey"), .cause()],
        causes: PasskeyEnd.allCases.map { .init($0.rawValue, $0.meaning) }, user: Text("activity.passkey-removed"),
        "A passkey was removed.")
    package static let accountChangeWaits = EventKind(
        "account_change_waits", .info, line: [.account, .session, .flow],
        "A change of an account waits for a new sign-in.")
    package static let accountChangeRefused = EventKind(
        "account_change_refused", .notice, line: [.reason, .session, .flow],
        causes: [.init("other_account", "Another account signed in than the one that asked. Nothing was changed.")],
        "A change of an account that waited for a new sign-in was not made.")
    package static let userChanged = EventKind(
        "user_changed", .notice, .row("`cause`; `detail`: the end date, or an import's changes"),
        line: [.account, .cause()], causes: UserChange.allCases.map { .init($0.rawValue, $0.meaning) },
        user: Text("activity.user-changed"),
        "An account was changed, by a command if `cause` says nothing else. The log has a line of `end_date_over`.")
}

/// What was changed of an account: the causes of `user_changed`.
package enum UserChange: String, CaseIterable, Sendable {
    case name, picture, address, disabled, enabled, added, imported
    case signedOut = "signed_out"
    case endDate = "end_date"
    case endDateOver = "end_date_over"
    case invitationWithdrawn = "invitation_withdrawn"
    case eraseRequested = "erase_requested"
    case eraseCancelled = "erase_cancelled"

    fileprivate var meaning: String {
        switch self {
        case .name: "The user has another name, and gave it on the home page."
        case .picture: "The user has another picture, or none any more."
        case .address: "The account has another address."
        case .disabled: "It may not sign in until it is enabled."
        case .enabled: "It may sign in again."
        case .added: "It was added."
        case .imported: "A file of users has added or changed it; `detail` says what."
        case .signedOut: "Every sign-in of it was ended."
        case .endDate: "It has another end date, or none any more."
        case .endDateOver: "Its end date is over, and the program has ended every sign-in."
        case .invitationWithdrawn: "An invitation was withdrawn."
        case .eraseRequested: "It is to be erased."
        case .eraseCancelled: "It is not to be erased any more."
        }
    }
}

/// Why a passkey has ended: the causes of `passkey_removed`.
package enum PasskeyEnd: String, CaseIterable, Sendable {
    case user, `operator`, forgotten, erased, restored
    case addressProven = "address_proven"
    case stopped = "address_change_stopped"

    var meaning: String {
        switch self {
        case .user: "By its user; every other sign-in of the account has ended."
        case .operator: "By a command; every sign-in of the account has ended."
        case .forgotten: "By `idp passkeys forget-all`."
        case .erased: "Its account was erased."
        case .restored: "By a restore: it was removed after the backup, or added after it."
        case .addressProven: "The owner of the address has proven it, and the passkey was set up before that."
        case .stopped: "The owner of the old address has stopped a change of it, and the passkey was added since."
        }
    }

    /// What is recorded.
    ///
    /// - Parameter actor: nil for the user of the account. A change of an operator has its own.
    package func event(of passkey: String, _ account: String, by actor: AuditActor? = nil) -> Event {
        Event(.passkeyRemoved, by: actor ?? .user(account), account: account, cause: rawValue, detail: passkey)
    }
}

/// The events of this target.
package enum AccountEvents {
    package static let all: [EventKind] =
        [.signedOut, .appSignedOut, .identityLinked, .identityRevoked, .passkeyRemoved, .userChanged]
        + [.accountChangeWaits, .accountChangeRefused]
        + [.addressChangeAsked, .addressCodeRejected, .addressChangeStopped]
}
