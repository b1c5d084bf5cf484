package import SSOShared
package import SSOWeb
package import Storage

/// Owns the rows of `sign_out_message`: the durable queue of messages to clients, shared by all protocols and nodes.
///
/// A process that tries a message holds a lease on it. If the process dies, the message is tried again when the lease ends.
package struct SignOutQueue: Sendable {
    /// Three times what a try may take.
    package static let lease: Duration = .seconds(15)
    /// Messages under way at once.
    package static let parallel = 20
    package static let parallelPerClient = 2
    /// Those of clients whose last try has failed: servers that never answer hold at most half of the places.
    package static let parallelFailing = 10
    /// Further messages are left out, with an alarm: a flood must not fill the disk.
    package static let maximumWaiting = 10_000
    /// A message that was not delivered after so long is given up.
    package static let longest: Duration = .hours(24)
    /// How long rows stay after that, for receipts.
    static let kept: Duration = .days(30)

    let randomness: any Randomness

    package init(randomness: any Randomness) { self.randomness = randomness }

    /// The pause after a try that failed: 10 seconds, 1, 5, 15 minutes, and then an hour.
    package static func pause(after tries: Int) -> Duration {
        switch tries {
        case ...1: .seconds(10)
        case 2: .minutes(1)
        case 3: .minutes(5)
        case 4: .minutes(15)
        default: .hours(1)
        }
    }

    /// How many messages are not delivered yet, and when the oldest of them was queued.
    package func waiting(_ connection: any SQLConnection) throws -> (count: Int64, oldest: Timestamp?) {
        let row = try connection.query(
            "SELECT COUNT(*) AS waiting, MIN(created_at) AS oldest FROM sign_out_message WHERE settled_at IS NULL"
        ).first
        return (
            try row?.integer("waiting") ?? 0,
            try row?.optionalInteger("oldest").map(Timestamp.init(milliseconds:))
        )
    }

    // MARK: Queueing

    /// How many further messages to this client may wait.
    func room(for client: String, _ connection: any SQLConnection) throws -> Int {
        let waiting = try connection.query(
            "SELECT COUNT(*) AS waiting FROM sign_out_message WHERE client_id = :client AND settled_at IS NULL",
            ["client": .text(client)]
        ).first?.integer("waiting")
        return Self.maximumWaiting - Int(waiting ?? 0)
    }

    /// Queues a message, in the transaction that ends the sessions.
    func add(_ message: QueuedSignOut.New, at now: Timestamp, _ connection: any SQLConnection) throws {
        try connection.execute(
            """
            INSERT INTO sign_out_message (id, kind, client_id, account_id, told_session, created_at, tries, next_try_at)
            VALUES (:id, :kind, :client, :account, :session, :now, 0, :now)
            """,
            [
                "id": .text("evt_" + Base64URL.encode(try randomness.bytes(16))), "kind": .text(message.kind),
                "client": .text(message.clientID), "account": .text(message.accountID),
                "session": .optional(message.toldSession), "now": .timestamp(now),
            ])
    }

    // MARK: Sending

    /// Messages that are due, at most ``parallelPerClient`` of each client, one of each in turn, so that no client delays another:
    /// first those of clients that answer, and first tries before repeated ones. Only reads.
    ///
    /// - Parameters:
    ///   - paused: clients that get no try at this moment.
    ///   - failing: clients whose last try has failed, and when. They take turns by that.
    func due(
        at now: Timestamp, except paused: Set<String>, failing: [String: Timestamp] = [:],
        _ connection: any SQLConnection
    ) throws -> [QueuedSignOut] {
        let isDue = try connection.query(
            "SELECT 1 AS one FROM sign_out_message WHERE settled_at IS NULL AND next_try_at <= :now LIMIT 1",
            ["now": .timestamp(now)])
        guard !isDue.isEmpty else { return [] }
        let underWay = try leased(at: now, connection)
        var places = Places(underWay, failing)
        guard !places.areTaken else { return [] }
        var (found, last): ([Turn], String) = ([], "")
        // One look into the index for each client that has messages.
        while let client = try connection.query(
            "SELECT MIN(client_id) AS client FROM sign_out_message WHERE settled_at IS NULL AND client_id > :last",
            ["last": .text(last)]
        ).first?.optionalText("client") {
            last = client
            let taken = underWay[client, default: 0]
            guard taken < Self.parallelPerClient, !paused.contains(client) else { continue }
            let messages = try connection.query(
                """
                SELECT * FROM sign_out_message
                 WHERE client_id = :client AND settled_at IS NULL AND next_try_at <= :now
                 ORDER BY next_try_at, id LIMIT :free
                """,
                [
                    "client": .text(client), "now": .timestamp(now),
                    "free": .integer(Int64(Self.parallelPerClient - taken)),
                ])
            for (index, row) in messages.enumerated() {
                found.append(Turn(message: try QueuedSignOut(row), number: taken + index, failedAt: failing[client]))
            }
        }
        return found.sorted().map(\.message).filter { places.take($0.clientID) }
    }

    /// Takes messages that were due, as far as nobody else has taken them or their places.
    func take(
        _ found: [QueuedSignOut], at now: Timestamp, failing: [String: Timestamp] = [:], _ connection: any SQLConnection
    ) throws -> [QueuedSignOut] {
        var places = Places(try leased(at: now, connection), failing)
        var taken: [QueuedSignOut] = []
        for message in found where places.hasRoom(for: message.clientID) {
            let rows = try connection.query(
                """
                UPDATE sign_out_message SET tries = tries + 1, leased_until = :lease, next_try_at = :lease
                 WHERE id = :id AND settled_at IS NULL AND next_try_at <= :now RETURNING *
                """, ["id": .text(message.id), "now": .timestamp(now), "lease": .timestamp(now + Self.lease)])
            guard let row = rows.first else { continue }
            taken.append(try QueuedSignOut(row))
            _ = places.take(message.clientID)
        }
        return taken
    }

    /// A message that is due, and its place in the order.
    private struct Turn: Comparable {
        let message: QueuedSignOut
        /// How many messages of the same client come before.
        let number: Int
        let failedAt: Timestamp?

        private var key: (Int, Int, Int64, Int, Timestamp, String) {
            (
                failedAt == nil ? 0 : 1, number, failedAt?.milliseconds ?? 0, message.tries, message.nextTryAt,
                message.id
            )
        }

        static func < (one: Turn, other: Turn) -> Bool { one.key < other.key }
        static func == (one: Turn, other: Turn) -> Bool { one.key == other.key }
    }

    /// The places of messages under way, in all processes.
    private struct Places {
        private var ofClient: [String: Int]
        private var all, ofFailing: Int
        private let failing: [String: Timestamp]

        init(_ underWay: [String: Int], _ failing: [String: Timestamp]) {
            (ofClient, self.failing) = (underWay, failing)
            all = underWay.values.reduce(0, +)
            ofFailing = underWay.reduce(0) { $0 + (failing[$1.key] == nil ? 0 : $1.value) }
        }

        var areTaken: Bool { all >= SignOutQueue.parallel }

        func hasRoom(for client: String) -> Bool {
            !areTaken && ofClient[client, default: 0] < SignOutQueue.parallelPerClient
                && (failing[client] == nil || ofFailing < SignOutQueue.parallelFailing)
        }

        /// - Returns: whether there was one.
        mutating func take(_ client: String) -> Bool {
            guard hasRoom(for: client) else { return false }
            ofClient[client, default: 0] += 1
            all += 1
            if failing[client] != nil { ofFailing += 1 }
            return true
        }
    }

    /// How many messages of each client are under way, in all processes.
    private func leased(at now: Timestamp, _ connection: any SQLConnection) throws -> [String: Int] {
        let rows = try connection.query(
            "SELECT client_id FROM sign_out_message WHERE leased_until IS NOT NULL AND leased_until > :now",
            ["now": .timestamp(now)])
        return Dictionary(try rows.map { (try $0.text("client_id"), 1) }, uniquingKeysWith: +)
    }

    /// Notes that a client has taken a message.
    func deliver(_ id: String, at now: Timestamp, _ connection: any SQLConnection) throws {
        try settle(id, isDelivered: true, error: nil, at: now, connection)
    }

    /// Notes that a message is given up.
    package func giveUp(_ id: String, _ error: String, at now: Timestamp, _ connection: any SQLConnection) throws {
        try settle(id, isDelivered: false, error: error, at: now, connection)
    }

    private func settle(
        _ id: String, isDelivered: Bool, error: String?, at now: Timestamp, _ connection: any SQLConnection
    ) throws {
        try connection.execute(
            """
            UPDATE sign_out_message SET settled_at = :now, is_delivered = :delivered, leased_until = NULL, last_error = :error
             WHERE id = :id AND settled_at IS NULL
            """,
            [
                "id": .text(id), "now": .timestamp(now), "delivered": .integer(isDelivered ? 1 : 0),
                "error": .optional(error),
            ])
    }

    /// Notes that a try has failed.
    func postpone(_ id: String, until next: Timestamp, _ error: String, _ connection: any SQLConnection) throws {
        try connection.execute(
            """
            UPDATE sign_out_message SET next_try_at = :next, leased_until = NULL, last_error = :error
             WHERE id = :id AND settled_at IS NULL
            """, ["id": .text(id), "next": .timestamp(next), "error": .text(error)])
    }

    /// Removes a message that its client does not take.
    func drop(_ id: String, _ connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM sign_out_message WHERE id = :id", ["id": .text(id)])
    }

    // MARK: For operators and receipts

    /// The messages of the last weeks, newest first.
    ///
    /// - Parameters:
    ///   - isWaiting: only those that wait.
    ///   - account: only those about this account, by its id.
    ///   - client: only those to this client.
    package func all(
        isWaiting: Bool, of account: String? = nil, to client: String? = nil, limit: Int,
        _ connection: any SQLConnection
    ) throws -> [QueuedSignOut] {
        try connection.query(
            """
            SELECT * FROM sign_out_message
             WHERE account_id = COALESCE(:account, account_id) AND client_id = COALESCE(:client, client_id)
               \(isWaiting ? "AND settled_at IS NULL" : "")
             ORDER BY created_at DESC, id LIMIT :limit
            """, ["account": .optional(account), "client": .optional(client), "limit": .integer(Int64(limit))]
        ).map(QueuedSignOut.init)
    }

    /// Those that wait or were given up.
    package func undelivered(of client: String?, _ connection: any SQLConnection) throws -> [QueuedSignOut] {
        try connection.query(
            """
            SELECT * FROM sign_out_message WHERE is_delivered = 0 AND client_id = COALESCE(:client, client_id)
             ORDER BY created_at, id LIMIT :limit
            """, ["client": .optional(client), "limit": .integer(Int64(Self.maximumWaiting))]
        ).map(QueuedSignOut.init)
    }

    package func find(_ id: String, _ connection: any SQLConnection) throws -> QueuedSignOut? {
        try connection.query("SELECT * FROM sign_out_message WHERE id = :id", ["id": .text(id)]).first
            .map(QueuedSignOut.init)
    }

    /// Those about an account since a moment.
    package func all(
        of account: String, since: Timestamp, _ connection: any SQLConnection
    ) throws -> [QueuedSignOut] {
        try connection.query(
            """
            SELECT * FROM sign_out_message
             WHERE account_id = :account AND created_at >= :since ORDER BY created_at DESC LIMIT 1000
            """, ["account": .text(account), "since": .timestamp(since)]
        ).map(QueuedSignOut.init)
    }

    /// Tries a message at once. One that was given up begins again, with 24 hours. One that is under way, or delivered, stays
    /// as it is.
    ///
    /// - Returns: whether anything has changed.
    package func retry(_ id: String, at now: Timestamp, _ connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            """
            UPDATE sign_out_message SET next_try_at = :now, settled_at = NULL, is_delivered = 0,
                   retried_at = CASE WHEN settled_at IS NULL THEN retried_at ELSE :now END,
                   tries = CASE WHEN settled_at IS NULL THEN tries ELSE 0 END
             WHERE id = :id AND is_delivered = 0 AND (leased_until IS NULL OR leased_until <= :now)
               AND (settled_at IS NOT NULL OR next_try_at > :now)
            """, ["id": .text(id), "now": .timestamp(now)]) > 0
    }

    /// Deletes rows some time after they were settled.
    func purge(limit: Int, at now: Timestamp, _ connection: any SQLConnection) throws -> Int {
        try connection.execute(
            """
            DELETE FROM sign_out_message WHERE id IN (
                SELECT id FROM sign_out_message WHERE settled_at IS NOT NULL AND settled_at <= :old LIMIT :limit)
            """, ["old": .timestamp(now - Self.kept), "limit": .integer(Int64(limit))])
    }
}

extension QueuedSignOut {
    init(_ row: SQLRow) throws {
        id = try row.text("id")
        kind = try row.text("kind")
        clientID = try row.text("client_id")
        accountID = try row.text("account_id")
        toldSession = try row.optionalText("told_session")
        let created = try row.timestamp("created_at")
        createdAt = created
        endsAt =
            try (row.optionalInteger("retried_at").map { Timestamp(milliseconds: $0) } ?? created)
            + SignOutQueue.longest
        tries = Int(try row.integer("tries"))
        nextTryAt = try row.timestamp("next_try_at")
        lastError = try row.optionalText("last_error")
        let settled = try row.optionalInteger("settled_at").map { Timestamp(milliseconds: $0) }
        let isDelivered = try row.integer("is_delivered") != 0
        state = settled.map { isDelivered ? State.delivered($0) : .givenUp($0) } ?? .waiting
    }
}
