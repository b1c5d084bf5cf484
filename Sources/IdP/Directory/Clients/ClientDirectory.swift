package import Logging
import SSOShared
import SSOWeb
import Synchronization

/// Where the clients come from, and how they are read again while the program runs.
package struct ClientSource: Sendable {
    /// What one reading gave.
    package struct Reading: Sendable {
        let clients: ClientRegistry
        let problems, warnings: [String]

        package init(clients: ClientRegistry, problems: [String], warnings: [String]) {
            (self.clients, self.problems, self.warnings) = (clients, problems, warnings)
        }
    }

    /// The clients at the start.
    package let clients: ClientRegistry
    /// Reads them again; nil without a file.
    let read: (@Sendable () -> Reading)?

    package init(_ clients: ClientRegistry, reading read: (@Sendable () -> Reading)? = nil) {
        (self.clients, self.read) = (clients, read)
    }
}

/// The clients that are registered at the moment. ``reload()`` takes effect only if the whole file is right. Otherwise the old
/// list stays.
///
/// A grant is issued and redeemed only if the client that is registered at that moment allows it, and the transaction asks: a
/// client that was dropped meanwhile gets nothing.
package final class ClientDirectory: Sendable {
    private let source: ClientSource
    private let logger: Logger
    private let current: Mutex<ClientRegistry>

    package init(_ source: ClientSource, logger: Logger) {
        (self.source, self.logger) = (source, logger)
        current = Mutex(source.clients)
    }

    /// In the order of registration.
    package var all: [Client] { current.withLock(\.all) }

    /// The client with exactly this id.
    package func client(id: [UInt8]) -> Client? { current.withLock { $0.client(id: id) } }
    package func client(id: String) -> Client? { client(id: Array(id.utf8)) }

    /// Reads the file again. Does nothing without one.
    ///
    /// - Returns: what the audit log says of it.
    @discardableResult package func reload() -> AuditRow? {
        guard let read = source.read else { return nil }
        let reading = read()
        for warning in reading.warnings {
            logger.warning("clients_file_warning", metadata: ["warning": "\(warning)"])
        }
        for problem in reading.problems {
            logger.error("clients_file_rejected", metadata: ["error": "\(problem)"])
        }
        guard reading.problems.isEmpty else { return AuditRow(.clientsFileRejected, by: .program) }
        let before = current.withLock { list in
            defer { list = reading.clients }
            return list
        }
        let (old, new) = (Set(before.all.map(\.id)), Set(reading.clients.all.map(\.id)))
        let (added, dropped) = (new.subtracting(old).sorted(), old.subtracting(new).sorted())
        logger.notice(
            "clients_file_loaded",
            metadata: [
                "count": .number(new.count), "added": "\(added.joined(separator: " "))",
                "dropped": "\(dropped.joined(separator: " "))",
            ])
        // 500 clients at most, of 63 characters: a bound for the row.
        let changes = (added.map { "+\($0)" } + dropped.map { "-\($0)" }).joined(separator: " ")
        return AuditRow(.clientsFileLoaded, by: .program, detail: String(changes.prefix(4000)))
    }
}
