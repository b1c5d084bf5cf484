import ArgumentParser
import IdPAccounts
import IdPClients
import IdPFlow
import IdPOperations
import IdPServer
import SSOShared
import SSOWeb
import Storage

extension UserCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Prints accounts, by address, at most a thousand.",
            usage: "idp user list [<options>]",
            discussion: """
                Filters hold together. --after with the last address of a page prints the next one.

                Example: idp user list --search example.org --state invited --json
                """)
        @Option(help: ArgumentHelp("A part of the address or the name.", valueName: "text")) var search: String?
        @Option(help: "active, added, invited, withdrawn, disabled or ended.", transform: List.state)
        var state: AccountAdministration.State?
        @Option(help: ArgumentHelp("Only members of this group.", valueName: "id")) var group: String?
        @Option(
            help: ArgumentHelp("passkey: only accounts that have none.", valueName: "kind"), transform: List.without)
        var without: Bool?
        @Option(help: ArgumentHelp("At most so many accounts, from 1 to 1000.", valueName: "count"))
        var limit = AccountAdministration.maximumRows
        @Option(
            help: ArgumentHelp("Only accounts after this address.", valueName: "address"),
            transform: UserAddress.stored)
        var after: String?
        @Flag(help: "Print a JSON array.") var json = false
        @OptionGroup var database: DatabaseOptions

        @Sendable private static func state(_ text: String) throws -> AccountAdministration.State {
            guard let state = AccountAdministration.State(rawValue: text) else {
                let near = SpellingSuggestion.question(
                    text, among: AccountAdministration.State.allCases.map(\.rawValue))
                throw ValidationError(
                    "\"\(text)\" must be active, added, invited, withdrawn, disabled or ended, for example invited.\(near)"
                )
            }
            return state
        }

        @Sendable private static func without(_ text: String) throws -> Bool {
            guard text == "passkey" else {
                throw ValidationError("\"\(text)\" must be passkey: --without passkey.")
            }
            return true
        }

        func validate() throws {
            if let group { try GroupArgument.check(group) }
            guard !(1...AccountAdministration.maximumRows).contains(limit) else { return }
            throw ValidationError("--limit: \(limit) must be a whole number from 1 to 1000, for example 100.")
        }

        func run() async throws {
            var search = AccountAdministration.Search(text: search, state: state, group: group, after: after)
            search.isWithoutPasskey = without == true
            // One more tells whether there are more.
            let found = try await database.open(onlyReading: true) { [search] database in
                if let group = search.group {
                    try await database.read { connection in
                        guard try GroupStore.find(group, connection) == nil else { return }
                        throw ChangeError(try UnknownName.group(group, connection))
                    }
                }
                return try await AccountAdministration(database: database).page(search, limit: limit + 1)
            }
            let rows = Array(found.prefix(limit))
            if json {
                ListOutput.print(json: rows.map { JSONText.object(AccountOutput.members($0)) })
            } else {
                ListOutput.print(AccountOutput.header, rows.map(AccountOutput.row), none: "users")
            }
            if found.count > limit, let last = rows.last {
                _ = CommandExit.failure(
                    IdPProgram.name, "there are more accounts. Go on with --after \(last.account.email)")
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Prints one account: what it signs in with, where it is signed in, which clients it may enter.",
            usage: "idp user show [<options>] <address>",
            discussion: """
                Also when each client was entered and signed out. The clients are those of the running IdP.

                Example: idp user show ann@example.com --json
                """)
        @OptionGroup var account: AccountOptions

        func run() async throws {
            let shown = try await ShownAccount.read(account)
            print(
                account.json
                    ? JSONText.object(shown.members)
                    : AccountOutput.text(shown.details, shown.sessions, addressIDs: shown.addressIDs))
        }
    }
}

extension ShownAccount {
    /// - Throws: exit code 1 without such an account.
    static func read(_ options: AccountOptions) async throws -> ShownAccount {
        let address = options.address
        let lifetime = try options.database.value(of: FlowSettings.sessions)
        let keys = try options.database.keys().map { AuditAddressKeys($0) }
        func ids(_ address: String) -> [String] {
            (try? EmailAddress(address)).flatMap { keys?.ids(of: $0) } ?? []
        }
        let named = ids(address).first.map { " The log calls the address \($0)." } ?? ""
        let (details, sessions) = try await options.database.open(onlyReading: true) { database in
            guard
                let details = try await AccountAdministration(database: database).details(
                    of: address, file: ClientRegistry([])
                )
            else {
                throw ChangeError(try await database.read { try UnknownName.account(address, $0) } + named)
            }
            let devices = AppDevices(database: database, lifetime: lifetime)
            return (details, try await database.read { try ListedSession.all(of: details.row.account, devices, $0) })
        }
        return ShownAccount(details: details, sessions: sessions, addressIDs: ids(details.row.account.email))
    }
}
