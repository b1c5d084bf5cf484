import ArgumentParser
import CommandLines
import Foundation
import IdPAccounts
import IdPInboundMail
import IdPMail
import IdPOperations
import IdPServer
import IdPSignIn
import Logging
import SSOShared
import SSOWeb
import Storage
import StorageEngines

/// `idp mail …`: takes replies to the email from a mail server, beside a running IdP.
struct MailCommand: CommandOfCommands {
    typealias Root = IdPCommand

    static let configuration = CommandConfiguration(
        commandName: "mail", abstract: "Takes users' replies to the email from a mail server.",
        subcommands: [Deliver.self])

    struct Deliver: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "deliver",
            abstract: "Reads one raw message from standard input and accepts it as a reply, or ignores it.",
            discussion: """
                For the pipe transport of Postfix, OpenSMTPD or Exim. Works on the database of a running IdP. Of all \
                settings it reads IDP_DATABASE_URL, IDP_SECRET_KEY, IDP_INBOUND_MAIL_DOMAIN, IDP_INBOUND_AUTHSERV_ID, \
                LOG_FORMAT and LOG_LEVEL.

                The log on standard error says what became of the message: reply_accepted, or reply_ignored with the \
                reason. docs/events.md explains the reasons.

                Example, in the master.cf of Postfix (docs/mail.md makes the file):
                  argv=/usr/bin/idp mail deliver --env-file /etc/swift-sso/mail/.env
                    --recipient ${recipient}

                Exit codes: 0 accepted or ignored, 64 wrong usage, 75 an error of the database or a wrong setting, so \
                that the mail server tries again.
                """)

        @Option(
            help: ArgumentHelp(
                "The recipient of the envelope. Without it the header of the message decides.", valueName: "address"))
        var recipient: String?
        @OptionGroup var settingsFile: SettingsFileOption

        func run() async throws {
            defer { ProgramLog.flush() }
            let reader = settingsFile.reader(of: IdPProgram.name)
            let logger = ProgramLog.logger(program: IdPProgram.name, settings: reader)
            guard let settings = MailDelivery.Settings.read(reader) else {
                _ = reader.refusal(of: IdPProgram.name)
                throw CommandExit.temporaryFailure
            }
            do {
                try await MailDelivery(settings).deliver(
                    MailDelivery.message(from: .standardInput), recipient: recipient, logger)
            } catch {
                throw CommandExit.failure(IdPProgram.name, "\(error)", code: CommandExit.temporaryFailure)
            }
        }
    }
}

/// Takes one message as the running IdP would take it over HTTP.
///
/// Every failure but wrong usage ends with exit code 75 (EX_TEMPFAIL of sysexits.h), also a wrong setting, which is 78
/// elsewhere. A mail server bounces a message at any other code: it would report to the user that the reply has failed, days
/// before an operator sees the setting. After 75 it keeps the message and tries again.
struct MailDelivery {
    struct Settings {
        let database: DatabaseLocation
        let keys: DerivedKeys
        let inbound: InboundMailSettings

        /// - Returns: nil when there is a problem.
        static func read(_ reader: SettingsReader) -> Settings? {
            let database = reader.value(IdPSettings.database)
            let keys = reader.derivedKeys("IDP_SECRET_KEY")
            let inbound = InboundMailSettings.readMailbox(reader)
            // The other one alone is a problem already.
            if [InboundMailSettings.domain.name, InboundMailSettings.authservID.name].allSatisfy({
                reader.text($0) == nil
            }) {
                reader.problem(
                    "\(InboundMailSettings.domain.name): is not set, so replies are not received. Use the domain that "
                        + "receives them, for example reply.example.com.")
                reader.problem(
                    "\(InboundMailSettings.authservID.name): is not set. Use the name that your mail server writes first in "
                        + "Authentication-Results, for example mx.example.com.")
            }
            guard reader.problems.isEmpty, let database, let keys, let inbound else { return nil }
            return Settings(database: database, keys: keys, inbound: inbound)
        }
    }

    private let settings: Settings

    init(_ settings: Settings) { self.settings = settings }

    /// - Throws: the reason why the message must come again.
    func deliver(_ message: [UInt8], recipient: String?, _ logger: Logger) async throws {
        let location = settings.database
        let isMissing = SettingError(
            "there is no database at \(location.place). Set IDP_DATABASE_URL to the one of the IdP.")
        if ProgramDatabase.idp.lacksFile(location) { throw isMissing }
        // Before the database is opened: mail to other addresses must not cost that, and must not migrate it.
        let reader = ReplyReader(settings.inbound, keys: settings.keys)
        let opened = reader.open(message, recipient: recipient, logger: logger)
        if case .ignored = opened { return }
        guard try await ProgramDatabase.idp.exists(location) else { throw isMissing }
        if case .unknown(let event) = opened {
            try await checkKeys(logger)
            return logger.record(event)
        }
        guard case .reply(let reply) = opened else { return }
        let database = try await ProgramDatabase.idp.open(location, logger)
        do {
            _ = try await receiver(database).receive(reply, logger: logger)
            await database.close()
        } catch {
            await database.close()
            throw error
        }
    }

    /// Refuses keys that cannot open every address of the running IdP: the reply may be a right one.
    private func checkKeys(_ logger: Logger) async throws {
        let database = try await ProgramDatabase.idp.openUnchanged(settings.database, logger)
        let sealed = SealedValueStore(database: database, settings.keys)
        do { try await KeyCheck(database, settings.keys, sealed).checkAll() } catch {
            await database.close()
            throw error
        }
        await database.close()
    }

    private func receiver(_ database: any Database) throws -> ReplyReceiver {
        let (clock, randomness) = (ServiceClock.system(), SystemRandomness())
        let codes = EmailCode(keys: settings.keys)
        // It begins no challenge and sends no email, so it needs neither the allowed addresses nor the limit of emails.
        let challenges = ChallengeStore(
            database: database, clock: clock, randomness: randomness,
            codeMAC: { codes.mac(of: codes.code(for: $0), challenge: $0) }, mailKind: EmailCodeMail.kind,
            eligibility: SignInEligibility(allowed: try AllowedEmails(""), clock: clock),
            mail: MailQueue(database: database, clock: clock, capacity: MailCapacity(limit: 1)))
        return ReplyReceiver(
            settings.inbound, keys: settings.keys, challenges: challenges,
            guesses: GuessStore(database: database, clock: clock, randomness: randomness))
    }

    /// Reads a message, and reads on to the end of one that is too large: a mail server whose pipe breaks would take that
    /// for a failure.
    ///
    /// - Returns: at most one byte more than a message may have.
    static func message(from file: FileHandle) throws -> [UInt8] {
        var message: [UInt8] = []
        while let part = try file.read(upToCount: 64 * 1024), !part.isEmpty {
            message += part.prefix(InboundMailLimits.messageBytes + 1 - message.count)
        }
        return message
    }
}
