import ArgumentParser
import IdPAccounts
import IdPClients
import IdPDevPages
package import IdPMail
import IdPProviders
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
            KeysCommand.self,
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
                "Also connect to PostgreSQL, and call the mail server, up to TLS and login, and every sign-in provider. No email is sent."
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

extension MailServerCheck {
    /// - Parameter timeouts: short ones, because an operator waits and no email can be lost.
    package init(
        _ settings: IdPSettings, timeouts: SMTPMailer.Timeouts = .init(upload: .seconds(10), answer: .seconds(10))
    ) {
        let mailer = settings.mail.mailer(greeting: settings.mailGreeting, timeouts: timeouts)
        self.init(mail: settings.mail, mailer: mailer, from: settings.mailFrom, issuer: settings.publicURL)
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

    static func read(_ reader: SettingsReader, environment: @escaping (String) -> String?) -> IdPSettings? {
        IdPSettings.read(reader, environment: environment)
    }

    static func serve(_ settings: IdPSettings, _ log: ProgramLogger) async throws {
        let services = try await IdPServices.live(settings, logger: log.logger)
        try await StoredRegistry(settings, services).checkStart(services.logger)
        await FileClientStore.record(settings.clients.clients.all, in: services.database, services.logger)
        let shutdown = ShutdownState()
        let application = try buildIdP(settings: settings, services: services, shutdown: shutdown) { address in
            log.started(address, publicURL: settings.publicURL)
        }
        // Not in the log, which users of other machines may read.
        let pages: [DevPages.Page] = (settings.showsMailbox ? [.mailbox] : []) + (settings.linkTester ? [.links] : [])
        StandardOutput.write(services.devPages.announcement(of: pages, at: settings.publicURL))
        try await WebServer.run(
            application, shutdown: shutdown, grace: log.grace, besideOthers: services.hasOthers, logger: services.logger
        )
        await services.database.close()
    }

    /// `check --connect`, and `check --mail-to` with a recipient.
    static func connection(sendingTo recipient: EmailAddress?) -> ConnectionCheck<Self> {
        ConnectionCheck(
            option: recipient == nil ? "--connect" : "--mail-to",
            omission: recipient == nil ? "no server was contacted" : "no email was sent"
        ) { settings, reader in
            await reader.checkConnection(
                to: settings.database, IdPSettings.databaseSettings.url.name, as: settings.node,
                inspecting: ProgramDatabase.idp.inspect
            ) { location throws(DatabaseError) in try await ProgramDatabase.idp.openUnchanged(location, quietLogger) }
            // Of a file the check without a connection has looked at it.
            if !settings.database.isFile {
                await reader.checkRegistry(settings.database, settings.keys, settings.clients.clients)
            }
            await providerCheck(settings, reader)
            let check = MailServerCheck(settings)
            guard await check.connect(reader), let recipient else { return }
            let now = ServiceClock.system().now()
            await check.send(to: recipient, at: now, id: "check-\(now.milliseconds)", reader)
        }
    }

    private static let quietLogger = Logger(label: name) { _ in SwiftLogNoOpLogHandler() }

    private static func providerCheck(_ settings: IdPSettings, _ reader: SettingsReader) async {
        let providers = settings.providers.providers
        guard !providers.isEmpty else { return }
        do {
            let client = try ProviderClient(clock: .system(), logger: quietLogger)
            await ProviderCheck(providers: providers) { try await client.check($0) }.run(reader)
        } catch {
            reader.problem("\(ProvidersFile.setting.name): the HTTP client cannot be made: \(error).")
        }
    }
}
