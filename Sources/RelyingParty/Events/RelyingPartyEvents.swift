import Logging
import SSOClient
import SSOShared
package import SSOWeb

/// What happens at the relying party. Some ids are also those of the identity provider, whose lines have other fields: so the
/// kinds have a place of their own.
package enum RelyingPartyEvents {
    static let signedIn = EventKind("signed_in", .info, line: [.user], "At `relying-party`: a user has a new session.")
    static let signedOut = EventKind(
        "signed_out", .info, line: [.user, .reason],
        causes: [
            .init(
                SessionEndReason.signedOut.rawValue,
                "By user, operator, another account in the browser, or a removed sign-in method."),
            .init(SessionEndReason.noAccess.rawValue, "The user may not enter this client any more."),
            .init(
                SessionEndReason.accountEnded.rawValue,
                "The account is disabled, erased or past its end date, or its address is not allowed."),
            .init(
                SessionEndReason.unknown.rawValue,
                "No token of this user was redeemed in it, or it ended over 90 days ago."),
        ],
        "At `relying-party`: the user pressed Sign out, or `reason` is the answer to its question about the session.")
    static let userChanged = EventKind(
        "user_changed", .info, line: [.user], "At `relying-party`: name, address or groups were taken over.")
    static let signOutReceived = EventKind(
        "sign_out_received", .info, line: [.user],
        "`relying-party` was told of a sign-out: `ended` sessions; `repeated`: a second try.")
    static let signOutRejected = EventKind(
        "sign_out_rejected", .warning, line: [.cause()],
        causes: [
            .init(
                "signature_missing", .info,
                remedy: "No `X-SSO-Signature`: compare client ids and fingerprints. Anyone can send it."),
            .init(
                "signature_wrong", .info,
                remedy:
                    "Not the signature of this body and secret: compare client ids and fingerprints. Anyone can send it."
            ),
            .init("content_type", "Not `application/json`: compare client ids and fingerprints."),
            .init("body", "Not the fields of a message: compare client ids and fingerprints."),
            .init("other_client", "For another client: compare client ids and fingerprints."),
            .init("issued_at", "Over five minutes off: compare clocks."),
        ],
        "`relying-party` refused a sign-out message: `cause`. For a signature (`signature_missing`, `signature_wrong`), which anyone can send, it is `info`: compare client ids and fingerprints."
    )
    static let sessionCheckFailed = EventKind(
        "session_check_failed", .warning, line: [.cause()],
        "`relying-party` could not ask about a session, or did not trust the answer: `cause`. The session goes on. `relying-party check --connect`; with `404` a proxy does not pass `/auth/sso/session`."
    )
    static let sharedSecretPrevious = EventKind(
        "shared_secret_previous", .warning, .line,
        "`relying-party` has the older shared secret (at most hourly). Set the newer one and restart.")

    package static let all: [EventKind] = [
        signedIn, signedOut, userChanged, signOutReceived, signOutRejected, sessionCheckFailed, sharedSecretPrevious,
    ]
}
