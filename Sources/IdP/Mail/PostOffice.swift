import Logging
import SSOShared
import SSOWeb
import ServiceLifecycle
import Synchronization

/// Sends what waits in the queue, beside the requests: a slow or dead mail server never slows or fails a page, and a
/// letter goes out when the server is back, as long as it is still good for something.
final class PostOffice: Service {
    /// Letters on their way at once.
    static let parallel = 4
    /// How often the queue is looked at when nobody calls.
    static let interval: Duration = .seconds(1)

    private let letters: LetterStore
    private let challenges: ChallengeStore
    private let content: EmailCodeMail
    private let mailer: any Mailer
    private let from: MailFrom
    private let issuer: PublicOrigin
    private let clock: ServiceClock
    private let logger: Logger
    /// How many are taken.
    private let places = Mutex(0)
    /// How long the last letter took.
    private let pace = Mutex(Duration.zero)
    private let calls: AsyncStream<Void>
    private let call: AsyncStream<Void>.Continuation

    init(
        letters: LetterStore, challenges: ChallengeStore, content: EmailCodeMail, mailer: any Mailer, from: MailFrom,
        issuer: PublicOrigin, clock: ServiceClock, logger: Logger
    ) {
        self.letters = letters
        self.challenges = challenges
        self.content = content
        self.mailer = mailer
        self.from = from
        self.issuer = issuer
        self.clock = clock
        self.logger = logger
        (calls, call) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Says that a letter waits. Returns at once.
    @Sendable func letterWaiting() { call.yield() }

    /// Sends until told to stop. Then it begins no letter any more, and lets those under way come to their end: a
    /// conversation broken off behind the letter's last line would leave it to be sent twice (RFC 5321 4.5.4.2). What
    /// is under way still when the time to stop has run out is cancelled, and its lease brings the letter back.
    func run() async throws {
        await withDiscardingTaskGroup { group in
            group.addTask {
                await cancelWhenGracefulShutdown {
                    while !Task.isCancelled {
                        try? await Task.sleep(for: Self.interval)
                        self.letterWaiting()
                    }
                }
            }
            for await _ in calls.cancelOnGracefulShutdown() { await sendDue(in: &group) }
        }
    }

    /// Gives every free place a letter that is due. Returns when they are on their way.
    private func sendDue(in group: inout DiscardingTaskGroup) async {
        do {
            let free = Self.parallel - places.withLock { $0 }
            guard free > 0 else { return }
            for letter in try await letters.claim(free) {
                places.withLock { $0 += 1 }
                group.addTask {
                    await self.send(letter)
                    self.places.withLock { $0 -= 1 }
                    // The place is for the next one at once, however long the others take.
                    self.letterWaiting()
                }
            }
        } catch {
            logger.warning("the queue of letters cannot be read", metadata: ["cause": "\(error)"])
        }
    }

    private func send(_ queued: QueuedLetter) async {
        do {
            if queued.challengeID == nil { return try await pass(queued) }
            guard let id = queued.challengeID, let challenge = try await challenges.findAlive(id),
                let words = content.content(for: challenge), let to = try? LetterAddress(challenge.address)
            else { return try await letters.markSent(queued) }  // nothing to say any more
            let letter = Letter(
                id: queued.id, date: clock.now(), from: from, to: to, subject: words.subject, text: words.text,
                html: words.html, messageIDDomain: issuer.host)
            let began = ContinuousClock.now
            try await mailer.send(letter)
            pace.withLock { $0 = ContinuousClock.now - began }
            try await letters.markSent(queued)
            logger.info("letter sent", metadata: ["letter": "\(queued.id)", "attempts": "\(queued.attempts)"])
        } catch {
            // Also after a refusal for good: greylisting and half-finished set-ups answer 5xx, too, and the letter's ten
            // minutes bound the asking.
            let pause = Self.pause(after: queued.attempts)
            logger.warning(
                "letter not sent, will try again",
                metadata: [
                    "letter": "\(queued.id)", "attempts": "\(queued.attempts)", "cause": "\(error)",
                    "seconds": "\(pause.secondsRoundedUp)",
                ])
            // If even this cannot be stored, the lease brings the letter back.
            try? await letters.postpone(queued, by: pause)
        }
    }

    /// A letter for nobody: takes as long as one for somebody, and leaves the same trace (invariant I10).
    private func pass(_ queued: QueuedLetter) async throws {
        try? await Task.sleep(for: min(pace.withLock { $0 }, .seconds(2)))
        try await letters.markSent(queued)
    }

    /// 2, 4, 8, 16, then 30 seconds: a code lives ten minutes, so a longer pause would waste it.
    static func pause(after attempts: Int) -> Duration { .seconds(min(30, 1 << min(max(attempts, 1), 5))) }
}
