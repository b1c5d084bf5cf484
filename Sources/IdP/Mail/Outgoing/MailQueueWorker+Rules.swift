import Logging
import SSOShared
import SSOWeb

extension MailQueueWorker {
    /// What happened to an email, for log and audit log. Rows of emails have an address and no account.
    ///
    /// - Parameter content: nil for an email that has no text any more: its address is not known either.
    func event(
        _ kind: EventKind, of queued: QueuedMail, _ content: EmailContent?, cause: String? = nil, detail: String? = nil
    ) -> Event {
        var event = Event(
            kind, flow: content?.logFlow, cause: cause, detail: detail,
            [
                "email": "\(queued.id)", "attempts": .number(queued.attempts), "server": "\(mailer.destination)",
            ])
        event.address = content.map { typed($0.to) }
        event.further["account"] = content?.account.map { "\($0)" }
        return event
    }

    /// Whether a refusal for good is believed. A server that repeats one to a recipient is not asked a third time: it would take this
    /// for somebody who looks for addresses (RFC 5321 4.2.1). Once more, because unfinished set-ups answer so, too.
    static func isFinal(after attempts: Int) -> Bool { attempts >= 2 }

    /// 2, 4, 8, 16, then 30 seconds: codes are valid for ten minutes, so a longer pause would waste them. For notices, which
    /// wait for days, it doubles up to 15 minutes.
    static func pause(after attempts: Int, isNotice: Bool = false) -> Duration {
        .seconds(min(isNotice ? 900 : 30, 1 << min(max(attempts, 1), 10)))
    }
}
