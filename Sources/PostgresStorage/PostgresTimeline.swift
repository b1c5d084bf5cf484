import Storage
import Synchronization

/// The server's timeline, as this process knows it. PostgreSQL begins a new one whenever a standby is promoted or a backup is
/// restored, so a lower one than before is an old primary that runs again. Source: PostgreSQL's manual, 26.3.5 "Timelines".
///
/// Also whether what was committed in the last minutes can have been lost at a promotion.
final class PostgresTimeline: Sendable {
    private struct State {
        /// The highest timeline that this process or the database has seen; 0 for none.
        var highest: Int64 = 0
        /// When this process last had a commit that no standby was waited for.
        var lastAsynchronous: ContinuousClock.Instant?
        /// The standbys that the last commit has waited for; empty for none.
        var standbys = ""
    }

    /// No commit of before is lost in a failover: a standby that is further behind would not be promoted.
    private static let memory = Duration.seconds(600)

    private let state = Mutex(State())

    /// Whether a server with this timeline may be used: it is not an old primary.
    func admits(_ timeline: Int64) -> Bool { state.withLock { timeline >= $0.highest } }

    /// The highest timeline that was seen; 0 for none.
    var highest: Int64 { state.withLock { $0.highest } }

    /// Whether acknowledged commits may be missing after a promotion. A process that has just started knows nothing of before.
    var mayHaveLostCommits: Bool {
        state.withLock { state in
            state.highest == 0 || state.lastAsynchronous.map { ContinuousClock.now - $0 < Self.memory } == true
        }
    }

    /// Whether the last commit has waited for a standby.
    var waitsForStandby: Bool { state.withLock { !$0.standbys.isEmpty } }

    /// Takes note of a timeline.
    func note(_ timeline: Int64) { state.withLock { $0.highest = max($0.highest, timeline) } }

    /// Takes note of a commit.
    ///
    /// The log of a server is one sequence: a commit that has waited for a standby covers all commits before it. The names were
    /// read at the beginning of the transaction, so only a second commit shows that they held until the end of the first.
    ///
    /// - Parameter standbys: what `synchronous_standby_names` was; empty where no standby was waited for.
    func noteCommit(waitingFor standbys: String) {
        state.withLock { state in
            if standbys.isEmpty {
                state.lastAsynchronous = .now
            } else if state.standbys == standbys {
                state.lastAsynchronous = nil
            }
            state.standbys = standbys
        }
    }
}

/// The highest timeline that this process has met at each list of servers, by whatever it has opened there: a command that opens
/// the database several times waits for a dead server once, and no opening uses an older primary than the one before.
enum MetTimelines {
    private static let highest = Mutex<[[String?]: Int64]>([:])

    private static func servers(_ parameters: [String: String]) -> [String?] {
        ["host", "hostaddr", "port"].map { parameters[$0] }
    }

    /// 0 for none.
    static func highest(at parameters: [String: String]) -> Int64 {
        highest.withLock { $0[servers(parameters)] ?? 0 }
    }

    static func note(_ timeline: Int64, at parameters: [String: String]) {
        highest.withLock { $0[servers(parameters), default: 0] = max($0[servers(parameters)] ?? 0, timeline) }
    }

    /// How long the next connection waits for the other servers, once one can be used.
    static func grace(at parameters: [String: String]) -> Duration {
        highest(at: parameters) > 0 ? PostgresHosts.grace : PostgresHosts.graceOfUnknown
    }
}

/// The table `database_timeline`: the timelines that the database has had, and what was done about each.
///
/// Owned by this engine and not part of the programs' steps: a file has no timelines.
enum TimelineTable {
    static let schema = """
        CREATE TABLE IF NOT EXISTS database_timeline (
            timeline BIGINT NOT NULL PRIMARY KEY, seen_at BIGINT NOT NULL, voided_at BIGINT)
        """

    /// What a process finds when it connects.
    enum Finding: Equatable {
        /// The timeline is the one of before.
        case same
        /// The server is an old primary: the database was on this timeline already.
        case older(than: Int64)
        /// A standby was promoted, or a backup was restored. With `voids` this process has to void what may have been used;
        /// of several, one has to.
        case promoted(isSynchronous: Bool, voids: Bool)
    }

    /// Records the timeline of the server. The caller owns the writers' lock.
    ///
    /// - Parameters:
    ///   - before: the highest timeline that this process knew; 0 for none.
    ///   - mayHaveLostCommits: whether commits that this process has acknowledged may be missing.
    static func record(
        _ timeline: Int64, before: Int64, mayHaveLostCommits: Bool, _ connection: any SQLConnection
    ) throws(DatabaseError) -> Finding {
        let known = try connection.query("SELECT MAX(timeline) AS known FROM database_timeline").first?
            .optionalInteger("known")
        if let known, known > timeline { return .older(than: known) }
        let isNew =
            try connection.execute(
                """
                INSERT INTO database_timeline (timeline, seen_at)
                SELECT :timeline, CAST(EXTRACT(EPOCH FROM now()) AS BIGINT) ON CONFLICT (timeline) DO NOTHING
                """, ["timeline": .integer(timeline)]) == 1
        // The first one of a database, and one that this process has known, follow no other.
        let isPromotion = isNew ? known != nil : before > 0 && before < timeline
        guard isPromotion else { return .same }
        guard mayHaveLostCommits else { return .promoted(isSynchronous: true, voids: false) }
        // Of all processes that notice, one voids.
        let isChosen =
            try connection.execute(
                """
                UPDATE database_timeline SET voided_at = CAST(EXTRACT(EPOCH FROM now()) AS BIGINT)
                 WHERE timeline = :timeline AND voided_at IS NULL
                """, ["timeline": .integer(timeline)]) == 1
        return .promoted(isSynchronous: false, voids: isChosen)
    }
}
