/// What an application keeps in a session. Slots are dropped and kept by name when somebody signs in.
public protocol SessionSlots: Codable, Sendable {
    /// A session with nothing in it.
    init()
}

/// One browser's session as it was read from the store.
public struct Session<Slots: SessionSlots>: Sendable {
    /// Names the session where its cookie must not be named: in other tables, in the answer to a partner, in forms.
    /// Public, stable for the life of the session, new with every new session id.
    public let handle: String
    /// What form tokens of this browser derive from. Survives a change of the id within one sign-in.
    public let formSeed: String
    /// What the program keeps in it, as it was when it was read.
    public let slots: Slots
    /// When this id was given out: signing in begins a new one.
    public let createdAt: Timestamp
    let id: SessionID
    let seenAt: Timestamp
}

/// How long a session lives.
public struct SessionLifetime: Sendable {
    /// From its beginning, whatever happens in it.
    public let absolute: Duration
    /// Since it was last used.
    public let idle: Duration

    /// Sessions end at the earlier of the two.
    public init(absolute: Duration, idle: Duration) {
        self.absolute = absolute
        self.idle = idle
    }
}
