import CPostgres
import Storage

/// Why a statement or a connection has failed.
struct PostgresError: Error, CustomStringConvertible {
    enum Cause: Equatable {
        /// The connection is gone, or was closed because no answer came in time. What was sent may have been done.
        case lost
        /// PostgreSQL has refused the statement. The connection still works; its transaction does not.
        case refused
    }

    let cause: Cause
    /// The five characters of SQLSTATE; empty where libpq itself reports.
    let state: String
    /// Never contains a value.
    let words: String
    /// Whether a statement was planned for columns that a step of the schema has changed since.
    var isStalePlan = false

    var description: String { state.isEmpty ? words : "\(words) (SQLSTATE \(state))" }

    /// The connection ended, or had to be closed.
    static func lost(_ words: String) -> PostgresError { .init(cause: .lost, state: "", words: words) }

    /// Reads what PostgreSQL says about a statement.
    ///
    /// Its message names values only in class 22, "data exception". Source: Appendix A of PostgreSQL's manual.
    init(_ result: OpaquePointer) {
        func field(_ text: UnsafePointer<CChar>?) -> String { text.map { String(cString: $0) } ?? "" }
        state = field(sso_pq_sqlstate(result))
        let isEnd = ["FATAL", "PANIC"].contains(field(sso_pq_severity(result)))
        // Without a state libpq itself reports: it has lost the connection.
        cause = isEnd || state.isEmpty ? .lost : .refused
        let message = state.isEmpty ? field(PQresultErrorMessage(result)) : field(sso_pq_message(result))
        words =
            state.hasPrefix("22")
            ? "a value does not fit" : message.split(whereSeparator: \.isNewline).joined(separator: " ")
        isStalePlan = state == "0A000" && field(sso_pq_routine(result)) == "RevalidateCachedQuery"
    }

    init(cause: Cause, state: String, words: String) { (self.cause, self.state, self.words) = (cause, state, words) }

    /// Whether the transaction may succeed when it runs again: a serialisation failure or a deadlock, or a stale plan.
    var isWorthAnotherRun: Bool { state.hasPrefix("40") || isStalePlan }

    /// Whether the server has just accepted none of the transaction's changes for want of a lock that another holds.
    var isLockTimeout: Bool { state == "55P03" }

    /// The same for the stores.
    var asDatabaseError: DatabaseError {
        guard cause == .refused else { return .unavailable(description) }
        if state == "25006" { return .unavailable(description) }
        return switch state.prefix(2) {
        case "23": .conflict(description)
        case "08", "40", "53", "55", "57", "58", "XX": .unavailable(description)
        default: .misuse(description)
        }
    }
}
