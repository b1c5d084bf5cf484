import ArgumentParser
import CommandLines
import IdPAccounts
import IdPClients
import IdPOperations
import IdPServer
import IdPSignOut
import SSOShared
import SSOWeb
import Storage

/// `idp sign-outs …`: the messages that tell clients of ended sessions.
struct SignOutsCommand: CommandOfCommands {
    typealias Root = IdPCommand

    static let configuration = CommandConfiguration(
        commandName: "sign-outs", abstract: "Shows whether clients were told of ended sessions, and tries them again.",
        discussion: """
            A message to a client is tried at once, after 10 seconds, 1, 5 and 15 minutes, and then hourly for a day.

            Exit codes: 0 done or nothing to do, 1 no such message, or an error of the database, 64 wrong usage, 78 a wrong \
            setting.
            """,
        subcommands: [List.self, Retry.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Prints the messages of the last 30 days, newest first.",
            usage: "idp sign-outs list [<options>]",
            discussion: """
                Example: idp sign-outs list --user ann@example.com

                What waits: idp sign-outs list --waiting --json
                """)
        @Flag(help: "Only messages that wait for their client.") var waiting = false
        @Option(
            help: ArgumentHelp("Only messages about this user, by address or id.", valueName: "address"),
            transform: UserAddress.stored)
        var user: String?
        @Option(help: "Only messages to this client, by id.") var client: String?
        @Option(help: "At most so many, 1 to 10000.") var limit = 100
        @Flag(help: "Print a JSON array.") var json = false
        @OptionGroup var database: DatabaseOptions

        func validate() throws {
            if let client { try ClientArgument.check(client) }
            guard !(1...10_000).contains(limit) else { return }
            throw ValidationError("--limit: \(limit) must be a whole number from 1 to 10000, for example 100.")
        }

        func run() async throws {
            let (isWaiting, limit, user, client) = (waiting, limit, user, client)
            let messages = try await database.open(onlyReading: true) { database in
                try await database.read { connection in
                    let account = try user.map { try Self.account($0, connection) }
                    let messages = try SignOutQueue(randomness: SystemRandomness()).all(
                        isWaiting: isWaiting, of: account, to: client, limit: limit, connection)
                    if messages.isEmpty, let client, let problem = try KnownClients(connection).problem(with: client) {
                        throw ChangeError(problem)
                    }
                    return messages
                }
            }
            if json { return ListOutput.print(json: messages.map(SignOutOutput.json)) }
            ListOutput.print(SignOutOutput.header, messages.map(SignOutOutput.row), none: "messages")
        }

        /// The id of an account that is named by its address, or by its id: also one that was erased.
        private static func account(_ user: String, _ connection: any SQLConnection) throws -> String {
            user.contains("@") ? try AccountStore.named(user, connection).id : user
        }
    }

    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "retry", abstract: "Tries messages at once, also those that were given up.",
            usage: "idp sign-outs retry [<options>] [<id>]",
            discussion: """
                Examples:
                  idp sign-outs retry evt_q83vEjRWeJCrze8SNFZ4kA
                  idp sign-outs retry --client wiki
                """)
        @Argument(help: "The message, as idp sign-outs list prints it.") var id: String?
        @Option(help: "All messages of this client that were not delivered.") var client: String?
        @Flag(help: "All messages that were not delivered.") var all = false
        @Flag(help: "Print what was done as a JSON object.") var json = false
        @OptionGroup var database: DatabaseOptions

        func validate() throws {
            guard [id != nil, client != nil, all].count(where: { $0 }) == 1 else {
                throw ValidationError(
                    "Give one of a message, for example evt_q83vEjRWeJCrze8SNFZ4kA, --client ID, or --all.")
            }
            if let id, !id.hasPrefix("evt_") {
                throw ValidationError(
                    "\"\(id)\" is not a message. It begins with evt_, for example evt_q83vEjRWeJCrze8SNFZ4kA.")
            }
            if let client { try ClientArgument.check(client) }
        }

        func run() async throws {
            let change = RetrySignOuts(id.map { .one($0) } ?? .all(client: client))
            let changed = try await database.make(change)
            print(
                json
                    ? JSONText.object([.init("changed", changed.isChanged), .init("messages", changed.result)])
                    : changed.isChanged
                        ? "Messages that are tried now: \(changed.result)." : "Nothing to try again.")
        }
    }
}
