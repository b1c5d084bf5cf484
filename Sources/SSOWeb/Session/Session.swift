import SSOShared
import Storage
import Synchronization

/// One browser's session as it was read from the store.
public struct Session: Sendable {
    /// Names the session where its cookie must not appear: in other tables, in the answer to a relying party, in logs.
    /// Public, stable for the life of the session, new with every new session id.
    public let handle: String
    /// What form tokens of this browser derive from. Survives a change of the id within one sign-in.
    public let formSeed: String
    /// What features keep in the session, as of the moment it was read.
    public package(set) var slots: SessionSlots
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

/// What one feature keeps in a browser's session, under a key of its own.
///
/// A slot is read only where it is used. A session written by another version therefore stays valid: a missing slot, or
/// one that cannot be decoded, is an empty slot, and slots with unknown keys are kept as they are.
public protocol SessionSlot: Codable, Sendable {
    /// The slot's name in stored sessions. Never changes.
    static var key: String { get }
    /// Whether the slot survives a sign-in. What is kept from before belongs to a visitor who may be somebody else than
    /// the user who signs in, so the answer is `false` unless the slot holds nothing personal (ASVS 7.2.4).
    static var survivesSignIn: Bool { get }
    /// An empty slot.
    init()
}

/// The slots of one session: `session[Flows.self]`.
public struct SessionSlots: Sendable {
    /// A JSON object, slot by key, as it was read. Empty for none.
    private let stored: String
    /// What was decoded of it. A page asks for the same slot several times.
    private let decoded: DecodedSlots
    /// What was assigned since, by key.
    private var changed: [String: any SessionSlot] = [:]

    /// No slots.
    public init() { self.init(stored: "") }

    /// Slots as they are stored. Text that is not a JSON object holds no slots.
    package init(stored text: String) {
        stored = text == Self.none ? "" : text
        decoded = stored.isEmpty ? .empty : DecodedSlots.known.of(stored)
    }

    /// How a session without slots is stored.
    private static let none = "{}"

    /// The slot of this type. It is empty where the session has none, or one that cannot be decoded.
    public subscript<Slot: SessionSlot>(_ type: Slot.Type) -> Slot {
        get {
            if let slot = changed[Slot.key] as? Slot { return slot }
            // A visitor's session has none.
            if stored.isEmpty { return Slot() }
            return decoded.slot(type) {
                value(type, under: Slot.key) ?? Slot()
            }
        }
        set { changed[Slot.key] = newValue }
    }

    /// The value under a key. Nil where the session lacks it, or where it cannot be decoded.
    private func value<Value: Decodable>(_ type: Value.Type, under key: String) -> Value? {
        guard let node = decoded.root(of: stored)?[key] else { return nil }
        return try? JSONNodeDecoder(node).decode(type)
    }

    /// The slots that survive a sign-in.
    ///
    /// - Parameter known: every slot of the program. A key that is not among them does not survive.
    public func survivingSignIn(_ known: [any SessionSlot.Type]) -> SessionSlots {
        var result = SessionSlots()
        for type in known where type.survivesSignIn { result.copy(type, from: self) }
        return result
    }

    private mutating func copy<Slot: SessionSlot>(_ type: Slot.Type, from other: SessionSlots) {
        self[type] = other[type]
    }

    /// All slots as one JSON object, for the store. Those that were not assigned keep their text.
    package func encoded() -> String {
        guard !changed.isEmpty else { return stored.isEmpty ? Self.none : stored }
        let writer = JSONTextWriter(reserving: stored.utf8.count + 512)
        var isFirst = true
        func next() {
            writer.raw(isFirst ? "{".utf8 : ",".utf8)
            isFirst = false
        }
        if !stored.isEmpty {
            decoded.eachMember(of: stored) { member, text in
                guard changed[member.key] == nil else { return }
                next()
                writer.raw(member.key, text)
            }
        }
        for (key, slot) in changed.sorted(by: { $0.key < $1.key }) {
            next()
            writer.slot(key, slot)
        }
        writer.raw("}".utf8)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension SessionSlots {
    /// The stored text without the slots that name an address.
    func without(_ address: String) -> String {
        let search = AddressSearch(address)
        let writer = JSONTextWriter(reserving: stored.utf8.count)
        decoded.eachMember(of: stored) { member, bytes in
            guard !search.finds(in: member.value) else { return }
            writer.raw(writer.bytes.isEmpty ? "{".utf8 : ",".utf8)
            writer.raw(member.key, bytes)
        }
        writer.raw(writer.bytes.isEmpty ? "{}".utf8 : "}".utf8)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension JSONTextWriter {
    /// Writes a slot. The slots are plain values of ours: encoding one cannot fail. If it did, the slot would be empty.
    fileprivate func slot<Slot: SessionSlot>(_ key: String, _ slot: Slot) {
        raw(key, [])
        do { try value(slot) } catch { raw("{}".utf8) }
    }
}

/// What was read of one stored text, and the slots that were decoded from it, by key. Copies of the slots share them: the text
/// never changes.
private final class DecodedSlots: Sendable {
    static let empty = DecodedSlots()
    static let known = RecentSlots()

    private struct State {
        var text: [UInt8] = []
        var root: JSONNode?
        var isRead = false
        var slots: [String: any SessionSlot] = [:]
    }

    private let state = Mutex(State())

    /// The JSON of the text; nil if it is not JSON. The text is read once.
    func root(of text: String) -> JSONNode? { state.withLock { Self.read(text, &$0).root } }

    /// Calls `body` with each slot and its text.
    func eachMember(of text: String, _ body: (JSONMember, ArraySlice<UInt8>) -> Void) {
        let read = state.withLock { Self.read(text, &$0) }
        for member in read.root?.object ?? [] { body(member, read.text[member.value.range]) }
    }

    private static func read(_ text: String, _ state: inout State) -> (root: JSONNode?, text: [UInt8]) {
        if !state.isRead {
            state.text = Array(text.utf8)
            // The strict reader is the quick one. It refuses an escaped NUL, which a name from elsewhere may contain.
            if let root = try? JSONReader.readStrictly(state.text) {
                state.root = root
            } else {
                let document = JSONReader.read(state.text)
                (state.root, state.text) = (document.root, document.text)
            }
            state.isRead = true
        }
        return (state.root, state.text)
    }

    func slot<Slot: SessionSlot>(_ type: Slot.Type, decoding decode: () -> Slot) -> Slot {
        if let slot = state.withLock({ $0.slots[Slot.key] as? Slot }) { return slot }
        let slot = decode()
        state.withLock { $0.slots[Slot.key] = slot }
        return slot
    }
}

/// What was decoded of the texts that were read last. A session that is in use says the same at each request, and decoding it costs more
/// than reading its row.
private final class RecentSlots: Sendable {
    /// Longer texts, as of visitors on their way, change with each step.
    private static let longest = 1024
    private static let maximumCount = 512

    private let known = Mutex<[String: DecodedSlots]>([:])

    func of(_ text: String) -> DecodedSlots {
        guard text.utf8.count <= Self.longest else { return DecodedSlots() }
        return known.withLock { known in
            if let decoded = known[text] { return decoded }
            if known.count >= Self.maximumCount { known = [:] }
            let new = DecodedSlots()
            known[text] = new
            return new
        }
    }
}
