public import Logging
public import ServiceLifecycle

/// Removes what has expired, a bounded piece at a time, for as long as the program runs.
///
/// Deletes nothing while the time is in doubt, see ``PurgePermit``.
public struct PurgeService: Service {
    /// Removes at most so many rows and says how many went.
    public typealias Purge = @Sendable (_ limit: Int) async throws -> Int

    /// Rows a transaction: few enough that a sign-in behind it does not notice.
    static let piece = 500
    /// Pieces of one kind before the next kind has its turn.
    static let maximumPieces = 200

    private let interval: Duration
    private let clock: ServiceClock
    private let logger: Logger
    private let newest: @Sendable () async throws -> Timestamp?
    private let purges: [Purge]

    /// Runs each of the purges at this interval, and again at once while one of them has more to do.
    ///
    /// - Parameter newest: when the newest row was made, nil when there is none.
    public init(
        every interval: Duration, clock: ServiceClock, logger: Logger,
        newest: @escaping @Sendable () async throws -> Timestamp?, _ purges: [Purge]
    ) {
        self.interval = interval
        self.clock = clock
        self.logger = logger
        self.newest = newest
        self.purges = purges
    }

    public func run() async throws {
        await cancelWhenGracefulShutdown {
            var permit = PurgePermit()
            while !Task.isCancelled {
                var isDone = true
                for purge in purges {
                    guard await isAllowed(&permit) else { break }
                    if await !round(of: purge) { isDone = false }
                }
                if isDone { try? await Task.sleep(for: interval) }
            }
        }
    }

    private func isAllowed(_ permit: inout PurgePermit) async -> Bool {
        do {
            let state = clock.state()
            let newest = permit.needsNewestRow(for: state) ? try await newest() : nil
            return permit.allows(state, now: clock.now(), newest: newest)
        } catch {
            logger.warning("purge failed, will try again", metadata: ["cause": "\(error)"])
            return false
        }
    }

    /// Purges until nothing is left, or the next kind has its turn. Whether it came to the end.
    private func round(of purge: Purge) async -> Bool {
        do {
            for _ in 0..<Self.maximumPieces where !Task.isCancelled {
                if try await purge(Self.piece) < Self.piece { return true }
                // A jump is noticed between two pieces, not only between two rounds.
                guard clock.state().disagreement == nil else { return true }
            }
            return false
        } catch {
            logger.warning("purge failed, will try again", metadata: ["cause": "\(error)"])
            return true
        }
    }
}

/// Decides whether the time is certain enough to delete by it. Expired sessions that were refused by mistake are back
/// when the clock is right; deleted ones are not.
struct PurgePermit: Sendable {
    /// How far the newest row may lie back before the time is doubted, and how long the purge rests then: time to
    /// notice a wrong clock. A program that was switched off for a day only begins its purge an hour later.
    static let rest: Duration = .hours(1)

    private var epoch: Int?
    private var restsUntil: Timestamp?

    /// Whether ``allows(_:now:newest:)`` has to know the newest row: once for each time taken from the wall clock. Later
    /// the program's own rows would bear out whatever its clock says.
    func needsNewestRow(for state: ClockState) -> Bool { epoch != state.epoch }

    mutating func allows(_ state: ClockState, now: Timestamp, newest: Timestamp?) -> Bool {
        if epoch != state.epoch {
            let isStart = epoch == nil
            let contradicts = newest.map { now - $0 > Self.rest } ?? false
            // A jump that was accepted may still be wrong, whatever rows were made meanwhile.
            restsUntil = contradicts || !isStart ? now + Self.rest : nil
            epoch = state.epoch
        }
        guard state.disagreement == nil else { return false }
        return restsUntil.map { now >= $0 } ?? true
    }
}
