import Logging
package import SSOWeb

/// What operators change, and what the program ends by itself.
extension EventKind {
    package static let userErased = EventKind(
        "user_erased", .notice, .row(""), line: [.account],
        "An account and what is kept of its user were deleted. The log has a line of those whose seven days are over.")
    package static let userInvited = EventKind(
        "user_invited", nil, .row("client of the invitation"), user: Text("activity.invited"),
        "An email with a link that makes the account the user's was queued.")
    package static let groupChanged = EventKind(
        "group_changed", nil, .row("`detail`: the group; `cause`"),
        causes: GroupChange.allCases.map { .init($0.rawValue, $0.meaning) }, user: Text("activity.group-changed"),
        "A group, or who is in it, was changed by a command.")
    package static let clientChanged = EventKind(
        "client_changed", nil, .row("client; `detail`: `added`, `set` with the keys, `enabled`, `disabled`, `removed`"),
        "A client in the database was changed by a command.")
    package static let clientSecretAdded = EventKind(
        "client_secret_added", nil, .row("client; `detail`: the fingerprint"),
        "A client has a new secret. The one of before verifies on until it ends.")
    package static let clientSecretRetired = EventKind(
        "client_secret_retired", .notice, .row("client; `detail`: the fingerprint; `cause`"),
        line: [.client, .detail("fingerprint"), .cause("by")],
        causes: SecretEnd.allCases.map { .init($0.rawValue, $0.meaning) },
        "A secret of a client has ended. The log has a line of those with `by=use`.")
    package static let accessReviewFailed = EventKind(
        "access_review_failed", .warning, line: [.cause()],
        "A new clients file's groups could not be looked up. Access is checked. Send SIGHUP again.")
    package static let signInLinkMade = EventKind(
        "sign_in_link_made", nil, .row("`cause`"),
        causes: [
            .init("made", "`idp user sign-in-link` has printed it."), .init("withdrawn", "It was taken back."),
        ], user: Text("activity.sign-in-link-made"),
        "A sign-in link was made for an account that nobody had signed in to, or was taken back.")
    package static let passkeysForgotten = EventKind(
        "passkeys_forgotten", nil, .row("`detail`: how many users had passkeys"),
        "`idp passkeys forget-all`: the passkeys of all users were removed.")
    package static let keysForgotten = EventKind(
        "keys_forgotten", nil, .row("`detail`: the fingerprints of the keys that the database knows now"),
        "`idp database forget-keys`: what only the lost keys open stays closed.")
    package static let auditExported = EventKind(
        "audit_exported", nil, .row("`detail`: the file; the account, if one user's data"),
        user: Text("activity.data-exported"),
        "Rows of the audit log, or one user's data, were written into a file, by a command or on an admin page.")
    package static let databaseRestored = EventKind(
        "database_restored", nil, .row(""),
        "A backup was put in the place of the database. Every sign-in has ended, and clients are told.")
}

/// What was changed of a group: the causes of `group_changed`.
enum GroupChange: String, CaseIterable {
    case added, removed, joined, left

    fileprivate var meaning: String {
        switch self {
        case .added: "The group was made."
        case .removed: "The group was removed, with the number of its members in `detail`."
        case .joined: "The account is in the group now."
        case .left: "The account is not in the group any more."
        }
    }
}

/// What has ended a secret of a client: the causes of `client_secret_retired`.
enum SecretEnd: String, CaseIterable {
    case command, use

    fileprivate var meaning: String {
        switch self {
        case .command: "`idp client retire`, or a rotation that was taken back."
        case .use: "The secret before a rotation, long unused, has ended by itself."
        }
    }
}

/// The events of this target.
package enum OperationsEvents {
    package static let all: [EventKind] = [
        .userErased, .userInvited, .groupChanged, .clientChanged, .clientSecretAdded, .clientSecretRetired,
        .accessReviewFailed, .signInLinkMade, .passkeysForgotten, .keysForgotten, .databaseRestored,
        .auditExported, .adminsNotTold, .roleChanged, .adminChange, .adminRefused,
    ]
}
