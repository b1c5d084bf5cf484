package import IdPClients
import Logging
package import SSOShared
package import SSOWeb
package import Storage

/// The one place where the end of sessions reaches the clients: marks what they were told as ended, and queues their
/// messages, in the transaction that ends the sessions.
///
/// Code that ends sessions calls ``end(_:_:by:_:_:)``, whatever becomes of the rows of `session`. The end of a session by time is
/// not told: a user works in a client for hours while the session here lies idle.
package struct SignOuts: Sendable {
    package let signIns = ClientSignIns()
    package let queue: SignOutQueue
    package let clock: ServiceClock
    private let protocols: ClientProtocols
    private let tells: @Sendable (_ client: String, _ kind: String, any SQLConnection) throws -> Bool

    /// - Parameter tells: whether a client takes messages, in the transaction of the end. The sender knows for sure: a command
    ///   queues a message for every client.
    package init(
        clock: ServiceClock, randomness: any Randomness, protocols: ClientProtocols,
        tells: @escaping @Sendable (_ client: String, _ kind: String, any SQLConnection) throws -> Bool = { _, _, _ in
            true
        }
    ) {
        (queue, self.clock, self.tells) = (SignOutQueue(randomness: randomness), clock, tells)
        self.protocols = protocols
    }

    /// How many messages an end has caused.
    package struct Told: Sendable, Equatable {
        package var queued = 0
        /// Left out, because too many wait for that client.
        package var dropped = 0

        package init(queued: Int = 0, dropped: Int = 0) { (self.queued, self.dropped) = (queued, dropped) }

        package static func + (one: Told, other: Told) -> Told {
            Told(queued: one.queued + other.queued, dropped: one.dropped + other.dropped)
        }
    }

    /// Tells the clients that sessions have ended, in the caller's transaction.
    ///
    /// One message for each client of `/auth/sso` where all sessions of a user end. Otherwise one for each session that the
    /// client was told.
    ///
    /// - Parameters:
    ///   - actor: who has ended them, for the audit log.
    ///   - isOpen: whether there was anything to end. Where nothing was, no row says that it has ended.
    ///   - record: says what happens in the same transaction.
    @discardableResult package func end(
        _ what: EndedSessions, _ cause: SignOutCause, by actor: AuditActor, wasOpen isOpen: Bool = true,
        _ connection: any SQLConnection, audit record: (Event) throws -> Void
    ) throws -> Told {
        try end([what], cause, by: actor, wasOpen: isOpen, connection, audit: record)
    }

    /// The same for many accounts at once. The messages that wait for a client are counted once.
    @discardableResult package func end(
        _ all: [EndedSessions], _ cause: SignOutCause, by actor: AuditActor, wasOpen isOpen: Bool = true,
        _ connection: any SQLConnection, audit record: (Event) throws -> Void
    ) throws -> Told {
        var (told, room) = (Told(), [String: Int]())
        for what in all { try end(what, cause, by: actor, isOpen, &told, &room, connection, audit: record) }
        return told
    }

    private func end(
        _ what: EndedSessions, _ cause: SignOutCause, by actor: AuditActor, _ isOpen: Bool, _ told: inout Told,
        _ room: inout [String: Int], _ connection: any SQLConnection, audit record: (Event) throws -> Void
    ) throws {
        let now = clock.now()
        let ended = try signIns.end(what, cause.end, at: now, connection)
        try endAppKeys(what, cause, connection, audit: record)
        if !cause.isOwn, isOpen { try record(event(what, cause, actor, ended)) }
        for message in QueuedSignOut.messages(about: ended, what, of: protocols) {
            guard try tells(message.clientID, message.kind, connection) else { continue }
            let left = try room[message.clientID] ?? queue.room(for: message.clientID, connection)
            room[message.clientID] = left - 1
            guard left > 0 else {
                told.dropped += 1
                try record(message.event(.signOutGivenUp, by: .program, cause: "queue_full"))
                continue
            }
            try queue.add(message, at: now, connection)
            told.queued += 1
            try record(message.event(.signOutQueued, by: actor, cause: cause.rawValue))
        }
    }

    /// The keys of a user's apps end with the account, and with all that was there before its address was proven. A sign-out leaves
    /// them: an app is no browser. Access is asked at each use.
    private func endAppKeys(
        _ what: EndedSessions, _ cause: SignOutCause, _ connection: any SQLConnection,
        audit record: (Event) throws -> Void
    ) throws {
        guard let account = what.account else { return }
        guard cause == .addressProven || what == .all(of: account) && cause.end == .accountEnded else { return }
        for key in try AppKeyStore.end(.allOfAccount(account), connection) {
            try record(key.event(.appKeyEnded, by: .program, cause: cause.rawValue))
        }
    }

    /// As ``end(_:_:by:_:audit:)``, for a request.
    @discardableResult package func end(
        _ what: EndedSessions, _ cause: SignOutCause, by actor: AuditActor, _ audit: RequestAudit?,
        _ connection: any SQLConnection
    ) throws -> Told {
        try end(what, cause, by: actor, connection) { try audit?.record($0, connection) }
    }

    /// Goes on with a browser whose session was replaced. What its clients were told of the same account follows to the new
    /// session, and nobody is told. What they were told of another one ends.
    ///
    /// - Parameter account: of the new session, also while a second proof is missing; nil for a visitor.
    package func follow(
        _ old: String, to next: String, account: String?, _ audit: RequestAudit?, _ connection: any SQLConnection
    ) throws {
        if let account { try signIns.follow(old, to: next, account: account, connection) }
        try end(.one(old), .otherAccount, by: account.map(AuditActor.user) ?? .visitor, audit, connection)
    }

    /// The log has a line of what a user ends elsewhere. Of any other end it has the event that causes it.
    private func event(
        _ what: EndedSessions, _ cause: SignOutCause, _ actor: AuditActor, _ ended: [ClientSignIn]
    ) -> Event {
        var event = Event(
            .sessionEnded, by: actor, account: what.account ?? ended.first?.accountID, cause: cause.rawValue)
        switch what {
        case .one(let session): event.session = session
        case .atClient(let client, _): event.client = client
        case .others: event.further["session"] = "others"
        case .all: break
        }
        return cause == .endedElsewhere ? event : event.only(in: .auditLog)
    }
}

extension ChangeContext {
    /// For changes of operators that end sessions.
    package var signOuts: SignOuts {
        let now = now
        return SignOuts(clock: ServiceClock { now }, randomness: randomness, protocols: protocols)
    }
}
