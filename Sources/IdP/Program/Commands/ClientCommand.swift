import ArgumentParser
import CommandLines
import IdPAccounts
import IdPClients
import IdPOperations
import IdPServer
import SSOShared
import SSOWeb
import Storage

/// `idp client …`: the clients of the database, beside a running IdP.
struct ClientCommand: CommandOfCommands {
    typealias Root = IdPCommand

    static let configuration = CommandConfiguration(
        commandName: "client", abstract: "Adds clients and changes them, and rotates their secrets, without a restart.",
        discussion: """
            Works on the database of a running IdP: every change holds from the next request on. The clients of \
            IDP_CLIENTS_FILE are listed as well, and are changed there.

            Example: idp client show wiki

            Exit codes: 0 done or nothing to do, 1 no such client, refused, or an error of the database, 64 wrong usage, \
            78 a wrong setting.
            """,
        subcommands: [
            Add.self, List.self, Show.self, Set.self, Disable.self, Enable.self, Remove.self, Export.self, Rotate.self,
            Retire.self, ClientAppKeyCommand.self,
        ])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Adds a client, and prints its secret once.",
            usage: "idp client add [<options>] <id>",
            discussion: """
                The secret is stored sealed with IDP_SECRET_KEY. Nothing shows it again.

                Example:
                  idp client add wiki --name Wiki --everyone \\
                    --redirect-uri https://wiki.example.com/auth/sso/callback
                """)
        @OptionGroup var client: ClientOptions
        @OptionGroup var secret: SecretOptions
        @OptionGroup var entry: ClientEntryOptions
        @OptionGroup var proxy: ProxyOption

        func validate() throws {
            guard !entry.hasNoSecret || !secret.isGiven else {
                throw ValidationError(
                    "--secret-file: a client with --public, or with --protocol gate alone, has no secret. Leave it out."
                )
            }
            guard entry.everyone || !entry.group.isEmpty else {
                throw ValidationError(
                    "--everyone or --group is missing: who may enter the client? For example --everyone, or --group finance."
                )
            }
            guard entry.name != nil else { throw ValidationError("--name is missing. For example --name Wiki.") }
            if let missing = entry.missingAddress { throw ValidationError(missing) }
        }

        func run() async throws {
            let registry = try client.database.registry(needsKeys: true)
            try await client.database.check(registry.keys)
            let (secret, box) = try secret.secret(registry)
            var new = ClientEntry(id: client.id)
            for (key, value) in entry.values { new[key] = value }
            let isShown = !self.secret.isGiven && !entry.hasNoSecret
            // With a block the output is the file of a proxy, and any other line a comment there.
            let mark = proxy.proxy == nil ? "" : "# "
            try await client.make(
                AddClient(
                    client.id, new, logo: try entry.logoContent(), secret: secret, box,
                    ClientRegistrar(file: registry.file)),
                printing: isShown ? secret : nil, warnsOfGroups: true, warnsOfAddresses: true, warnsOfProxies: true
            ) { "\(mark)Added \($0)." }
            guard proxy.proxy != nil, !client.json else { return }
            print(try proxy.block(of: try await client.view().client, client.database) ?? "", terminator: "")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Prints all clients: those of the file with its line, then those of the database.",
            usage: "idp client list [<options>]",
            discussion: "Example: idp client list --json")
        @Flag(help: "Print a JSON array.") var json = false
        @OptionGroup var database: DatabaseOptions

        func run() async throws {
            let file = try database.registry(needsKeys: false).file
            let (views, unread) = try await database.open(onlyReading: true) {
                try await $0.read { connection in
                    let known = try KnownClients(file: file, connection)
                    return (try ClientView.all(file: file, connection), known.all.filter(\.isRecorded).map(\.id))
                }
            }
            defer { Self.note(unread) }
            if json { return ListOutput.print(json: views.map { ClientOutput.json($0) }) }
            ListOutput.print(
                ClientOutput.header, views.map(ClientOutput.row),
                none: unread.isEmpty ? "clients" : "clients in the database")
            for line in ClientView.linesThatMayGo(views, at: ServiceClock.system().now()) { print(line) }
        }

        /// Names the clients of a file that the running IdP has read, and this command has not.
        private static func note(_ unread: [String]) {
            guard !unread.isEmpty else { return }
            let more = unread.count > 10 ? " and \(unread.count - 10) more" : ""
            let ids = unread.prefix(10).joined(separator: ", ")
            ListOutput.note(
                "in the clients file of the running IdP, which this command has not read: \(ids)\(more). Set IDP_CLIENTS_FILE."
            )
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Prints one client.", usage: "idp client show [<options>] <id>",
            discussion: "Example: idp client show wiki")
        @OptionGroup var client: ClientOptions
        @OptionGroup var proxy: ProxyOption

        func run() async throws {
            let view = try await client.view()
            if let block = try proxy.block(of: view.client, client.database) { return print(block, terminator: "") }
            print(client.json ? ClientOutput.json(view) : ClientOutput.text(view))
        }
    }

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export",
            abstract: "Prints the entry of a client for IDP_CLIENTS_FILE, with a placeholder for its secrets.",
            usage: "idp client export [<options>] <id>",
            discussion: """
                A client cannot be in both places: add the entry and its secret to the file, remove the client here, then \
                send SIGHUP.

                Example: idp client export wiki >> clients.yaml
                """)
        @OptionGroup var client: ClientOptions

        func run() async throws {
            let view = try await client.view()
            guard let entry = view.entry else {
                throw CommandExit.failure(
                    IdPProgram.name, "the client \(client.id) is in \(view.client.origin.place ?? "the file") already.")
            }
            print(
                client.json
                    ? JSONText.object([.init("id", client.id), .init("entry", entry.fileText(of: .builtIn))])
                    : entry.fileText(of: .builtIn))
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set", abstract: "Changes keys of a client. A list replaces the one of before.",
            usage: "idp client set [<options>] <id>",
            discussion: "Example: idp client set wiki --contact mailto:desk@example.com")
        @OptionGroup var client: ClientOptions
        @OptionGroup var entry: ClientEntryOptions
        @Option(
            parsing: .singleValue, help: ArgumentHelp("Remove a key, for example contact.", valueName: "key"))
        var unset: [String] = []
        @Flag(help: "Also when users who are signed in at the client lose access.") var force = false

        func validate() throws {
            for key in unset where !ClientEntryOptions.optionalKeys.contains(key) {
                let near = SpellingSuggestion.question(key, among: ClientEntryOptions.optionalKeys)
                throw ValidationError(
                    "--unset: \"\(key)\" cannot be removed.\(near) It must be one of \(ClientEntryOptions.optionalKeys.joined(separator: ", "))."
                )
            }
            let values = entry.values
            for key in unset where values[key] != nil {
                throw ValidationError(
                    "--unset: \(key) is set with \(ClientEntry.option(of: key, .builtIn)) as well. Leave one of them out."
                )
            }
            guard values.isEmpty, unset.isEmpty else { return }
            throw ValidationError("nothing to set. For example --name Wiki.")
        }

        func run() async throws {
            var values = entry.values
            for key in unset { values.updateValue(nil, forKey: key) }
            let file = try client.database.registry(needsKeys: false).file
            try await client.make(
                SetClient(
                    client.id, values, logo: try entry.logoContent(), isForced: force, ClientRegistrar(file: file)),
                warnsOfGroups: values["groups"] != nil || values["expose_groups"] != nil,
                warnsOfAddresses: !ClientEntryOptions.addressKeys.isDisjoint(with: values.keys),
                warnsOfProxies: true
            ) { "Changed \($0)." }
        }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "disable", abstract: "Answers a client as one that is unknown, until it is enabled again.",
            usage: "idp client disable [<options>] <id>",
            discussion: "Example: idp client disable wiki")
        @OptionGroup var client: ClientOptions
        func run() async throws {
            let file = try client.database.registry(needsKeys: false).file
            let users = try await client.database.open { [id = client.id] in
                try await $0.read { try AccessLoss.accounts(without: .groups([]), at: id, $0).count }
            }
            let loss = users == 0 ? "" : " \(users) user\(users == 1 ? " was" : "s were") signed in there."
            try await client.make(EnableClient(client.id, false, ClientRegistrar(file: file))) {
                "Disabled \($0): nobody gets in there, and its requests are refused.\(loss)"
            }
        }
    }

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "enable", abstract: "Enables a disabled client.", usage: "idp client enable [<options>] <id>",
            discussion: "Example: idp client enable wiki"
        )
        @OptionGroup var client: ClientOptions
        func run() async throws {
            let file = try client.database.registry(needsKeys: false).file
            try await client.make(EnableClient(client.id, true, ClientRegistrar(file: file))) { "Enabled \($0)." }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Removes a disabled client with its secrets. Its rows in the audit log stay.",
            usage: "idp client remove [<options>] <id>",
            discussion: "Example: idp client remove wiki")
        @OptionGroup var client: ClientOptions
        func run() async throws {
            let file = try client.database.registry(needsKeys: false).file
            try await client.make(RemoveClient(client.id, ClientRegistrar(file: file))) { "Removed \($0)." }
        }
    }

    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate",
            abstract: "Gives a client a new secret, and prints it once. The previous one verifies on.",
            usage: "idp client rotate [<options>] <id>",
            discussion: """
                The previous secret ends by itself some days after its last use, or with idp client retire.

                Example: idp client rotate wiki --after 14d
                """)
        @OptionGroup var client: ClientOptions
        @OptionGroup var secret: SecretOptions
        @Option(
            help: ArgumentHelp(
                "How long after its last use the previous secret ends, 1d to 90d. 7d without this option.",
                valueName: "days"))
        var after: String?
        @Flag(help: "Take a rotation back while nobody has used the new secret.") var cancel = false

        func validate() throws {
            _ = try endsAfter()
            guard cancel, after != nil || secret.isGiven else { return }
            throw ValidationError(
                "--cancel: makes no secret, so --after and --secret-file have no meaning beside it. Leave them out.")
        }

        private func endsAfter() throws -> Duration {
            guard let after else { return ClientLimits.unusedSecretEndsAfter }
            guard after.hasSuffix("d"), let days = Int(after.dropLast()), (1...90).contains(days) else {
                throw ValidationError("--after: \"\(after)\" must be 1d to 90d, for example 7d.")
            }
            return .days(days)
        }

        func run() async throws {
            let registry = try client.database.registry(needsKeys: !cancel)
            let registrar = ClientRegistrar(file: registry.file)
            guard !cancel else {
                return try await client.make(
                    CancelRotation(client.id, registrar),
                    unchanged: { "Nothing to do: \($0) has no rotation to take back." }
                ) {
                    "Took the rotation of \($0) back. The secret of before is the only one."
                }
            }
            try await client.database.check(registry.keys)
            let (secret, box) = try secret.secret(registry)
            let after = try endsAfter()
            try await client.make(
                RotateSecret(client.id, to: secret, endingAfter: after, box, registrar),
                printing: self.secret.isGiven ? nil : secret
            ) {
                "Rotated the secret of \($0). The previous one ends \(after.components.seconds / 86_400) days after its last use."
            }
        }
    }

    struct Retire: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "retire", abstract: "Ends the previous secret of a client at once.",
            usage: "idp client retire [<options>] <id>",
            discussion: "Example: idp client rotate wiki && idp client retire wiki --force")
        @OptionGroup var client: ClientOptions
        @Flag(help: "Also when the client has used it within the last hour: its sign-ins fail from now on.")
        var force = false
        func run() async throws {
            let file = try client.database.registry(needsKeys: false).file
            try await client.make(
                RetireSecret(client.id, isForced: force, ClientRegistrar(file: file)),
                unchanged: { "Nothing to do: \($0) has no previous secret to retire." }
            ) { "Ended the previous secret of \($0)." }
        }
    }
}
