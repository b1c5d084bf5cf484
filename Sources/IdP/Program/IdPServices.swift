import IdPMail
import Logging
import SSOShared
import SSOWeb
import Storage

/// The outside world as values: what the IdP reaches beyond its own memory.
struct IdPServices: Sendable {
    let database: any Database
    let mailer: any Mailer
    let clock: ServiceClock
    let randomness: any Randomness
    let logger: Logger
    /// The paths of the pages for a trial.
    let devPages: DevPages
    /// Pages in place of the built-in ones, for tests.
    var pages: Pages?

    /// The real services, as the settings say.
    ///
    /// - Throws: ``DatabaseError/refused(_:)`` when the database cannot be used, ``SettingError`` when the outbox folder
    ///   cannot; in one clear line.
    static func live(_ settings: IdPSettings, logger: Logger) async throws -> IdPServices {
        if let problem = (settings.mail.mailer() as? OutboxMailer)?.problem {
            throw SettingError("IDP_MAIL_URL: \(problem)")
        }
        return IdPServices(
            database: try await IdPDatabase.open(settings.database, logger),
            mailer: settings.mail.mailer(), clock: .system(), randomness: SystemRandomness(), logger: logger,
            devPages: try DevPages(randomness: SystemRandomness()))
    }
}
