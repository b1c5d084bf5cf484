import CPostgres
import Dispatch
import Foundation
import Storage
import Synchronization

/// The servers that an address names, each with its own parameters.
///
/// All of them are connected to at once. libpq asks one after the other: with one that answers nothing first in the list, each
/// connection would take as long as it gives a dead host, and an old primary would hide the new one behind it.
struct PostgresHosts {
    /// How long the other servers have once one can be used: of two that take writes the newer one is wanted. A process that knows
    /// no timeline yet could take an old primary for the only one, so it waits longer.
    static let (grace, graceOfUnknown) = (Duration.milliseconds(150), Duration.seconds(1))
    /// How long libpq may try one address, in seconds: an attempt that nobody waits for any more must end.
    private static let timeouts = 2...10

    /// The parameters of each server.
    let each: [[String: String]]

    /// - Parameter parameters: as ``PostgresAddress`` has them: lists of `host`, `hostaddr` and `port`.
    init(_ parameters: [String: String]) {
        func list(_ keyword: String) -> [String] {
            parameters[keyword]?.split(separator: ",", omittingEmptySubsequences: false).map(String.init) ?? []
        }
        let (hosts, addresses, ports) = (list("host"), list("hostaddr"), list("port"))
        let count = max(hosts.count, addresses.count)
        // libpq has words for lists that do not fit each other.
        let fits = [hosts.count, addresses.count].allSatisfy { $0 == 0 || $0 == count }
        guard count > 1, fits, ports.count <= 1 || ports.count == count else {
            each = [parameters]
            return
        }
        each = (0..<count).map { index in
            var own = parameters
            if !hosts.isEmpty { own["host"] = hosts[index] }
            if !addresses.isEmpty { own["hostaddr"] = addresses[index] }
            if ports.count == count { own["port"] = ports[index] }
            if let given = own["connect_timeout"].flatMap({ Int($0) }) {
                own["connect_timeout"] = "\(min(max(given, Self.timeouts.lowerBound), Self.timeouts.upperBound))"
            }
            return own
        }
    }

    /// Opens a connection to the server that takes writes; of several, to the one with the highest timeline.
    ///
    /// - Parameters:
    ///   - open: connects to one server. Runs on a thread of its own for each.
    ///   - grace: how long to wait for the others once one can be used.
    ///   - isAdmitted: whether a connection may be used. Of those that may not, the best one is returned when there is no other.
    func first(
        _ open: @escaping @Sendable ([String: String]) throws(PostgresError) -> PostgresSession,
        within grace: Duration, isAdmitted: (PostgresSession) -> Bool
    ) throws(PostgresError) -> PostgresSession {
        if each.count == 1 { return try open(each[0]) }
        let race = Race(count: each.count)
        for (index, parameters) in each.enumerated() {
            let thread = Thread {
                do throws(PostgresError) { race.end(index, .success(try open(parameters))) } catch {
                    race.end(index, .failure(error))
                }
            }
            thread.name = "database-opening"
            thread.start()
        }
        return try race.best(within: grace, isAdmitted: isAdmitted)
    }
}

/// What the attempts at all servers have given so far.
private final class Race: Sendable {
    private struct State {
        var sessions: [PostgresSession] = []
        var errors: [Int: PostgresError] = [:]
        var isOver = false
    }

    private let count: Int
    private let state = Mutex(State())
    private let ended = DispatchSemaphore(value: 0)

    init(count: Int) { self.count = count }

    /// Takes the result of one attempt. Nobody waits for one that comes late.
    func end(_ index: Int, _ result: Result<PostgresSession, PostgresError>) {
        state.withLock { state in
            switch result {
            case .success(let session) where state.isOver: session.close()
            case .success(let session): state.sessions.append(session)
            case .failure(let error): state.errors[index] = error
            }
        }
        ended.signal()
    }

    func best(within grace: Duration, isAdmitted: (PostgresSession) -> Bool) throws(PostgresError) -> PostgresSession {
        var (limit, judged) = (DispatchTime.distantFuture, 0)
        for _ in 0..<count {
            guard ended.wait(timeout: limit) == .success else { break }
            let new = state.withLock { Array($0.sessions.dropFirst(judged)) }
            judged += new.count
            if limit == .distantFuture, new.contains(where: isAdmitted) { limit = .now() + grace.seconds }
        }
        let (sessions, errors) = state.withLock { state in
            state.isOver = true
            return (state.sessions.sorted { $0.timeline > $1.timeline }, state.errors.sorted { $0.key < $1.key })
        }
        sessions.dropFirst().forEach { $0.close() }
        if let session = sessions.first { return session }
        throw .lost(errors.map { "\($0.value)" }.joined(separator: "; "))
    }
}
