import HTTPTypes
public import Hummingbird
import NIOCore
import SSOShared
public import Storage

/// The middleware and routes that both programs share.
public enum WebRouter {
    /// Makes a router with the shared middleware, the assets, `/healthz` and `/readyz`. It does not read sessions.
    ///
    /// - Parameters:
    ///   - clock: `/readyz` names a wall clock that is ahead.
    ///   - addresses: finds the client's address for the log.
    ///   - shutdown: makes `/readyz` fail during the shutdown.
    ///   - metrics: counts the requests.
    ///   - jsonPaths: paths that programs request; one that ends with a slash stands for all below it, and `*` for one part of
    ///     a path. Their errors are JSON.
    ///   - pathsWithTokens: paths whose URL contains a token, written alike.
    ///   - pageRoutes: the routes that show pages to users, as the router prints them: `/with/{name}`. There a user chooses the
    ///     language.
    ///   - guardedPageRoutes: those of pages that do not exist for every user.
    ///   - localePaths: the paths at which clients ask for a language with `ui_locales`.
    ///   - otherHosts: the paths that a proxy passes on from the host of another service, with its fields, written alike.
    ///   - longTargets: the paths with an address of another service in their query, written alike.
    package static func router<Context: WebRequestContext>(
        _ context: Context.Type, origin: PublicOrigin, pages: Pages, assets: StaticAssets, database: any Database,
        clock: ServiceClock, addresses: ClientAddress, shutdown: ShutdownState, metrics: ProgramMetrics? = nil,
        jsonPaths: Set<String> = [], pathsWithTokens: Set<String> = [], pageRoutes: Set<String>,
        guardedPageRoutes: Set<String> = [],
        localePaths: Set<String> = [], otherHosts: Set<String> = [], longTargets: Set<String> = []
    ) -> Router<Context> {
        let router = Router(context: context)
        if let metrics { router.add(middleware: RequestMetrics(metrics.registry)) }
        let language = BrowserCookie(name: "language", origin: origin, maximumAge: .days(365))
        let asked = BrowserCookie(name: "asked_language", origin: origin, maximumAge: .minutes(10))
        // Outermost first.
        router.addMiddleware {
            ClientAddressLogging(addresses)
            SecurityHeaders(origin: origin, pathsWithTokens: pathsWithTokens, otherHosts: otherHosts)
            RequestLog()
            AskedLanguage(languages: pages.languages, cookie: asked, paths: PathPatterns(localePaths))
            LanguageChoice(languages: pages.languages, cookie: language)
            ErrorMiddleware(pages: pages, jsonPaths: jsonPaths)
            RequestGuard(otherHosts: otherHosts, longTargets: longTargets)
            LanguageLinks(
                languages: pages.languages, cookie: language, pageRoutes: pageRoutes, guardedRoutes: guardedPageRoutes)
        }
        assets.addRoutes(to: router)
        HealthRoutes(database: database, clock: clock, shutdown: shutdown).add(to: router)
        return router
    }
}

/// Serves `/healthz` (200 while the process serves) and `/readyz` (200, or 503 with the reason as JSON).
public struct HealthRoutes: Sendable {
    private let database: any Database
    private let clock: ServiceClock
    private let shutdown: ShutdownState
    private let unfit = RepeatedEvent()

    /// Ready means that this process can serve: its database works and has a schema that fits, and it is not shutting down.
    /// What holds for all processes and does not keep them from serving is a warning in the answer and an event in the log.
    /// A wall clock that jumps does so for every process of a machine, and all of them keep the right time.
    public init(database: any Database, clock: ServiceClock, shutdown: ShutdownState) {
        (self.database, self.clock, self.shutdown) = (database, clock, shutdown)
    }

    /// Adds both paths with GET and HEAD.
    public func add<Context: RequestContext>(to router: Router<Context>) {
        router.only([.get, .head], at: RouterPath(HealthPath.live)) { _, _ in
            Self.answer(.ok, "ok", type: "text/plain; charset=utf-8")
        }
        router.only([.get, .head], at: RouterPath(HealthPath.ready)) { [self] _, context in
            switch await Self.readiness(database, shutdown) {
            case .stopping: return Self.unavailable("stopping")
            case .schema(let step):
                unfit.record(Event(.schemaUnfit, cause: step), context.logger)
                return Self.unavailable("schema", step: step)
            case .database: return Self.unavailable("database")
            case .ready: break
            }
            let warnings = clock.isInDoubt ? [JSONText.Member("warning", "clock")] : []
            return Self.answer(
                .ok, JSONText.object([.init("status", "ready")] + warnings), type: "application/json")
        }
    }

    /// Whether this process can serve.
    package enum Readiness: Equatable {
        case ready, stopping, database
        case schema(step: String)
    }

    /// The check of `/readyz`.
    package static func readiness(_ database: any Database, _ shutdown: ShutdownState) async -> Readiness {
        guard !shutdown.isUnderWay else { return .stopping }
        do throws(DatabaseError) {
            try await database.checkReady()
            return .ready
        } catch .schema(let step) {
            return .schema(step: step)
        } catch {
            return .database
        }
    }

    /// - Parameter step: the name of a step of the schema.
    private static func unavailable(_ reason: String, step: String? = nil) -> Response {
        let members: [JSONText.Member] = [.init("status", "unavailable"), .init("reason", reason)]
        let body = JSONText.object(members + (step.map { [.init("step", $0)] } ?? []))
        return answer(.serviceUnavailable, body, type: "application/json")
    }

    private static func answer(_ status: HTTPResponse.Status, _ body: String, type: String) -> Response {
        Response(status: status, headers: [.contentType: type], body: .init(byteBuffer: ByteBuffer(string: body)))
    }
}
