import Hummingbird
import NIOCore
package import SSOWeb

/// Counts by network the requests with a client, an address, a secret or a logo that this process does not know.
///
/// Beyond the limit a network gets the same answers, after a reading of the clients that may be a second old. So a flood of
/// invented names takes no place among those that wait for a new one, and a limit keeps nobody out.
package struct UnknownNames: Sendable {
    /// Requests per minute.
    static let limit = 120

    private let addresses: ClientAddress
    private let networks: NetworkLimit

    package init(_ addresses: ClientAddress, clock: ServiceClock, limit: Int = UnknownNames.limit) {
        self.addresses = addresses
        networks = NetworkLimit(limit, per: .minutes(1), clock: clock)
    }

    /// Counts a request.
    ///
    /// - Returns: whether it passes.
    func count(_ request: Request, _ peer: SocketAddress?) -> Bool {
        count(addresses.countedAddress(of: request, peer: peer))
    }

    /// Counts a request from an address. Networks that cannot be told apart have none, and are not counted.
    func count(_ address: IPAddress?) -> Bool { address.map { networks.hit($0) == nil } ?? true }
}
