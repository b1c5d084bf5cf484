import Logging
package import SSOWeb

/// What happens to changes of addresses by their users.
extension EventKind {
    package static let addressChangeAsked = EventKind(
        "address_change_asked", .notice, .row("session"), line: [.account, .session],
        by: [.field("fate", ["code", "taken", "refused"])], user: Text("activity.address-asked"),
        "A user asked for another address of the own account. The log alone says what the new address got: `fate=code` a code; `taken`: its owner was told; `refused`: nothing, because the account may not have it. `idp user set-address` can set it."
    )
    package static let addressCodeRejected = EventKind(
        "address_code_rejected", .notice, .row("session; `cause`"), line: [.account, .session, .reason],
        causes: [
            .init("wrong", "Not the code of the email."),
            .init("ended", "Ten minutes or five wrong codes are over, or another browser asked."),
        ], user: Text("activity.code-rejected"), "A code for another address of an account was not accepted.")
    package static let addressChangeStopped = EventKind(
        "address_change_stopped", .warning, .row("`detail`: how many ways to sign in were removed"), line: [.account],
        user: Text("activity.address-stopped"),
        "The owner of an account's old address stopped the change within 24 hours: the old address is back, every sign-in ended. Many: sessions are being stolen."
    )
}
