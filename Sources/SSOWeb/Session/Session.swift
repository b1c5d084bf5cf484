import SSOShared

/// One browser's session as it was read from the store.
public struct Session: Sendable {
    /// Names the session where its cookie must not appear: in other tables, in the answer to a relying party, in logs.
    /// Public, stable for the life of the session, new with every new session id.
    public let handle: String
    /// What form tokens of this browser derive from. Survives a change of the id within one sign-in.
    public let formSeed: String
    /// What features keep in the session, as of the moment it was read.
    public let slots: SessionSlots
    /// When this id was issued. A sign-in issues a new one.
    public let createdAt: Timestamp
    /// Set for the session of an app, which lasts longer.
    public let app: AppSession?
    /// Until when a browser stays signed in whose user asked for it at the sign-in; nil for any other session.
    public let rememberedUntil: Timestamp?
    package let id: SessionID
    let seenAt: Timestamp

    /// The slot of this type, empty where the session has none.
    public subscript<Slot: SessionSlot>(_ type: Slot.Type) -> Slot { slots[type] }
}

/// What a browser's session cookie holds: 32 random bytes. Only its hash is stored, so a leaked database opens no session.
public struct SessionID: Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// 43 base64url characters.
    let cookieValue: String
    /// What is stored in its place, and what limits count by.
    package let digest: [UInt8]
    public var description: String { "<redacted>" }
    public var debugDescription: String { "<redacted>" }

    init(randomness: any Randomness) throws {
        self.init(checked: Base64URL.encode(try randomness.bytes(32)))
    }

    /// The id in a cookie's value; nil when it does not have the shape of the ids issued here.
    init?(cookieValue: some StringProtocol) {
        guard let bytes = Base64URL.decode(cookieValue), bytes.count == 32 else { return nil }
        self.init(checked: String(cookieValue))
    }

    private init(checked text: String) { (cookieValue, digest) = (text, SHA256.hash(text)) }
}

/// How long a session lives. It ends at the earlier of the first two.
public struct SessionLifetime: Sendable {
    /// From its beginning, however much it is used.
    public let absolute: Duration
    /// Since it was last used.
    public let idle: Duration
    /// The end of an app's session, counted from its beginning; nil where the user can see and end it on another device.
    public let appAbsolute: Duration?
    /// From the beginning of a session whose user asked to stay signed in. It has no idle limit. Nil where no user can ask.
    public let remembered: Duration?

    public init(absolute: Duration, idle: Duration, appAbsolute: Duration? = nil, remembered: Duration? = nil) {
        self.absolute = absolute
        self.idle = idle
        self.appAbsolute = appAbsolute
        self.remembered = remembered
    }
}
