import ArgumentParser
import CommandLines
import IdPClients
import IdPOperations
import IdPSchema
import IdPServer
import PostgresStorage
import SSOShared
import SSOWeb
import Storage
import StorageEngines

/// `idp database …`: looks after the database of several nodes.
struct DatabaseCommand: CommandOfCommands {
    typealias Root = IdPCommand

    static let configuration = CommandConfiguration(
        commandName: "database",
        abstract: "Looks at the nodes on PostgreSQL, copies a database, and ends sign-ins after a restore.",
        subcommands: [Status.self, Copy.self, Unmark.self, AfterRestore.self, ForgetKeys.self])

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status",
            abstract: "Prints the server, its timeline, whether commits wait for a standby, and the nodes.",
            usage: "idp database status [<options>]",
            discussion: """
                Only for a database of PostgreSQL. Changes nothing.

                Example: idp database status --json

                Exit codes: 0 done, 1 an error of the database, 64 wrong usage, 78 a wrong setting.
                """)
        @Flag(help: "Print a JSON object.") var json = false
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            let status = try await database.open(onlyReading: true) { database in
                guard let postgres = database as? PostgresDatabase else {
                    throw DatabaseError.refused("the database is a file, and files have no nodes.")
                }
                return try await postgres.status()
            }
            if json { return print(StatusOutput.json(status)) }
            let standbys = status.standbys.isEmpty ? "no standby (asynchronous)" : "\(status.standbys) (synchronous)"
            print("PostgreSQL \(status.version) at \(status.primary), timeline \(status.timeline)")
            print("Commits wait for: \(standbys)")
            let rows = status.nodes.map { node in
                [
                    node.node.id, node.node.version, PlainDate.rfc3339(Timestamp(milliseconds: node.startedAt)),
                    node.isAlive ? "\(node.silence.components.seconds) s ago" : "gone",
                    node.node.keys.joined(separator: ","),
                ]
            }
            print(CommandTable.text(["NODE", "VERSION", "STARTED", "HEARTBEAT", "KEYS"], rows), terminator: "")
        }
    }

    struct Copy: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "copy", abstract: DatabaseCopyOptions.abstract,
            usage: "idp database copy [<options>] --from <address> --to <address>",
            discussion: DatabaseCopyOptions.discussion(file: "sqlite:var/idp.sqlite"))
        @OptionGroup var options: DatabaseCopyOptions

        func run() async throws {
            try await options.run(
                program: IdPProgram.name, settings: IdPSettings.database, tables: IdPTable.all.map(\.name),
                ends: ProgramDatabase.idp.copyEnds)
        }
    }

    struct Unmark: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "unmark", abstract: DatabaseUnmarkOptions.abstract,
            usage: "idp database unmark [<options>]",
            discussion: DatabaseUnmarkOptions.discussion)
        @OptionGroup var database: DatabaseOptions
        @OptionGroup var options: DatabaseUnmarkOptions

        func run() async throws {
            try await options.run(program: IdPProgram.name, database.location(), ProgramDatabase.idp.unmark)
        }
    }

    struct AfterRestore: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "after-restore",
            abstract: "Ends what must end after pg_restore or point-in-time recovery: everybody is signed out.",
            usage: "idp database after-restore [<options>]",
            discussion: """
                Stop all nodes first. Sessions, codes, tokens, handoffs and emails that wait end, as after idp restore. What was \
                removed, disabled or changed after the moment of the backup is as it was then: identities, memberships, addresses, \
                end dates, withdrawn invitations, accounts, clients, their entries, secrets and signing keys.

                Example: idp database after-restore

                Exit codes: 0 done, 1 an error of the database, 64 wrong usage, 78 a wrong setting.
                """)
        @Flag(help: "Print what was done as a JSON object.") var json = false
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            try await database.open(by: ProgramDatabase.idp.openAlone) { database in
                if let postgres = database as? PostgresDatabase {
                    let alive = try await postgres.status().nodes.count { $0.isAlive }
                    guard alive == 0 else {
                        throw DatabaseError.refused("\(alive) nodes use the database. Stop them, and wait ten seconds.")
                    }
                }
                try await RestoredDatabase(database: database).endSignIns(
                    now: ServiceClock.system().now(), by: .ofCommand())
            }
            print(json ? JSONText.object([.init("changed", true)]) : "Everybody is signed out.")
        }
    }

    struct ForgetKeys: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "forget-keys",
            abstract: "Lets the database take the present IDP_SECRET_KEY, after the key of before was lost.",
            usage: "idp database forget-keys [<options>]",
            discussion: """
                Stop the IdP first. What only the lost key opens stays closed: secrets of clients (make new ones with idp client \
                rotate), signing keys (new ones are made) and providers' refresh tokens. Forms and links of before are void.

                Exit codes: 0 done or nothing to do, 1 an error of the database, 64 wrong usage, 78 a wrong setting.

                Example: idp database forget-keys --yes
                """)
        @Flag(help: "Do it. Without this option the command says what would be lost.") var yes = false
        @Flag(help: "Print the result as JSON.") var json = false
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            guard let keys = try database.registry(needsKeys: true, printingWarnings: false).keys else {
                throw CommandExit.configurationError
            }
            let location = try database.location()
            if yes { try await DatabaseOptions.reporting { try ProgramDatabase.idp.checkUnused(location) } }
            let (lost, isChanged) = try await database.open(onlyReading: !yes) { database in
                guard try await (database as? any NodeDatabase)?.liveNodes().isEmpty ?? true else {
                    throw DatabaseError.refused("nodes use the database. Stop them, and wait ten seconds.")
                }
                let lost = try await SealedValueStore(database: database, keys).count().filter { $0.unreadable > 0 }
                let change = IdPOperations.ForgetKeys(keys)
                return (
                    lost, yes ? try await OperatorChanges(database, by: .ofCommand()).make(change).isChanged : false
                )
            }
            let losses = lost.map { "\($0.unreadable) \($0.name)" }.joined(separator: ", ")
            guard yes else {
                throw CommandExit.failure(
                    IdPProgram.name,
                    "\(losses.isEmpty ? "nothing" : losses) of the database would be lost. To go on: --yes")
            }
            let words = "The database knows the present key\(isChanged ? "" : " already")"
            print(json ? #"{"changed":\#(isChanged)}"# : words + (losses.isEmpty ? "." : ". Lost: \(losses)."))
        }
    }
}

/// How `idp database status` prints.
enum StatusOutput {
    static func json(_ status: PostgresStatus) -> String {
        JSONText.object([
            .init("version", status.version), .init("primary", status.primary), .init("timeline", Int(status.timeline)),
            .init("synchronous", !status.standbys.isEmpty), .init("standbys", status.standbys),
            .init(
                "nodes",
                status.nodes.map { node in
                    [
                        .init("id", node.node.id), .init("version", node.node.version),
                        .init("started_at", PlainDate.rfc3339(Timestamp(milliseconds: node.startedAt))),
                        .init("alive", node.isAlive),
                        .init("seconds_since_heartbeat", Int(node.silence.components.seconds)),
                        .init("keys", node.node.keys),
                    ]
                }),
        ])
    }
}
