import ArgumentParser
import IdPAccounts
import IdPClients
import IdPMail
import IdPOperations
import IdPServer
import SSOShared
import SSOWeb
import Storage

/// `idp trace WORD`: why a sign-in failed.
struct TraceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trace",
        abstract: "Says why a sign-in failed, by a reference, an address, a flow or a client.",
        usage: "idp trace [<options>] <word>",
        discussion: """
            Prints the timeline from the audit log, the newest first, with the cause and what to do. The admin page /admin/trouble \
            says the same.

            Example: idp trace ann@example.com

            Exit codes: 0 something was found, 1 nothing was found, or an error of the database, 64 wrong usage, 78 a wrong setting.
            """)
    @Argument(help: "The reference of an error page or email, an email address, a flow, or the id of a client.")
    var word: String
    @Flag(help: "Print a JSON object.") var json = false
    @OptionGroup var database: DatabaseOptions

    func validate() throws {
        guard word.isEmpty || word.utf8.count > 300 else { return }
        throw ValidationError(
            "The word must have 1 to 300 bytes. Use a reference, an email address, a flow or a client.")
    }

    func run() async throws {
        let (_, eligibility) = try database.signInSettings()
        let trace = Trace(
            events: IdPEvents.all, addresses: try database.keys().map { AuditAddressKeys($0) },
            eligibility: eligibility,
            nextEmail: { try MailQueue.nextForUnknownBrowser($0, at: $1, $2) })
        let found = try await database.open(onlyReading: true) { [word] database in
            try await database.read { try trace.find(word, at: ServiceClock.system().now(), $0) }
        }
        let isEmpty = found.rows.isEmpty && found.findings.isEmpty
        if json || !isEmpty { print(json ? Self.json(found, word) : Self.text(found, word)) }
        guard isEmpty else { return }
        throw CommandExit.failure(
            IdPProgram.name,
            """
            the audit log has no row about \(word). Check the spelling. References of pages such as "This page has expired" or \
            "Page not found" are in the log alone: search it for reference=\(word)
            """)
    }

    static func text(_ found: Trace.Found, _ word: String) -> String {
        let rows = found.rows.map { row in
            let entry = row.entry
            let more = [entry.cause, entry.client, entry.detail, entry.reference].compactMap(\.self)
            return "\(PlainDate.rfc3339(entry.at))  \(entry.event)  \(more.joined(separator: "  "))\n    \(row.remedy)"
        }
        return (found.findings.map { $0.words(word) } + rows).joined(separator: "\n")
    }

    static func json(_ found: Trace.Found, _ word: String) -> String {
        let rows = found.rows.map { row in
            JSONText.object([
                .init("time", PlainDate.rfc3339(row.entry.at)), .init("event", row.entry.event),
                .init("cause", orNull: row.entry.cause), .init("client", orNull: row.entry.client),
                .init("reference", orNull: row.entry.reference), .init("remedy", row.remedy),
            ])
        }
        let findings = found.findings.map { JSONText.string($0.words(word)) }.joined(separator: ", ")
        return "{\"account\": \(found.account.map { JSONText.string($0.id) } ?? "null"), \"findings\": [\(findings)],\n"
            + " \"rows\": [\(rows.joined(separator: ",\n "))]}"
    }
}
