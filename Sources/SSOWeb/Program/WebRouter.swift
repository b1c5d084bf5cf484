import HTTPTypes
public import Hummingbird
import NIOCore
import SSOShared

/// The middleware and routes that both programs share.
public enum WebRouter {
    /// Makes a router with the shared middleware, the assets, `/healthz` and `/readyz`. It does not read sessions.
    ///
    /// - Parameters:
    ///   - clock: makes `/readyz` fail while the wall clock is ahead.
    ///   - addresses: finds the client's address for the log.
    ///   - shutdown: makes `/readyz` fail during the shutdown.
    ///   - jsonPaths: paths that programs request; one that ends with a slash stands for all below it. Their errors are JSON.
    ///   - pathsWithTokens: paths whose URL contains a token; one that ends with a slash stands for all below it, and
    ///     `*` for one part of a path.
    public static func router<Context: WebRequestContext>(
        _ context: Context.Type, origin: PublicOrigin, pages: Pages, assets: StaticAssets, database: any Database,
        clock: ServiceClock, addresses: ClientAddress, shutdown: ShutdownState, jsonPaths: Set<String> = [],
        pathsWithTokens: Set<String> = []
    ) -> Router<Context> {
        let router = Router(context: context)
        // Outermost first.
        router.addMiddleware {
            ClientAddressLogging(addresses)
            SecurityHeaders(origin: origin, pathsWithTokens: pathsWithTokens)
            RequestLog()
            ErrorMiddleware(pages: pages, jsonPaths: jsonPaths)
            RequestGuard()
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

    /// Ready means that the database works, that the clock is right and that the program is not shutting down.
    public init(database: any Database, clock: ServiceClock, shutdown: ShutdownState) {
        (self.database, self.clock, self.shutdown) = (database, clock, shutdown)
    }

    /// Adds both paths with GET and HEAD.
    public func add<Context: RequestContext>(to router: Router<Context>) {
        router.only([.get, .head], at: RouterPath(HealthPath.live)) { request, _ in
            var response = Self.answer(.ok, "ok", type: "text/plain; charset=utf-8", to: request)
            if let name = HTTPField.Name("X-SSO-Version") { response.headers[name] = ProductVersion.text }
            return response
        }
        router.only([.get, .head], at: RouterPath(HealthPath.ready)) { [database, clock, shutdown] request, _ in
            guard !shutdown.isUnderWay else { return Self.unavailable("stopping", to: request) }
            do {
                try await database.checkReady()
                // Another process may have the right time, and an operator should check this machine.
                guard !clock.state().hasJumped else { return Self.unavailable("clock", to: request) }
                return Self.answer(.ok, #"{"status":"ready"}"#, type: "application/json", to: request)
            } catch {
                return Self.unavailable("database", to: request)
            }
        }
    }

    private static func unavailable(_ reason: String, to request: Request) -> Response {
        let body = #"{"status":"unavailable","reason":"\#(reason)"}"#
        return answer(.serviceUnavailable, body, type: "application/json", to: request)
    }

    private static func answer(
        _ status: HTTPResponse.Status, _ body: String, type: String, to request: Request
    ) -> Response {
        let response = Response(
            status: status, headers: [.contentType: type], body: .init(byteBuffer: ByteBuffer(string: body)))
        return request.method == .head ? response.createHeadResponse() : response
    }
}
