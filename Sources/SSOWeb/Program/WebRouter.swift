public import Hummingbird

/// What both programs' requests pass before any feature of theirs.
public enum WebRouter {
    /// A router with the house's middleware, its styles and scripts, `/healthz` and `/readyz`. What is added to it
    /// afterwards knows no session yet.
    ///
    /// - Parameters:
    ///   - clock: whose doubt `/readyz` tells.
    ///   - addresses: who is at the other end, for the log.
    ///   - shutdown: whether the program is about to stop, for `/readyz`.
    ///   - jsonPaths: where programs ask, not people.
    ///   - pathsWithTokens: where the address itself holds a token.
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
