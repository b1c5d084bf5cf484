import IdPAccounts
package import IdPClients
package import Logging
package import SSOShared
package import SSOWeb
package import Storage

/// Carries out what is due: end dates that are over, and accounts that are to be erased. Each is one transaction.
package struct AccountDeadlines: Sendable {
    private let changes: OperatorChanges
    private let clock: ServiceClock

    package init(
        _ database: any Database, of protocols: ClientProtocols, clock: ServiceClock, randomness: any Randomness,
        logger: Logger
    ) {
        changes = OperatorChanges(
            database, of: protocols, by: .program, clock: clock, randomness: randomness, logger: logger)
        self.clock = clock
    }

    /// - Returns: how many accounts there were.
    package func end(limit: Int) async throws -> Int {
        let now = clock.now()
        let ids = try await changes.database.read { try AccountStore.overdue(at: now, limit: limit, $0) }
        for id in ids { _ = try await changes.make(EndOverdueUser(id: id)) }
        return ids.count
    }

    /// - Returns: how many accounts there were.
    package func erase(limit: Int) async throws -> Int {
        let now = clock.now()
        let ids = try await changes.database.read { try AccountStore.due(forErasing: now, limit: limit, $0) }
        for id in ids { _ = try await changes.make(EraseDueUser(id: id)) }
        return ids.count
    }
}
