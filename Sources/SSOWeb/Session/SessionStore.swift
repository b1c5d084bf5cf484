public import SSOShared
public import Storage

/// Owns the rows of the table `session`: begin, find, update, replace, end. Ids are stored as hashes only, and an id
/// that this store did not make is never adopted.
///
/// Does not know cookies, accounts or pages.
public struct SessionStore: Sendable {
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

    /// A session that is stored nowhere, for a look at a page that would have one.
    func draft() throws -> Session { try make(SessionSlots(), formSeed: nil) }

    /// Starts a session. Afterwards its row is durable.
    ///
    /// - Parameter isVisit: whether only a page was looked at. Such a row goes when there are too many, the oldest first:
    ///   what costs a visitor nothing must not fill the disk.
    func begin(_ slots: SessionSlots = SessionSlots(), isVisit: Bool) async throws -> Session {
        let session = try make(slots, formSeed: nil)
        let evicting = isVisit ? visitors?.next() : nil
        return try await database.write { connection in
            try insert(session, isVisit: isVisit, connection)
            try evicting?.evict(connection)
            return session
        }
    }

    /// Whether the session is still there: neither replaced nor ended by another request meanwhile, nor expired.
    public func isAlive(_ session: Session) async throws -> Bool { try await find(session.id) != nil }

    /// The same by the ``Session/handle``, in the caller's transaction.
    public func isAlive(handle: String, _ connection: any SQLConnection) throws -> Bool {
        let now = clock.now()
        return try !connection.query(Self.alive, values(at: now).merging(["handle": .text(handle)])).isEmpty
    }

    private static let alive = """
        SELECT handle FROM session
         WHERE handle = :handle AND \(SessionHolds.sql)
        """

    /// The session of an id, which is not touched.
    package func find(_ id: SessionID) async throws -> Session? {
        let now = clock.now()
        if let found = try database.readAtOnce({ try row(id, now, $0) }) { return found }
        return try await database.read { connection in try row(id, now, connection) }
    }

    /// The session of an id if it is a user's, in the caller's transaction. The slots of a visitor, which may be long, are not
    /// read.
    package func find(ofUser id: SessionID, _ connection: any SQLConnection) throws -> Session? {
        try row(id, clock.now(), connection, by: Self.byIDOfUser)
    }

    /// The session as it is now, in the caller's transaction: another request of the browser may have changed it since it was
    /// read. Nil if it has been replaced or has ended meanwhile.
    public func current(_ session: Session, _ connection: any SQLConnection) throws -> Session? {
        try row(session.id, clock.now(), connection)
    }

    /// The session of an id, in the caller's transaction, while its use need not be noted.
    package func find(inUse id: SessionID, _ connection: any SQLConnection) throws -> Session? {
        try row(id, clock.now(), connection).flatMap { isTouchDue($0) ? nil : $0 }
    }

    /// The session of an id, in the caller's transaction, which also notes that it is in use.
    public func find(touching id: SessionID, _ connection: any SQLConnection) throws -> Session? {
        let session = try row(id, clock.now(), connection)
        if let session { try touch(session, connection) }
        return session
    }

    /// Changes the slots in one transaction that reads them again: two tabs at once lose nothing of each other.
    ///
    /// - Parameter change: returns whether to save. What can happen once happens once, also for two requests at the same
    ///   instant, when `change` checks it.
    /// - Returns: the session after the change; nil if it has ended meanwhile, or `change` returned false.
    public func update(
        _ session: Session, _ change: @escaping @Sendable (inout SessionSlots) throws -> Bool
    ) async throws -> Session? {
        try await database.write { connection in try update(session.id, change, connection) }
    }

    /// Changes the slots together with other rows: both or neither. The session keeps its id and its end.
    ///
    /// - Parameter change: what it writes with the connection stands or falls with the slots. It returns whether to save.
    /// - Returns: the session after the change; nil if it has ended meanwhile, or `change` returned false.
    public func update(
        _ session: Session, with change: @escaping @Sendable (inout SessionSlots, any SQLConnection) throws -> Bool
    ) async throws -> Session? {
        try await database.write { connection in
            guard let current = try row(session.id, clock.now(), connection) else { return nil }
            var slots = current.slots
            guard try change(&slots, connection) else { return nil }
            return try update(
                current,
                {
                    $0 = slots
                    return true
                }, connection)
        }
    }

    private func update(
        _ id: SessionID, _ change: (inout SessionSlots) throws -> Bool, _ connection: any SQLConnection
    ) throws -> Session? {
        let now = clock.now()
        guard let current = try row(id, now, connection) else { return nil }
        return try update(current, change, connection)
    }

    /// Changes the slots of a session that was read in the same transaction.
    public func update(
        _ current: Session, _ change: (inout SessionSlots) throws -> Bool, _ connection: any SQLConnection
    ) throws -> Session? {
        let now = clock.now()
        var slots = current.slots
        guard try change(&slots) else { return nil }
        try connection.execute(
            "UPDATE session SET slots = :slots, seen_at = :now WHERE id_digest = :id",
            ["slots": .text(slots.encoded()), "now": .timestamp(now), "id": .blob(current.id.digest)])
        return Session(
            handle: current.handle, formSeed: current.formSeed, slots: slots, createdAt: current.createdAt,
            app: current.app, rememberedUntil: current.rememberedUntil, id: current.id, seenAt: now)
    }

    /// Moves a browser to a new session: the old id is dead and the new one durable in the same instant, so that an id
    /// somebody else planted or saw is worth nothing afterwards (session fixation, ASVS 7.2.4).
    ///
    /// - Parameters:
    ///   - change: makes the new session's slots from the old one's, read again in the same transaction. What it writes
    ///     with the connection stands or falls with the replacement; where it answers nil, nothing is replaced.
    /// - Returns: the new session, or nil if the old one has ended meanwhile: of two replacements at once one wins.
    public func replace(
        _ session: Session,
        _ change: @escaping @Sendable (SessionSlots, any SQLConnection) throws -> SessionSlots?
    ) async throws -> Session? {
        try await replace(session) { old, connection in
            try change(old, connection).map { SessionContent($0) }
        }
    }

    /// As ``replace(_:_:)``, for a sign-in that also decides whether the session is that of an app.
    ///
    /// - Parameters:
    ///   - session: nil for a browser without a session: a new one begins, if `change` makes one.
    ///   - keepingForms: whether forms the browser has open stay valid: yes between two steps of one sign-in.
    ///   - finish: writes, in the same transaction, what names the new session by its handle.
    public func replace(
        _ session: Session?, keepingForms: Bool = false,
        with change: @escaping @Sendable (SessionSlots, any SQLConnection) throws -> SessionContent?,
        then finish: @escaping @Sendable (Session, any SQLConnection) throws -> Void = { _, _ in }
    ) async throws -> Session? {
        let now = clock.now()
        let fresh = try make(SessionSlots(), formSeed: keepingForms ? session?.formSeed : nil)
        return try await database.write { connection in
            var old = SessionSlots()
            if let session {
                guard let current = try row(session.id, now, connection) else { return nil }
                old = current.slots
            }
            guard let content = try change(old, connection) else { return nil }
            if let session { try end(session, connection) }
            let next = Session(
                handle: fresh.handle, formSeed: fresh.formSeed, slots: content.slots, createdAt: now, app: content.app,
                rememberedUntil: content.isRemembered ? lifetime.remembered.map { now + $0 } : nil, id: fresh.id,
                seenAt: now)
            try insert(next, isVisit: false, connection)
            if let app = next.app { try evictAppSessions(of: app.owner, besides: next.handle, connection) }
            try finish(next, connection)
            return next
        }
    }

    /// Ends a session. Afterwards nothing that was bound to it holds.
    public func end(_ session: Session) async throws {
        try await database.write { connection in try end(session, connection) }
    }

    /// As ``end(_:)``, in the caller's transaction.
    public func end(_ session: Session, _ connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM session WHERE id_digest = :id", ["id": .blob(session.id.digest)])
    }

    /// Removes every slot that names an address, in the caller's transaction: that of a user who is erased, which a visitor has
    /// typed or a client has sent. The sessions go on. It reads all of them, so it is for what happens rarely.
    package static func forget(_ address: String, _ connection: any SQLConnection) throws {
        // What JSON or a URL may have escaped, and what LIKE reads as a pattern, matches anything here.
        let isPlain: (UInt8) -> Bool = { $0.isASCIILetter || $0.isASCIIDigit || ".-".utf8.contains($0) }
        let pattern = address.lowercased().utf8.map { isPlain($0) ? String(UnicodeScalar($0)) : "%" }.joined()
        let rows = try connection.query(
            "SELECT id_digest, slots FROM session WHERE LOWER(slots) LIKE :pattern",
            ["pattern": .text("%\(pattern)%")])
        for row in rows {
            let stored = try row.text("slots")
            let kept = SessionSlots(stored: stored).without(address)
            guard kept != stored else { continue }
            try connection.execute(
                "UPDATE session SET slots = :slots WHERE id_digest = :id",
                ["slots": .text(kept), "id": .blob(try row.blob("id_digest"))])
        }
    }

    /// When the newest session of a browser began; nil without one. By the index.
    public func newestRow() async throws -> Timestamp? {
        try await database.read { connection in
            try connection.query(
                "SELECT created_at FROM session WHERE owner IS NULL ORDER BY created_at DESC LIMIT 1"
            ).first?.timestamp("created_at")
        }
    }

    /// Notes that the session is in use. Writes at most once per minute: the idle limit needs no more.
    func touch(_ session: Session) async throws {
        guard isTouchDue(session) else { return }
        try await database.write { try touch(session, $0) }
    }

    private func touch(_ session: Session, _ connection: any SQLConnection) throws {
        guard isTouchDue(session) else { return }
        let rolling = clock.now() + AppSession.lifetime
        try connection.execute(
            """
            UPDATE session SET seen_at = :now,
                   expires_at = CASE WHEN owner IS NULL THEN expires_at ELSE :rolling END
             WHERE id_digest = :id AND seen_at < :now
            """,
            [
                "now": .timestamp(clock.now()),
                "rolling": .timestamp(lifetime.appAbsolute.map { min(rolling, session.createdAt + $0) } ?? rolling),
                "id": .blob(session.id.digest),
            ])
    }

    /// Notes that the session of a browser is in use, by its ``Session/handle``, where only the use of it by another service shows
    /// that. Writes at most once per minute.
    package func touch(handle: String, seenAt: Timestamp) async throws {
        let now = clock.now()
        guard now - seenAt >= .minutes(1) else { return }
        try await database.write { connection in
            try connection.execute(
                "UPDATE session SET seen_at = :now WHERE handle = :handle AND seen_at <= :seen AND owner IS NULL",
                ["now": .timestamp(now), "handle": .text(handle), "seen": .timestamp(seenAt)])
        }
    }

    func isTouchDue(_ session: Session) -> Bool { clock.now() - session.seenAt >= .minutes(1) }

    /// Removes what has ended: at most `limit` rows a call, so that no purge holds up the writers for long.
    ///
    /// Looks for them on a reader, among those old enough to have been idle too long, and lets the writer judge each
    /// again.
    /// - Returns: how many rows went.
    public func purge(limit: Int) async throws -> Int {
        let now = clock.now()
        let ended: SQLArguments = ["now": .timestamp(now), "idle": .timestamp(now - lifetime.idle)]
        let oldest: SQLArguments = [
            "old": .timestamp(now - lifetime.idle + lifetime.absolute), "limit": .integer(Int64(limit)),
        ]
        let ids = try await database.read { connection in
            try connection.query(
                """
                SELECT id_digest FROM session
                 WHERE expires_at <= :old
                   AND (expires_at <= :now OR (owner IS NULL AND is_remembered = 0 AND seen_at <= :idle)) LIMIT :limit
                """, ended.merging(oldest)
            ).map { try $0.blob("id_digest") }
        }
        guard !ids.isEmpty else { return 0 }
        return try await database.write { connection in
            try ids.reduce(0) { gone, id in
                gone
                    + (try connection.execute(
                        """
                        DELETE FROM session
                         WHERE id_digest = :id
                           AND (expires_at <= :now OR (owner IS NULL AND is_remembered = 0 AND seen_at <= :idle))
                        """,
                        ended.merging(["id": .blob(id)])))
            }
        }
    }

    private func make(_ slots: SessionSlots, formSeed: String?) throws -> Session {
        let now = clock.now()
        return Session(
            handle: "ses_" + Base64URL.encode(try randomness.bytes(16)),
            formSeed: try formSeed ?? Base64URL.encode(randomness.bytes(32)),
            slots: slots, createdAt: now, app: nil, rememberedUntil: nil, id: try SessionID(randomness: randomness),
            seenAt: now)
    }

    func row(
        _ id: SessionID, _ now: Timestamp, _ connection: any SQLConnection, by sql: String = Self.byID
    ) throws -> Session? {
        var values = SessionHolds.values(at: now, lifetime, further: 1)
        values.append("id", .blob(id.digest))
        let rows = try connection.query(sql, values)
        guard let row = rows.first else { return nil }
        return Session(
            handle: try row.text("handle"), formSeed: try row.text("form_seed"),
            slots: SessionSlots(stored: try row.text("slots")),
            createdAt: try row.timestamp("created_at"),
            app: try row.optionalText("owner").map {
                AppSession(owner: $0, device: try row.optionalText("device") ?? "")
            },
            rememberedUntil: try row.integer("is_remembered") == 0 ? nil : row.timestamp("expires_at"), id: id,
            seenAt: try row.timestamp("seen_at"))
    }

    private static let byID = """
        SELECT handle, form_seed, slots, created_at, seen_at, expires_at, is_remembered, owner, device
          FROM session
         WHERE id_digest = :id AND \(SessionHolds.sql)
        """

    private static let byIDOfUser = "\(byID) AND account_id IS NOT NULL"

    func values(at now: Timestamp) -> SQLArguments { SessionHolds.values(at: now, lifetime) }

    private func insert(_ session: Session, isVisit: Bool, _ connection: any SQLConnection) throws {
        try connection.execute(
            """
            INSERT INTO session (id_digest, handle, form_seed, slots, created_at, seen_at, expires_at, submitted,
                                 is_remembered, owner, device)
            VALUES (:id, :handle, :seed, :slots, :created, :created, :expires, :submitted, :remembered, :owner, :device)
            """,
            [
                "id": .blob(session.id.digest), "handle": .text(session.handle), "seed": .text(session.formSeed),
                "slots": .text(session.slots.encoded()), "created": .timestamp(session.createdAt),
                "expires": .timestamp(
                    session.rememberedUntil
                        ?? session.createdAt + (session.app == nil ? lifetime.absolute : AppSession.lifetime)),
                "submitted": .integer(isVisit ? 0 : 1),
                "remembered": .integer(session.rememberedUntil == nil ? 0 : 1),
                "owner": .optional(session.app?.owner),
                "device": .optional(session.app?.device),
            ])
    }
}
