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
    /// The sentence among the words by which the cause is known.
    let message: String
    /// The errors of several servers, where this is their sum.
    var parts: [PostgresError] = []
    /// Whether a statement was planned for columns that a step of the schema has changed since.
    var isStalePlan = false

    var description: String { state.isEmpty ? words : "\(words) (SQLSTATE \(state))" }

    /// The connection ended, or had to be closed.
    ///
    /// - Parameter message: the sentence that names the cause, if it is not all of the words.
    static func lost(_ words: String, message: String? = nil) -> PostgresError {
        .init(cause: .lost, state: "", words: words, message: message ?? words)
    }

    /// The server is on a lower timeline than one that was seen before.
    static func older(_ timeline: Int64, than seen: Int64) -> PostgresError {
        .lost("the server is an old primary: its timeline is \(timeline), and \(seen) was seen")
    }

    /// None of several servers can be used.
    static func lost(_ parts: [PostgresError]) -> PostgresError {
        guard parts.count != 1, let first = parts.first else { return parts.first ?? .lost("no server is named") }
        var error = lost(parts.map { "\($0)" }.joined(separator: "; "), message: first.message)
        error.parts = parts
        return error
    }

    /// Reads what libpq says about a connection that could not be made, in its verbose form. The last of several attempts counts.
    init(connecting text: String) {
        var (words, state, message): ([String], String, String?) = ([], "", nil)
        for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("LOCATION:  ") {
            let line = line.trimmingPrefix(while: \.isWhitespace)
            let place = line.hasPrefix("connection to server ") ? line.firstRange(of: " failed: ")?.upperBound : nil
            var sentence = line[(place ?? line.startIndex)...]
            if place != nil { (state, message) = ("", nil) }
            if let match = sentence.prefixMatch(of: #/(\S+: ) ([0-9A-Z]{5}): /#) {
                state = String(match.2)
                sentence = sentence[match.range.upperBound...]
                words.append("\(line[..<(place ?? line.startIndex)])\(match.1) \(sentence)")
            } else {
                words.append(String(line))
            }
            message = message ?? String(sentence)
        }
        let all = words.isEmpty ? "the connection is closed" : Self.sentences(words)
        self.init(cause: .lost, state: state, words: all, message: message ?? all)
    }

    /// Several lines as one. libpq ends them without a full stop, and a line that begins with a capital begins a sentence.
    static func sentences(_ lines: [String]) -> String {
        lines.reduce("") { text, line in
            let line = String(line.trimmingPrefix(while: \.isWhitespace))
            guard let last = text.last else { return line }
            let isNext = line.first?.isUppercase == true && !".?!:;,".contains(last)
            return text + (isNext ? ". " : " ") + line
        }
    }

    /// Reads what PostgreSQL says about a statement.
    ///
    /// Its message names values only in class 22, "data exception". Source: Appendix A of PostgreSQL's manual.
    init(_ result: OpaquePointer) {
        func field(_ text: UnsafePointer<CChar>?) -> String { text.map { String(cString: $0) } ?? "" }
        state = field(sso_pq_sqlstate(result))
        // A pooler names the severity in its own words only.
        let severity = sso_pq_severity(result) ?? sso_pq_severity_in_words(result)
        let isEnd = ["FATAL", "PANIC"].contains(field(severity))
        // Without a state libpq itself reports: it has lost the connection.
        cause = isEnd || state.isEmpty ? .lost : .refused
        let text = state.isEmpty ? field(PQresultErrorMessage(result)) : field(sso_pq_message(result))
        words =
            state.hasPrefix("22")
            ? "a value does not fit" : Self.sentences(text.split(whereSeparator: \.isNewline).map(String.init))
        message = words
        isStalePlan = state == "0A000" && field(sso_pq_routine(result)) == "RevalidateCachedQuery"
    }

    init(cause: Cause, state: String, words: String, message: String? = nil) {
        (self.cause, self.state, self.words, self.message) = (cause, state, words, message ?? words)
    }

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
