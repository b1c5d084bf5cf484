public import Hummingbird

/// The middleware and routes that both programs share.
public enum WebRouter {
    /// Makes a router with the shared middleware, the assets, `/healthz` and `/readyz`. It does not read sessions.
    ///
    /// - Parameters:
    ///   - clock: makes `/readyz` fail while the wall clock is ahead.
    ///   - addresses: finds the client's address for the log.
    ///   - shutdown: makes `/readyz` fail during the shutdown.
    ///   - jsonPaths: paths that programs request. Their errors are JSON.
    ///   - pathsWithTokens: paths whose URL contains a token.
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
