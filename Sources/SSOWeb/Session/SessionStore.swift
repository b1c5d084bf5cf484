import Foundation
public import SSOShared

/// Owns the rows of the table `session`: begin, find, update, replace, end. Ids are stored as hashes only, and an id
/// that this store did not make is never adopted.
///
/// Does not know cookies, accounts or pages.
public struct SessionStore<Slots: SessionSlots>: Sendable {
    let database: any Database
    let clock: ServiceClock
    let randomness: any Randomness
    /// How long sessions last.
    public let lifetime: SessionLifetime
    private let visitors: VisitorRows?

    /// A store over the table of ``schema`` and ``visitorSchema`` in `database`.
    ///
    /// - Parameter maximumVisitors: how many rows there may be of visitors who have submitted nothing; nil where a
    ///   visit makes no session.
    public init(
        database: any Database, clock: ServiceClock, randomness: any Randomness, lifetime: SessionLifetime,
        maximumVisitors: Int? = nil
    ) {
        visitors = maximumVisitors.map(VisitorRows.init)
        self.database = database
        self.clock = clock
        self.randomness = randomness
        self.lifetime = lifetime
    }

    /// The table, for the migrations of a program that keeps sessions.
    public static var schema: [String] {
        [
            """
            CREATE TABLE session (
                id_digest BLOB PRIMARY KEY NOT NULL,
                handle TEXT NOT NULL UNIQUE,
                form_seed TEXT NOT NULL,
                slots TEXT NOT NULL,
                created_at BIGINT NOT NULL,
                seen_at BIGINT NOT NULL,
                expires_at BIGINT NOT NULL
            )
            """,
            "CREATE INDEX session_expires_at ON session (expires_at)",
        ]
    }

    /// What was added to the table: whether a form was ever submitted in the session. A process of the version before
    /// names no such column: its rows count as submitted, and are never evicted.
    public static var visitorSchema: [String] {
        [
            "ALTER TABLE session ADD COLUMN submitted INTEGER NOT NULL DEFAULT 1",
            "CREATE INDEX session_visitor ON session (created_at) WHERE submitted = 0",
        ]
    }

    /// A session that is stored nowhere, for a look at a page that would have one.
    func draft() throws -> Session<Slots> { try make(Slots(), formSeed: nil) }

    /// Starts a session. Afterwards its row is durable.
    ///
    /// - Parameter isVisit: whether only a page was looked at. Such a row goes when there are too many, the oldest first:
    ///   what costs a visitor nothing must not fill the disk.
    func begin(_ slots: Slots = Slots(), isVisit: Bool) async throws -> Session<Slots> {
        let session = try make(slots, formSeed: nil)
        let evicting = isVisit ? visitors?.next() : nil
        return try await database.write { connection in
            try insert(session, isVisit: isVisit, connection)
            try evicting?.evict(connection)
            return session
        }
    }

    /// Whether the session is still there: neither replaced nor ended by another request meanwhile, nor expired.
    public func isAlive(_ session: Session<Slots>) async throws -> Bool { try await find(session.id) != nil }

    func find(_ id: SessionID) async throws -> Session<Slots>? {
        let now = clock.now()
        return try await database.read { connection in try row(id, now, connection) }
    }

    /// Changes the slots in one transaction that reads them anew: two tabs at once lose nothing of each other.
    ///
    /// - Returns: the session after the change, or nil if it has ended meanwhile.
    public func update(
        _ session: Session<Slots>, _ change: @escaping @Sendable (inout Slots) -> Void
    ) async throws -> Session<Slots>? {
        let now = clock.now()
        return try await database.write { connection in
            guard let current = try row(session.id, now, connection) else { return nil }
            var slots = current.slots
            change(&slots)
            try save(slots, session.id, now, connection)
            return Session(
                handle: current.handle, formSeed: current.formSeed, slots: slots, createdAt: current.createdAt,
                id: current.id, seenAt: now)
        }
    }

    /// Changes the slots if `change` says so, in one transaction that reads them anew: what works once works once, also
    /// for two requests at the same instant.
    ///
    /// - Returns: what `change` said; false if the session has ended meanwhile.
    public func updateOnce(
        _ session: Session<Slots>, _ change: @escaping @Sendable (inout Slots) -> Bool
    ) async throws -> Bool {
        let now = clock.now()
        return try await database.write { connection in
            guard let current = try row(session.id, now, connection) else { return false }
            var slots = current.slots
            guard change(&slots) else { return false }
            try save(slots, session.id, now, connection)
            return true
        }
    }

    /// Moves a browser to a new session: the old id is dead and the new one durable in the same instant, so that an id
    /// somebody else planted or saw is worth nothing afterwards (session fixation, ASVS 7.2.4).
    ///
    /// - Parameters:
    ///   - keepingForms: whether forms the browser has open stay valid: yes between two steps of one sign-in.
    ///   - change: makes the new session's slots from the old one's, read anew in the same transaction. What it writes
    ///     with the connection stands or falls with the replacement; where it answers nil, nothing is replaced.
    /// - Returns: the new session, or nil if the old one has ended meanwhile: of two replacements at once one wins.
    public func replace(
        _ session: Session<Slots>, keepingForms: Bool = false,
        _ change: @escaping @Sendable (Slots, any SQLConnection) throws -> Slots?
    ) async throws -> Session<Slots>? {
        let now = clock.now()
        let fresh = try make(Slots(), formSeed: keepingForms ? session.formSeed : nil)
        return try await database.write { connection in
            guard let current = try row(session.id, now, connection),
                let slots = try change(current.slots, connection)
            else { return nil }
            try connection.execute("DELETE FROM session WHERE id_digest = :id", ["id": .blob(session.id.digest)])
            let next = Session(
                handle: fresh.handle, formSeed: fresh.formSeed, slots: slots, createdAt: now,
                id: fresh.id, seenAt: now)
            try insert(next, isVisit: false, connection)
            return next
        }
    }

    /// Ends a session. Afterwards nothing that was bound to it holds.
    public func end(_ session: Session<Slots>) async throws {
        try await database.write { connection in
            try connection.execute("DELETE FROM session WHERE id_digest = :id", ["id": .blob(session.id.digest)])
            return
        }
    }

    /// When the newest session began; nil when there is none. By the index: every row expires so long after it was made.
    public func newestRow() async throws -> Timestamp? {
        let latest = try await database.read { connection in
            try connection.query("SELECT MAX(expires_at) AS latest FROM session").first?.optionalInteger("latest")
        }
        return latest.map { Timestamp(milliseconds: $0) - lifetime.absolute }
    }

    /// Notes that the session is in use. Writes at most once a minute: the idle limit needs no more.
    func touch(_ session: Session<Slots>) async throws {
        let now = clock.now()
        guard now - session.seenAt >= .minutes(1) else { return }
        try await database.write { connection in
            try connection.execute(
                "UPDATE session SET seen_at = :now WHERE id_digest = :id AND seen_at < :now",
                ["now": .timestamp(now), "id": .blob(session.id.digest)])
            return
        }
    }

    /// Removes what has ended: at most `limit` rows a call, so that no purge holds up the writers for long.
    ///
    /// Looks for them on a reader, among those old enough to have been idle too long, and lets the writer judge each
    /// again.
    /// - Returns: how many rows went.
    public func purge(limit: Int) async throws -> Int {
        let now = clock.now()
        let ended: [String: SQLValue] = ["now": .timestamp(now), "idle": .timestamp(now - lifetime.idle)]
        let oldest: [String: SQLValue] = [
            "old": .timestamp(now - lifetime.idle + lifetime.absolute), "limit": .integer(Int64(limit)),
        ]
        let ids = try await database.read { connection in
            try connection.query(
                """
                SELECT id_digest FROM session
                 WHERE expires_at <= :old AND (expires_at <= :now OR seen_at <= :idle) LIMIT :limit
                """, ended.merging(oldest) { $1 }
            ).map { try $0.blob("id_digest") }
        }
        guard !ids.isEmpty else { return 0 }
        return try await database.write { connection in
            try ids.reduce(0) { gone, id in
                gone
                    + (try connection.execute(
                        "DELETE FROM session WHERE id_digest = :id AND (expires_at <= :now OR seen_at <= :idle)",
                        ended.merging(["id": .blob(id)]) { $1 }))
            }
        }
    }

    private func make(_ slots: Slots, formSeed: String?) throws -> Session<Slots> {
        let now = clock.now()
        return Session(
            handle: "ses_" + Base64URL.encode(try randomness.bytes(16)),
            formSeed: try formSeed ?? Base64URL.encode(randomness.bytes(32)),
            slots: slots, createdAt: now, id: try SessionID(randomness: randomness), seenAt: now)
    }

    private func row(
        _ id: SessionID, _ now: Timestamp, _ connection: any SQLConnection
    ) throws -> Session<Slots>? {
        // A row from the future was made while the clock was wrong: it does not count until that time is there.
        let rows = try connection.query(
            """
            SELECT handle, form_seed, slots, created_at, seen_at FROM session
             WHERE id_digest = :id AND expires_at > :now AND seen_at > :idle AND created_at <= :skewed
            """,
            [
                "id": .blob(id.digest), "now": .timestamp(now), "idle": .timestamp(now - lifetime.idle),
                "skewed": .timestamp(now + ClockSkew.tolerated),
            ])
        // Slots of another version that cannot be read: whoever holds them signs in anew.
        guard let row = rows.first,
            let slots = try? JSONDecoder().decode(Slots.self, from: Data(try row.text("slots").utf8))
        else { return nil }
        return Session(
            handle: try row.text("handle"), formSeed: try row.text("form_seed"),
            slots: slots,
            createdAt: try row.timestamp("created_at"), id: id, seenAt: try row.timestamp("seen_at"))
    }

    private func insert(_ session: Session<Slots>, isVisit: Bool, _ connection: any SQLConnection) throws {
        try connection.execute(
            """
            INSERT INTO session (id_digest, handle, form_seed, slots, created_at, seen_at, expires_at, submitted)
            VALUES (:id, :handle, :seed, :slots, :created, :created, :expires, :submitted)
            """,
            [
                "id": .blob(session.id.digest), "handle": .text(session.handle), "seed": .text(session.formSeed),
                "slots": .text(try encode(session.slots)), "created": .timestamp(session.createdAt),
                "expires": .timestamp(session.createdAt + lifetime.absolute), "submitted": .integer(isVisit ? 0 : 1),
            ])
    }

    private func save(_ slots: Slots, _ id: SessionID, _ now: Timestamp, _ connection: any SQLConnection) throws {
        try connection.execute(
            "UPDATE session SET slots = :slots, seen_at = :now WHERE id_digest = :id",
            ["slots": .text(try encode(slots)), "now": .timestamp(now), "id": .blob(id.digest)])
    }

    private func encode(_ slots: Slots) throws -> String {
        String(decoding: try JSONEncoder().encode(slots), as: UTF8.self)
    }
}
