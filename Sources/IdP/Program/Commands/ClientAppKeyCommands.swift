import ArgumentParser
import CommandLines
import IdPAccounts
import IdPClients
import IdPFlow
import IdPGate
import IdPOperations
import IdPSignOut
import SSOShared
import SSOWeb
import Storage

/// `idp client app-key …`: keys for machines and apps of a service behind the gate, of clients of the file, too.
struct ClientAppKeyCommand: CommandOfCommands {
    typealias Root = IdPCommand

    static let configuration = CommandConfiguration(
        commandName: "app-key",
        abstract: "Makes, lists and ends keys for machines and apps of a service behind the gate.",
        discussion: "Example: idp client app-key add wiki --name backup", subcommands: [Add.self, List.self, End.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Makes a key that belongs to no user, and prints it once.",
            usage: "idp client app-key add [<options>] <id>",
            discussion: """
                The service sees its user as key:NAME. The key expires after a year.

                Example: idp client app-key add wiki --name backup --group staff
                """)
        @OptionGroup var client: ClientOptions
        @Option(help: "What uses the key, up to 60 characters.") var name: String
        @Option(parsing: .singleValue, help: "A group that the service sees; may be repeated.") var group: [String] = []

        func validate() throws {
            guard AppKey.name(name) != nil else {
                throw ValidationError("--name: must have 1 to 60 characters on one line, for example backup.")
            }
            for group in group where !ClientID.isWellFormed(group) {
                throw ValidationError("--group: \"\(group)\" must be the id of a group, for example staff.")
            }
        }

        func run() async throws {
            let view = try await client.view()
            guard view.client.gate?.takesAppKeys == true else {
                throw CommandExit.failure(
                    IdPProgram.name,
                    "the client \(client.id) takes no keys. Use protocols: [gate] and app_keys: true, or idp client set \(client.id) --app-keys."
                )
            }
            let (key, name) = (try Secret<AppKeyKind>(), AppKey.name(name) ?? name)
            let change = MakeMachineKey(key, client: client.id, name: name, groups: group)
            let made = try await client.database.make(change)
            guard client.json else {
                print("Made the key \(made.result.id) (\(name)) for \(client.id).")
                return print("It is shown only now:\n\(key.wire)")
            }
            print(ClientAppKeyCommand.json(made.result, [.init("changed", true), .init("key", key.wire)]))
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Prints the keys of a service, those of users included.",
            usage: "idp client app-key list [<options>] <id>", discussion: "Example: idp client app-key list wiki")
        @OptionGroup var client: ClientOptions

        func run() async throws {
            let (id, now) = (client.id, ServiceClock.system().now())
            let keys = try await client.database.open(onlyReading: true) { database in
                try await database.read { connection in
                    try AppKeyStore.keys(at: id, now: now, connection).map { key in
                        (key, try key.account.flatMap { try AccountStore.find($0, connection)?.email })
                    }
                }
            }
            if keys.isEmpty { try await client.requireKnown() }
            if client.json {
                return ListOutput.print(
                    json: keys.map { key, email in
                        ClientAppKeyCommand.json(key, email.map { [.init("user", $0)] } ?? [])
                    })
            }
            ListOutput.print(
                ["ID", "NAME", "USER", "EXPIRES", "LAST USED"],
                keys.map { key, email in
                    [
                        key.id, key.name, email ?? "-", PlainDate.rfc3339(key.expiresAt),
                        key.usedAt.map { PlainDate.rfc3339($0) } ?? "never",
                    ]
                }, none: "keys")
        }
    }

    struct End: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "end", abstract: "Ends a key. The app that uses it is refused from the next request on.",
            usage: "idp client app-key end [<options>] <id> <key>",
            discussion: "Example: idp client app-key end wiki key_q83vEjRWeJCrze8S")
        @OptionGroup var client: ClientOptions
        @Argument(help: "The key's id, as list prints it.") var key: String

        func run() async throws {
            let ended = try await client.database.make(EndAppKey(key, of: client.id))
            guard let result = ended.result else {
                try await client.requireKnown()
                throw CommandExit.failure(
                    IdPProgram.name,
                    "the client \(client.id) has no key \(key). idp client app-key list \(client.id) has all.")
            }
            guard client.json else { return print("Ended the key \(result.id) (\(result.name)) of \(client.id).") }
            print(ClientAppKeyCommand.json(result, [.init("changed", true)]))
        }
    }

    fileprivate static func json(_ key: AppKey, _ first: [JSONText.Member]) -> String {
        var members = first
        members += [.init("id", key.id), .init("client", key.client), .init("name", key.name)]
        if !key.groups.isEmpty { members.append(.init("groups", key.groups)) }
        members += [
            .init("added_at", PlainDate.rfc3339(key.createdAt)), .init("expires_at", PlainDate.rfc3339(key.expiresAt)),
        ]
        if let usedAt = key.usedAt { members.append(.init("last_used_at", PlainDate.rfc3339(usedAt))) }
        return JSONText.object(members)
    }
}

/// The proxy whose block is printed.
struct ProxyOption: ParsableArguments {
    @Option(help: "Print the block for the file of this proxy: nginx, caddy, haproxy or traefik.")
    var proxy: GateProxy?
    @Option(
        help: ArgumentHelp(
            "Where the proxy finds this program, for --proxy. Default: as IDP_LISTEN says.", valueName: "host:port"))
    var program: String?

    func validate() throws {
        guard let program, (try? ListenAddress(program)) == nil else { return }
        throw ValidationError("--program: \"\(program)\" must be host:port, for example 127.0.0.1:8080.")
    }

    /// The block; nil without the option.
    ///
    /// - Throws: exit code 1 for a client that is not behind the gate.
    func block(of client: Client, _ database: DatabaseOptions) throws -> String? {
        guard let proxy else { return nil }
        let program = try program ?? database.value(of: FlowSettings.listen).onThisMachine
        guard let recipe = GateRecipe(client, program: program) else {
            throw CommandExit.failure(
                IdPProgram.name,
                "the client \(client.id) is not behind the gate. Use --protocol gate and --gate-origin.")
        }
        return recipe.text(for: proxy)
    }
}

extension GateProxy: ExpressibleByArgument {}
