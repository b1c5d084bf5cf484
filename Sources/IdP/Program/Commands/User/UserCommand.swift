import ArgumentParser
import CommandLines
import IdPAccounts
import IdPClients
import IdPOperations
import IdPServer
import SSOShared
import SSOWeb
import Storage

/// `idp user …`: looks at accounts, adds them, and changes what they may do, beside a running IdP.
struct UserCommand: CommandOfCommands {
    typealias Root = IdPCommand

    static let configuration = CommandConfiguration(
        commandName: "user", abstract: "Lists accounts, invites and imports users, ends and erases accounts.",
        discussion: """
            Works on the database of a running IdP: every change holds from the next request on. An address may sign in if \
            IDP_ALLOWED_EMAILS names it, which is read at start, or if its account was added by invite or import.

            Example: idp user invite ann@example.com --client wiki --until 2027-06-30

            Exit codes: 0 done or nothing to do, 1 no such account, refused, or an error of the database, 64 wrong usage, \
            78 a wrong setting.
            """,
        subcommands: [
            List.self, Show.self, Invite.self, Resend.self, Withdraw.self, Import.self, Disable.self, Enable.self,
            SignInLink.self, Passkeys.self, Sessions.self, EndSession.self, SignOut.self, SetAddress.self, SetEnd.self,
            Export.self,
            Erase.self, Grant.self, Revoke.self,
        ])
}

/// The account that a command is about.
struct AccountOptions: ParsableArguments {
    @Argument(help: "The account's email address.", transform: UserAddress.stored) var address: String
    @Flag(help: "Print the account as a JSON object.") var json = false
    @OptionGroup var database: DatabaseOptions

    func validate() throws { try Self.check(address) }

    static func check(_ address: String) throws {
        guard address.split(separator: "@", omittingEmptySubsequences: false).count == 2 else {
            let hint =
                address.hasPrefix("usr_")
                ? "It is the id of an account: idp user list has the address." : "Use one such as ann@example.com."
            throw ValidationError("\"\(address)\" is not an email address. \(hint)")
        }
    }

    /// Makes a change and prints the account as it is then.
    ///
    /// - Parameter words: one line about what was done.
    func make<Change: OperatorChange>(
        _ change: Change, _ words: (_ account: String, Changed<Account>) -> String
    ) async throws where Change.Result == Account {
        try await make({ _ in change }, account: { $0 }, words)
    }

    /// As ``make(_:_:)``.
    ///
    /// - Parameters:
    ///   - change: for changes that need the database, such as its queue of emails.
    ///   - account: finds the account in the result.
    func make<Change: OperatorChange>(
        _ change: (any Database) -> Change, account: (Change.Result) -> Account,
        _ words: (_ account: String, Changed<Change.Result>) -> String
    ) async throws {
        try await Self.make(change, json: json, database, account: account, words)
    }

    /// As ``make(_:_:)``, for commands whose account is optional.
    static func make<Change: OperatorChange>(
        _ change: (any Database) -> Change, json: Bool, _ database: DatabaseOptions,
        account: (Change.Result) -> Account, _ words: (_ account: String, Changed<Change.Result>) -> String
    ) async throws {
        let (changed, row) = try await database.open { database in
            let changed = try await OperatorChanges(database, by: .ofCommand()).make(change(database))
            let address = account(changed.result).email
            return (changed, try await AccountAdministration(database: database).row(of: address))
        }
        let found = account(changed.result)
        guard json else { return print(words("\(found.email) (\(found.id))", changed)) }
        let members = row.map { AccountOutput.members($0) } ?? AccountOutput.members(found, state: "erased")
        print(JSONText.object([.init("changed", changed.isChanged)] + members))
    }
}

/// A day that options and files name.
enum DayArgument {
    static func read(_ text: String, _ option: String) throws -> Timestamp {
        guard let end = EndDate.read(text) else {
            throw ValidationError(
                "\(option): \"\(text)\" is not a day. Use a form such as 2027-06-30; it holds to the end of that day in UTC."
            )
        }
        return end
    }
}
