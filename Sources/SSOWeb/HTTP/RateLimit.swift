public import Hummingbird
import Synchronization

/// Counts events per key over a sliding window, in memory. Slows floods down. Never the only protection of anything.
public final class RateLimit: Sendable {
    private struct Window {
        var start: Timestamp
        var current: Int
        var previous: Int

        /// Moves the window to the span that contains `now`.
        mutating func advance(to now: Timestamp, span: Duration) {
            let age = now - start
            if age < .zero {
                // The clock was ahead and has been corrected. The events count from now on.
                start = now
            } else if age >= span * 2 {
                self = Window(start: now, current: 0, previous: 0)
            } else if age >= span {
                self = Window(start: start + span, current: 0, previous: current)
            }
        }

        /// The number of events within one span before `now`. Events of the previous window count as evenly spread.
        func estimate(at now: Timestamp, span: Duration) -> Double {
            let part = Double((now - start).milliseconds) / Double(span.milliseconds)
            return Double(previous) * (1 - part) + Double(current)
        }

        /// The time until the estimate is below `limit` if no event comes meanwhile; zero or less when it is now.
        func wait(for limit: Int, at now: Timestamp, span: Duration) -> Duration {
            // A full window counts as a whole until its end, and decays in the next one.
            let isFull = current >= limit
            let (decaying, room) = isFull ? (current, limit) : (previous, limit - current)
            let passed = decaying > room ? span.milliseconds * Int64(decaying - room) / Int64(decaying) : 0
            return (isFull ? start + span : start) + .milliseconds(passed) - now
        }
    }

    private let limit: Int
    private let span: Duration
    private let clock: ServiceClock
    private let windows = Mutex<[[UInt8]: Window]>([:])

    /// The maximum number of keys, which bounds memory.
    static let maximumKeys = 20_000
    /// The number of keys kept when the maximum is reached. Far fewer than ``maximumKeys``, so that sorting is rare.
    private static let keysKept = 15_000

    /// - Parameter limit: the number of events that pass within `span`.
    public init(_ limit: Int, per span: Duration, clock: ServiceClock) {
        self.limit = limit
        self.span = span
        self.clock = clock
    }

    /// The number of keys in memory.
    var count: Int { windows.withLock { $0.count } }

    /// The time until another event passes, or nil when one passes now. Does not count.
    ///
    /// - Parameter extra: events of this key that do not count.
    public func wait(_ key: [UInt8], beyond extra: Int = 0) -> Duration? { check(key, extra, counts: false) }

    /// Counts one event. Returns nil when it passes, otherwise the time to wait.
    public func hit(_ key: [UInt8], beyond extra: Int = 0) -> Duration? { check(key, extra, counts: true) }

    /// Removes one event from the count, because it has proved legitimate.
    public func giveBack(_ key: [UInt8]) {
        windows.withLock { windows in
            guard var window = windows[key] else { return }
            if window.current > 0 { window.current -= 1 } else { window.previous = max(0, window.previous - 1) }
            windows[key] = window
        }
    }

    private func check(_ key: [UInt8], _ extra: Int, counts: Bool) -> Duration? {
        let now = clock.now()
        return windows.withLock { windows in
            var window = windows[key] ?? Window(start: now, current: 0, previous: 0)
            window.advance(to: now, span: span)
            let wait = window.wait(for: limit + extra, at: now, span: span)
            guard wait <= .zero else {
                windows[key] = window
                return wait
            }
            if counts {
                if windows[key] == nil { makeRoom(&windows, now) }
                window.current += 1
                windows[key] = window
            }
            return nil
        }
    }

    /// Removes expired keys, then the least busy ones, so that a flood of new addresses does not evict keys at their
    /// limit.
    private func makeRoom(_ windows: inout [[UInt8]: Window], _ now: Timestamp) {
        guard windows.count >= Self.maximumKeys else { return }
        let stale = now - span * 2
        windows = windows.filter { $0.value.start > stale }
        guard windows.count >= Self.maximumKeys else { return }
        let busiest = windows.map { ($0.key, $0.value, $0.value.estimate(at: now, span: span)) }
            .sorted { $0.2 > $1.2 }.prefix(Self.keysKept)
        windows = Dictionary(busiest.map { ($0.0, $0.1) }) { first, _ in first }
    }
}

/// A ``RateLimit`` per network: an IPv4 address, or the /64 of an IPv6 address.
///
/// IPv6 networks are also counted by their /48, with four times the limit: one site can have a whole /48 with its
/// 65,536 networks of /64 (RFC 6177).
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
    ///
    /// - Parameter extra: events of this network that do not count.
    public func wait(_ address: IPAddress, beyond extra: Int = 0) -> Duration? {
        networks.wait(address.networkKey, beyond: extra) ?? address.siteKey.flatMap { sites.wait($0, beyond: extra) }
    }

    /// Counts one event. Returns nil when it passes, otherwise the time to wait.
    public func hit(_ address: IPAddress, beyond extra: Int = 0) -> Duration? {
        if let wait = wait(address, beyond: extra) { return wait }
        _ = networks.hit(address.networkKey, beyond: extra)
        address.siteKey.map { _ = sites.hit($0, beyond: extra) }
        return nil
    }

    /// Removes one event from the count.
    public func giveBack(_ address: IPAddress) {
        networks.giveBack(address.networkKey)
        address.siteKey.map { sites.giveBack($0) }
    }
}

/// Limits the sessions that one network begins. Each session is a row, and a client that drops the cookie begins one
/// with every visit. A browser that has a session is not counted.
public struct NewSessionLimit: Sendable {
    private let addresses: ClientAddress
    private let limit: NetworkLimit
    private let knownBrowser: @Sendable (Request) async throws -> String?
    private let browsers: RateLimit

    /// - Parameters:
    ///   - count: sessions per hour and network.
    ///   - knownBrowser: the key of a known browser, or nil. A known browser has its own count instead of its
    ///     network's.
    public init(
        _ count: Int, by addresses: ClientAddress, clock: ServiceClock,
        knownBrowser: @escaping @Sendable (Request) async throws -> String? = { _ in nil }
    ) {
        limit = NetworkLimit(count, per: .hours(1), clock: clock)
        browsers = RateLimit(count, per: .hours(1), clock: clock)
        self.addresses = addresses
        self.knownBrowser = knownBrowser
    }

    /// Whether the network of a request is at the limit. Does not count, and reads nothing.
    package func isFull(_ request: Request, _ context: some WebRequestContext) -> Bool {
        addresses.countedAddress(of: request, peer: context.peer).map { limit.wait($0) != nil } ?? false
    }

    /// - Throws: ``PublicError`` 429 over the limit.
    package func count(_ request: Request, _ context: some WebRequestContext) async throws {
        guard let browser = try await knownBrowser(request) else {
            return try addresses.limit(limit, request, context.peer)
        }
        if let wait = browsers.hit(Array(browser.utf8)) {
            throw PublicError.tooManyRequests(from: .browser, retryAfter: wait)
        }
    }

    /// Removes one session of this network from the count: its user has signed in. A known browser was counted for itself.
    public func giveBack(_ request: Request, _ context: some WebRequestContext) async {
        // While the database cannot be read the count stays: it is given back too little rather than too much.
        do { guard try await knownBrowser(request) == nil else { return } } catch { return }
        addresses.giveBack(limit, request, context.peer)
    }
}
