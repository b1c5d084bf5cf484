import IdPClients
import Logging
package import SSOWeb

/// What happens to keys of apps.
extension EventKind {
    package static let appKeyMade = EventKind(
        "app_key_made", .notice, .row("client; `detail`: the key"), line: [.client, .account, .detail("key")],
        user: Text("activity.app-key-made"), "A user, or a command, has made a key for an app of a service.")
    package static let appKeyEnded = EventKind(
        "app_key_ended", .notice, .row("client; `detail`: the key; `cause`"),
        line: [.client, .account, .detail("key"), .cause()],
        causes: [
            .init("user", "By its user."), .init("operator", "By a command."),
            .init("disabled", "Its account was disabled."), .init("end_date", "The account's end date is over."),
            .init("erased", "The account was erased."),
            .init("not_allowed", "`IDP_ALLOWED_EMAILS` does not name the address any more."),
            .init("address_proven", "It was made before the first proof of the account's mailbox."),
            .init("client_removed", "Its service was removed, or taken out of the clients file."),
        ], user: Text("activity.app-key-ended"), "A key for an app of a service has ended.")
}

extension AppKey {
    package func event(_ kind: EventKind, by actor: AuditActor, cause: String? = nil) -> Event {
        Event(kind, by: actor, account: account, client: client, cause: cause, detail: id)
    }
}
