import Hummingbird
package import SSOWeb
package import Storage

extension VisitorContext {
    /// Says that something happens in this transaction: its row is written now, and the line and the count follow the commit.
    package func record(_ event: Event, _ connection: any SQLConnection) throws {
        guard let audit else { return connection.afterCommit { [logger] in logger.record(event, $0) } }
        try audit.record(event, connection)
    }

    /// Says that something has happened without a transaction.
    package func record(_ event: Event) {
        if let audit { audit.record(event) } else { logger.record(event) }
    }
}
