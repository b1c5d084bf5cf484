import ArgumentParser
import Foundation
import IdPAccounts
import IdPClients
import IdPOperations
import IdPServer
import SSOShared
import SSOWeb
import Storage

extension UserCommand {
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export", abstract: "Writes all that is stored of one user into a new JSON file.",
            usage: "idp user export [<options>] <address> <file>",
            discussion: """
                The account as idp user show prints it, the sign-out messages about it and its rows of the audit log. A file that \
                exists is never overwritten. It is readable for this user alone (mode 0600). The export has a row of its own in the \
                audit log, except of a file of a database that cannot be written. The log of the service is not part of it: search \
                it for the id and for address_ids.

                Needs IDP_SECRET_KEY for the rows in which the address was typed.

                Example: idp user export ann@example.com ann.json
                """)
        @OptionGroup var account: AccountOptions
        @Argument(help: "The file to write, which must not exist yet.", transform: FileArgument.read) var file: String

        func run() async throws {
            let shown = try await ShownAccount.read(account)
            let owner = shown.details.row.account
            let export = UserExport(shown: shown, keys: try account.database.keys().map { AuditAddressKeys($0) })
            let (file, now) = (file, ServiceClock.system().now())
            let rows = try await account.database.export { database, record in
                try await NewFile.write(file) { new in
                    let count = try await export.write(from: database, at: now, new.append)
                    let name = URL(fileURLWithPath: file).lastPathComponent
                    try await record(
                        Event(
                            .auditExported, by: .ofCommand(), account: owner.id, detail: "data of the user into \(name)"
                        ))
                    return count
                }
            }
            let count = "\(rows) row\(rows == 1 ? "" : "s")"
            print(
                account.json
                    ? JSONText.object([.init("changed", true), .init("file", file), .init("rows", rows)])
                    : "Exported \(owner.email) (\(owner.id)) into \(file), with \(count) of the audit log.")
        }
    }
}
