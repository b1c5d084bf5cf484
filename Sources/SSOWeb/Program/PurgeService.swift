public import Logging
public import ServiceLifecycle
package import Storage

/// Deletes expired rows in small batches, for as long as the program runs.
///
/// Deletes nothing while the time is uncertain, see ``PurgePermit``.
public struct PurgeService: Service {
    /// Deletes at most `limit` rows and returns how many were deleted.
    public typealias Purge = @Sendable (_ limit: Int) async throws -> Int

    /// Rows per transaction, few enough not to delay a sign-in.
    static let batchSize = 500
    /// Batches of one purge before the next purge runs.
    static let maximumBatches = 200

    private let interval: Duration
    private let clock: ServiceClock
    private let logger: Logger
    private let newest: @Sendable () async throws -> Timestamp?
    private let purges: [Purge]
    private let failed = RepeatedEvent()

    /// Runs all purges at this interval, and again at once while one of them has more to delete.
    ///
    /// - Parameter newest: the time of the newest row, or nil without rows.
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
            failed.record(Event(.purgeFailed, cause: "\(error)"), logger)
            return false
        }
    }

    /// Runs one purge until nothing is left or its batches are used up. Returns whether nothing is left.
    private func round(of purge: Purge) async -> Bool {
        do {
            for _ in 0..<Self.maximumBatches where !Task.isCancelled {
                if try await purge(Self.batchSize) < Self.batchSize { return true }
                // Check for a jump of the clock after every batch.
                guard clock.state().disagreement == nil else { return true }
            }
            return false
        } catch {
            failed.record(Event(.purgeFailed, cause: "\(error)"), logger)
            return true
        }
    }
}

extension Database {
    /// Runs a statement that deletes at most `:limit` rows, in a transaction of its own.
    package func purge(_ sql: String, _ values: SQLArguments, limit: Int) async throws -> Int {
        let values = values.merging(["limit": .integer(Int64(limit))])
        return try await write { try $0.execute(sql, values) }
    }
}

/// Decides whether the time is certain enough to delete rows. With a wrong clock, refused sessions become valid again
/// when the clock is right, but deleted ones do not.
struct PurgePermit: Sendable {
    /// The age of the newest row from which the time counts as uncertain, and how long the purge then waits, so that an
    /// operator can notice a wrong clock. After a day without the program the purge begins an hour late.
    static let rest: Duration = .hours(1)

    private var epoch: Int?
    private var restsUntil: Timestamp?

    /// Whether ``allows(_:now:newest:)`` needs the newest row: only after the time was taken from the wall clock. Later
    /// rows have the time of the clock in question.
    func needsNewestRow(for state: ClockState) -> Bool { epoch != state.epoch }

    mutating func allows(_ state: ClockState, now: Timestamp, newest: Timestamp?) -> Bool {
        if epoch != state.epoch {
            let isStart = epoch == nil
            let contradicts = newest.map { now - $0 > Self.rest } ?? false
            // An accepted jump may still be wrong.
            restsUntil = contradicts || !isStart ? now + Self.rest : nil
            epoch = state.epoch
        }
        guard state.disagreement == nil else { return false }
        return restsUntil.map { now >= $0 } ?? true
    }
}
