import IdPClients
import IdPDevPages
import IdPMail
import IdPOperations
import Logging
import SSOShared
import SSOWeb
import ServiceLifecycle
import Storage
import StorageEngines
import ThisBuild

/// The outside world as values: what the IdP reaches beyond its own memory.
struct IdPServices: Sendable {
    let database: any Database
    let mailer: any Mailer
    let clock: ServiceClock
    let randomness: any Randomness
    let logger: Logger
    /// The paths of the pages for a trial.
    let devPages: DevPages
    /// Nil where nobody reads metrics.
    var metrics: ProgramMetrics?
    /// Pages in place of the built-in ones, for tests.
    var pages: Pages?
    /// What runs beside the server for the database.
    var jobs: [any Service] = []
    /// Whether this process does what one of all nodes does, such as deleting expired rows.
    var isChosen: @Sendable () -> Bool = { true }
    /// Whether other nodes serve on the database.
    var hasOthers: @Sendable () -> Bool = { false }
    /// See ``ClientDirectory/renewalInterval``. Tests of single requests do not wait.
    var clientRenewalInterval = ClientDirectory.renewalInterval

    /// The real services, as the settings say.
    ///
    /// - Throws: ``DatabaseError/refused(_:)`` when the database cannot be used, ``SettingError`` when the outbox folder
    ///   cannot; in one clear line.
    static func live(_ settings: IdPSettings, logger: Logger) async throws -> IdPServices {
        let mailer = settings.mail.mailer(greeting: settings.mailGreeting)
        if let problem = (mailer as? OutboxMailer)?.problem {
            throw SettingError("IDP_MAIL_URL: \(problem)")
        }
        let metrics = settings.metricsListen.map { ProgramMetrics.idp($0) }
        let logger = logger.counting(metrics?.counts)
        let database = try await ProgramDatabase.idp.open(settings.database, logger)
        // Before the others see this node: one with a wrong key must not stand in the way of a right one.
        do {
            if let refusal = try await settings.node.refusal(at: database) { throw refusal }
            let values = SealedValueStore(database: database, settings.keys)
            let problem = try await KeyCheck(database, settings.keys, values).problem()
            if let problem { throw SettingError(problem) }
        } catch {
            await database.close()
            throw error
        }
        let node = try await ProgramNode.join(database, as: settings.node, logger)
        return IdPServices(
            database: database, mailer: mailer, clock: node?.clock ?? .system(),
            randomness: SystemRandomness(), logger: logger, devPages: try DevPages(randomness: SystemRandomness()),
            metrics: metrics, jobs: node.map { [$0] } ?? [],
            isChosen: node.map { node in { @Sendable in node.isChosen } } ?? { true },
            hasOthers: node.map { node in { @Sendable in node.hasOthers } } ?? { false })
    }
}

extension ProgramMetrics {
    /// The metrics of the IdP.
    static func idp(_ listen: MetricsListen) -> ProgramMetrics {
        ProgramMetrics(
            listen, build: ThisBuild.stamp, IdPMetrics.all, events: IdPEvents.all, alerted: IdPMetrics.alerted)
    }
}

extension IdPSettings {
    /// This process for the others on its database.
    var node: NodeDescription {
        NodeDescription(
            publicURL: publicURL, Self.publicURLSetting.name, keys: keys, Self.secretKey.name,
            version: ThisBuild.stamp.text, files: files)
    }
}
