package import Hummingbird
package import NIOCore
package import SSOShared
package import SSOWeb
package import Storage

/// The audit log for one request: adds its reference and its network to each row.
package struct RequestAudit: Sendable {
    private let log: AuditLog
    private let request: Request
    private let peer: SocketAddress?
    private let reference: RequestReference
    private let proxies: ClientAddress

    package init(
        _ log: AuditLog, _ request: Request, peer: SocketAddress?, reference: RequestReference, proxies: ClientAddress
    ) {
        (self.log, self.request, self.proxies) = (log, request, proxies)
        (self.peer, self.reference) = (peer, reference)
    }

    /// Writes a row in the transaction of what it records.
    package func write(_ row: AuditRow, _ connection: any SQLConnection) throws {
        try log.store.write(complete(row), connection)
    }

    /// Writes a row of a refusal that has no transaction.
    package func note(_ row: AuditRow) { log.note(complete(row)) }

    /// An address that was typed, as rows have it.
    package func typed(_ address: EmailAddress) -> TypedAddress { log.addresses.typed(address) }

    /// The network of the request, as rows have it.
    package var network: String? { proxies.address(of: request, peer: peer)?.auditNetwork }

    private func complete(_ row: AuditRow) -> AuditRow {
        var row = row
        row.reference = reference.description
        row.network = network
        return row
    }
}
