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

    /// Counts a request. Networks that cannot be told apart are not counted.
    ///
    /// - Returns: whether it passes.
    func count(_ request: Request, _ peer: SocketAddress?) -> Bool {
        guard let address = addresses.countedAddress(of: request, peer: peer) else { return true }
        return networks.hit(address) == nil
    }
}
