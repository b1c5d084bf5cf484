import CPostgres
import Glibc

/// Connects to one server by libpq's single steps. An error of a connection has no field for SQLSTATE: it stands in the verbose text
/// only, and that has to be asked for after the first step.
enum PostgresConnecting {
    /// Blocks the thread for as long as `connect_timeout` allows, and while a name is looked up.
    ///
    /// - Returns: a connection that the caller finishes.
    static func connect(_ parameters: [String: String]) throws(PostgresError) -> OpaquePointer {
        let sorted = parameters.sorted { $0.key < $1.key }
        let started = withCStrings(sorted.map(\.key)) { keywords in
            withCStrings(sorted.map(\.value)) { PQconnectStartParams(keywords, $0, 0) }
        }
        guard let started else { throw .lost("out of memory") }
        PQsetErrorVerbosity(started, PQERRORS_VERBOSE)
        do throws(PostgresError) { try complete(started, by: end(of: parameters)) } catch {
            PQfinish(started)
            throw error
        }
        PQsetErrorVerbosity(started, PQERRORS_DEFAULT)
        return started
    }

    /// As libpq reads `connect_timeout`: seconds, at least two; without a limit for zero, less, and nothing.
    private static func end(of parameters: [String: String]) -> ContinuousClock.Instant? {
        guard let seconds = parameters["connect_timeout"].flatMap({ Int($0) }), seconds > 0 else { return nil }
        return .now + .seconds(max(seconds, 2))
    }

    private static func complete(
        _ handle: OpaquePointer, by end: ContinuousClock.Instant?
    ) throws(PostgresError) {
        var state = PQstatus(handle) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING
        while state != PGRES_POLLING_OK {
            var entry = pollfd(
                fd: PQsocket(handle), events: Int16(state == PGRES_POLLING_READING ? POLLIN : POLLOUT), revents: 0)
            guard state != PGRES_POLLING_FAILED, entry.fd >= 0 else {
                throw PostgresError(connecting: PQerrorMessage(handle).map { String(cString: $0) } ?? "")
            }
            let left = end.map { $0 - ContinuousClock.now }
            if let left, left <= .zero { throw PostgresError(connecting: "\(place(handle))timeout expired") }
            switch poll(&entry, 1, left.map { Int32(clamping: Int(($0.seconds * 1_000).rounded(.up))) } ?? -1) {
            case 1...: state = PQconnectPoll(handle)
            case 0: continue
            default: if errno != EINTR { throw .lost("poll: \(String(cString: strerror(errno)))") }
            }
        }
    }

    /// The start of libpq's sentences about a connection.
    private static func place(_ handle: OpaquePointer) -> String {
        func text(_ value: UnsafeMutablePointer<CChar>?) -> String { value.map { String(cString: $0) } ?? "-" }
        return "connection to server at \"\(text(PQhost(handle)))\", port \(text(PQport(handle))) failed: "
    }

    private static func withCStrings<T>(
        _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> T
    ) -> T {
        let copies = texts.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        return (copies.map { UnsafePointer($0) } + [nil]).withUnsafeBufferPointer { buffer in
            // An array with a nil at its end has a first element.
            body(buffer.baseAddress.unsafelyUnwrapped)
        }
    }
}
