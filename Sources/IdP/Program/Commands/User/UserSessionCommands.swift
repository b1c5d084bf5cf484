import ArgumentParser
import IdPAccounts
import IdPClients
import IdPFlow
import IdPOperations
import IdPServer
import IdPSignOut
import SSOShared
import SSOWeb
import Storage

extension UserCommand {
    struct Sessions: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sessions",
            abstract:
                "Prints the browsers and apps in which an account is signed in, and the clients entered from each.",
            usage: "idp user sessions [<options>] <address>",
            discussion: "Example: idp user sessions ann@example.com --json")
        @OptionGroup var account: AccountOptions

        func run() async throws {
            let address = account.address
            let lifetime = try account.database.value(of: FlowSettings.sessions)
            let found = try await account.database.open(onlyReading: true) { database in
                let devices = AppDevices(database: database, lifetime: lifetime)
                return try await database.read { connection in
                    try ListedSession.all(of: AccountStore.named(address, connection), devices, connection)
                }
            }
            if account.json { return ListOutput.print(json: found.map(\.json)) }
            ListOutput.print(ListedSession.header, found.map(\.row), none: "sessions")
        }
    }

    struct EndSession: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "end-session", abstract: "Ends one session of an account, and tells its clients.",
            usage: "idp user end-session [<options>] <address> <session>",
            discussion: """
                Example: idp user end-session ann@example.com ses_5FhGmX0bTzKk2wYdQp7r-w
                """)
        @OptionGroup var account: AccountOptions
        @Argument(help: "The session, as idp user sessions prints it.") var session: String

        func validate() throws {
            guard session.hasPrefix("ses_") || session.hasPrefix("dev_") else {
                throw ValidationError(
                    "\"\(session)\" is not a session. It begins with ses_ or dev_: idp user sessions prints it, for example ses_5FhGmX0bTzKk2wYdQp7r-w."
                )
            }
        }

        func run() async throws {
            let (address, id) = (account.address, session)
            let lifetime = try account.database.value(of: FlowSettings.sessions)
            try await account.make(
                {
                    IdPOperations.EndSession(
                        of: address, id: id, devices: AppDevices(database: $0, lifetime: lifetime))
                }, account: { $0 }
            ) { name, _ in "Ended \(id) of \(name). Clients with a logout_uri are told." }
        }
    }

    struct SignOut: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sign-out",
            abstract: "Ends all sessions of an account, or of all accounts, and makes unused tokens void.",
            usage: "idp user sign-out [<options>] [<address>]",
            discussion: """
                The accounts may sign in again at once. Clients with a logout_uri are told. Sessions at other clients go on until \
                they end there.

                Example: idp user sign-out ann@example.com

                For all accounts: idp user sign-out --all
                """
        )
        @Argument(help: "The account's email address.", transform: UserAddress.stored) var address: String?
        @Flag(help: "Sign every account out.") var all = false
        @Flag(help: "Print what was done as a JSON object.") var json = false
        @OptionGroup var database: DatabaseOptions

        func validate() throws {
            guard all == (address == nil) else {
                throw ValidationError("Give an address, for example ann@example.com, or --all, not both.")
            }
            try address.map(AccountOptions.check)
        }

        func run() async throws {
            guard let address else { return try await signOutAll() }
            try await AccountOptions.make(
                { _ in SignOutUser(address) }, json: json, database, account: { $0 }
            ) { name, changed in
                changed.isChanged
                    ? "Signed out \(name): its sessions have ended, and its unused tokens are void."
                    : "\(name) was signed in nowhere."
            }
        }

        private func signOutAll() async throws {
            let (accounts, told) = try await database.open {
                try await SignOutEveryone(OperatorChanges($0, by: .ofCommand())).make()
            }
            guard !json else {
                return print(
                    JSONText.object([
                        .init("changed", accounts > 0), .init("accounts", accounts), .init("messages", told.queued),
                        .init("messages_left_out", told.dropped),
                    ]))
            }
            let words = "\(accounts) account\(accounts == 1 ? "" : "s")"
            print("Signed out \(words): all sessions have ended, and unused tokens are void.")
            if let words = SignOutOutput.words(on: told) { print(words) }
        }
    }
}

extension AppDevices {
    /// For a command: it reads and ends sessions, and begins none.
    init(database: any Database, lifetime: SessionLifetime) {
        let (clock, randomness) = (ServiceClock.system(), SystemRandomness())
        self.init(
            tokens: AccessTokenStore(database: database, clock: clock, randomness: randomness, eligibility: .ofCommand),
            sessions: SessionStore(
                database: database, clock: clock, randomness: randomness, lifetime: lifetime),
            signOuts: SignOuts(clock: clock, randomness: randomness))
    }
}
