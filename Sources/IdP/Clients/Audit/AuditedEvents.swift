package import SSOWeb

/// What the audit log records and what is not with a feature.
extension EventKind {
    package static let appSignedOut = EventKind(
        "app_signed_out", nil, .row("session; `cause=other_account`: the user chose another"),
        user: Text("activity.app-signed-out"), "")
    package static let handoffSignedIn = EventKind(
        "handoff_signed_in", nil, .row("session, flow; `detail`: methods, or missing second factor"),
        user: Text("activity.signed-in"), "")
    package static let sessionEnded = EventKind(
        "session_ended", nil,
        .row(
            "session, none if all or all others end; `cause`: `ended_elsewhere` (by the user, on another device), `operator`, `disabled`, `identity_removed`, `address_proven`, `withdrawn`, `address_changed`, `no_access` (with the client), `end_date`, `erased`, `not_allowed`, `restored`"
        ), user: Text("activity.session-ended"), "")
    package static let signOutQueued = EventKind(
        "sign_out_queued", nil,
        .row(
            "client, session as told there, none for all; `cause`: the end's, `retried`, or why it failed; `detail`: the message"
        ), user: Text("activity.sign-out-queued"), "")
    package static let signOutDelivered = EventKind(
        "sign_out_delivered", nil,
        .row(
            "client, session as told there, none for all; `cause`: the end's, `retried`, or why it failed; `detail`: the message"
        ), user: Text("activity.sign-out-delivered"), "")
    package static let signOutFailed = EventKind(
        "sign_out_failed", nil,
        .row(
            "client, session as told there, none for all; `cause`: the end's, `retried`, or why it failed; `detail`: the message"
        ), user: Text("activity.sign-out-failed"), "")
    package static let signOutGivenUp = EventKind(
        "sign_out_given_up", nil,
        .row(
            "client, session as told there, none for all; `cause`: the end's, `retried`, or why it failed; `detail`: the message"
        ), user: Text("activity.sign-out-given-up"), "")
    package static let mailQueued = EventKind(
        "mail_queued", nil, .refusal("flow, the address that was typed; `cause` if not sent"),
        user: Text("activity.mail-sent"), "")
    package static let mailNotSent = EventKind(
        "mail_not_sent", nil, .refusal("flow, the address that was typed; `cause` if not sent"),
        countedAs: "mail_queued", "")
    package static let inboundMailRefused = EventKind(
        "inbound_mail_refused", nil, .refusal("`cause` as in the log; `detail`: the challenge, or the provider"), "")
    package static let codeRejected = EventKind(
        "code_rejected", nil, .refusal("`cause` as in the log; `detail`: the challenge, or the provider"),
        user: Text("activity.code-rejected"), "")
    package static let linkRejected = EventKind(
        "link_rejected", nil, .refusal("`cause` as in the log; `detail`: the challenge, or the provider"), "")
    package static let providerAnswerRefused = EventKind(
        "provider_answer_refused", nil, .refusal("`cause` as in the log; `detail`: the challenge, or the provider"), "")
    package static let handoffCodeRejected = EventKind(
        "handoff_code_rejected", nil, .refusal("`cause` as in the log; `detail`: the challenge, or the provider"), "")
    package static let guessAlarmRaised = EventKind("guess_alarm_raised", nil, .row(""), "")
    package static let guessAlarmEnded = EventKind("guess_alarm_ended", nil, .row(""), "")
    package static let identityUnlinked = EventKind(
        "identity_unlinked", nil,
        .row("`detail`: the provider; `cause`: `address_proven`, or `withdrawn` by the provider"),
        user: Text("activity.identity-removed"), "")
    package static let userChanged = EventKind(
        "user_changed", nil,
        .row(
            "`cause`: `disabled`, `enabled`, `signed_out`, `added`, `imported`, `invitation_withdrawn`, `end_date`, `address`, `erase_requested`, `erase_cancelled` by a command, `end_date_over` by the program, `name` by the user; `detail`: the end date, or an import's changes"
        ), user: Text("activity.user-changed"), "")
    package static let userErased = EventKind("user_erased", nil, .row("client of an invitation"), "")
    package static let userInvited = EventKind("user_invited", nil, .row("client of an invitation"), "")
    package static let invitationRejected = EventKind(
        "invitation_rejected", nil, .refusal("`cause` as in the log; `detail`: the challenge, or the provider"), "")
    package static let groupChanged = EventKind(
        "group_changed", nil,
        .row("`detail`: the group; `cause`: `added`, `removed`, or `joined`, `left` of an account"), "")
    package static let clientChanged = EventKind(
        "client_changed", nil, .row("client; `detail`: `added`, `set` with the keys, `enabled`, `disabled`, `removed`"),
        "")
    package static let clientSecretAdded = EventKind(
        "client_secret_added", nil,
        .row("client; `detail`: the fingerprint; `cause` of an end: `command`, or `use` (long unused)"), "")
    package static let clientSecretRetired = EventKind(
        "client_secret_retired", nil,
        .row("client; `detail`: the fingerprint; `cause` of an end: `command`, or `use` (long unused)"), "")
    package static let sealedValuesRenewed = EventKind("sealed_values_renewed", nil, .row("`detail`: how many"), "")
    package static let keysForgotten = EventKind(
        "keys_forgotten", nil, .row("`detail`: the fingerprints of the keys that the database knows now"), "")
    package static let backupMade = EventKind(
        "backup_made", nil, .row("`detail`: the file; the account, if one user's data"), "")
    package static let databaseRestored = EventKind(
        "database_restored", nil, .row("`detail`: the file; the account, if one user's data"), "")
    package static let auditExported = EventKind(
        "audit_exported", nil, .row("`detail`: the file; the account, if one user's data"), "")
}

/// The list of the events above.
package enum AuditedEvents {
    package static let all: [EventKind] = [
        .appSignedOut, .handoffSignedIn,
        .sessionEnded, .signOutQueued, .signOutDelivered, .signOutFailed, .signOutGivenUp, .mailQueued,
        .mailNotSent,
        .inboundMailRefused, .codeRejected, .linkRejected,
        .providerAnswerRefused, .handoffCodeRejected, .guessAlarmRaised, .guessAlarmEnded,
        .identityUnlinked, .userChanged, .userErased, .userInvited, .invitationRejected,
        .groupChanged, .clientChanged, .clientSecretAdded, .clientSecretRetired, .sealedValuesRenewed, .keysForgotten,
        .backupMade, .databaseRestored, .auditExported,
    ]
}
