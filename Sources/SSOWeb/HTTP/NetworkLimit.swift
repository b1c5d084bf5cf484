public import Hummingbird

/// A ``RateLimit`` per network: an IPv4 address, or the /64 of an IPv6 address, which one customer has at least.
///
/// IPv6 networks count a second time by their /48, with four times the limit: a /48 holds 65,536 networks of /64, and
/// sites get whole ones (RFC 6177).
public struct NetworkLimit: Sendable {
    private static let siteFactor = 4

    private let networks: RateLimit
    private let sites: RateLimit

    /// - Parameters:
    ///   - limit: how many events within `span` pass.
    public init(_ limit: Int, per span: Duration, clock: ServiceClock) {
        networks = RateLimit(limit, per: span, clock: clock)
        sites = RateLimit(limit * Self.siteFactor, per: span, clock: clock)
    }

    /// How long to wait until another event would pass, nil for now. Counts nothing.
    public func wait(_ address: IPAddress) -> Duration? {
        networks.wait(address.networkKey) ?? address.siteKey.flatMap { sites.wait($0) }
    }

    /// Counts one event. Returns nil if it passes, else how long to wait.
    public func hit(_ address: IPAddress) -> Duration? {
        if let wait = wait(address) { return wait }
        _ = networks.hit(address.networkKey)
        address.siteKey.map { _ = sites.hit($0) }
        return nil
    }

    /// Takes one counted event back.
    public func giveBack(_ address: IPAddress) {
        networks.giveBack(address.networkKey)
        address.siteKey.map { sites.giveBack($0) }
    }
}

/// Counts the sessions that one network begins: each is a row, and a visitor who throws the cookie away makes one with
/// every visit. A browser that has a session is never counted.
public struct NewSessionLimit: Sendable {
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

    /// - Throws: ``PublicError`` 429 beyond the limit.
    func count(_ request: Request, _ context: some WebRequestContext) throws {
        guard let browser = knownBrowser(request) else {
            return try addresses.limit(limit, request, context.peer)
        }
        if let wait = browsers.hit(browser) { throw PublicError.tooManyRequests(retryAfter: wait) }
    }

    /// Takes one session of this network back: its user has signed in.
    public func giveBack(_ request: Request, _ context: some WebRequestContext) {
        addresses.giveBack(limit, request, context.peer)
    }
}
