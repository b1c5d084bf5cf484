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
