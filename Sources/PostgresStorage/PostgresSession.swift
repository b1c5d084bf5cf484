import CPostgres
import Foundation
import Glibc
import Storage

/// One session of PostgreSQL by libpq, for one thread at a time: the one that opens it hands it over to the one that uses it.
/// Hence `@unchecked`.
///
/// Statements are prepared once and sent in libpq's pipeline mode: what begins a transaction travels with its first statement.
/// Nothing waits longer than until ``deadline``. Afterwards the connection is closed, because its answer would be taken for
/// that of the next statement.
final class PostgresSession: @unchecked Sendable {
    /// One message to PostgreSQL.
    enum Message {
        case control(PostgresControl)
        case prepare(PreparedStatement)
        case run(PreparedStatement, PostgresParameters)
    }

    /// The warnings that PostgreSQL has sent.
    final class Warnings {
        /// How many since the connection was opened.
        fileprivate(set) var count = 0
        /// SQLSTATE and words of the last one.
        fileprivate(set) var last = ""
    }

    private var handle: OpaquePointer?
    let warnings = Warnings()
    /// How many answers nobody has waited for.
    private var outstanding = 0
    /// When those who wait for the server give up.
    var deadline = ContinuousClock.now

    /// The timeline of the server when the connection was opened.
    var timeline: Int64 = 0

    /// Whether the connection was closed with a statement under way: the server may still be at it.
    private(set) var leftServerBusy = false

    /// Connects to one server. Blocks the thread: up to two seconds for each of its addresses, and as long as names take to be looked
    /// up.
    ///
    /// - Parameter parameters: as ``PostgresAddress`` has them.
    init(_ parameters: [String: String], answeringWithin limit: Duration) throws(PostgresError) {
        let connected = try PostgresConnecting.connect(parameters)
        guard PQsetnonblocking(connected, 1) == 0, PQenterPipelineMode(connected) == 1 else {
            let words = Self.words(connected)
            PQfinish(connected)
            throw .lost(words)
        }
        handle = connected
        PQsetNoticeReceiver(
            connected,
            { context, result in
                guard let context, let result, let severity = sso_pq_severity(result) else { return }
                guard String(cString: severity) == "WARNING" else { return }
                let warnings = Unmanaged<Warnings>.fromOpaque(context).takeUnretainedValue()
                warnings.count += 1
                warnings.last = [sso_pq_sqlstate(result), sso_pq_message(result)]
                    .compactMap { $0.map { String(cString: $0) } }.joined(separator: " ")
            }, Unmanaged.passUnretained(warnings).toOpaque())
        deadline = .now + limit
    }

    /// Prepares what begins and ends transactions.
    func prepareControls() throws(PostgresError) {
        let handle = try usable()
        var isSent = true
        for control in PostgresControl.allCases {
            isSent = isSent && PQsendPrepare(handle, control.name, control.rawValue, 0, nil) == 1
        }
        guard isSent, PQpipelineSync(handle) == 1 else { throw lost(Self.words(handle)) }
        try flush()
        if let error = try receive().lazy.compactMap(\.error).first { throw error }
    }

    deinit { close() }

    var isOpen: Bool { handle != nil }

    /// 150018 for PostgreSQL 15.18.
    var serverVersion: Int { handle.map { Int(PQserverVersion($0)) } ?? 0 }

    /// The server, as `host:port`.
    var place: String {
        guard let handle, let host = PQhost(handle), let port = PQport(handle) else { return "-" }
        return "\(String(cString: host)):\(String(cString: port))"
    }

    /// Closes the connection. A transaction that is open is rolled back by PostgreSQL.
    func close() {
        if let handle { PQfinish(handle) }
        handle = nil
    }

    // MARK: - Statements

    /// Sends messages at once, and waits for all answers.
    ///
    /// - Returns: one result for each message. After a message that PostgreSQL refuses, those behind it are not run.
    /// - Throws: the first error.
    func run(_ messages: [Message]) throws(PostgresError) -> [PostgresResult] {
        try send(messages)
        while outstanding > 0 {
            _ = try receive()
            outstanding -= 1
        }
        let results = try receive()
        for (message, result) in zip(messages, results) {
            if case .prepare(let statement) = message, result.status == PGRES_COMMAND_OK { statement.isPrepared = true }
        }
        if let error = results.lazy.compactMap(\.error).first { throw error }
        guard results.count == messages.count else { throw lost("an answer is missing") }
        return results
    }

    /// Sends messages without waiting for their answers. The sender of the next ones waits for these, too.
    func sendOnly(_ messages: [Message]) throws(PostgresError) {
        try send(messages)
        outstanding += 1
    }

    /// The texts of the first row of a statement, which is not prepared.
    func texts(_ sql: String) throws(PostgresError) -> [String?] {
        let handle = try usable()
        guard PQsendQueryParams(handle, sql, 0, nil, nil, nil, nil, 0) == 1, PQpipelineSync(handle) == 1 else {
            throw lost(Self.words(handle))
        }
        try flush()
        let results = try receive()
        if let error = results.lazy.compactMap(\.error).first { throw error }
        return results.first?.texts ?? []
    }

    private func send(_ messages: [Message]) throws(PostgresError) {
        let handle = try usable()
        var isSent = true
        for message in messages where isSent {
            switch message {
            case .control(let control):
                isSent = PQsendQueryPrepared(handle, control.name, 0, nil, nil, nil, 0) == 1
            case .prepare(let statement):
                isSent =
                    PQsendPrepare(
                        handle, statement.name, statement.text, Int32(statement.types.count), statement.types) == 1
            case .run(let statement, let parameters):
                isSent = parameters.with { PQsendQueryPrepared(handle, statement.name, $0, $1, $2, $3, 1) == 1 }
            }
        }
        guard isSent, PQpipelineSync(handle) == 1 else { throw lost(Self.words(handle)) }
        try flush()
    }

    /// The results up to the end of what was sent at once.
    private func receive() throws(PostgresError) -> [PostgresResult] {
        let handle = try usable()
        var (results, empty): ([PostgresResult], Int) = ([], 0)
        while empty < 3 {
            while PQisBusy(handle) == 1 {
                try wait(for: Int16(POLLIN))
                guard PQconsumeInput(handle) == 1 else { break }
            }
            guard let result = PQgetResult(handle).map({ PostgresResult($0) }) else {
                // One after each result. More mean that no further result will come.
                empty += 1
                continue
            }
            empty = 0
            if result.status == PGRES_PIPELINE_SYNC { return results }
            results.append(result)
            // What the server said last is the reason why the connection ended.
            if let error = result.error, error.cause == .lost {
                end(isBusy: false)
                throw Self.last(results.dropLast(), error)
            }
        }
        throw Self.last(results, lost(Self.words(handle)))
    }

    /// Why a connection has ended: what was said before its end, where libpq knows no more than that.
    private static func last(_ results: some Sequence<PostgresResult>, _ end: PostgresError) -> PostgresError {
        guard end.state.isEmpty, let said = results.compactMap(\.error).last else { return end }
        return .lost("\(said); then the connection ended", message: said.message)
    }

    private func flush() throws(PostgresError) {
        let handle = try usable()
        while true {
            switch PQflush(handle) {
            case 0: return
            case 1:
                try wait(for: Int16(POLLIN | POLLOUT))
                // The server may not read on before its own answers were read.
                if PQconsumeInput(handle) != 1 { return }
            // The reason may be on its way from the server: reading finds it.
            default: return
            }
        }
    }

    /// Waits until the socket is ready.
    private func wait(for events: Int16) throws(PostgresError) {
        var entry = pollfd(fd: PQsocket(try usable()), events: events, revents: 0)
        while true {
            let left = deadline - ContinuousClock.now
            guard left > .zero else {
                end(isBusy: true)
                throw .lost(Self.noAnswer)
            }
            let milliseconds = left.components.seconds * 1_000 + left.components.attoseconds / 1_000_000_000_000_000 + 1
            let ready = poll(&entry, 1, Int32(clamping: milliseconds))
            if ready > 0 { return }
            guard ready == 0 || errno == EINTR else { throw lost("poll: \(String(cString: strerror(errno)))") }
        }
    }

    // MARK: - The end

    static let noAnswer = "PostgreSQL has not answered in time"

    private func usable() throws(PostgresError) -> OpaquePointer {
        guard let handle else { throw .lost("the connection is closed") }
        return handle
    }

    private func lost(_ words: String) -> PostgresError {
        end(isBusy: false)
        return .lost(words)
    }

    private func end(isBusy: Bool) {
        leftServerBusy = leftServerBusy || isBusy
        close()
    }

    /// What libpq says, on one line.
    private static func words(_ handle: OpaquePointer) -> String {
        let text = PQerrorMessage(handle).map { String(cString: $0) } ?? ""
        let words = PostgresError.sentences(text.split(whereSeparator: \.isNewline).map(String.init))
        return words.isEmpty ? "the connection is closed" : words
    }
}
