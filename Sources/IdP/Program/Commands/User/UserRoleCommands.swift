import ArgumentParser
import IdPAccounts
import IdPClients
import IdPOperations
import SSOWeb
import Storage

extension UserCommand {
    struct Grant: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "grant", abstract: "Gives an account a role on the admin pages.",
            usage: "idp user grant [<options>] <role> <address>",
            discussion: """
                admin changes, auditor reads and exports. The role counts once the user has signed in by email, or has a passkey. \
                All admins are told by email.

                Example: idp user grant admin ann@example.com
                """)
        @Argument(help: "admin or auditor.", transform: RoleArgument.read) var role: AdminRole
        @OptionGroup var account: AccountOptions

        func run() async throws {
            try await account.make(GrantRole(role, to: account.address)) { name, changed in
                changed.isChanged
                    ? "\(name) has the role \(role.rawValue)." : "\(name) has the role \(role.rawValue) already."
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke", abstract: "Takes a role on the admin pages away.",
            usage: "idp user revoke [<options>] <role> <address>",
            discussion: """
                The next request of the account has the role no more. IDP_ADMINS gives a role that no command takes away.

                Example: idp user revoke auditor ann@example.com
                """)
        @Argument(help: "admin or auditor.", transform: RoleArgument.read) var role: AdminRole
        @OptionGroup var account: AccountOptions
        @Flag(help: "Also of the last admin: nobody can change anything on the admin pages then.") var force = false

        func run() async throws {
            let (_, eligibility) = try account.database.signInSettings()
            let change = RevokeRole(
                role, of: account.address, named: try account.database.value(of: AdminAddresses.setting), eligibility,
                isForced: force)
            try await account.make(change) { name, changed in
                changed.isChanged
                    ? "\(name) has the role \(role.rawValue) no more."
                    : "\(name) does not have the role \(role.rawValue)."
            }
        }
    }
}

/// The role that a command takes.
enum RoleArgument {
    @Sendable static func read(_ text: String) throws -> AdminRole {
        guard let role = AdminRole(rawValue: text) else {
            throw ValidationError("\"\(text)\" must be admin or auditor, for example admin.")
        }
        return role
    }
}
