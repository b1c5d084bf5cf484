import Logging
package import SSOWeb

/// What happens on admin pages.
extension EventKind {
    package static let roleChanged = EventKind(
        "role_changed", .warning, .row("`cause`; `detail`: the role"), line: [.account, .cause(), .detail("role")],
        causes: [
            .init("granted", "The account has the role. All admins are told by email."),
            .init("revoked", "The account has the role no more. All admins and its user are told by email."),
        ], user: Text("activity.role-changed"), "A role on the admin pages was granted or revoked.")
    package static let adminsNotTold = EventKind(
        "admins_not_told", .warning, line: [.cause()],
        "Emails about changes could not be queued: `cause`. Tried again in five seconds. Look at the database.")
    package static let adminChange = EventKind(
        "admin_change", .notice,
        .row(
            "session, the account or client that it is about; `cause`; `detail`: the change, and the names of its values"
        ),
        line: [.account, .client, .session, .cause(), .detail("change")],
        causes: [
            .init("opened", "A page has asked an admin whether to make the change."),
            .init("made", "The change was made. Another row says what it did."),
        ], user: Text("activity.admin-change"), "An admin has opened or made a change on a page.")
    package static let adminRefused = EventKind(
        "admin_refused", .warning,
        .row("session, the account or client that it is about; `cause`; `detail`: the change"),
        line: [.account, .client, .session, .cause(), .detail("change")],
        causes: [
            .init("role", "An auditor has tried a change. Nothing was changed."),
            .init("protected", "The account is named by `IDP_ADMINS`, or is the admin's own. Nothing was changed."),
            .init("limit", "An admin has made 60 changes in a minute. Look at what they were."),
            .init("refused", "The change cannot be made. The page has said why."),
        ], user: Text("activity.admin-change"), "A change on an admin page was refused.")
}
