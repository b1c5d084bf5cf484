import Hummingbird
import IdPAccounts
import IdPApps
import IdPClients
import IdPFlow
import IdPMail
import IdPOperations
import IdPProviders
import Logging
import SSOShared
import SSOWeb
import ServiceLifecycle
import Storage

/// Builds the IdP. ``IdPFeatures`` has the list of what it consists of.
///
/// - Parameters:
///   - added: features beside the built-in ones, for tests.
///   - shutdown: whether the program is about to stop.
///   - started: called with the address once the server listens.
///   - inspect: receives the router and every declared route, for tests.
/// - Throws: if a template is malformed.
func buildIdP(
    settings: IdPSettings, services: IdPServices, adding added: AddedFeatures = .init(),
    shutdown: ShutdownState = .init(),
    started: @escaping @Sendable (String) -> Void = { _ in },
    inspecting inspect: (Router<VisitorContext>, [Route]) -> Void = { _, _ in }
) throws -> some ApplicationProtocol {
    let features = try IdPFeatures(settings, services, shutdown: shutdown, adding: added)
    let parts = features.parts
    let routes = features.router
    let router = WebRouter.router(
        VisitorContext.self, origin: parts.origin, pages: parts.pages, assets: parts.assets,
        database: parts.database, clock: parts.clock, addresses: settings.trustedProxies, shutdown: shutdown,
        metrics: services.metrics, jsonPaths: routes.jsonPaths, pathsWithTokens: routes.pathsWithTokens,
        pageRoutes: routes.pageRoutes, localePaths: routes.localePaths)
    routes.add(to: router)
    inspect(router, routes.routes)
    return WebServer.application(
        router: router, listen: settings.listen, addresses: settings.trustedProxies, shutdown: shutdown,
        logger: services.logger, services: features.jobs(settings, services) + services.jobs, started: started)
}

private let reloading =
    "reloading the clients file, the providers file and the association files; settings need a restart"

extension IdPFeatures {
    /// What is due of the tables that no feature owns.
    private func purgesOfAccounts(_ settings: IdPSettings) -> [PurgeService.Purge] {
        let (database, clock) = (parts.database, parts.clock)
        let deadlines = AccountDeadlines(
            database, of: parts.clients.registry.protocols, clock: clock, randomness: parts.randomness,
            logger: parts.logger)
        return [
            deadlines.end, deadlines.erase, ClientSignInPurge(database: database, clock: clock).purge,
            parts.knownBrowsers.store.purge, parts.accessTokens.purge,
            { [audit = parts.audit.store] in try await audit.purge(keeping: settings.auditDays, limit: $0) },
        ]
    }

    /// Serves the metrics, where somebody reads them.
    private func metrics(_ settings: IdPSettings, _ services: IdPServices) -> [any Service] {
        guard let metrics = services.metrics else { return [] }
        let readings =
            IdPMetrics.readings(parts, signingKeys)
            + IdPMetrics.readings(
                of: settings.keys, parts.database, isFile: settings.database.isFile, clock: parts.clock,
                randomness: parts.randomness)
            + CommonMetrics.readings(parts.database, parts.shutdown)
        return [
            MetricsService(metrics, clock: parts.clock, readings: readings, logger: parts.logger) {
                [logger = parts.logger] in logger.record(Event(.metricsListening, ["address": "\($0)"]))
            }
        ]
    }

    /// What runs beside the requests.
    fileprivate func jobs(_ settings: IdPSettings, _ services: IdPServices) -> [any Service] {
        let worker = MailQueueWorker(
            queue: parts.mail, templates: all.flatMap(\.mail), mailer: services.mailer, from: settings.mailFrom,
            issuer: parts.origin, delay: parts.mailDelay, clock: parts.clock,
            typed: parts.audit.addresses.typed, record: { [audit = parts.audit] in try audit.record($0, $1) },
            logger: parts.logger)
        let replaced = ReplacedSecrets(
            database: parts.database, clock: parts.clock, audit: parts.audit.store, logger: parts.logger)
        let purges = (all.flatMap(\.purges) + purgesOfAccounts(settings) + [signOuts.purge, replaced.end]).map {
            purge -> PurgeService.Purge in
            { limit in services.isChosen() ? try await purge(limit) : 0 }
        }
        let purge = PurgeService(
            every: .minutes(1), clock: parts.clock, logger: parts.logger, newest: parts.sessions.store.newestRow, purges
        )
        let access = AccessReview(
            database: parts.database, audit: parts.audit.store, signOuts: parts.signOuts, logger: parts.logger)
        let ending = StartJob {
            [accounts = parts.accounts, clients = parts.clients, audit = parts.audit.store, logger = parts.logger] in
            do { try await IneligibleSignIns(accounts, audit, logger).end() } catch {
                logger.record(Event(.ineligibleSignInsFailed, cause: "\(error)"))
            }
            await clients.read()
            await access.enforce(clients)
        }
        let reload = ReloadService {
            [logger = parts.logger, clients = parts.clients, audit = parts.audit, association, providers] in
            logger.record(Event(.reload, ["message": "\(reloading)"]))
            // What the file must not contradict.
            await clients.read()
            let before = clients.all
            if let event = clients.reload() { audit.record(event) }
            association.reload()
            providers.reload()
            await clients.recordFile(in: access.database, logger)
            await AccessReview.warn(about: clients.all, access.database, logger)
            await access.compare(before, with: clients.all)
        }
        let renewal = SealedValueRenewal(
            values: SealedValueStore(settings, services), audit: parts.audit, isChosen: services.isChosen,
            logger: parts.logger)
        let keys = SigningKeyRenewal(keys: signingKeys, isChosen: services.isChosen, logger: parts.logger)
        return [
            AuditWriting(log: parts.audit), worker, signOuts, ending, purge, keys,
            ClockWatch(parts.clock, logger: parts.logger), reload, TemplateReading(parts.pages),
        ]
            + metrics(settings, services)
            // With one key there is nothing to seal anew.
            + (settings.keys.fingerprints.count > 1 ? [renewal] : [])
    }
}
