package import Logging
package import SSOShared
package import SSOWeb
import ServiceLifecycle
import Synchronization

/// The rounds of one ``MailQueueWorker``. Its timer begins them; a test that waits for an email does not wait for the timer.
package struct MailRounds: Sendable {
    let all: AsyncStream<Void>
    private let next: AsyncStream<Void>.Continuation

    package init() { (all, next) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    package func begin() { next.yield() }
}

/// Sends queued emails beside the requests. A slow or dead mail server never slows or fails a page. When the server is back,
/// emails that are still valid are sent.
///
/// It works in rounds on a timer, never because of a request. A round is one transaction, which writes the results of the
/// round before and takes emails that are due. So the time of a visitor's next write does not reveal whether an address gets
/// an email (docs/architecture.md, "no account enumeration").
package final class MailQueueWorker: Service {
    /// Emails that are sent at once.
    static let parallel = 10
    /// Decoys that are processed at once: each waits as long as the last real delivery took.
    private static let maximumDecoys = 500
    /// From one round to the next: the longest delay of an email.
    static let interval: Duration = .milliseconds(500)

    private let queue: MailQueue
    private let templates: [String: any MailTemplate]
    let mailer: any Mailer
    private let from: MailFrom
    private let issuer: PublicOrigin
    private let delay: MailDelay
    private let clock: ServiceClock
    let typed: Typed
    private let record: MailQueue.Record
    private let logger: Logger
    private let rounds: MailRounds
    private let state = Mutex(State())
    private let unavailable = RepeatedEvent()

    /// What a mail server says of an email.
    private enum Answer {
        case accepted
        /// Perhaps later.
        case deferred
        /// For good.
        case refused

        init(_ error: MailError?) {
            self =
                switch error {
                case nil: .accepted
                case .refused: .refused
                case .temporary, .unreachable: .deferred
                }
        }
    }

    private struct State {
        /// The emails and decoys that are being processed.
        var underWay: Set<String> = []
        /// How many of them are real and take a sending slot.
        var slots = 0
        /// How many of them are decoys.
        var decoys = 0
        /// The results that the next round writes.
        var settled: [DeliveryResult] = []
        /// How long the last real delivery took, and how it ended. Decoys imitate it.
        var pace: Duration = .zero
        var last = Answer.accepted
        var contact = MailContact()
    }

    /// An address as lines and rows have it.
    package typealias Typed = @Sendable (EmailAddress) -> TypedAddress

    /// - Parameters:
    ///   - reports: writes an address in them, and what becomes of the emails.
    ///   - rounds: begins rounds between those of the timer.
    package init(
        queue: MailQueue, templates: [any MailTemplate], mailer: any Mailer, from: MailFrom, issuer: PublicOrigin,
        delay: MailDelay, reports: (typed: Typed, record: MailQueue.Record), rounds: MailRounds, logger: Logger
    ) {
        self.queue = queue
        self.templates = Dictionary(templates.map { (type(of: $0).kind, $0) }) { $1 }
        self.mailer = mailer
        self.from = from
        self.issuer = issuer
        self.delay = delay
        clock = queue.clock
        (typed, record, self.rounds, self.logger) = (reports.typed, reports.record, rounds, logger)
    }

    /// Sends until the shutdown begins. Then it starts no further email and lets the others finish: an SMTP conversation that
    /// ends after the message's last line leads to a second delivery (RFC 5321 4.5.4.2). When the time to stop has run out,
    /// the rest is cancelled. Its leases expire, and another process sends it.
    func run() async throws {
        await withDiscardingTaskGroup { group in
            group.addTask {
                await cancelWhenGracefulShutdown {
                    while !Task.isCancelled {
                        self.rounds.begin()
                        try? await Task.sleep(for: Self.interval)
                    }
                }
            }
            for await _ in rounds.all.cancelOnGracefulShutdown() { await round(in: &group) }
        }
        _ = await round(taking: 0)  // writes the last results
    }

    /// Sends what is due, one after the other. Returns when the results are written.
    package func round() async {
        for email in await round(taking: Self.parallel, decoys: MailQueue.decoysPerRound) {
            let result = await result(of: email)
            state.withLock { $0.settled.append(result) }
        }
        _ = await round(taking: 0)
    }

    /// Starts an email that is due for every free slot, and decoys.
    private func round(in group: inout DiscardingTaskGroup) async {
        let (slots, decoys) = state.withLock { ($0.slots, $0.decoys) }
        let room = min(MailQueue.decoysPerRound, Self.maximumDecoys - decoys)
        for email in await round(taking: Self.parallel - slots, decoys: room) {
            let (slot, decoy) = email.subjectID == nil ? (0, 1) : (1, 0)
            state.withLock {
                $0.slots += slot
                $0.decoys += decoy
                $0.underWay.insert(email.id)
            }
            group.addTask {
                let result = await self.result(of: email)
                self.state.withLock {
                    $0.slots -= slot
                    $0.decoys -= decoy
                    $0.underWay.remove(email.id)
                    $0.settled.append(result)
                }
            }
        }
    }

    /// Writes the results of deliveries and takes emails that are due.
    private func round(taking count: Int, decoys: Int = 0) async -> [QueuedMail] {
        let (settled, held, slots) = state.withLock { ($0.settled, $0.underWay.sorted(), $0.slots) }
        guard count > 0 || decoys > 0 || !settled.isEmpty || !held.isEmpty else { return [] }
        do {
            let round = try await queue.exchange(
                settled, holding: held, forNext: count, decoys: decoys, underWay: slots, record: record)
            state.withLock { $0.settled.removeFirst(settled.count) }
            report(round)
            return round.emails
        } catch {
            // A later round writes the results. If there is none, the leases expire and the emails are sent again.
            unavailable.record(Event(.mailQueueUnavailable, cause: "\(error)"), logger)
            return []
        }
    }

    /// Says when the hourly limit begins and ends to hold emails back.
    private func report(_ round: MailQueue.Round) {
        guard let isDelayed = delay.note(round, queue.capacity) else { return }
        logger.record(
            Event(
                isDelayed ? .mailLimitReached : .mailLimitRelaxed,
                ["limit": .number(queue.capacity.limit), "leaving": "\(round.level)"]))
    }

    private func result(of queued: QueuedMail) async -> DeliveryResult {
        queued.subjectID == nil ? await processDecoy(queued) : await deliver(queued)
    }

    private func deliver(_ queued: QueuedMail) async -> DeliveryResult {
        var content: EmailContent?
        do {
            if let subjectID = queued.subjectID { content = try await templates[queued.kind]?.message(for: subjectID) }
            // Without content the email is no longer needed.
            guard let content else {
                return end(of: queued, event(.mailNotSent, of: queued, nil, cause: "no_longer_needed"))
            }
            try await send(
                EmailMessage(
                    id: queued.id, date: clock.now(), from: from, to: content.to, subject: content.subject,
                    text: content.text, html: content.html, language: content.language,
                    replyTo: content.replyTo, logo: content.logo, messageIDDomain: issuer.host))
            return end(of: queued, event(.mailSent, of: queued, content))
        } catch {
            return failure(error, of: queued, content)
        }
    }

    /// The email leaves the queue.
    private func end(of queued: QueuedMail, _ event: Event) -> DeliveryResult {
        // It has happened, whatever becomes of the transaction with its row.
        logger.record(event.only(in: .log))
        return DeliveryResult(id: queued.id, outcome: .sent(clock.now()), event: event)
    }

    private func failure(_ error: any Error, of queued: QueuedMail, _ content: EmailContent?) -> DeliveryResult {
        let answer = error as? MailError
        if case .refused(_, let code)? = answer, Self.isFinal(after: queued.attempts) {
            var event = event(.mailNotSent, of: queued, content, cause: "refused", detail: answer?.classAndCode)
            event.further["cause"] = "\(error)"
            event.further["code"] = .number(code)
            return end(of: queued, event)
        }
        let pause = Self.pause(after: queued.attempts, isNotice: queued.isNotice)
        let willExpire = clock.now() + pause >= queued.expiresAt
        var failed = event(.mailDeliveryFailed, of: queued, content, cause: "\(error)", detail: answer?.classID)
        if !willExpire { failed.further["retry_after_seconds"] = .number(pause.secondsRoundedUp) }
        logger.record(failed)
        let isOutage = if case .unreachable? = answer { true } else { false }
        return DeliveryResult(
            id: queued.id, outcome: .postponed(clock.now() + pause, isOutage: isOutage),
            event: willExpire
                ? event(.mailNotSent, of: queued, content, cause: "expired", detail: answer?.classAndCode) : nil)
    }

    private func send(_ email: EmailMessage) async throws {
        let began = ContinuousClock.now
        func note(_ error: MailError?) {
            let now = clock.now()
            let isOutage = if case .unreachable = error { true } else { false }
            state.withLock {
                $0.pace = ContinuousClock.now - began
                $0.last = Answer(error)
                $0.contact.end(!isOutage, now)
            }
        }
        do throws(MailError) { try await mailer.send(email) } catch {
            note(error)
            throw error
        }
        note(nil)
    }

    /// Processes a decoy: waits as long as the last real delivery and records the same outcome.
    ///
    /// When no email has left for a while, it asks the mail server first, as an email would. Otherwise the first email in an
    /// outage would change what the pages say, and a decoy would not.
    private func processDecoy(_ queued: QueuedMail) async -> DeliveryResult {
        if state.withLock({ $0.contact.begin(clock.now()) }) {
            let isReached = await mailer.isReached(from: from)
            let now = clock.now()
            state.withLock { state in
                if isReached == false {
                    state.last = .deferred
                } else if isReached == true, state.contact.isOutage {
                    state.last = .accepted
                }
                state.contact.end(isReached, now)
            }
            if let isReached { return decoyResult(queued, isOutage: !isReached, isContact: true) }
        }
        try? await Task.sleep(for: state.withLock { $0.pace })
        return decoyResult(queued, isOutage: false, isContact: false)
    }

    private func decoyResult(_ queued: QueuedMail, isOutage: Bool, isContact: Bool) -> DeliveryResult {
        let last = state.withLock { $0.last }
        let isOver = last == .accepted || last == .refused && Self.isFinal(after: queued.attempts)
        let next = clock.now() + Self.pause(after: queued.attempts)
        return DeliveryResult(
            id: queued.id, outcome: isOver ? .sent(clock.now()) : .postponed(next, isOutage: isOutage),
            isContact: isContact)
    }
}

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
