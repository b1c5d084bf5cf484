package import SSOWeb

/// What the audit log records and what is not with a feature.
extension EventKind {
    package static let userErased = EventKind("user_erased", nil, .row("client of an invitation"), "")
    package static let userInvited = EventKind("user_invited", nil, .row("client of an invitation"), "")
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
        .userErased, .userInvited, .groupChanged, .clientChanged, .clientSecretAdded, .clientSecretRetired,
        .sealedValuesRenewed, .keysForgotten, .backupMade, .databaseRestored, .auditExported,
    ]
}
