import ArgumentParser
import CommandLines
import Foundation
import IdPAccounts
import IdPClients
import IdPDevPages
import IdPFlow
import IdPMail
import IdPProviders
import IdPServer
import Logging
import SSOShared
import SSOWeb
import Storage
import StorageEngines
import ThisBuild

/// The program `idp`.
@main
struct IdPCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "idp", abstract: "The identity provider: signs users in and tells your services who they are.",
        discussion: "Settings: idp serve --help-settings, and docs/settings.md.",
        version: "idp \(ThisBuild.stamp.text)",
        subcommands: [
            Serve.self, Check.self, InitCommand.self, UserCommand.self, MailCommand.self, BackupCommand.self,
            RestoreCommand.self,
            DatabaseCommand.self, AuditCommand.self, ClientCommand.self, GroupCommand.self, SignOutsCommand.self,
            KeysCommand.self, PasskeysCommand.self, TraceCommand.self,
        ],
        defaultSubcommand: Serve.self)

    static func main() async {
        await run(
            advisedWith: SettingsArguments.names(known: IdPProgram.settingNames, secrets: IdPProgram.secretNames))
    }

    struct Serve: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "serve", abstract: "Checks the settings and serves until SIGTERM or SIGINT.",
            usage: "idp serve [<options>]",
            discussion: """
                Any setting may be an option, in place of its variable.

                Example: idp serve --idp-listen 127.0.0.1:9090

                Exit codes: 0 stopped by a signal, 1 an error of the database or at run time, 64 wrong usage, 78 a wrong setting.
                """)
        @OptionGroup var settings: SettingsOptions<IdPProgram>
        func run() async throws { try await settings.serve() }
    }

    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "Checks every setting, prints what is in force and all problems, and exits 0 or 1.",
            usage: "idp check [<options>]",
            discussion: """
                Changes nothing. Any setting may be an option, in place of its variable.

                Example: idp check --connect --mail-to ann@example.com

                Exit codes: 0 no problem, 1 problems, 64 wrong usage.
                """)
        @Flag(
            help:
                "Also connect to PostgreSQL, call the mail server, up to TLS and login, every sign-in provider and sign-out address, and the running program at IDP_PUBLIC_URL, and look at the disk and at what waits. No email is sent."
        )
        var connect = false
        @Option(
            help: ArgumentHelp("Also call the mail server and send a test email to this address.", valueName: "address")
        )
        var mailTo: String?
        @OptionGroup var settings: SettingsOptions<IdPProgram>

        func validate() throws {
            guard let mailTo else { return }
            do { _ = try Entered.address(mailTo) } catch {
                throw ValidationError("--mail-to: \"\(mailTo)\" is not an email address. \(error)")
            }
        }

        func run() async throws {
            let recipient = try mailTo.map { try Entered.address($0) }
            let isNeeded = connect || recipient != nil
            try await settings.check(isNeeded ? [IdPProgram.connection(sendingTo: recipient)] : [])
        }
    }
}

/// What ``Program`` needs to know of the IdP.
enum IdPProgram: Program {
    static let name = "idp"
    static let prefix = "IDP_"
    static var commandNames: [String] { IdPCommand.commandNames }
    static let settings = IdPSettings.table
    static let foreignNames = [String]()
    static var build: BuildStamp { ThisBuild.stamp }

    static func read(_ reader: SettingsReader) -> SettingValues? { IdPSettings.read(reader) }

    static func serve(_ values: SettingValues, _ log: ProgramLogger) async throws {
        let services = try await IdPServices.live(values, logger: log.logger)
        let (common, publicURL) = (services.common, try values[FlowSettings.publicURL])
        try await StoredRegistry(values, common.database).checkStart(common.logger)
        await FileClientStore.record(
            try values[IdPSettings.clients].clients.all, in: common.database, common.logger)
        let hasAdmins = try await common.database.read { try RoleStore.hasAny($0) }
        if try values[AdminAddresses.setting].isEmpty, !hasAdmins {
            let words = IdPSettings.firstAdmin.map { "\($0.name): \($0.words)." }.joined(separator: " ")
            common.logger.record(Event(.noAdmin, ["message": "\(words)"]))
        }
        let application = try buildIdP(settings: values, services: services) { address in
            log.started(address, publicURL: publicURL, node: common.nodeID)
        }
        // Not in the log, which users of other machines may read. The program serves all the same where it is lost.
        let pages: [DevPages.Page] =
            (try IdPSettings.showsMailbox(values) ? [.mailbox] : [])
            + (try DevPagesFeature.showsLinkTester(values) ? [.links] : [])
        try? FileHandle.standardOutput.write(
            contentsOf: Data(services.devPages.announcement(of: pages, at: publicURL).utf8))
        try await WebServer.run(
            application, shutdown: common.shutdown, grace: log.grace, besideOthers: common.hasOthers,
            logger: common.logger)
        await common.database.close()
    }

    /// `check --connect`, and `check --mail-to` with a recipient.
    static func connection(sendingTo recipient: EmailAddress?) -> ConnectionCheck<Self> {
        ConnectionCheck(
            option: recipient == nil ? "--connect" : "--mail-to",
            omission: recipient == nil ? "no server was contacted" : "no email was sent"
        ) { values, reader in
            do { try await connect(values, sendingTo: recipient, reader) } catch { reader.problem("\(error)") }
        }
    }

    private static func connect(
        _ values: SettingValues, sendingTo recipient: EmailAddress?, _ reader: SettingsReader
    ) async throws(SettingError) {
        let (location, check) = (try values[IdPSettings.database], try MailServerCheck(values))
        await reader.checkConnection(
            to: location, IdPSettings.database.name, as: try NodeDescription(idp: values),
            inspecting: ProgramDatabase.idp.inspect
        ) { location throws(DatabaseError) in try await ProgramDatabase.idp.openUnchanged(location, .quiet) }
        // Of a file the check without a connection has looked at it.
        if !location.isFile {
            await reader.checkRegistry(
                location, try values[FlowSettings.secretKey], try values[IdPSettings.clients].clients,
                hasNoProxies: try values[FlowSettings.trustedProxies].hasNoTrustedProxies)
        }
        await providerCheck(try values[IdPSettings.providers].providers, reader)
        await SelfCheck(url: try values[FlowSettings.publicURL], keys: try values[FlowSettings.secretKey]).run(reader)
        let clients = try values[IdPSettings.clients].clients
        let stored = await reader.checkStoredState(location, of: clients.protocols)
        if case .sqlite(let path) = location { reader.checkDisk(DiskSpace.folder(of: path)) }
        await reader.checkSignOutAddresses(clients.all + stored)
        guard let check else {
            let name = IdPSettings.mail.name
            return recipient == nil
                ? reader.record("connect \(name)", "none")
                : reader.problem("\(name): is none, so no email can be sent.")
        }
        guard await check.connect(reader), let recipient else { return }
        let now = ServiceClock.system().now()
        await check.send(to: recipient, at: now, id: "check-\(now.milliseconds)", reader)
    }

    private static func providerCheck(_ providers: [Provider], _ reader: SettingsReader) async {
        guard !providers.isEmpty else { return }
        do {
            let client = try ProviderClient(clock: .system(), logger: .quiet)
            await ProviderCheck(providers: providers) { try await client.check($0) }.run(reader)
        } catch {
            reader.problem("\(ProvidersFile.setting.name): the HTTP client cannot be made: \(error).")
        }
    }
}
