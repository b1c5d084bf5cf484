import ArgumentParser
import IdPAccounts
import IdPClients
import IdPOperations
import SSOShared
import SSOWeb
import Storage

extension UserCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Prints accounts, by address, at most a thousand.",
            discussion: """
                Filters hold together. --after with the last address of a page prints the next one.

                Example: idp user list --search example.org --state invited --json
                """)
        @Option(help: ArgumentHelp("A part of the address or the name.", valueName: "text")) var search: String?
        @Option(help: "active, invited, withdrawn, disabled or ended.", transform: List.state)
        var state: AccountAdministration.State?
        @Option(help: ArgumentHelp("Only members of this group.", valueName: "id")) var group: String?
        @Option(help: ArgumentHelp("At most so many accounts, from 1 to 1000.", valueName: "count"))
        var limit = AccountAdministration.maximumRows
        @Option(help: ArgumentHelp("Only accounts after this address.", valueName: "address")) var after: String?
        @Flag(help: "Print a JSON array.") var json = false
        @OptionGroup var database: DatabaseOptions

        @Sendable private static func state(_ text: String) throws -> AccountAdministration.State {
            guard let state = AccountAdministration.State(rawValue: text) else {
                throw ValidationError(
                    "\"\(text)\" must be active, invited, withdrawn, disabled or ended, for example invited.")
            }
            return state
        }

        func validate() throws {
            if let group { try GroupArgument.check(group) }
            guard !(1...AccountAdministration.maximumRows).contains(limit) else { return }
            throw ValidationError("--limit: \(limit) must be a whole number from 1 to 1000, for example 100.")
        }

        func run() async throws {
            let search = AccountAdministration.Search(text: search, state: state, group: group, after: after)
            // One more tells whether there are more.
            let found = try await database.open {
                try await AccountAdministration(database: $0).page(search, limit: limit + 1)
            }
            let rows = Array(found.prefix(limit))
            print(
                json
                    ? AccountOutput.json(rows)
                    : CommandTable.text(AccountOutput.header, rows.map(AccountOutput.row)))
            if found.count > limit, let last = rows.last {
                _ = CommandExit.failure(
                    IdPProgram.name, "there are more accounts. Go on with --after \(last.account.email)")
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Prints one account: what it signs in with, where it is signed in, which clients it has entered.",
            discussion: "Example: idp user show ann@example.com --json")
        @OptionGroup var account: AccountOptions

        func run() async throws {
            let lifetime = try account.database.sessionLifetime()
            let found = try await account.database.open { database -> (AccountDetails, [ListedSession])? in
                guard let details = try await AccountAdministration(database: database).details(of: account.address)
                else { return nil }
                let devices = AppDevices(database: database, lifetime: lifetime)
                return (
                    details,
                    try await database.read { try ListedSession.all(of: details.row.account, devices, $0) }
                )
            }
            let keys = try account.database.keys().map { AuditAddressKeys($0) }
            func ids(_ address: String) -> [String] {
                (try? EmailAddress(address)).flatMap { keys?.ids(of: $0) } ?? []
            }
            guard let (details, sessions) = found else {
                let named = ids(account.address).first.map { " The log calls the address \($0)." } ?? ""
                throw CommandExit.failure(
                    IdPProgram.name, "there is no account with the address \(account.address).\(named)")
            }
            let names = ids(details.row.account.email)
            print(
                account.json
                    ? AccountOutput.json(details, sessions, addressIDs: names)
                    : AccountOutput.text(details, sessions, addressIDs: names))
        }
    }
}
