package import Hummingbird
package import Logging
package import NIOCore
package import SSOShared
package import SSOWeb
package import Storage

/// What happens in one request: rows of the audit log have its reference and its network, lines the fields of its logger.
package struct RequestAudit: Sendable {
    private let log: AuditLog
    /// The one of the request, with its reference, account and flow.
    package var logger: Logger
    private let request: Request
    private let peer: SocketAddress?
    private let reference: RequestReference
    private let proxies: ClientAddress

    package init(
        _ log: AuditLog, _ request: Request, peer: SocketAddress?, reference: RequestReference, proxies: ClientAddress,
        _ logger: Logger
    ) {
        (self.log, self.request, self.proxies, self.logger) = (log, request, proxies, logger)
        (self.peer, self.reference) = (peer, reference)
    }

    /// Says that something happens in this transaction: its row is written now, and the line and the count follow the commit.
    package func record(_ event: Event, _ connection: any SQLConnection) throws {
        try log.store.record(event.isForAuditLog ? complete(event) : event, logger, connection)
    }

    /// Says that something has happened without a transaction. A row that it has is written beside, see ``AuditLog/note(_:)``.
    package func record(_ event: Event) {
        if event.isForAuditLog { note(event) }
        logger.record(event)
    }

    /// Writes a row of a refusal that has no transaction.
    package func note(_ row: Event) { log.note(complete(row)) }

    /// An address that was typed, as rows have it.
    package func typed(_ address: EmailAddress) -> TypedAddress { log.addresses.typed(address) }

    /// The network of the request, as rows have it.
    package var network: String? { proxies.address(of: request, peer: peer)?.auditNetwork }

    private func complete(_ row: Event) -> Event {
        var row = row
        row.reference = reference.description
        row.network = network
        return row
    }
}
