import ArgumentParser
import IdPDirectory
import SSOShared
import SSOWeb

/// `idp user …`: looks at accounts and changes what they may do, beside a running IdP.
struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user", abstract: "Lists accounts, disables and enables them, and ends their sessions.",
        discussion: """
            Works on the database of a running IdP: every change holds from the next request on. Whether an address may \
            sign in is also a matter of IDP_ALLOWED_EMAILS, which is read at start.

            Exit codes: 0 done, 1 no such account, or an error of the database, 64 wrong usage, 78 a wrong setting.
            """,
        subcommands: [List.self, Show.self, Disable.self, Enable.self, SignOut.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Prints all accounts, by address.")
        @Flag(help: "Print a JSON array.") var json = false
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            let accounts = try await database.open { try await AccountAdministration(database: $0).all() }
            print(
                json
                    ? AccountOutput.json(accounts)
                    : CommandTable.text(AccountOutput.header, accounts.map(AccountOutput.row)))
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Prints one account.")
        @OptionGroup var account: AccountOptions
        func run() async throws { try await account.run(.look) { _ in nil } }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Keeps an account from signing in, ends its sessions and makes its unused tokens void.",
            discussion: "Sessions at relying parties go on until they end there.")
        @OptionGroup var account: AccountOptions
        func run() async throws {
            try await account.run(.disable) {
                "Disabled \($0): the account cannot sign in, its sessions have ended, and its unused tokens are void."
            }
        }
    }

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lets a disabled account sign in again.",
            discussion: "What ended when it was disabled does not come back.")
        @OptionGroup var account: AccountOptions
        func run() async throws {
            try await account.run(.enable) { "Enabled \($0): the account may sign in if IDP_ALLOWED_EMAILS names it." }
        }
    }

    struct SignOut: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sign-out", abstract: "Ends all sessions of an account and makes its unused tokens void.",
            discussion: "The account may sign in again at once. Sessions at relying parties go on until they end there."
        )
        @OptionGroup var account: AccountOptions
        func run() async throws {
            try await account.run(.signOut) {
                "Signed out \($0): its sessions have ended, and its unused tokens are void."
            }
        }
    }
}

/// The account that a command is about.
struct AccountOptions: ParsableArguments {
    @Argument(help: "The account's email address.") var address: String
    @Flag(help: "Print the account as a JSON object.") var json = false
    @OptionGroup var database: DatabaseOptions

    func validate() throws {
        guard address.split(separator: "@", omittingEmptySubsequences: false).count == 2 else {
            throw ValidationError("\"\(address)\" is not an email address.")
        }
    }

    /// Does `change`, then prints the account as it is now.
    ///
    /// - Parameter words: one line for people about what was done, nil to print the account itself.
    /// - Throws: exit code 1 when there is no such account.
    func run(_ change: AccountAdministration.Change, _ words: (String) -> String?) async throws {
        let changed = try await database.open {
            try await AccountAdministration(database: $0, by: .ofCommand()).apply(change, to: address)
        }
        guard let changed else {
            throw CommandExit.failure(IdPProgram.name, "there is no account with the address \(address).")
        }
        let account = changed.account
        if json {
            let isLook = words("") == nil
            print(AccountOutput.json(account, isLook ? [] : [.init("changed", changed.isChanged)]))
        } else {
            print(
                words("\(account.email) (\(account.id))")
                    ?? CommandTable.text(AccountOutput.header, [AccountOutput.row(account)]))
        }
    }
}

/// How commands print accounts.
enum AccountOutput {
    static let header = ["ADDRESS", "STATE", "ID", "NAME", "CREATED"]

    static func row(_ account: Account) -> [String] {
        [account.email, state(account), account.id, account.name, PlainDate.rfc3339(account.createdAt)]
    }

    /// - Parameter first: what comes before the account.
    static func json(_ account: Account, _ first: [JSONText.Member] = []) -> String {
        JSONText.object(
            first + [
                .init("address", account.email), .init("state", state(account)), .init("id", account.id),
                .init("name", account.name), .init("created_at", PlainDate.rfc3339(account.createdAt)),
            ])
    }

    static func json(_ accounts: [Account]) -> String { "[\(accounts.map { json($0) }.joined(separator: ",\n "))]" }

    private static func state(_ account: Account) -> String { account.isDisabled ? "disabled" : "active" }
}
