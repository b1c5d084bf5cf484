import ArgumentParser
import CommandLines
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

                Exit codes: 0 stopped by a signal, 1 an error of the database or at run time, 64 wrong usage, 78 a wrong setting.
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

                Exit codes: 0 no problem, 1 problems, 64 wrong usage.
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
                settingsFile.location(RelyingPartySettings.database, program: name),
                ProgramDatabase.relyingParty.unmark)
        }
    }

    struct Copy: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "copy", abstract: DatabaseCopyOptions.abstract,
            usage: "relying-party database copy [<options>] --from <address> --to <address>",
            discussion: DatabaseCopyOptions.discussion(file: "sqlite:var/rp.sqlite"))
        @OptionGroup var options: DatabaseCopyOptions

        func run() async throws {
            try await options.run(
                program: RelyingPartyProgram.name, settings: RelyingPartySettings.database,
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

    static func read(_ reader: SettingsReader) -> SettingValues? { RelyingPartySettings.read(reader) }

    static func serve(_ values: SettingValues, _ log: ProgramLogger) async throws {
        let services = try await RelyingPartyServices.live(values, logger: log.logger)
        let (common, publicURL) = (services.common, try values[RelyingPartySettings.publicURL])
        let application = try buildRelyingParty(settings: values, services: services) { address in
            log.started(address, publicURL: publicURL, node: common.nodeID)
        }
        try await WebServer.run(
            application, shutdown: common.shutdown, grace: log.grace, besideOthers: common.hasOthers,
            logger: common.logger)
        await common.database.close()
    }

    /// `check --connect`.
    static let connection = ConnectionCheck<Self>(option: "--connect", omission: "no server was contacted") {
        values, reader in
        do { try await connect(values, reader) } catch { reader.problem("\(error)") }
    }

    private static func connect(_ values: SettingValues, _ reader: SettingsReader) async throws(SettingError) {
        await reader.checkConnection(
            to: try values[RelyingPartySettings.database], RelyingPartySettings.database.name,
            as: try NodeDescription(relyingParty: values), inspecting: ProgramDatabase.relyingParty.inspect
        ) { location throws(DatabaseError) in
            try await ProgramDatabase.relyingParty.openUnchanged(
                location, Logger(label: name) { _ in SwiftLogNoOpLogHandler() })
        }
        let origin = try values[RelyingPartySettings.backChannel]
        do {
            let client = try BackChannelClient(values)
            try await client.checkHealth()
            reader.record("connect RP_IDP_BACKCHANNEL_URL", "the identity provider answers at \(origin)")
            await reader.checkRegistration(
                try values[RelyingPartySettings.clientID], at: try RelyingPartySettings.redirectURI(values), client)
        } catch {
            reader.problem("RP_IDP_BACKCHANNEL_URL: \(origin): \(error)")
        }
    }
}
