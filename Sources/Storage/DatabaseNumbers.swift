import Synchronization

/// A database that counts what it does.
public protocol CountingDatabase: Database {
    var numbers: DatabaseNumbers { get }
}

/// What a process has done with a database since it opened it, and what waits.
public struct DatabaseNumbers: Sendable, Equatable {
    /// Commits of the writer.
    public var commits: Int
    /// Writes in them: several share a commit.
    public var writes: Int
    /// What all commits have taken: the disk, and a standby where there is one.
    public var time: Duration
    public var waitingWrites: Int
    /// Reads that wait; in a file also those that run.
    public var waitingReads: Int
    /// Whether the last commit has waited for a standby; nil for a file, which has none.
    public var waitsForStandby: Bool?

    public init(
        commits: Int, writes: Int, time: Duration, waitingWrites: Int, waitingReads: Int, waitsForStandby: Bool? = nil
    ) {
        (self.commits, self.writes, self.time) = (commits, writes, time)
        (self.waitingWrites, self.waitingReads) = (waitingWrites, waitingReads)
        self.waitsForStandby = waitsForStandby
    }
}

/// Counts the commits of an engine. The writer alone adds, and it takes no lock.
package final class CommitCount: Sendable {
    private let commitCount = Atomic(0)
    private let writeCount = Atomic(0)
    private let nanoseconds = Atomic<Int64>(0)

    package init() {}

    package var commits: Int { commitCount.load(ordering: .relaxed) }
    package var writes: Int { writeCount.load(ordering: .relaxed) }
    package var time: Duration { .nanoseconds(nanoseconds.load(ordering: .relaxed)) }

    /// Counts a commit that is kept.
    package func add(writes: Int, since start: ContinuousClock.Instant) {
        let time = (ContinuousClock.now - start).components
        commitCount.wrappingAdd(1, ordering: .relaxed)
        writeCount.wrappingAdd(writes, ordering: .relaxed)
        nanoseconds.wrappingAdd(time.seconds * 1_000_000_000 + time.attoseconds / 1_000_000_000, ordering: .relaxed)
    }
}
