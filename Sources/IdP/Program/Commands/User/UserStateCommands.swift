import ArgumentParser
import IdPAccountPages
import IdPAccounts
import IdPClients
import IdPOperations
import IdPServer
import SSOShared
import SSOWeb
import Storage

extension UserCommand {
    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "disable",
            abstract: "Keeps an account from signing in, ends its sessions and makes its unused tokens void.",
            usage: "idp user disable [<options>] <address>",
            discussion: """
                Clients with a logout_uri are told. Sessions at other clients go on until they end there.

                Example: idp user disable ann@example.com
                """)
        @OptionGroup var account: AccountOptions
        func run() async throws {
            try await account.make(DisableUser(account.address)) { name, changed in
                changed.isChanged
                    ? "Disabled \(name): the account cannot sign in, its sessions have ended, and its unused tokens are void."
                    : "\(name) is disabled already."
            }
        }
    }

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "enable", abstract: "Lets a disabled account sign in again.",
            usage: "idp user enable [<options>] <address>",
            discussion: """
                What ended when it was disabled does not come back.

                Example: idp user enable ann@example.com
                """)
        @OptionGroup var account: AccountOptions
        func run() async throws {
            try await account.make(EnableUser(account.address)) { name, changed in
                guard changed.isChanged else { return "\(name) is not disabled." }
                return changed.result.addedAt == nil
                    ? "Enabled \(name): the account may sign in if IDP_ALLOWED_EMAILS names it."
                    : "Enabled \(name): the account may sign in."
            }
        }
    }

    struct SetEnd: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set-end", abstract: "Sets the last day on which an account may sign in, or never.",
            usage: "idp user set-end [<options>] <address> <date>",
            discussion: """
                The day holds to its end in UTC. Sessions end with it.

                Example: idp user set-end ann@example.com 2027-06-30
                """)
        @OptionGroup var account: AccountOptions
        @Argument(help: "The last day, such as 2027-06-30, or never.") var date: String

        func validate() throws { if date != "never" { _ = try DayArgument.read(date, "DATE") } }

        func run() async throws {
            let end = date == "never" ? nil : try DayArgument.read(date, "DATE")
            try await account.make(SetEndDate(account.address, to: end)) { name, changed in
                let words = changed.result.endsAt.map { "may sign in until the end of \(EndDate.text($0)) (UTC)" }
                return "\(name) \(words ?? "has no end date")\(changed.isChanged ? "." : ", as before.")"
            }
        }
    }

    struct Erase: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "erase",
            abstract: "Erases an account after seven days, in which it is disabled and can be kept.",
            usage: "idp user erase [<options>] <address>",
            discussion: """
                What is kept of the user is deleted: account, ways to sign in, known browsers, notices. The audit log keeps the \
                id of the account. Backups keep what they have.

                Example: idp user erase ann@example.com
                """)
        @OptionGroup var account: AccountOptions
        @Flag(help: "Erase at once. Nothing brings the account back.") var now = false
        @Flag(help: "Keep an account that was to be erased.") var cancel = false

        func validate() throws {
            guard now, cancel else { return }
            throw ValidationError("--now and --cancel: leave one of them out.")
        }

        func run() async throws {
            let mode: EraseUser.Mode = now ? .now : cancel ? .cancel : .afterSevenDays
            try await account.make(EraseUser(account.address, mode)) { name, changed in
                switch mode {
                case .now: "Erased \(name)."
                case .cancel:
                    changed.isChanged
                        ? "Kept \(name): the account is as it was before, and signed out."
                        : "\(name) was not to be erased."
                case .afterSevenDays:
                    "\(name) is disabled and will be erased at \(changed.result.eraseAt.map(PlainDate.rfc3339) ?? "-"). Until then it can be kept with --cancel."
                }
            }
        }
    }

    struct SetAddress: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set-address", abstract: "Gives an account another address. It keeps its id.",
            usage: "idp user set-address [<options>] <address> <new>",
            discussion: """
                Ends all sessions and known browsers. Both addresses get an email about it. Be sure that the new address is \
                the same user's: its owner can sign in to everything that the account can.

                Example: idp user set-address ann@example.com ann.miller@example.com
                """)
        @OptionGroup var account: AccountOptions
        @Argument(help: "The new address. No other account may have it.") var new: String

        func validate() throws { _ = try UserAddress.read(new) }

        func run() async throws {
            let new = try UserAddress.read(new)
            try await account.make(
                { database in
                    IdPOperations.SetAddress(
                        account.address, to: new,
                        reporting: AccountNotices(ofCommandOn: database, logger: .quiet))
                }, account: { $0 }
            ) { name, changed in
                guard changed.isChanged else { return "\(name) has this address already." }
                return changed.result.addedAt == nil
                    ? "\(name) has the new address, and was signed out. It may sign in if IDP_ALLOWED_EMAILS names that address."
                    : "\(name) has the new address, and was signed out."
            }
        }
    }
}

/// An address that a command takes.
enum UserAddress {
    /// The address of an account as it is stored. Text that is no address stays as it is: no account has it.
    @Sendable static func stored(_ text: String) -> String { (try? Entered.address(text))?.text ?? text }

    /// - Throws: a `ValidationError` for text that is not an address that emails may go to.
    static func read(_ text: String) throws -> EmailAddress {
        do { return try Entered.address(text) } catch {
            throw ValidationError("\"\(text)\" is not an email address. \(error) Use one such as ann@example.com.")
        }
    }
}
