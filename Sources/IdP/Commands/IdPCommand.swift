import ArgumentParser
import SSOShared
import SSOWeb

/// The program `idp`.
@main
struct IdPCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "idp", abstract: "The identity provider: signs users in for your services.",
        version: "idp \(ProductVersion.text)",
        subcommands: [Serve.self, Check.self, UserCommand.self, BackupCommand.self, RestoreCommand.self],
        defaultSubcommand: Serve.self)

    static let discussion = SettingsArguments.help(IdPSettings.names, secrets: IdPSettings.secretNames)

    struct Serve: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Checks the settings and serves until SIGTERM or SIGINT.", discussion: IdPCommand.discussion)
        @OptionGroup var settings: SettingsOptions<IdPProgram>
        func run() async throws { try await settings.serve() }
    }

    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Checks every setting, prints what is in force, and exits 0 or 1.",
            discussion: IdPCommand.discussion)
        @Flag(help: "Also call the mail server, up to TLS and login. No email is sent.") var connect = false
        @OptionGroup var settings: SettingsOptions<IdPProgram>
        func run() async throws { try await settings.check(connecting: connect) }
    }
}

/// What ``Program`` needs to know of the IdP.
enum IdPProgram: Program {
    static let name = "idp"
    static let prefix = "IDP_"
    static let settingNames = IdPSettings.names
    static let secretNames = IdPSettings.secretNames
    static let foreignNames = [String]()

    static func read(_ reader: SettingsReader, environment: @escaping (String) -> String?) -> IdPSettings? {
        IdPSettings.read(reader, environment: environment)
    }

    static func serve(_ settings: IdPSettings, _ log: ProgramLogger) async throws {
        let services = try await IdPServices.live(settings, logger: log.logger)
        let shutdown = ShutdownState()
        let application = try buildIdP(settings: settings, services: services, shutdown: shutdown) { address in
            log.started(address, publicURL: settings.publicURL)
        }
        // Not in the log, which users of other machines may read.
        let pages: [DevPages.Page] = (settings.showsMailbox ? [.mailbox] : []) + (settings.linkTester ? [.links] : [])
        StandardOutput.write(services.devPages.announcement(of: pages, at: settings.publicURL))
        try await WebServer.run(application, shutdown: shutdown, grace: log.grace, logger: log.logger)
        await services.database.close()
    }

    static func connect(_ settings: IdPSettings, _ reader: SettingsReader) async {
        switch settings.mail {
        // Whether the folder is writable was checked already.
        case .outbox(let folder): reader.record("connect IDP_MAIL_URL", "outbox folder \(folder)")
        case .smtp(let endpoint):
            do {
                // Short, because an operator waits and no email can be lost.
                let timeouts = SMTPMailer.Timeouts(answer: .seconds(10))
                let words = try await SMTPMailer(endpoint, timeouts: timeouts).probe(from: settings.mailFrom)
                reader.record("connect IDP_MAIL_URL", words)
            } catch {
                reader.problem("IDP_MAIL_URL: \(endpoint): \(error)")
            }
        }
    }
}
