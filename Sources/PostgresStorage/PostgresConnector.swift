import Dispatch
import Foundation
import Logging
import Storage
import Synchronization

/// Opens connections, each on a thread of its own: looking up a name may block longer than any caller waits.
///
/// Bounded: a server that hangs gets at most twice the connections that are needed, however often callers give up. After a
/// failure the next attempt waits, a little longer each time.
final class PostgresConnector: Sendable {
    /// An attempt to open a connection.
    final class Opening: Sendable {
        private let result = Mutex<Result<PostgresSession, PostgresError>?>(nil)
        private let end = DispatchSemaphore(value: 0)

        /// The connection, or the reason why there is none. Nil while the attempt lasts.
        ///
        /// Only one thread calls this, and no more after it has received a result.
        func wait(atMost limit: Duration) -> Result<PostgresSession, PostgresError>? {
            guard end.wait(timeout: .now() + limit.seconds) == .success else { return nil }
            return result.withLock { result in
                let taken = result
                result = nil
                return taken
            }
        }

        fileprivate func finish(_ value: Result<PostgresSession, PostgresError>) {
            result.withLock { $0 = value }
            end.signal()
        }
    }

    private struct State {
        /// Connections that are open or being opened.
        var live = 0
        /// When connections were closed whose statement the server may still run.
        var abandoned: [ContinuousClock.Instant] = []
        var failures = 0
        /// Whether the log says that the database can be used.
        var isUp: Bool?
        /// The standbys that commits wait for, as the log says.
        var standbys: String?
        /// Why the last connection has ended or could not be opened.
        var reason: String?
        /// The reasons that the log has, since the database could be used.
        var said = RecentTexts()
        /// When the log last named an old primary.
        var lastAlarm: ContinuousClock.Instant?
    }

    /// Longer than the server takes to end a statement whose client has gone.
    private static let graceOfServer = Duration.seconds(10)
    private static let longestPause = Duration.milliseconds(500)
    /// An old primary stays for hours. One line in a minute is enough of it.
    private static let pauseOfAlarm = Duration.seconds(60)

    private let parameters: [String: String]
    private let place: String
    private let limit: Int
    private let patience: Duration
    private let logger: Logger
    /// Which servers may be used.
    let timeline = PostgresTimeline()
    private let state = Mutex(State())

    init(_ address: PostgresAddress, patience: Duration, logger: Logger) {
        (parameters, place) = (address.parameters, "\(address)")
        limit = 2 * (address.readers + 1)
        (self.patience, self.logger) = (patience, logger)
    }

    /// Begins to open a connection. Nil while there are too many.
    func open() -> Opening? {
        let pause: Duration? = state.withLock { state in
            state.abandoned.removeAll { ContinuousClock.now - $0 > Self.graceOfServer }
            guard state.live + state.abandoned.count < limit else { return nil }
            state.live += 1
            guard state.failures > 0 else { return .zero }
            return min(.milliseconds(25) * (1 << min(state.failures, 5)), Self.longestPause)
        }
        guard let pause else { return nil }
        let opening = Opening()
        let thread = Thread { [self] in
            if pause > .zero { Thread.sleep(forTimeInterval: pause.seconds) }
            do throws(PostgresError) {
                let session = try PostgresSession.open(
                    parameters, answeringWithin: patience, isAdmitted: isAdmitted)
                guard timeline.admits(session.timeline) else { throw old(session.timeline) }
                if pause > .zero, let names = try session.texts(PostgresSession.standbyWait).first.flatMap(\.self) {
                    noteWait(for: names)
                }
                noteSuccess()
                opening.finish(.success(session))
            } catch {
                noteEnd(isServerBusy: false)
                note(error)
                opening.finish(.failure(error))
            }
        }
        thread.name = "database-opening"
        thread.start()
        return opening
    }

    /// The error of a call for which there is no connection, with what is known of the reason.
    var noConnection: DatabaseError {
        let known = state.withLock { [$0.reason, $0.standbys.map(PostgresSession.words(aboutWaitFor:))] }
        return .unavailable(
            (["there is no connection to PostgreSQL"] + known.compactMap(\.self)).joined(separator: "; "))
    }

    /// Takes note that a connection was closed.
    func noteEnd(isServerBusy: Bool) {
        state.withLock { state in
            state.live -= 1
            if isServerBusy { state.abandoned.append(.now) }
        }
    }

    /// Takes note of an error that has ended a connection, or kept one from being opened.
    func note(_ error: PostgresError) {
        let isNews = state.withLock { state in
            state.failures += 1
            (state.isUp, state.reason) = (false, "\(error)")
            return state.standbys == nil && state.said.isNews("\(error)")
        }
        guard isNews else { return }
        logger.error("database_unavailable", metadata: ["reason": "\(error)", "database": "\(place)"])
    }

    /// Takes note that commits wait for a standby: what fails meanwhile fails because of that, and the log names it once.
    func noteWait(for names: String) {
        let isNews = state.withLock { state in
            defer { state.standbys = names }
            return state.standbys == nil
        }
        guard isNews else { return }
        logger.error(
            "database_waits_for_standby",
            metadata: [
                "names": "\(names)", "database": "\(place)",
                "message":
                    "No commit ends without the standby of synchronous_standby_names. Start it, or change the setting.",
            ])
    }

    /// Takes note that a commit has ended.
    func noteCommit() {
        let isNews = state.withLock { state in
            defer { state.standbys = nil }
            return state.standbys != nil
        }
        if isNews { logger.notice("database_connected", metadata: ["database": "\(place)"]) }
    }

    /// Whether a connection may be used. Logs the alarm for one to an old primary.
    private func isAdmitted(_ session: PostgresSession) -> Bool {
        let isAdmitted = timeline.admits(session.timeline)
        if !isAdmitted { alarm(session.timeline, at: session.place) }
        return isAdmitted
    }

    /// The error of a server that the database itself calls an old primary. Logs the alarm.
    func older(_ session: PostgresSession) -> PostgresError {
        alarm(session.timeline, at: session.place)
        return old(session.timeline)
    }

    private func old(_ timeline: Int64) -> PostgresError { .older(timeline, than: self.timeline.highest) }

    private func alarm(_ timeline: Int64, at server: String) {
        let isDue = state.withLock { state in
            if let last = state.lastAlarm, .now - last < Self.pauseOfAlarm { return false }
            state.lastAlarm = .now
            return true
        }
        guard isDue else { return }
        logger.error(
            "database_timeline_older",
            metadata: [
                "database": "\(place)", "server": "\(server)", "timeline": "\(timeline)",
                "known": "\(self.timeline.highest)",
                "message": "An old primary runs again beside the new one. It is not used. Stop it.",
            ])
    }

    private func noteSuccess() {
        let isNews = state.withLock { state in
            state.failures = 0
            defer { (state.isUp, state.said) = (true, RecentTexts()) }
            return state.isUp != true && state.standbys == nil
        }
        if isNews { logger.notice("database_connected", metadata: ["database": "\(place)"]) }
    }
}

extension Duration {
    /// For the calls of Foundation and Dispatch.
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
