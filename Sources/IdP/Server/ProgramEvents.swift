import Logging
package import SSOWeb

/// What happens to the program as a whole, and what commands of the operator write.
extension EventKind {
    static let reload = EventKind(
        "reload", .notice, .line, "SIGHUP: the files are read again. Settings need a restart.")
    static let ineligibleSignInsFailed = EventKind(
        "ineligible_sign_ins_failed", .warning, line: [.cause()],
        "A start could not tell clients of accounts that may no longer sign in: `cause`. Restart.")
    static let sealedValuesRenewed = EventKind(
        "sealed_values_renewed", .notice, .row("`detail`: how many"), line: [.detail("values")],
        "Values that an older key of `IDP_SECRET_KEY` had sealed are sealed with the first one. Once it is there, the others [may go](operations.md#rotate-a-secret-or-a-key)."
    )
    static let sealedValuesNotRenewed = EventKind(
        "sealed_values_not_renewed", .warning, line: [.cause()],
        "Storage: values are sealed with an older key still: `cause`. Tried again in an hour.")
    static let signingKeysNotRenewed = EventKind(
        "signing_keys_not_renewed", .warning, line: [.cause()],
        "Keys not read or made: database and `IDP_SECRET_KEY`. Tried again in an hour.")
    package static let noAdmin = EventKind(
        "no_admin", .notice, .line,
        "A start without an admin: `/admin` is an unknown path for everybody. `message` says [how the first one is made](admin.md#the-first-admin)."
    )
    package static let backupMade = EventKind("backup_made", nil, .row("`detail`: the file"), "A backup was made.")
}

/// The events of this target.
enum ProgramEvents {
    static let all: [EventKind] = [
        .reload, .ineligibleSignInsFailed, .sealedValuesRenewed, .sealedValuesNotRenewed, .signingKeysNotRenewed,
        .backupMade, .noAdmin,
    ]
}
