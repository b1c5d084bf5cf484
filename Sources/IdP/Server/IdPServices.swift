import IdPAccounts
import IdPClients
package import IdPDevPages
import IdPFlow
import IdPMail
import IdPOperations
import IdPProviders
import JWT
package import Logging
import SSOShared
package import SSOWeb
import ServiceLifecycle
import Storage
import StorageEngines
import ThisBuild

/// The outside world as values: what the IdP reaches beyond its own memory.
package struct IdPServices: Sendable {
    package let common: ProgramServices
    /// Nil where no email is sent.
    let mailer: (any Mailer)?
    /// The paths of the pages for a trial.
    package let devPages: DevPages
    /// See ``ClientDirectory/renewalInterval``. Tests of single requests do not wait.
    let clientRenewalInterval: Duration
    let mailRounds: MailRounds
    /// Makes the keys of ID tokens. One of RSA takes a tenth of a second, so tests take those of tests that have ended.
    let newKey: PrivateKeyMaker

    init(
        _ common: ProgramServices, mailer: (any Mailer)?, devPages: DevPages,
        clientRenewalInterval: Duration = ClientDirectory.renewalInterval, mailRounds: MailRounds = MailRounds(),
        newKey: @escaping PrivateKeyMaker = PrivateKey.init(new:)
    ) {
        (self.common, self.mailer, self.devPages) = (common, mailer, devPages)
        (self.clientRenewalInterval, self.mailRounds, self.newKey) = (clientRenewalInterval, mailRounds, newKey)
    }

    /// The real services, as the settings say.
    ///
    /// - Throws: ``DatabaseError/refused(_:)`` when the database cannot be used, ``SettingError`` when the outbox folder
    ///   cannot; in one clear line.
    package static func live(_ values: SettingValues, logger: Logger) async throws -> IdPServices {
        let mailer = try values[IdPSettings.mail].mailer(greeting: try values[MailGreeting.setting])
        if let problem = (mailer as? OutboxMailer)?.problem {
            throw SettingError("IDP_MAIL_URL: \(problem)")
        }
        let (keys, node) = (try values[FlowSettings.secretKey], try NodeDescription(idp: values))
        let metrics = try values[IdPSettings.metricsListen].map { ProgramMetrics.idp($0) }
        let logger = logger.counting(metrics?.counts)
        let database = try await ProgramDatabase.idp.open(try values[IdPSettings.database], logger)
        // Before the others see this node: one with a wrong key must not stand in the way of a right one.
        do {
            if let refusal = try await node.refusal(at: database) { throw refusal }
            let sealed = SealedValueStore(database: database, keys)
            if let problem = try await KeyCheck(database, keys, sealed).problem() { throw SettingError(problem) }
            if let problem = try await PasskeyCheck.problem(values, database) { throw SettingError(problem) }
        } catch {
            await database.close()
            throw error
        }
        return IdPServices(
            try await ProgramServices.joining(database, as: node, logger, metrics: metrics), mailer: mailer,
            devPages: try DevPages(randomness: SystemRandomness()))
    }
}

extension ProgramMetrics {
    /// The metrics of the IdP.
    static func idp(_ listen: MetricsListen) -> ProgramMetrics {
        ProgramMetrics(
            listen, build: ThisBuild.stamp, IdPMetrics.all, events: IdPEvents.all, alerted: IdPMetrics.alerted)
    }
}

extension NodeDescription {
    /// This process for the others on its database.
    package init(idp values: SettingValues) throws(SettingError) {
        try self.init(
            values, publicURL: FlowSettings.publicURL, keys: FlowSettings.secretKey, version: ThisBuild.stamp.text,
            files: [ClientsFile.setting, ProvidersFile.setting],
            settings: EnvironmentClient.common + [AllowedEmails.setting.name, AdminAddresses.setting.name])
    }
}
