import ArgumentParser
import CommandLines
import IdPAccountPages
import IdPAccounts
import IdPClients
import IdPOperations
import IdPServer
import SSOShared
import SSOWeb
import Storage

extension UserCommand {
    struct Passkeys: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "passkeys", abstract: "Prints the passkeys of a user, or removes one.",
            usage: "idp user passkeys [<options>] <address>",
            discussion: """
                A user who has lost a phone or a key removes its passkey on /passkeys. A user who has lost all of them needs this \
                command: every sign-in of the account ends, the user is told, and signs in by email.

                Example: idp user passkeys ann@example.com --remove pky_TC6ZJ0c1ROGX3mTn
                """)
        @Argument(help: "The account's email address.", transform: UserAddress.stored) var address: String
        @Option(help: ArgumentHelp("Remove this passkey.", valueName: "id")) var remove: String?
        @Flag(help: "Print a JSON array, or with --remove an object that says what was changed.") var json = false
        @OptionGroup var database: DatabaseOptions

        func validate() throws { try AccountOptions.check(address) }

        func run() async throws {
            if let remove { return try await self.remove(remove) }
            let passkeys = try await database.open(onlyReading: true) { [address] database in
                try await database.read { try PasskeyStore.all(of: AccountStore.named(address, $0).id, $0) }
            }
            print(json ? PasskeyOutput.json(passkeys) : PasskeyOutput.text(passkeys))
        }

        private func remove(_ id: String) async throws {
            let (changed, left) = try await database.open { [address] database in
                let notices = AccountNotices(ofCommandOn: database, logger: .quiet)
                let changed = try await OperatorChanges(database, by: .ofCommand()).make(
                    RemovePasskey(id, of: address, reporting: notices))
                return (changed, try await database.read { try PasskeyStore.all(of: changed.result.id, $0) })
            }
            guard json else { return print(PasskeyOutput.text(left)) }
            print(
                JSONText.object([
                    .init("changed", changed.isChanged), .init("passkeys", left.map(PasskeyOutput.members)),
                ]))
        }
    }
}

/// `idp passkeys …`: the passkeys of all users.
struct PasskeysCommand: CommandOfCommands {
    typealias Root = IdPCommand

    static let configuration = CommandConfiguration(
        commandName: "passkeys",
        abstract: "Removes the passkeys of all users, when the service moves to another domain.",
        discussion: """
            Passkeys belong to IDP_PASSKEY_RP_ID, and work nowhere else. Those of one user: idp user passkeys ADDRESS.

            Example: idp passkeys forget-all --yes

            Exit codes: 0 done or nothing to do, 1 an error of the database, 64 wrong usage, 78 a wrong setting.
            """,
        subcommands: [ForgetAll.self])

    struct ForgetAll: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "forget-all", abstract: "Removes every passkey. Its users are told, and sign in by email.",
            usage: "idp passkeys forget-all --yes [<options>]",
            discussion: """
                Every sign-in of a user with a passkey ends. To keep the passkeys, set IDP_PASSKEY_RP_ID to the former value.

                Example: idp passkeys forget-all --yes
                """)
        @Flag(help: "Do it. Nothing brings the passkeys back.") var yes = false
        @Flag(help: "Print what was done as JSON.") var json = false
        @OptionGroup var database: DatabaseOptions

        func validate() throws {
            guard !yes else { return }
            throw ValidationError(
                "This removes the passkeys of all users. If you want that: idp passkeys forget-all --yes")
        }

        func run() async throws {
            let changed = try await database.open { database in
                let notices = AccountNotices(ofCommandOn: database, logger: .quiet)
                return try await ForgetPasskeys(reporting: notices).makeForAll(
                    by: OperatorChanges(database, by: .ofCommand()))
            }
            guard json else {
                let users = "\(changed.result) user\(changed.result == 1 ? "" : "s")"
                return print(
                    changed.isChanged ? "Removed the passkeys of \(users)." : "Nothing to do: no user has a passkey.")
            }
            print(JSONText.object([.init("changed", changed.isChanged), .init("users", changed.result)]))
        }
    }
}

/// How commands print passkeys.
enum PasskeyOutput {
    static func json(_ passkeys: [Passkey]) -> String {
        ListOutput.json(passkeys.map { JSONText.object(members($0)) })
    }

    static func members(_ passkey: Passkey) -> [JSONText.Member] {
        [
            .init("id", passkey.id), .init("name", passkey.name),
            .init("added_at", PlainDate.rfc3339(passkey.addedAt)),
            .init("last_used_at", orNull: passkey.usedAt.map(PlainDate.rfc3339)),
            .init("synced", passkey.isBackupEligible),
        ]
    }

    static func text(_ passkeys: [Passkey]) -> String {
        guard !passkeys.isEmpty else { return "The user has no passkey." }
        return CommandTable.text(
            ["ID", "NAME", "KIND", "ADDED", "USED"],
            passkeys.map {
                [
                    $0.id, $0.name, $0.isBackupEligible ? "synced" : "one device only", PlainDate.rfc3339($0.addedAt),
                    $0.usedAt.map(PlainDate.rfc3339) ?? "-",
                ]
            })
    }
}
