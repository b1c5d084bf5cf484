import ArgumentParser
import CommandLines
import Foundation
import IdPAccounts
import IdPClients
import IdPOperations
import IdPServer
import SSOShared
import SSOWeb
import Storage

/// `idp audit …`: reads the audit log beside a running IdP. No command changes a row.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "Shows who did what: sign-ins, tokens, refusals, changes.",
        discussion: """
            Prints the rows of the audit log, the oldest first. Filters hold together. Rows stay for IDP_AUDIT_DAYS days. \
            Days and moments are in UTC.

            Who signed in on a day: idp audit --event signed_in --since 2026-11-24 --until 2026-11-25

            Example: idp audit --since 24h --user ann@example.com --json

            Exit codes: 0 done, 1 an error of the database or the file, 64 wrong usage, 78 a wrong setting.
            """,
        subcommands: [Show.self, Export.self], defaultSubcommand: Show.self)

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Prints the rows, one line each. The default.",
            usage: "idp audit show [<options>]",
            discussion: "Example: idp audit --event verify_refused --client wiki --follow --json")
        @OptionGroup var filters: AuditFilters
        @Flag(help: "Print one JSON object a line.") var json = false
        @Flag(help: "Go on with new rows until Ctrl-C. Without --since it begins now.") var follow = false
        @OptionGroup var database: DatabaseOptions

        func validate() throws {
            guard follow, filters.until != nil else { return }
            throw ValidationError("--follow: has no end, so --until has no meaning beside it. Leave one of them out.")
        }

        func run() async throws {
            let keys = try database.keys()
            try await database.open(onlyReading: true) { database in
                var search = try await filters.search(in: database, keys)
                let store = AuditStore(database: database)
                var names = AccountNames(database)
                guard follow else {
                    var isEmpty = true
                    try await store.eachPage(search) { entries in
                        isEmpty = isEmpty && entries.isEmpty
                        StandardOutput.write(lines(try await names.lines(entries)))
                    }
                    return isEmpty ? try await filters.noteNothing(in: database) : ()
                }
                var followed = FollowedRows(since: search.since ?? ServiceClock.system().now())
                while true {
                    search.since = followed.since
                    let now = ServiceClock.system().now()
                    search.until = now
                    try await store.eachPage(search) { entries in
                        StandardOutput.write(lines(try await names.lines(followed.new(entries))))
                        guard !StandardOutput.isBroken else { throw CommandExit.runtimeError }
                    }
                    followed.advance(to: now)
                    try await Task.sleep(for: .seconds(1))
                }
            }
        }

        private func lines(_ lines: [AuditLine]) -> String {
            lines.map { (json ? AuditOutput.json($0) : AuditOutput.text($0)) + "\n" }.joined()
        }
    }

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export", abstract: "Writes the rows into a new file, as CSV or as JSON lines.",
            usage: "idp audit export [<options>] <file>",
            discussion: """
                The end of the name decides: .csv or .jsonl. A file that exists is never overwritten. It is readable for this \
                user alone (mode 0600): treat it as personal data. The export has a row of its own in the audit log, except of \
                a file that cannot be written, such as one on a read-only medium.

                Example: idp audit export november.csv --since 2026-11-01 --until 2026-12-01
                """)
        @Argument(help: "The file to write, NAME.csv or NAME.jsonl. It must not exist yet.") var file: String
        @OptionGroup var filters: AuditFilters
        @Flag(help: "Print what was done as a JSON object.") var json = false
        @OptionGroup var database: DatabaseOptions

        func validate() throws {
            guard AuditFileFormat(file: file) == nil else { return }
            throw ValidationError("\"\(file)\" must end with .csv or .jsonl, for example november.csv.")
        }

        func run() async throws {
            guard let format = AuditFileFormat(file: file) else { throw ExitCode.validationFailure }
            let keys = try database.keys()
            let count = try await database.export { database, record in
                var search = try await filters.search(in: database, keys)
                search.until = search.until ?? ServiceClock.system().now()
                let store = AuditStore(database: database)
                var names = AccountNames(database)
                let name = URL(fileURLWithPath: file).lastPathComponent
                return try await AuditFile.write(file, format) { append in
                    var count = 0
                    try await store.eachPage(search) { entries in
                        count += entries.count
                        try append(try await names.lines(entries))
                    }
                    try await record(Event(.auditExported, by: .ofCommand(), detail: "\(count) rows into \(name)"))
                    return count
                }
            }
            print(
                json
                    ? JSONText.object([.init("changed", true), .init("file", file), .init("rows", count)])
                    : "Exported \(count) row\(count == 1 ? "" : "s") into \(file).")
        }
    }
}

/// The rows that a command is about.
struct AuditFilters: ParsableArguments {
    @Option(help: "Rows from then on: 2026-11-25 (days in UTC), 2026-11-25T14:00:00Z, or 30m, 24h, 7d ago.") var since:
        String?
    @Option(help: "Rows before then, in the same forms.") var until: String?
    @Option(
        help: ArgumentHelp("The user, by address or id.", valueName: "address"), transform: UserAddress.stored)
    var user: String?
    @Option(help: "The client, by id.") var client: String?
    @Option(help: "The event, by its id, for example signed_in.") var event: String?
    @Option(help: "The reference that an error page has shown.") var reference: String?

    func validate() throws {
        let (start, end) = try moments()
        if let start, let end, end <= start {
            throw ValidationError(
                "--until is \(end == start ? "the same moment as" : "before") --since, so there is no row. Exchange them, or use a later day: days are in UTC, and --until is the first moment after them."
            )
        }
        if let client { try ClientArgument.check(client) }
        if let event, !IdPEvents.audited.contains(where: { $0.id == event }) {
            let known = IdPEvents.audited.map(\.id)
            let near = SpellingSuggestion.question(event, among: known)
            throw ValidationError(
                "--event: \"\(event)\" is not an event of the audit log.\(near) Use one of: \(known.joined(separator: ", "))."
            )
        }
    }

    /// Both are counted back from the same moment.
    private func moments() throws -> (since: Timestamp?, until: Timestamp?) {
        let now = ServiceClock.system().now()
        return (try moment(since, "--since", now), try moment(until, "--until", now))
    }

    private func moment(_ text: String?, _ option: String, _ now: Timestamp) throws -> Timestamp? {
        guard let text else { return nil }
        guard let moment = AuditMoment.read(text, now: now) else {
            throw ValidationError(
                "\(option): \"\(text)\" is not a moment. Use 2026-11-25, 2026-11-25T14:00:00Z, or 30m, 24h, 7d ago.")
        }
        return moment
    }

    /// - Parameter keys: finds the rows in which the user's address was typed. Without them only those of the account.
    /// - Throws: ``DatabaseError/refused(_:)`` for an address that nobody has.
    func search(in database: any Database, _ keys: DerivedKeys?) async throws -> AuditSearch {
        var search = AuditSearch()
        (search.since, search.until) = try moments()
        (search.client, search.event, search.reference) = (client, event, reference?.uppercased())
        guard let user else { return search }
        guard user.contains("@") else {
            search.user = .init(account: user, addresses: [])
            return search
        }
        let macs = (try? EmailAddress(user)).flatMap { address in keys.map { AuditAddressKeys($0).macs(of: address) } }
        let account = try await AccountAdministration(database: database).account(of: user)
        guard account != nil || macs != nil else {
            let words = try await database.read { try UnknownName.account(user, $0) }
            throw DatabaseError.refused("\(words) With IDP_SECRET_KEY the rows in which it was typed are found, too.")
        }
        search.user = .init(account: account?.id, addresses: macs ?? [])
        return search
    }
}

extension AuditFilters {
    /// Says that there are no rows, and which name of the filters there is not.
    func noteNothing(in database: any Database) async throws {
        ListOutput.note("no rows.")
        let (client, user) = (client, user)
        let notes = try await database.read { connection -> [String] in
            var notes: [String] = []
            if let client, let problem = try KnownClients(connection).problem(with: client) { notes.append(problem) }
            if let user, user.contains("@"), try AccountStore.find(email: user.lowercased(), connection) == nil {
                notes.append(try UnknownName.account(user, connection))
            } else if let user, !user.contains("@"), try AccountStore.find(user, connection) == nil {
                notes.append("there is no account with the id \(user). idp user list has all, by address.")
            }
            return notes
        }
        notes.forEach(ListOutput.note)
    }
}

/// The moments that options take.
enum AuditMoment {
    static func read(_ text: String, now: Timestamp) -> Timestamp? {
        if let unit = text.last, let span = spans[unit] {
            guard let number = Int(text.dropLast()), (0...100_000).contains(number) else { return nil }
            return now - span * number
        }
        let full = text.utf8.count == 10 ? text + "T00:00:00Z" : text
        let styles = [false, true].map { Date.ISO8601FormatStyle(includingFractionalSeconds: $0) }
        guard let date = styles.lazy.compactMap({ try? Date(full, strategy: $0) }).first else { return nil }
        return Timestamp(milliseconds: Int64((date.timeIntervalSince1970 * 1000).rounded()))
    }

    private static let spans: [Character: Duration] = ["m": .minutes(1), "h": .hours(1), "d": .days(1)]
}

/// The rows that `--follow` has printed. Of transactions at the same time the earlier moment may be committed later, so the last
/// ten seconds are read again.
struct FollowedRows {
    private static let overlap: Duration = .seconds(10)
    private let start: Timestamp
    private(set) var since: Timestamp
    private var printed: [[UInt8]: Timestamp] = [:]

    init(since: Timestamp) { (start, self.since) = (since, since) }

    /// Those that were not printed yet.
    mutating func new(_ entries: [AuditEntry]) -> [AuditEntry] {
        entries.filter { printed.updateValue($0.at, forKey: $0.id) == nil }
    }

    mutating func advance(to now: Timestamp) {
        since = max(start, now - Self.overlap)
        let oldest = AuditID.prefix(of: since)
        printed = printed.filter { !$0.key.lexicographicallyPrecedes(oldest) }
    }
}
