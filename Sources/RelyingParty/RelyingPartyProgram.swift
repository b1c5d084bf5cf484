import ArgumentParser
import Logging
import SSOShared
import SSOWeb
import Storage
import StorageEngines
import ThisBuild

/// The program `relying-party`: a sample relying party.
@main
struct RelyingPartyServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relying-party", abstract: "The sample relying party: users sign in with the IdP.",
        discussion: "Settings: relying-party serve --help-settings, and docs/settings.md.",
        version: "relying-party \(ThisBuild.stamp.text)", subcommands: [Serve.self, Check.self, DatabaseCommand.self],
        defaultSubcommand: Serve.self)

    static func main() async {
        await run(
            advisedWith: SettingsArguments.names(
                known: RelyingPartyProgram.settingNames, secrets: RelyingPartyProgram.secretNames))
    }

    struct Serve: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "serve", abstract: "Checks the settings and serves until SIGTERM or SIGINT.",
            usage: "relying-party serve [<options>]",
            discussion: """
                Any setting may be an option, in place of its variable.

                Example: relying-party serve --rp-listen 127.0.0.1:9091
                """)
        @OptionGroup var settings: SettingsOptions<RelyingPartyProgram>
        func run() async throws { try await settings.serve() }
    }

    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "Checks every setting, prints the effective values and all problems, and exits 0 or 1.",
            usage: "relying-party check [<options>]",
            discussion: """
                Changes nothing. Any setting may be an option, in place of its variable.

                Example: relying-party check --connect
                """)
        @Flag(help: "Also connect to PostgreSQL, and call the identity provider over the back channel, TLS included.")
        var connect = false
        @OptionGroup var settings: SettingsOptions<RelyingPartyProgram>
        func run() async throws { try await settings.check(connect ? [RelyingPartyProgram.connection] : []) }
    }
}

/// `relying-party database …`: looks after the database.
struct DatabaseCommand: CommandOfCommands {
    typealias Root = RelyingPartyServer

    static let configuration = CommandConfiguration(
        commandName: "database", abstract: "Copies the database to another engine.",
        subcommands: [Copy.self, Unmark.self])

    struct Unmark: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "unmark", abstract: DatabaseUnmarkOptions.abstract,
            discussion: DatabaseUnmarkOptions.discussion)
        @OptionGroup var options: DatabaseUnmarkOptions
        @OptionGroup var settingsFile: SettingsFileOption

        func run() async throws {
            let name = RelyingPartyProgram.name
            try await options.run(
                program: name,
                settingsFile.location(RelyingPartySettings.databaseSettings, program: name),
                ProgramDatabase.relyingParty.unmark)
        }
    }

    struct Copy: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "copy", abstract: DatabaseCopyOptions.abstract,
            usage: "relying-party database copy [<options>] --from <address> --to <address>",
            discussion: DatabaseCopyOptions.discussion)
        @OptionGroup var options: DatabaseCopyOptions

        func run() async throws {
            try await options.run(
                program: RelyingPartyProgram.name, settings: RelyingPartySettings.databaseSettings,
                tables: RelyingPartyMigrations.tables, ends: ProgramDatabase.relyingParty.copyEnds)
        }
    }
}

/// The relying party as a ``Program``.
enum RelyingPartyProgram: Program {
    static let name = "relying-party"
    static let prefix = "RP_"
    static var commandNames: [String] { RelyingPartyServer.commandNames }
    static let settings = RelyingPartySettings.table
    static let foreignNames = ["SSO_CLIENT_NAME", "SSO_REDIRECT_URIS"]
    static var build: BuildStamp { ThisBuild.stamp }

    static func read(
        _ reader: SettingsReader, environment: @escaping (String) -> String?
    ) -> RelyingPartySettings? {
        RelyingPartySettings.read(reader)
    }

    static func serve(_ settings: RelyingPartySettings, _ log: ProgramLogger) async throws {
        let services = try await RelyingPartyServices.live(settings, logger: log.logger)
        let shutdown = ShutdownState()
        let application = try buildRelyingParty(settings: settings, services: services, shutdown: shutdown) { address in
            log.started(address, publicURL: settings.publicURL)
        }
        try await WebServer.run(
            application, shutdown: shutdown, grace: log.grace, besideOthers: services.hasOthers, logger: services.logger
        )
        await services.database.close()
    }

    /// `check --connect`.
    static let connection = ConnectionCheck<Self>(option: "--connect", omission: "no server was contacted") {
        settings, reader in
        await reader.checkConnection(
            to: settings.database, RelyingPartySettings.databaseSettings.url.name, as: settings.node,
            inspecting: ProgramDatabase.relyingParty.inspect
        ) { location throws(DatabaseError) in
            try await ProgramDatabase.relyingParty.openUnchanged(
                location, Logger(label: name) { _ in SwiftLogNoOpLogHandler() })
        }
        do {
            let client = try BackChannelClient(settings)
            try await client.checkHealth()
            reader.record("connect RP_IDP_BACKCHANNEL_URL", "the identity provider answers at \(settings.backChannel)")
            await reader.checkRegistration(settings, client)
        } catch {
            reader.problem("RP_IDP_BACKCHANNEL_URL: \(settings.backChannel): \(error)")
        }
    }
}
