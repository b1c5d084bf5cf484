import IdPClients
import Logging
import SSOShared
package import SSOWeb

/// What ends, and what happens to messages that tell clients of it.
extension EventKind {
    package static let sessionEnded = EventKind(
        "session_ended", .info, .row("session, none if all or all others end; `cause`; with `no_access` the client"),
        line: [.account, .session, .cause()], causes: SignOutCause.allCases.filter { !$0.isOwn }.map(\.eventCause),
        user: Text("activity.session-ended"),
        "Sessions ended before their time, not by a sign-out of their own. The log has a line of those that users end elsewhere; `session=others`: all but one."
    )

    private static let row =
        "client, session as told there, none for all; `cause`: the end's, `retried`, or why it failed; `detail`: the message"

    package static let signOutQueued = EventKind(
        "sign_out_queued", .info, .row(row), line: message,
        causes: SignOutCause.allCases.map(\.eventCause) + [.init("retried", "By `idp sign-outs retry`.")],
        user: Text("activity.sign-out-queued"),
        "A client is told that sessions have ended. The line is of the first try.")
    package static let signOutDelivered = EventKind(
        "sign_out_delivered", .info, .row(row), line: message, user: Text("activity.sign-out-delivered"),
        "The client has taken the message.")
    package static let signOutFailed = EventKind(
        "sign_out_failed", .warning, .row(row), line: message + [.reason], causes: SignOutFailure.causes,
        user: Text("activity.sign-out-failed"),
        "One try to tell a client: [`reason`](operations.md#sign-out-at-clients). The next: `retry_after_seconds`. The audit log has the first."
    )
    package static let signOutGivenUp = EventKind(
        "sign_out_given_up", .error, .row(row), line: message + [.reason],
        causes: SignOutFailure.causes + [
            .init("operator", "An admin has given it up on a page. It can be tried again."),
            .init(
                "queue_full",
                "Too many messages wait. A line at most hourly per client; the audit log has each."),
        ], user: Text("activity.sign-out-given-up"),
        "`client` was not reached for 24 hours, or has refused the message: sessions of `account` may go on there. [What to do](operations.md#sign-out-at-clients)"
    )
    package static let signOutNotNeeded = EventKind(
        "sign_out_not_needed", .info, line: message + [.reason],
        causes: [
            .init("client_unknown", "The client is not registered any more."),
            .init("takes_none", "The client takes no messages of this kind."),
        ], "A message was left out.")
    package static let signOutNotSigned = EventKind(
        "sign_out_not_signed", .error, line: [.detail("message_id"), .cause()],
        "A logout token cannot be signed, and is tried again: look at the database and `IDP_SECRET_KEY`.")
    package static let signOutQueueUnavailable = EventKind(
        "sign_out_queue_unavailable", .warning, line: [.cause()],
        "Storage: the queue of messages to clients. Look at `cause`, a line a minute, and `/readyz`.")

    private static let message: [EventField] = [.detail("message_id"), .client, .account]
}

/// Why a try failed, beside `status_` and the number of the answer. The raw values are stable.
enum SignOutFailure: String, CaseIterable {
    case timedOut = "timed_out"
    case addressRefused = "address_refused"
    case notConnected = "not_connected"
    case nameNotFound = "name_not_found"
    case connectionFailed = "connection_failed"
    case notSigned = "not_signed"

    static let causes =
        allCases.map { EventCause($0.rawValue, $0.remedy) } + [
            .init("status_401", "The secrets differ, or the client's clock is wrong."),
            .init("status_404", "Correct `logout_uri`."),
            .init("status_500", "See the client's log; so for any other `status_…`."),
        ]

    private var remedy: String {
        switch self {
        case .timedOut: "The client took more than 5 seconds."
        case .addressRefused: "The address of `logout_uri` is link-local, of metadata, or public over http."
        case .notConnected: "Nothing answers there."
        case .nameNotFound: "The name in `logout_uri` has no address."
        case .connectionFailed: "The connection failed, such as for the client's certificate."
        case .notSigned: "The token cannot be signed: see `sign_out_not_signed`."
        }
    }

    init(_ error: ConnectionError) {
        switch error {
        case .timedOut: self = .timedOut
        case .addressRefused: self = .addressRefused
        case .notConnected, .noRoute: self = .notConnected
        case .nameNotFound: self = .nameNotFound
        default: self = .connectionFailed
        }
    }
}

/// The events of this target.
package enum SignOutEvents {
    package static let all: [EventKind] = [
        .signOutQueued, .signOutDelivered, .signOutFailed, .signOutGivenUp, .signOutNotNeeded, .signOutNotSigned,
        .signOutQueueUnavailable, .sessionEnded, .appKeyMade, .appKeyEnded,
    ]
}
