import Logging
import SSOShared
import SSOWeb
import ServiceLifecycle
import Synchronization

/// Sends what waits in the queue, beside the requests: a slow or dead mail server never slows or fails a page, and a
/// letter goes out when the server is back, as long as it is still good for something.
///
/// It works in rounds, by its own clock and never at a request's call. A round is one transaction, which writes what
/// became of the letters before and takes those that are due. So nobody who measures how long the writes behind a
/// sign-in wait can tell an address that gets a letter from one that does not (invariant I10).
final class PostOffice: Service {
    /// Letters on their way at once.
    static let parallel = 10
    /// Decoys on their way at once: each waits as long as the last real email took.
    private static let maximumDecoys = 500
    /// From round to round: the longest that a letter waits for the office.
    static let interval: Duration = .milliseconds(500)

    private let letters: LetterStore
    private let challenges: ChallengeStore
    private let content: EmailCodeMail
    private let mailer: any Mailer
    private let from: MailFrom
    private let issuer: PublicOrigin
    private let delay: MailDelay
    private let clock: ServiceClock
    private let logger: Logger
    private let desk = Mutex(Desk())

    private struct Desk {
        /// The letters on their way.
        var underWay: Set<String> = []
        /// How many of them take a place: all but decoys.
        var taken = 0
        /// How many decoys are on their way.
        var decoys = 0
        /// What the next round writes.
        var settled: [SettledLetter] = []
        /// How the last letter that reached the mailer fared: those for nobody fare the same.
        var pace: Duration = .zero
        var isRefused = false
    }

    init(
        letters: LetterStore, challenges: ChallengeStore, content: EmailCodeMail, mailer: any Mailer, from: MailFrom,
        issuer: PublicOrigin, delay: MailDelay, clock: ServiceClock, logger: Logger
    ) {
        self.letters = letters
        self.challenges = challenges
        self.content = content
        self.mailer = mailer
        self.from = from
        self.issuer = issuer
        self.delay = delay
        self.clock = clock
        self.logger = logger
    }

    /// Sends until told to stop. Then it begins no letter any more, and lets those under way come to their end: a
    /// conversation broken off behind the letter's last line would leave it to be sent twice (RFC 5321 4.5.4.2). What
    /// is under way still when the time to stop has run out is cancelled, and its lease brings the letter back.
    func run() async throws {
        let (rounds, next) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        await withDiscardingTaskGroup { group in
            group.addTask {
                await cancelWhenGracefulShutdown {
                    while !Task.isCancelled {
                        next.yield()
                        try? await Task.sleep(for: Self.interval)
                    }
                }
            }
            for await _ in rounds.cancelOnGracefulShutdown() { await round(in: &group) }
        }
        _ = await round(taking: 0)  // what the last ones came to
    }

    /// Gives every free place an email that is due, and passes decoys on. Returns when they are on their way.
    private func round(in group: inout DiscardingTaskGroup) async {
        let (taken, decoys) = desk.withLock { ($0.taken, $0.decoys) }
        let room = min(LetterStore.decoysPerRound, Self.maximumDecoys - decoys)
        for letter in await round(taking: Self.parallel - taken, decoys: room) {
            let (places, decoys) = letter.challengeID == nil ? (0, 1) : (1, 0)
            desk.withLock {
                $0.taken += places
                $0.decoys += decoys
                $0.underWay.insert(letter.id)
            }
            group.addTask {
                let outcome = await self.deliver(letter)
                self.desk.withLock {
                    $0.taken -= places
                    $0.decoys -= decoys
                    $0.underWay.remove(letter.id)
                    $0.settled.append(
                        SettledLetter(id: letter.id, outcome: outcome, isReal: letter.challengeID != nil))
                }
            }
        }
    }

    /// Writes what became of emails, and takes some that are due.
    private func round(taking count: Int, decoys: Int = 0) async -> [QueuedLetter] {
        let (settled, held, taken) = desk.withLock { ($0.settled, $0.underWay.sorted(), $0.taken) }
        guard count > 0 || decoys > 0 || !settled.isEmpty || !held.isEmpty else { return [] }
        do {
            let round = try await letters.exchange(
                settled, holding: held, forNext: count, decoys: decoys, underWay: taken)
            desk.withLock { $0.settled.removeFirst(settled.count) }
            report(round)
            return round.letters
        } catch {
            // What was settled is written by a later round. If none comes, the lease brings the letters back.
            logger.warning("the queue of letters cannot be read", metadata: ["cause": "\(error)"])
            return []
        }
    }

    /// Logs when the hourly limit begins and stops to hold emails back.
    private func report(_ round: LetterStore.Round) {
        guard let isDelayed = delay.note(round, letters.capacity) else { return }
        let metadata: Logger.Metadata = ["limit": "\(letters.capacity.limit)", "leaving": "\(round.level)"]
        if isDelayed {
            logger.error("mail_limit_reached", metadata: metadata)
        } else {
            logger.notice("mail_limit_relaxed", metadata: metadata)
        }
    }

    private func deliver(_ queued: QueuedLetter) async -> SettledLetter.Outcome {
        do {
            if queued.challengeID == nil { return await pass(queued) }
            guard let id = queued.challengeID, let challenge = try await challenges.findAlive(id),
                let words = try await content.content(for: challenge), let to = try? LetterAddress(challenge.address)
            else { return .sent(clock.now()) }  // nothing to say any more
            let letter = Letter(
                id: queued.id, date: clock.now(), from: from, to: to, subject: words.subject, text: words.text,
                html: words.html, messageIDDomain: issuer.host)
            try await send(letter)
            logger.info("letter sent", metadata: ["letter": "\(queued.id)", "attempts": "\(queued.attempts)"])
            return .sent(clock.now())
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
            var isOutage = false
            if case .unreachable = error as? MailFailure { isOutage = true }
            return .postponed(clock.now() + pause, isOutage: isOutage)
        }
    }

    private func send(_ letter: Letter) async throws {
        let began = ContinuousClock.now
        var isRefused = true
        defer {
            desk.withLock { [isRefused] in
                $0.pace = ContinuousClock.now - began
                $0.isRefused = isRefused
            }
        }
        try await mailer.send(letter)
        isRefused = false
    }

    /// A letter for nobody: takes as long as the last one for somebody, fares like it, and leaves the same trace.
    private func pass(_ queued: QueuedLetter) async -> SettledLetter.Outcome {
        let (pace, isRefused) = desk.withLock { ($0.pace, $0.isRefused) }
        try? await Task.sleep(for: pace)
        return isRefused ? .postponed(clock.now() + Self.pause(after: queued.attempts)) : .sent(clock.now())
    }

    /// 2, 4, 8, 16, then 30 seconds: a code lives ten minutes, so a longer pause would waste it.
    static func pause(after attempts: Int) -> Duration { .seconds(min(30, 1 << min(max(attempts, 1), 5))) }
}
