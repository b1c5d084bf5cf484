import IdPClients
import Logging
package import SSOWeb
import WebAuthn

/// What happens to passkeys.
extension EventKind {
    package static let passkeyAdded = EventKind(
        "passkey_added", .notice, .row("session; `detail`: the passkey"),
        line: [.account, .detail("passkey")], user: Text("activity.passkey-added"), "A user added a passkey.")
    package static let passkeyRenamed = EventKind(
        "passkey_renamed", .info, .row("session; `detail`: the passkey"),
        line: [.account, .detail("passkey")], user: Text("activity.passkey-renamed"), "A user renamed a passkey.")
    package static let signInLinkUsed = EventKind(
        "sign_in_link_used", .notice, .row("session"), line: [.account, .session],
        user: Text("activity.sign-in-link-used"),
        "A user signed in by a link that an operator had printed.")
    package static let passkeyCounter = EventKind(
        "passkey_counter", .notice, .row("`cause`; `detail`: the passkey"),
        line: [.account, .detail("passkey"), .cause()],
        causes: [
            .init("synced", "A password manager copies the counter with the key: nothing to do."),
            .init(
                "device_bound", .error,
                remedy:
                    "The key should never leave its device, and there may be a copy. Refused, and the user is told: `idp user passkeys ADDRESS --remove ID`."
            ),
        ], user: Text("activity.passkey-counter"), "The counter of a passkey has not grown.")
    package static let passkeyRejected = EventKind(
        "passkey_rejected", .notice, .refusal("session, flow; `cause` is the line's `reason`"),
        line: [.account.orDash, .session.orDash, .flow.orDash, .reason],
        causes: [
            .init("challenge_expired", "The page was open for over ten minutes, or its answer came twice. Try again."),
            .init(
                "credential_unknown",
                "No account has this passkey: it was removed, or the browser has one of a former installation."),
            .init("account_disabled", "The account may not sign in."),
            .init("used_elsewhere", "The passkey was removed meanwhile, or a later answer was faster."),
            .init("already_registered", "The passkey belongs to an account already."),
            .init("too_many", "The account has 20 passkeys: remove one."),
            .init("not_discoverable", "The security key is full, or too old for passkeys."),
        ] + WebAuthnError.allCases.map { .init($0.reason, $0.remedy) }, user: Text("activity.passkey-rejected"),
        "The answer of a browser for a passkey is refused.")
}

/// The events of passkeys.
package enum PasskeyEvents {
    package static let all: [EventKind] = [
        .passkeyAdded, .passkeyRenamed, .passkeyRejected, .passkeyCounter, .signInLinkUsed,
    ]
}

extension WebAuthnError {
    fileprivate var remedy: String {
        switch self {
        case .challengeMissing, .challengeMismatch:
            "The answer is to another challenge: of another page, or an attacker's."
        case .originMissing, .originMismatch, .crossOrigin, .topOrigin:
            "The browser was at another address: `IDP_PUBLIC_URL`, or an attacker's page."
        case .relyingPartyID: "The answer is for another domain: `IDP_PASSKEY_RP_ID`."
        case .userNotPresent, .userNotVerified: "The authenticator has not checked its user."
        case .signature: "Not signed by the passkey's key."
        case .userHandleMismatch, .userHandleMissing: "The passkey says that it is another account's."
        case .backupEligibilityChanged:
            "The password manager says something else of the passkey on this device: add one there."
        case .counterRepeated: "See `passkey_counter`."
        case .storedKey: "The row of `passkey` is damaged."
        case .algorithmNotOffered: "An authenticator with another kind of key than was asked for."
        default: "The response is malformed: not from a browser, or a faulty authenticator."
        }
    }
}
