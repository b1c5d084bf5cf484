import CPostgres
import Dispatch
import Foundation
import Storage
import Synchronization

/// The servers that an address names, each with its own parameters.
///
/// All of them are connected to at once, and so are all addresses of one name. libpq asks one after the other: with one that
/// answers nothing first in the list, each connection would take as long as it gives a dead host, and an old primary would hide
/// the new one behind it.
struct PostgresHosts {
    /// How long the other servers have once one can be used: of two that take writes the newer one is wanted. A process that knows
    /// no timeline yet could take an old primary for the only one, so its first connection waits longer (``MetTimelines``).
    static let (grace, graceOfUnknown) = (Duration.milliseconds(150), Duration.seconds(1))
    /// How long a server that has refused is left alone while another has not answered yet.
    static let pause = Duration.seconds(1)
    /// How long libpq may try one address, in seconds: an attempt that nobody waits for any more must end.
    private static let timeouts = 2...10

    /// The parameters of each server.
    let each: [[String: String]]
    private let lookUp: @Sendable (String) -> [String]

    /// - Parameters:
    ///   - parameters: as ``PostgresAddress`` has them: lists of `host`, `hostaddr` and `port`.
    ///   - lookUp: the addresses of a name. May block.
    init(_ parameters: [String: String], lookUp: @escaping @Sendable (String) -> [String] = HostAddresses.of) {
        self.lookUp = lookUp
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
            return Self.bounded(own)
        }
    }

    private static func bounded(_ parameters: [String: String]) -> [String: String] {
        var own = parameters
        if let given = own["connect_timeout"].flatMap({ Int($0) }) {
            own["connect_timeout"] = "\(min(max(given, timeouts.lowerBound), timeouts.upperBound))"
        }
        return own
    }

    /// The name that has to be looked up to reach a server.
    private static func name(in parameters: [String: String]) -> String? {
        guard (parameters["hostaddr"] ?? "").isEmpty, let host = parameters["host"] else { return nil }
        return HostAddresses.isName(host) ? host : nil
    }

    /// The parameters of one server for each of its addresses. The name stays: TLS verifies the certificate for it, and the file
    /// of passwords has it.
    private func places(of parameters: [String: String]) -> [[String: String]] {
        guard let name = Self.name(in: parameters) else { return [parameters] }
        let addresses = lookUp(name)
        // libpq has words for a name that is not known.
        guard let first = addresses.first else { return [parameters] }
        if addresses.count == 1 { return [parameters.merging(["hostaddr": first]) { $1 }] }
        return addresses.map { Self.bounded(parameters).merging(["hostaddr": $0]) { $1 } }
    }

    /// Opens a connection to the server that takes writes; of several, to the one with the highest timeline.
    ///
    /// A server that refuses is asked again after ``pause`` while another has not answered: it may be the one that is just started
    /// or promoted.
    ///
    /// - Parameters:
    ///   - open: connects to one server. Runs on a thread of its own for each.
    ///   - grace: how long to wait for the others once one can be used.
    ///   - isAdmitted: whether a connection may be used. Of those that may not, the best one is returned when there is no other.
    func first(
        _ open: @escaping @Sendable ([String: String]) throws(PostgresError) -> PostgresSession,
        within grace: Duration, isAdmitted: (PostgresSession) -> Bool
    ) throws(PostgresError) -> PostgresSession {
        if each.count == 1, Self.name(in: each[0]) == nil { return try open(each[0]) }
        let race = Race(count: each.count)
        for (index, parameters) in each.enumerated() {
            Self.onThread {
                let places = places(of: parameters)
                race.expect(places.count - 1)
                for (offset, place) in places.enumerated().dropFirst() {
                    Self.onThread { race.run(index * HostAddresses.limit + offset, place, open) }
                }
                race.run(index * HostAddresses.limit, places[0], open)
            }
        }
        return try race.best(within: grace, isAdmitted: isAdmitted)
    }

    private static func onThread(_ work: @escaping @Sendable () -> Void) {
        let thread = Thread(block: work)
        thread.name = "database-opening"
        thread.start()
    }
}

/// What the attempts at all servers have given so far.
private final class Race: Sendable {
    private struct State {
        var sessions: [PostgresSession] = []
        var errors: [Int: PostgresError] = [:]
        /// How many servers have not answered at all. The race ends with the last one.
        var silent: Int
        var isOver = false
    }

    private let state: Mutex<State>
    private let news = DispatchSemaphore(value: 0)

    init(count: Int) { state = Mutex(State(silent: count)) }

    /// Waits for further servers.
    func expect(_ count: Int) { state.withLock { $0.silent += count } }

    /// Connects to one server, and again while it refuses and another is silent.
    func run(
        _ index: Int, _ parameters: [String: String],
        _ open: ([String: String]) throws(PostgresError) -> PostgresSession
    ) {
        var isFirst = true
        repeat {
            if !isFirst {
                Thread.sleep(forTimeInterval: PostgresHosts.pause.seconds)
                if state.withLock({ $0.isOver }) { return }
            }
            do throws(PostgresError) { end(index, .success(try open(parameters)), isFirst) } catch {
                end(index, .failure(error), isFirst)
            }
            isFirst = false
        } while state.withLock({ !$0.isOver && $0.errors[index] != nil && $0.silent > 0 })
    }

    /// Takes the result of one attempt. Nobody waits for one that comes late.
    private func end(_ index: Int, _ result: Result<PostgresSession, PostgresError>, _ isFirst: Bool) {
        state.withLock { state in
            if isFirst { state.silent -= 1 }
            switch result {
            case .success(let session) where state.isOver: session.close()
            case .success(let session):
                state.sessions.append(session)
                state.errors[index] = nil
            case .failure(let error): state.errors[index] = error
            }
        }
        news.signal()
    }

    func best(within grace: Duration, isAdmitted: (PostgresSession) -> Bool) throws(PostgresError) -> PostgresSession {
        var (limit, judged) = (DispatchTime.distantFuture, 0)
        while true {
            let (new, isLast) = state.withLock { (Array($0.sessions.dropFirst(judged)), $0.silent == 0) }
            judged += new.count
            let admitted = new.count(where: isAdmitted)
            if isLast { break }
            if limit == .distantFuture, admitted > 0 { limit = .now() + grace.seconds }
            guard news.wait(timeout: limit) == .success else { break }
        }
        let (sessions, errors) = state.withLock { state in
            state.isOver = true
            return (state.sessions.sorted { $0.timeline > $1.timeline }, state.errors.sorted { $0.key < $1.key })
        }
        sessions.dropFirst().forEach { $0.close() }
        if let session = sessions.first { return session }
        throw .lost(errors.map { $0.value })
    }
}
