import Foundation
import SSOShared

/// What the cheapest request of a visitor at each route may cost, as `script/bench.d/nobody.txt` says. A test compares the file
/// with the list of the router, so no route is left out.
struct RouteCosts {
    struct Row {
        let method: String
        let path: String
        /// The most that it may cost, as a multiple of `GET /healthz`.
        let bound: Double
        /// The limit that counts such requests, or `-`. What costs more than five times the cheapest request has one.
        let limit: String

        var name: String { "\(method) \(path)" }
    }

    let rows: [Row]

    init(file: String) throws {
        let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").filter { $0.first != "#" }
        rows = try lines.map { line in
            let parts = line.split(separator: "\t").map(String.init)
            guard parts.count == 4, let bound = Double(parts[2]) else {
                throw BenchError(
                    "\(file): a line is a method, a path, a number and a limit, with tabs between: \(line)")
            }
            guard bound <= 5 || parts[3] != "-" else {
                throw BenchError("\(file): \(parts[0]) \(parts[1]) may cost more than five times and names no limit")
            }
            return Row(method: parts[0], path: parts[1], bound: bound, limit: parts[3])
        }
    }

    /// The request of a visitor without a session.
    static func request(_ row: Row) -> NobodyRequest {
        let path = row.path.replacing(#/\{[a-z]+\}/#, with: "a-b_C.1")
        guard row.method == "POST" else { return NobodyRequest(row.method, path) }
        let type = isJSON(path) ? "application/json" : path == "/auth/mail/inbound" ? "message/rfc822" : form
        return NobodyRequest(
            row.method, path, "Content-Type: \(type)\r\n\(signature)", isJSON(path) ? "{}" : "email=ann%40example.com")
    }

    private static let form = "application/x-www-form-urlencoded"
    private static let signature = "X-SSO-Signature: sha256=" + String(repeating: "0", count: 64) + "\r\n"

    private static func isJSON(_ path: String) -> Bool {
        path.hasPrefix("/api/") || path.hasSuffix("/notifications")
            || [SSOPath.verify, SSOPath.session, SSOPath.ping].contains(path)
    }
}
