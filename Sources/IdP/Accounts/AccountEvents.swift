import IdPClients
import Logging
package import SSOWeb

/// What happens to accounts and their sessions.
extension EventKind {
    package static let signedOut = EventKind(
        "signed_out", .info, .row("session; `cause=other_account`: the user chose another"), line: [.session],
        user: Text("activity.signed-out"), "A user signed out; with `next`, to choose another account.")
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
        ], user: Text("activity.identity-removed"), "A way to sign in was removed from an account.")
}

/// The events of this target.
package enum AccountEvents {
    package static let all: [EventKind] = [.signedOut, .identityLinked, .identityRevoked]
}
