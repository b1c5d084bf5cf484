public import Hummingbird

/// Counts the sessions that one network begins: each is a row, and a visitor who throws the cookie away makes one with
/// every visit. A browser that has a session is never counted.
public struct NewcomerLimit: Sendable {
    private let addresses: ClientAddress
    private let limit: NetworkLimit
    private let knownBrowser: @Sendable (Request) -> [UInt8]?
    private let browsers: RateLimit

    /// - Parameters:
    ///   - count: sessions an hour, for each network.
    ///   - knownBrowser: names a browser that is known here. It has a count of its own, apart from its network's.
    public init(
        _ count: Int, by addresses: ClientAddress, clock: ServiceClock,
        knownBrowser: @escaping @Sendable (Request) -> [UInt8]? = { _ in nil }
    ) {
        limit = NetworkLimit(count, per: .hours(1), clock: clock)
        browsers = RateLimit(count, per: .hours(1), clock: clock)
        self.addresses = addresses
        self.knownBrowser = knownBrowser
    }

    /// - Throws: ``PublicFailure`` 429 beyond the limit.
    func count(_ request: Request, _ context: some WebRequestContext) throws {
        guard let browser = knownBrowser(request) else {
            return try addresses.limit(limit, request, context.peer)
        }
        if let wait = browsers.hit(browser) { throw PublicFailure.tooManyRequests(retryAfter: wait) }
    }

    /// Takes one session of this network back: its user has signed in.
    public func giveBack(_ request: Request, _ context: some WebRequestContext) {
        addresses.giveBack(limit, request, context.peer)
    }
}
