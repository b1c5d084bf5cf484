package import Hummingbird
import IdPAccounts
import IdPApps
package import IdPClients
package import IdPFlow
import IdPMail
import IdPOperations
import IdPProviders
import IdPSignOut
import Logging
import SSOShared
package import SSOWeb
import ServiceLifecycle
import Storage

/// Builds the IdP. ``IdPFeatures`` has the list of what it consists of.
///
/// - Parameters:
///   - added: features beside the built-in ones, for tests.
///   - started: called with the address once the server listens.
///   - inspect: receives the router and every declared route, for tests.
/// - Throws: if a template is malformed.
package func buildIdP(
    settings values: SettingValues, services: IdPServices, adding added: AddedFeatures = .init(),
    started: @escaping @Sendable (String) -> Void = { _ in },
    inspecting inspect: (Router<VisitorContext>, [Route]) -> Void = { _, _ in }
) throws -> some ApplicationProtocol {
    let features = try IdPFeatures(values, services, adding: added)
    let parts = features.parts
    let (router, routes) = try features.webRouter(values, services)
    inspect(router, routes)
    return WebServer.application(
        router: router, listen: try values[IdPSettings.listen], addresses: try values[FlowSettings.trustedProxies],
        shutdown: parts.shutdown, logger: parts.logger, services: try features.jobs(values, services), started: started)
}

private let reloading =
    "reloading the clients file, the providers file and the association files; settings need a restart"

extension IdPFeatures {
    /// What answers the requests.
    func webRouter(
        _ values: SettingValues, _ services: IdPServices
    ) throws -> (router: Router<VisitorContext>, routes: [Route]) {
        let routes = router
        let router = WebRouter.router(
            VisitorContext.self, origin: parts.origin, pages: parts.pages, assets: parts.assets,
            database: parts.database, clock: parts.clock, addresses: try values[FlowSettings.trustedProxies],
            shutdown: parts.shutdown, metrics: services.common.metrics, jsonPaths: routes.jsonPaths,
            pathsWithTokens: routes.pathsWithTokens, pageRoutes: routes.pageRoutes,
            guardedPageRoutes: routes.guardedPageRoutes, localePaths: routes.localePaths,
            otherHosts: routes.otherHosts, longTargets: routes.longTargets)
        routes.add(to: router)
        return (router, routes.routes)
    }

    /// What runs beside the requests.
    fileprivate func jobs(_ values: SettingValues, _ services: IdPServices) throws -> [any Service] {
        let (common, keys) = (services.common, try values[FlowSettings.secretKey])
        let renewal = SealedValueRenewal(
            values: SealedValueStore(database: parts.database, columns: .all(keys, parts.randomness)),
            audit: parts.audit, isChosen: common.isChosen, logger: parts.logger)
        let readings =
            IdPMetrics.readings(parts, signingKeys)
            + IdPMetrics.readings(
                of: keys, parts.database, isFile: try values[IdPSettings.database].isFile, clock: parts.clock,
                randomness: parts.randomness)
        return [
            AuditWriting(log: parts.audit), AdminTelling(notices: adminNotices, logger: parts.logger),
            signOuts,
            StartJob { await atStart() },
            common.purging(newest: parts.sessions.store.newestRow, try purges(values)),
            SigningKeyRenewal(keys: signingKeys, isChosen: common.isChosen, logger: parts.logger),
            ClockWatch(parts.clock, logger: parts.logger),
            ReloadService { await reload() },
            TemplateReading(parts.pages),
        ]
            + (try mailWorker(services, values).map { [$0] } ?? [])
            // With one key there is nothing to seal again.
            + (keys.fingerprints.count > 1 ? [renewal] : []) + common.jobs(reading: readings)
    }

    /// What is due, also of the tables that no feature owns.
    func purges(_ values: SettingValues) throws -> [PurgeService.Purge] {
        let (database, clock, days) = (parts.database, parts.clock, try values[IdPSettings.auditDays])
        let deadlines = AccountDeadlines(
            database, of: parts.clients.registry.protocols, clock: clock, randomness: parts.randomness,
            logger: parts.logger)
        let replaced = ReplacedSecrets(
            database: database, clock: clock, audit: parts.audit.store, logger: parts.logger)
        return all.flatMap(\.purges) + [
            deadlines.end, deadlines.erase, ClientSignInPurge(database: database, clock: clock).purge,
            parts.knownBrowsers.store.purge, parts.accessTokens.purge,
            { [audit = parts.audit.store] in try await audit.purge(keeping: days, limit: $0) },
            signOuts.purge, replaced.end,
        ]
    }

    /// Nil where no email is sent.
    private func mailWorker(_ services: IdPServices, _ values: SettingValues) throws -> MailQueueWorker? {
        guard let mailer = services.mailer, let from = try values[IdPSettings.mailFrom] else { return nil }
        return mailWorker(mailer, from: from, services.mailRounds)
    }

    func mailWorker(_ mailer: any Mailer, from: MailFrom, _ rounds: MailRounds) -> MailQueueWorker {
        MailQueueWorker(
            queue: parts.mail, templates: all.flatMap(\.mail), mailer: mailer, from: from, issuer: parts.origin,
            delay: parts.mailDelay,
            reports: (parts.audit.addresses.typed, { [audit = parts.audit] in try audit.record($0, $1) }),
            rounds: rounds, logger: parts.logger)
    }

    private var access: AccessReview {
        AccessReview(
            database: parts.database, audit: parts.audit.store, signOuts: parts.signOuts, logger: parts.logger)
    }

    /// Ends the sign-ins of users who may not sign in any more by the settings of this start.
    func atStart() async {
        do { try await IneligibleSignIns(parts.accounts, parts.audit.store, parts.logger).end() } catch {
            parts.logger.record(Event(.ineligibleSignInsFailed, cause: "\(error)"))
        }
        await parts.clients.read()
        await access.enforce(parts.clients)
    }

    /// Reads the files again, as SIGHUP asks.
    func reload() async {
        let (clients, logger) = (parts.clients, parts.logger)
        logger.record(Event(.reload, ["message": "\(reloading)"]))
        // What the file must not contradict.
        await clients.read()
        let before = clients.all
        if let event = clients.reload() { parts.audit.record(event) }
        association.reload()
        providers.reload()
        await clients.recordFile(in: access.database, logger)
        await AccessReview.warn(about: clients.all, access.database, logger)
        await access.compare(before, with: clients.all)
    }
}
