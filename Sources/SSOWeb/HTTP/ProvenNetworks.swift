import Synchronization

/// Remembers which networks have sent a good signature within the day, and lets the others try a few times per second: a
/// client whose first request comes during a flood from its own network gets in as well.
public final class ProvenNetworks: Sendable {
    /// More are not remembered. No deployment has as many clients.
    private static let maximumCount = 1_000
    private static let memory: Duration = .days(1)

    private let clock: ServiceClock
    private let networks = Mutex<[[UInt8]: Timestamp]>([:])
    private let tries: NetworkLimit

    public init(clock: ServiceClock) {
        self.clock = clock
        tries = NetworkLimit(20, per: .seconds(1), clock: clock)
    }

    /// Notes a good signature.
    public func note(_ address: IPAddress) {
        let now = clock.now()
        networks.withLock { networks in
            if networks.count >= Self.maximumCount { networks = networks.filter { now - $0.value < Self.memory } }
            if networks.count < Self.maximumCount || networks[address.networkKey] != nil {
                networks[address.networkKey] = now
            }
        }
    }

    /// Whether a request of a network over its limit is looked at all the same.
    public func mayTry(_ address: IPAddress) -> Bool {
        let now = clock.now()
        let isProven = networks.withLock { networks in
            networks[address.networkKey].map { now - $0 < Self.memory } ?? false
        }
        return isProven || tries.hit(address) == nil
    }
}
