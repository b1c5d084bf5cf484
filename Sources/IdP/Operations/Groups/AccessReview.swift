import IdPAccounts
package import IdPClients
package import IdPSignOut
package import Logging
import SSOWeb
package import Storage

/// What a new list of clients means for access: warns of groups that nobody has made, and finds those who have lost access.
package struct AccessReview: Sendable {
    package let database: any Database
    let audit: AuditStore
    let signOuts: SignOuts
    let logger: Logger

    package init(database: any Database, audit: AuditStore, signOuts: SignOuts, logger: Logger) {
        (self.database, self.audit, self.signOuts, self.logger) = (database, audit, signOuts, logger)
    }

    /// Warns of every group that a client names and nobody has made: with every new list.
    package static func warn(about clients: [Client], _ database: any Database, _ logger: Logger) async {
        do {
            for warning in try await database.read({ try GroupStore.warnings(about: clients, $0) }) {
                logger.record(.clientsFileWarning(warning))
            }
        } catch {
            logger.record(Event(.accessReviewFailed, cause: "\(error)"))
        }
    }

    /// Ends what users had at clients that they may not enter with the new list: its rule is another one, or it was dropped, or it does
    /// not speak the protocol any more. The grants of all others are refused without it. Those of a dropped one are void, also if it
    /// comes back.
    package func compare(_ old: [Client], with new: [Client]) async {
        let kept = Set(new.map(\.id))
        await void(old.map(\.id).filter { !kept.contains($0) })
        await void(addressesOf: new.filter { $0.origin != .database })
        await end(
            old.flatMap { client in
                new.first { $0.id == client.id }.map { client.protocolsLost(by: $0).map { (client.id, $0) } } ?? []
            })
        await end(
            old.compactMap { client in
                let now = new.first { $0.id == client.id }?.access ?? .groups([])
                return now == client.access ? nil : (client.id, now)
            })
    }

    /// The same at the start: a rule may have become narrower, or a client may have been dropped from the file or the settings,
    /// while the program was stopped. A client of the database that cannot be read is not taken for a dropped one.
    package func enforce(_ clients: ClientDirectory) async {
        await enforce(clients.all)
        do {
            let now = signOuts.clock.now()
            let dropped = try await clients.read(database) { connection in
                let registered = try clients.registered(connection)
                return try ClientGrants.idsOutsideDatabase(at: now, connection)
                    .filter { registered.client(id: $0) == nil }
            }
            await void(dropped)
            await end(dropped.map { ($0, .groups([])) })
            let kinds = try await database.read { try ClientGrants.kinds(at: now, $0) }
            await end(kinds.filter { clients.client(id: $0.client)?.uses($0.kind) == false })
        } catch {
            logger.record(Event(.accessReviewFailed, cause: "\(error)"))
        }
    }

    /// A command that changes an entry of the database does it itself.
    private func void(addressesOf clients: [Client]) async {
        do {
            let now = signOuts.clock.now()
            let issued = try await database.read { try ClientGrants.clients(at: now, $0) }
            let some = clients.filter { issued.contains($0.id) }
            guard !some.isEmpty else { return }
            try await database.write { connection in
                for client in some { try ClientGrants.void(ofDroppedAddresses: client, at: now, connection) }
            }
        } catch {
            logger.record(Event(.accessReviewFailed, cause: "\(error)"))
        }
    }

    func enforce(_ clients: [Client]) async { await end(clients.map { ($0.id, $0.access) }) }

    private func void(_ dropped: [String]) async {
        guard !dropped.isEmpty else { return }
        do {
            let now = signOuts.clock.now()
            try await database.write { connection in
                for client in dropped {
                    try ClientGrants.void(of: client, at: now, connection)
                    // Of one that is disabled they wait until it is enabled again.
                    guard try ClientStore().client(id: client, connection) == nil else { continue }
                    for event in try AppKeyStore.end(ofRemoved: client, connection) {
                        try audit.record(event, logger, connection)
                    }
                }
            }
        } catch {
            logger.record(Event(.accessReviewFailed, cause: "\(error)"))
        }
    }

    private func end(_ lost: [(client: String, kind: String)]) async {
        guard !lost.isEmpty else { return }
        do {
            let now = signOuts.clock.now()
            try await database.write { connection in
                for (client, kind) in lost { try ClientGrants.end(kind, of: client, at: now, connection) }
            }
        } catch {
            logger.record(Event(.accessReviewFailed, cause: "\(error)"))
        }
    }

    private func end(_ rules: [(client: String, access: ClientAccess)]) async {
        do {
            for (client, access) in rules {
                try await AccessLoss.end(at: client, with: access, by: .program, signOuts, database) {
                    [audit, logger] in try audit.record($0, logger, $1)
                }
            }
        } catch {
            logger.record(Event(.accessReviewFailed, cause: "\(error)"))
        }
    }
}
