public import Logging
public import ServiceLifecycle

/// Removes what has expired, a bounded piece at a time, for as long as the program runs.
public struct PurgeService: Service {
    /// Removes at most so many rows and says how many went.
    public typealias Purge = @Sendable (_ limit: Int) async throws -> Int

    /// Rows a transaction: few enough that a sign-in behind it does not notice.
    private static let piece = 500
    /// Pieces a round: what is left waits for the next round.
    private static let maximumPieces = 200

    private let interval: Duration
    private let logger: Logger
    private let purges: [Purge]

    /// Runs each of the purges now and then at this interval, one after the other.
    public init(every interval: Duration, logger: Logger, _ purges: [Purge]) {
        self.interval = interval
        self.logger = logger
        self.purges = purges
    }

    public func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                for purge in purges { await round(of: purge) }
                try? await Task.sleep(for: interval)
            }
        }
    }

    private func round(of purge: Purge) async {
        do {
            for _ in 0..<Self.maximumPieces where !Task.isCancelled {
                if try await purge(Self.piece) < Self.piece { return }
            }
        } catch {
            logger.warning("purge failed, will try again", metadata: ["cause": "\(error)"])
        }
    }
}
