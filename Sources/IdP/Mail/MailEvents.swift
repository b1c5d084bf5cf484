import Logging
package import SSOWeb

/// What happens to emails once they are queued.
extension EventKind {
    package static let mailSent = EventKind(
        "mail_sent", .info, .refusal("flow, the address"), line: [.flow],
        "The mail server (`server`) has the email: look in its log for the `email` id, then in the spam folder.")
    /// Of emails that the queue gives up, and of those that were never queued.
    package static let mailNotSent = EventKind(
        "mail_not_sent", .info,
        .refusal(
            "flow, the address; `cause`; `detail`: class and code of the mail server's last answer (`refused 550`, `temporary`, `unreachable`), or how many expired waiting"
        ), line: [.flow.orDash, .reason], causes: causesOfNotSent, countedAs: "mail_queued",
        "No email left. `reason` says why.")
    package static let mailDeliveryFailed = EventKind(
        "mail_delivery_failed", .warning, line: [.flow, .cause()],
        by: [.detail("class", MailError.classes, others: "program")],
        "`server` refuses or is down: `cause` is its answer, and `idp check --connect` tries it. Without `retry_after_seconds` it was the last try: the code ends before the next."
    )
    package static let mailQueueUnavailable = EventKind(
        "mail_queue_unavailable", .warning, line: [.cause()],
        "Storage: the queue of emails. Look at `cause`, a line a minute, and `/readyz`.")
    package static let mailLimitReached = EventKind(
        "mail_limit_reached", .error, by: [leaving],
        "The hourly limit holds emails back; `leaving` names those that still leave. Look at `client_address`; raise `IDP_MAIL_HOURLY_LIMIT` for your users."
    )
    package static let mailLimitRelaxed = EventKind(
        "mail_limit_relaxed", .notice, by: [leaving], "Fewer emails are held back.")

    private static let leaving = EventLabel.field("leaving", MailCapacity.Level.allCases.map { "\($0)" })

    private static let causesOfNotSent: [EventCause] = [
        .init("address_not_allowed", "Not in `IDP_ALLOWED_EMAILS`, and not added."),
        .init("account_disabled", "By `idp user disable` or `erase`."),
        .init("account_ended", "The account is past its end date."),
        .init("address_limit", "[A limit](limits.md) of emails to the address is reached."),
        .init(
            "network_limit", "`client_address` has reached [a limit](limits.md). Is `IDP_TRUSTED_PROXIES` set?"),
        .init(
            "refused", .warning,
            remedy:
                "The mail server refused recipient or email twice, with the 5yz in `code`: wrong address, full mailbox, or a rule of that server."
        ),
        .init("no_longer_needed", "Its code was used or had ended before."),
        .init(
            "expired", .warning,
            remedy:
                "The code ended before the mail server took the email, or while [the hourly limit](limits.md) held it back. One line for all that the queue gives up at once, with their number as `emails`; `mail_delivery_failed` names the users."
        ),
    ]
}

extension MailError {
    /// What a delivery's failure is counted as.
    static let classes = ["refused", "temporary", "unreachable"]

    var classID: String {
        switch self {
        case .refused: "refused"
        case .temporary: "temporary"
        case .unreachable: "unreachable"
        }
    }

    /// Class and reply code, for the audit log: `refused 550`.
    var classAndCode: String {
        if case .refused(_, let code) = self { "\(classID) \(code)" } else { classID }
    }
}

/// The events of this target.
package enum MailEvents {
    package static let all: [EventKind] = [
        .mailSent, .mailNotSent, .mailDeliveryFailed, .mailQueueUnavailable, .mailLimitReached, .mailLimitRelaxed,
    ]
}
