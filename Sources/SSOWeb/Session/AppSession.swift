public import Storage

/// Makes a session that of an app: it lasts 30 days from its last use, without an idle limit, and its cookie outlives the
/// app's process.
///
/// Decided once, at sign-in. A later request cannot turn a browser's session into one: a stolen cookie could be prolonged
/// with a User-Agent otherwise.
public struct AppSession: Sendable, Equatable {
    /// From each use on. A user of an app expects to stay signed in while using it.
    public static let lifetime: Duration = .days(30)
    /// Sessions of one user's apps. More push out the one that was used longest ago: each lasts for weeks.
    public static let maximumPerOwner = 50

    /// Whose session it is, as the program names its users.
    public let owner: String
    /// The kind of device, as the program names it.
    public let device: String

    public init(owner: String, device: String) { (self.owner, self.device) = (owner, device) }
}

/// What a new session consists of.
public struct SessionContent: Sendable {
    public let slots: SessionSlots
    /// Nil for a browser's session.
    public let app: AppSession?
    /// Whether the user of a browser asked to stay signed in. It has no effect where ``SessionLifetime/remembered`` is nil.
    public let isRemembered: Bool

    /// - Parameter isRemembered: no effect for an app, whose session lasts longer in any case.
    public init(_ slots: SessionSlots, app: AppSession? = nil, isRemembered: Bool = false) {
        (self.slots, self.app, self.isRemembered) = (slots, app, isRemembered && app == nil)
    }
}

/// An app's session in a list.
public struct AppSessionEntry: Sendable {
    /// The ``Session/handle``.
    public let handle: String
    /// The kind of device, as the program names it.
    public let device: String
    public let createdAt: Timestamp
    public let seenAt: Timestamp
}

extension SessionStore {
    /// The sessions of a user's apps, newest first.
    public func appSessions(of owner: String, _ connection: any SQLConnection) throws -> [AppSessionEntry] {
        try connection.query(
            """
            SELECT handle, device, created_at, seen_at FROM session
             WHERE owner = :owner AND \(SessionHolds.sql) ORDER BY created_at DESC, handle
            """, values(at: clock.now()).merging(["owner": .text(owner)])
        ).map {
            AppSessionEntry(
                handle: try $0.text("handle"), device: try $0.optionalText("device") ?? "",
                createdAt: try $0.timestamp("created_at"), seenAt: try $0.timestamp("seen_at"))
        }
    }

    /// Ends the sessions of a user's apps beyond the maximum that were used longest ago, but not the one that begins.
    func evictAppSessions(of owner: String, besides handle: String, _ connection: any SQLConnection) throws {
        try connection.execute(
            """
            DELETE FROM session WHERE owner = :owner AND handle <> :handle AND handle NOT IN (
                SELECT handle FROM session WHERE owner = :owner AND handle <> :handle
                 ORDER BY seen_at DESC, created_at DESC, handle LIMIT :others)
            """,
            [
                "owner": .text(owner), "handle": .text(handle),
                "others": .integer(Int64(AppSession.maximumPerOwner - 1)),
            ])
    }

    /// Ends the session of an app of this user.
    ///
    /// - Returns: false if there is no such session of this user.
    public func endAppSession(handle: String, of owner: String, _ connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            "DELETE FROM session WHERE handle = :handle AND owner = :owner",
            ["handle": .text(handle), "owner": .text(owner)]) > 0
    }
}
