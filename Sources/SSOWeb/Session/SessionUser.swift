public import Storage

/// Whose session it is and where it began, for lists in which a user recognises their own.
public struct SessionUser: Sendable, Equatable {
    /// As the program names its users.
    public let account: String
    /// The kind of device, as the program names it.
    public let device: String
    /// A network that names no household, such as `203.0.113.0/24`; nil where it is not known.
    public let network: String?

    public init(account: String, device: String, network: String?) {
        (self.account, self.device, self.network) = (account, device, network)
    }
}

/// A session of a user in a list.
public struct SessionEntry: Sendable {
    /// The ``Session/handle``.
    public let handle: String
    public let slots: SessionSlots
    /// The kind of device, as the program names it; empty where it is not known.
    public let device: String
    public let network: String?
    /// Whether it is that of an app.
    public let isApp: Bool
    public let createdAt: Timestamp
    public let seenAt: Timestamp
    /// Until when its user asked to stay signed in; nil for any other.
    public let rememberedUntil: Timestamp?

    /// Where the list goes on after this one.
    public var position: SessionPosition { SessionPosition(self) }
}

/// Where a list of sessions goes on: after the one of this handle, which was used last at this moment.
public struct SessionPosition: Sendable, Equatable {
    let seenAt: Timestamp
    let handle: String

    init(_ entry: SessionEntry) { (seenAt, handle) = (entry.seenAt, entry.handle) }

    /// Reads the form of addresses; nil for any other text.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", maxSplits: 1)
        guard parts.count == 2, let milliseconds = Int64(parts[0]) else { return nil }
        (seenAt, handle) = (Timestamp(milliseconds: milliseconds), String(parts[1]))
    }

    /// As in addresses.
    public var text: String { "\(seenAt.milliseconds).\(handle)" }
}

extension SessionStore {
    /// The columns of a program that lists the sessions of a user, for ``schema(adding:)``.
    public static var userColumns: [String] { ["account_id TEXT", "network TEXT"] }

    /// The index of ``userColumns``, for the migrations.
    public static var userIndexes: [String] {
        ["CREATE INDEX session_account ON session (account_id) WHERE account_id IS NOT NULL"]
    }

    /// The number of sessions of signed-in users, apps included. By the index.
    package func userSessions() async throws -> Int64 {
        try await database.read { connection in
            try connection.query("SELECT COUNT(*) AS number FROM session WHERE account_id IS NOT NULL").first?
                .integer("number") ?? 0
        }
    }

    /// Notes whose session it is, in the caller's transaction. The device of an app's session stays.
    public func note(_ user: SessionUser, of handle: String, _ connection: any SQLConnection) throws {
        try connection.execute(
            """
            UPDATE session SET account_id = :account, network = :network, device = COALESCE(device, :device)
             WHERE handle = :handle
            """,
            [
                "account": .text(user.account), "network": .optional(user.network), "device": .text(user.device),
                "handle": .text(handle),
            ])
    }

    /// The sessions of a user that hold, the one used last first.
    ///
    /// - Parameters:
    ///   - limit: more are not read. A user may have made any number of them.
    ///   - position: the last one that was read before; nil to begin.
    public func entries(
        of account: String, limit: Int = 500, after position: SessionPosition? = nil, _ connection: any SQLConnection
    ) throws -> [SessionEntry] {
        try connection.query(
            """
            SELECT \(Self.entryColumns) FROM session
             WHERE account_id = :account AND \(SessionHolds.sql)
               AND (seen_at < :seen OR (seen_at = :seen AND handle > :handle))
             ORDER BY seen_at DESC, handle LIMIT :limit
            """,
            values(at: clock.now()).merging([
                "account": .text(account), "limit": .integer(Int64(limit)),
                "seen": position.map { .timestamp($0.seenAt) } ?? .integer(.max),
                "handle": .text(position?.handle ?? ""),
            ])
        ).map(SessionEntry.init)
    }

    /// The session of a ``Session/handle``, if it holds. It is not prolonged.
    public func entry(_ handle: String, _ connection: any SQLConnection) throws -> SessionEntry? {
        try connection.query(
            "SELECT \(Self.entryColumns) FROM session WHERE handle = :handle AND \(SessionHolds.sql)",
            values(at: clock.now()).merging(["handle": .text(handle)])
        ).first.map(SessionEntry.init)
    }

    /// Ends a session of a user.
    ///
    /// - Returns: false if the user has no such session.
    public func end(handle: String, of account: String, _ connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            "DELETE FROM session WHERE handle = :handle AND account_id = :account",
            ["handle": .text(handle), "account": .text(account)]) > 0
    }

    private static let entryColumns =
        "handle, slots, device, network, owner, created_at, seen_at, expires_at, is_remembered"
}

extension SessionEntry {
    fileprivate init(_ row: SQLRow) throws {
        handle = try row.text("handle")
        slots = SessionSlots(stored: try row.text("slots"))
        device = try row.optionalText("device") ?? ""
        network = try row.optionalText("network")
        isApp = try row.optionalText("owner") != nil
        createdAt = try row.timestamp("created_at")
        seenAt = try row.timestamp("seen_at")
        rememberedUntil = try row.integer("is_remembered") == 0 ? nil : row.timestamp("expires_at")
    }
}
