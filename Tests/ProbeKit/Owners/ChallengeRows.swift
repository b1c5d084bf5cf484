package import SSOWeb
import Storage

package enum ChallengeTable: StoredTable { package static let name = "challenge" }

extension StoredRows {
    /// Codes and links that were asked for.
    package var challenges: TableRows<ChallengeTable> { rows() }
}

extension TableRows where Table == ChallengeTable {
    package func of(_ address: String) -> Self { with("address = \(quoted(address))") }
    package var used: Self { with("used_at IS NOT NULL") }
    /// Those whose email was replied to.
    package var answered: Self { with("answered_at IS NOT NULL") }
    /// Those whose email was queued later than they were made.
    package var sentAgain: Self {
        with("created_at < (SELECT m.created_at FROM mail_queue m WHERE m.id = challenge.email_id)")
    }

    package func ids() async throws -> [String] { try await texts("id") }
    /// How many codes were typed; nil without a challenge.
    package func tries() async throws -> Int? { try await number("SUM(tries)") }
    /// How many codes were typed for the one with most; nil without a challenge.
    package func mostTries() async throws -> Int? { try await number("MAX(tries)") }
    /// Whatever is text in them, and the code's MAC in hexadecimal digits, as one text each.
    package func allTexts() async throws -> [String] { try await texts("id || address || device || hex(code_mac)") }
    /// The lengths of their MACs.
    package func macLengths() async throws -> Set<Int> {
        Set(try await rows("code_mac").map { try $0.blob("code_mac").count })
    }
    /// The email of the newest one.
    package func newestEmail() async throws -> String? { try await newest("email_id") }
    /// The known browser of the newest one.
    package func newestKnownBrowser() async throws -> String? { try await newest("device_id") }

    private func newest(_ column: String) async throws -> String? {
        let sql = "SELECT \(column) AS text FROM challenge ORDER BY \(TestedEngine.newestFirst) LIMIT 1"
        return try await database.read { try $0.query(sql)[0].optionalText("text") }
    }
}

package enum GuessTable: StoredTable { package static let name = "code_guess" }
package enum GuessAlarmTable: StoredTable { package static let name = "guess_alarm" }

extension StoredRows {
    /// Wrong codes.
    package var guesses: TableRows<GuessTable> { rows() }
    package var guessAlarms: TableRows<GuessAlarmTable> { rows() }
}

extension TableRows where Table == GuessTable {
    package func at(_ address: String) -> Self { with("address = \(quoted(address))") }
}

extension TableRows where Table == GuessAlarmTable {
    package func add(at moment: Timestamp) async throws {
        try await insert([["id": .integer(1), "last_at": .timestamp(moment)]])
    }
}

package enum KnownBrowserTable: StoredTable { package static let name = "device" }

extension StoredRows {
    package var knownBrowsers: TableRows<KnownBrowserTable> { rows() }
}

extension TableRows where Table == KnownBrowserTable {
    package func of(_ address: String) -> Self { with("address = \(quoted(address))") }

    package func ids() async throws -> [String] { try await texts("id") }
    package func expire() async throws { try await set("expires_at = 0") }
}
