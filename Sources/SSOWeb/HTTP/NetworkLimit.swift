public import Hummingbird

/// A ``RateLimit`` per network: an IPv4 address, or the /64 of an IPv6 address.
///
/// IPv6 networks are also counted by their /48, with four times the limit: one site can have a whole /48 with its 65,536
/// networks of /64 (RFC 6177).
public struct NetworkLimit: Sendable {
    private static let siteFactor = 4

    private let networks: RateLimit
    private let sites: RateLimit

    /// - Parameter limit: the number of events that pass within `span`.
    public init(_ limit: Int, per span: Duration, clock: ServiceClock) {
        networks = RateLimit(limit, per: span, clock: clock)
        sites = RateLimit(limit * Self.siteFactor, per: span, clock: clock)
    }

    /// The time until another event passes, or nil when one passes now. Does not count.
    public func wait(_ address: IPAddress) -> Duration? {
        networks.wait(address.networkKey) ?? address.siteKey.flatMap { sites.wait($0) }
    }

    /// Counts one event. Returns nil when it passes, otherwise the time to wait.
    public func hit(_ address: IPAddress) -> Duration? {
        if let wait = wait(address) { return wait }
        _ = networks.hit(address.networkKey)
        address.siteKey.map { _ = sites.hit($0) }
        return nil
    }

    /// Removes one event from the count.
    public func giveBack(_ address: IPAddress) {
        networks.giveBack(address.networkKey)
        address.siteKey.map { sites.giveBack($0) }
    }
}

/// Limits the sessions that one network begins. Each session is a row, and a client that drops the cookie begins one with
/// every visit. A browser that has a session is not counted.
public struct NewSessionLimit: Sendable {
    private let addresses: ClientAddress
    private let limit: NetworkLimit
    private let knownBrowser: @Sendable (Request) -> [UInt8]?
    private let browsers: RateLimit

    /// - Parameters:
    ///   - count: sessions per hour and network.
    ///   - knownBrowser: the key of a known browser, or nil. A known browser has its own count instead of its network's.
    public init(
        _ count: Int, by addresses: ClientAddress, clock: ServiceClock,
        knownBrowser: @escaping @Sendable (Request) -> [UInt8]? = { _ in nil }
    ) {
        limit = NetworkLimit(count, per: .hours(1), clock: clock)
        browsers = RateLimit(count, per: .hours(1), clock: clock)
        self.addresses = addresses
        self.knownBrowser = knownBrowser
    }

    /// - Throws: ``PublicError`` 429 over the limit.
    func count(_ request: Request, _ context: some WebRequestContext) throws {
        guard let browser = knownBrowser(request) else {
            return try addresses.limit(limit, request, context.peer)
        }
        if let wait = browsers.hit(browser) { throw PublicError.tooManyRequests(retryAfter: wait) }
    }

    /// Removes one session of this network from the count: its user has signed in.
    public func giveBack(_ request: Request, _ context: some WebRequestContext) {
        addresses.giveBack(limit, request, context.peer)
    }
}
