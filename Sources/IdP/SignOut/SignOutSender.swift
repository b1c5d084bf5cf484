package import IdPClients
package import Logging
import SSOShared
import SSOWeb
import ServiceLifecycle
import Storage

/// Sends the messages of the queue, beside the requests. A client that is slow or down delays neither a request nor the
/// messages of another client.
package struct SignOutSender: Service {
    /// From the end of a session to the first try at most.
    private static let interval: Duration = .milliseconds(250)

    private let database: any Database
    private let queue: SignOutQueue
    private let protocols: [String: any SignOutProtocol]
    private let clients: ClientDirectory
    private let transport: any SignOutTransport
    private let audit: AuditStore
    private let clock: ServiceClock
    private let logger: Logger
    private let failing = FailingClients()
    private let fullQueues = FullQueues()
    private let unavailable = RepeatedEvent()

    /// - Parameters:
    ///   - audit: its database has the queue.
    ///   - protocols: what messages look like.
    package init(
        _ queue: SignOutQueue, _ audit: AuditStore, protocols: [any SignOutProtocol], clients: ClientDirectory,
        transport: any SignOutTransport, logger: Logger
    ) {
        (self.queue, self.audit, self.clients, self.transport) = (queue, audit, clients, transport)
        (database, clock, self.logger) = (audit.database, audit.clock, logger)
        self.protocols = Dictionary(protocols.map { (type(of: $0).id, $0) }) { $1 }
    }

    /// Sends until the shutdown begins. A message that is under way then is finished, or tried again when its lease ends.
    package func run() async throws {
        let (rounds, next) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        await withDiscardingTaskGroup { group in
            group.addTask {
                await cancelWhenGracefulShutdown {
                    while !Task.isCancelled {
                        next.yield()
                        try? await Task.sleep(for: Self.interval)
                    }
                }
            }
            for await _ in rounds.cancelOnGracefulShutdown() {
                for message in await take() {
                    group.addTask {
                        await send(message)
                        // Its place is free for the next one.
                        next.yield()
                    }
                }
            }
        }
    }

    /// Takes what is due, at most as many messages as there are places. Returns when all of them are settled or postponed.
    ///
    /// - Returns: how many there were.
    @discardableResult package func round() async -> Int {
        let messages = await take()
        await withDiscardingTaskGroup { group in
            for message in messages { group.addTask { await send(message) } }
        }
        return messages.count
    }

    private func take() async -> [QueuedSignOut] {
        let now = clock.now()
        do {
            let failing = failing.all
            let paused = FailingClients.paused(failing, at: now)
            let due = try await database.read { try queue.due(at: now, except: paused, failing: failing, $0) }
            return due.isEmpty ? [] : try await database.write { try queue.take(due, at: now, failing: failing, $0) }
        } catch {
            noteUnavailable(error)
            return []
        }
    }

    private func noteUnavailable(_ error: any Error) {
        unavailable.record(Event(.signOutQueueUnavailable, cause: "\(error)"), logger)
    }

    /// One try of one message.
    private func send(_ message: QueuedSignOut) async {
        let found: SignOutRecipient?
        do { found = try await database.read { try clients.recipient(message.clientID, $0) } } catch {
            // Its lease ends, and the message is tried again.
            return noteUnavailable(error)
        }
        guard let recipient = found else { return await drop(message, "client_unknown") }
        guard let wire = protocols[message.kind] else { return await drop(message, "takes_none") }
        let made: HTTPClient.Request?
        do { made = try await wire.request(for: message, to: recipient, at: clock.now()) } catch {
            logger.record(Event(.signOutNotSigned, cause: "\(error)", detail: message.id))
            return await fail(message, SignOutFailure.notSigned.rawValue)
        }
        guard var request = made else { return await drop(message, "takes_none") }
        if message.tries == 1 { logger.record(message.event(.signOutQueued).only(in: .log)) }
        request.addressError = request.allowsHTTP ? SignOutAddress.errorOverPlainHTTP : SignOutAddress.error
        do throws(ConnectionError) {
            let response = try await transport.send(request)
            switch wire.verdict(on: response.status) {
            case .delivered: await deliver(message)
            case .failed: await fail(message, "status_\(response.status)")
            case .refused: await giveUp(message, "status_\(response.status)")
            }
        } catch {
            await fail(message, SignOutFailure(error).rawValue)
        }
    }

    private func deliver(_ message: QueuedSignOut) async {
        failing.noteSuccess(of: message.clientID)
        await settle(message) { now, connection in
            try queue.deliver(message.id, at: now, connection)
            try audit.record(message.event(.signOutDelivered), logger, connection)
        }
    }

    /// The first failure is in the audit log, and every one in the log: a client that is down for a day fails for 28 times.
    private func fail(_ message: QueuedSignOut, _ error: String) async {
        let now = clock.now()
        failing.note(message.clientID, hasFailedAt: now)
        guard now < message.endsAt else { return await giveUp(message, error) }
        let next = min(now + SignOutQueue.pause(after: message.tries), message.endsAt)
        let event = message.event(
            .signOutFailed, cause: error, ["retry_after_seconds": .number((next - now).secondsRoundedUp)])
        await settle(message) { _, connection in
            try queue.postpone(message.id, until: next, error, connection)
            try audit.record(message.tries == 1 ? event : event.only(in: .log), logger, connection)
        }
    }

    private func giveUp(_ message: QueuedSignOut, _ error: String) async {
        await settle(message) { now, connection in
            try queue.giveUp(message.id, error, at: now, connection)
            try audit.record(message.event(.signOutGivenUp, cause: error), logger, connection)
        }
    }

    private func drop(_ message: QueuedSignOut, _ reason: String) async {
        await settle(message) { _, connection in
            try queue.drop(message.id, connection)
            try audit.record(message.event(.signOutNotNeeded, cause: reason), logger, connection)
        }
    }

    /// Messages that were left out because too many wait are in the audit log, written by whatever ended the sessions: a request,
    /// or a command. So the alarm is after the commit.
    private func reportFullQueues(at now: Timestamp) async throws {
        let since = fullQueues.beginLook(at: now)
        let dropped = try await database.read { connection in
            try connection.query(
                """
                SELECT DISTINCT client_id FROM audit_event
                 WHERE id > :since AND event = 'sign_out_given_up' AND \(AuditSchema.isRare) AND cause = 'queue_full' AND client_id IS NOT NULL
                 ORDER BY client_id
                """, ["since": .blob(AuditID.prefix(of: since))]
            ).map { try $0.text("client_id") }
        }
        for client in dropped where fullQueues.isNews(client, at: now) {
            logger.record(Event(.signOutGivenUp, client: client, cause: "queue_full").only(in: .log))
        }
    }

    /// If the result cannot be written, the lease ends and the message is tried again, with the same id.
    private func settle(
        _ message: QueuedSignOut, _ write: @escaping @Sendable (Timestamp, any SQLConnection) throws -> Void
    ) async {
        let now = clock.now()
        do { try await database.write { try write(now, $0) } } catch {
            noteUnavailable(error)
        }
    }

    /// Deletes rows some time after their messages were settled, and logs an alarm for clients whose messages were left out
    /// meanwhile.
    package func purge(limit: Int) async throws -> Int {
        let now = clock.now()
        try await reportFullQueues(at: now)
        return try await database.write { try queue.purge(limit: limit, at: now, $0) }
    }
}
