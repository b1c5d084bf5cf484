public import Foundation
public import SSOShared

/// A sign-in that a browser has started.
public struct PendingSignIn: Codable, Sendable {
    /// The one-time value that ties the callback to this browser.
    public let state: String
    /// Proves on the back channel that the token was issued for this sign-in (RFC 7636).
    public let codeVerifier: String
    /// The identity provider that it was started at. An answer counts only from there (mix-up, RFC 9700 section 4.4).
    public let idp: String
    /// The page to return to, a ``ReturnPath``.
    public let returnTo: String
    /// Where the token is sent to, if it is not the usual redirect URI of the ``SignInClient``.
    let redirectURI: String?
    /// Milliseconds since 1970.
    let begunAt: Int64
    /// Whether the visitor has, as far as is known, only seen a page with the link. nil means no.
    let isOffer: Bool?
    /// Whether the user has to sign in after the beginning. nil means no.
    let isNew: Bool?
    /// How many seconds ago the user may have signed in at the callback. nil accepts any sign-in.
    let maximumAge: Int?
    /// The accepted sign-in methods. nil accepts any.
    let methods: [String]?
    /// The strength that the sign-in must have at least. nil accepts any.
    let strength: Strength?

    /// - Parameters:
    ///   - isNew: whether only a sign-in after `begunAt` is accepted.
    ///   - demand: what the sign-in must be, in whole seconds.
    ///   - redirectURI: where the token is sent to; nil for the redirect URI of the ``SignInClient``.
    public init(
        state: String, codeVerifier: String, idp: String, returnTo: String, begunAt: Date, isOffer: Bool = false,
        isNew: Bool = false, demand: SignInDemand = SignInDemand(), redirectURI: String? = nil
    ) {
        self.state = state
        self.codeVerifier = codeVerifier
        self.idp = idp
        self.returnTo = returnTo
        self.redirectURI = redirectURI
        self.begunAt = begunAt.milliseconds
        self.isOffer = isOffer ? true : nil
        self.isNew = isNew ? true : nil
        maximumAge = demand.maximumAge.map { Int($0.components.seconds) }
        methods = demand.methods.isEmpty ? nil : demand.methods
        strength = demand.strength
    }

    /// A sign-in from the future was started while the clock was wrong, and would live too long.
    fileprivate func isAlive(_ now: Date) -> Bool {
        now.milliseconds - begunAt < PendingSignIns.lifetime.milliseconds
            && begunAt <= now.milliseconds + PendingSignIns.toleratedSkew.milliseconds
    }
}

/// The sign-ins that one browser has started. Each state is good for ten minutes and for one callback. There are at most
/// eight, so that several tabs can sign in side by side.
///
/// The state separates an answer to this browser's request from one that an attacker sent it (login CSRF, RFC 9700
/// section 4.7).
public struct PendingSignIns: Codable, Sendable {
    /// How long a user may take to sign in.
    public static let lifetime: Duration = .seconds(600)
    /// How far the clocks of two servers of one relying party may differ.
    public static let toleratedSkew: Duration = .seconds(120)
    /// One more replaces the oldest.
    public static let maximumCount = 8

    /// Oldest first.
    public private(set) var open: [PendingSignIn] = []
    /// The last ones that succeeded, so that reloading the callback leads to the page and not to an error.
    private(set) var finished: [Finished] = []

    public init() {}

    /// What remains of a finished sign-in.
    struct Finished: Codable, Sendable {
        let state: String
        let returnTo: String
        /// The ``SignInCallback/fingerprint`` of what signed the user in.
        let callback: String
    }

    /// Adds a sign-in. Of more than eight, one is removed.
    public mutating func add(_ pending: PendingSignIn) {
        open.append(pending)
        while open.count > Self.maximumCount { dropOne() }
    }

    /// Removes the oldest offer, or the oldest of all when there is no offer: viewing a page ten times must not end the
    /// sign-in in another tab. Never removes the newest.
    mutating func dropOne() {
        guard open.count > 1 else { return }
        open.remove(at: open.dropLast().firstIndex { $0.isOffer == true } ?? 0)
    }

    /// The sign-in of this state, if it is open and not too old. Compares bytes in constant time.
    public func find(_ state: String, now: Date) -> PendingSignIn? {
        open.first { ConstantTime.equal($0.state, state) && $0.isAlive(now) }
    }

    /// Removes an open sign-in.
    public mutating func remove(_ state: String) { open.removeAll { ConstantTime.equal($0.state, state) } }

    /// Records where the callback of a successful sign-in led.
    public mutating func finish(_ pending: PendingSignIn, by callback: SignInCallback) {
        let done = Finished(state: pending.state, returnTo: pending.returnTo, callback: callback.fingerprint)
        finished = Array((finished + [done]).suffix(Self.maximumCount))
    }

    /// Call when another user signs in.
    public mutating func forgetFinished() { finished = [] }

    /// Where this callback led when it succeeded. The same state with another token has led nowhere.
    public func finishedReturnTo(_ callback: SignInCallback) -> String? {
        let fingerprint = callback.fingerprint
        return finished.first { done in
            ConstantTime.equal(done.callback, fingerprint)
        }?.returnTo
    }
}

extension PendingSignIns {
    private enum Key: String, CodingKey { case open, finished }

    /// Accepts the data of another version: missing lists are empty, and unreadable entries are left out.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: Key.self)
        open = try fields.decodeIfPresent([Readable<PendingSignIn>].self, forKey: .open)?.compactMap(\.value) ?? []
        finished =
            try fields.decodeIfPresent([Readable<Finished>].self, forKey: .finished)?.compactMap(\.value) ?? []
    }

    private struct Readable<Value: Decodable>: Decodable {
        let value: Value?
        init(from decoder: any Decoder) throws { value = try? Value(from: decoder) }
    }
}

/// Keeps pending sign-ins in cookies, encrypted and authenticated, so that a visitor who has not signed in costs the server no row.
///
/// Each sign-in has a cookie of its own, named by its state. With one cookie for all, two tabs that start at the same moment would
/// each overwrite the other's.
///
/// The holder of the cookies can replay them, but can neither read nor change them. ``UsedStates`` ensures that a state works
/// once.
public struct PendingSignInsCookie: Sendable {
    /// All of them together. Proxies refuse requests with long heads.
    static let maximumBytes = 4000
    private let box: SealedBox

    public init(keys: DerivedKeys, randomness: any Randomness = SystemRandomness()) {
        box = SealedBox(keys: keys, label: "pending-sign-ins", randomness: randomness)
    }

    /// How the name of the cookie with this state ends.
    public static func id(of state: String) -> String { Base64URL.encode(SHA256.hash(Array(state.utf8)).prefix(6)) }

    /// The sign-in in a cookie's value. A missing, forged or damaged value holds none.
    public func read(_ value: (some StringProtocol)?) -> PendingSignIns {
        guard let value, value.utf8.count <= Self.maximumBytes, let bytes = Base64URL.decode(value).flatMap(box.open),
            let pending = try? JSONDecoder().decode(PendingSignIns.self, from: Data(bytes))
        else { return PendingSignIns() }
        return pending
    }

    /// What to set after a sign-in has started: its own cookie, base64url, and nil for each one to remove.
    ///
    /// Those that cannot be read or have expired are removed, and then one after the other until the rest fits: of more than eight,
    /// and with long return paths of fewer.
    ///
    /// - Parameters:
    ///   - fields: the `Cookie` fields of the request.
    ///   - prefix: how the names of these cookies begin.
    public func changes(
        adding started: PendingSignIn, to fields: [String], prefix: String, now: Date = Date()
    ) throws -> [(id: String, value: String?)] {
        let own = (id: Self.id(of: started.state), value: Optional(try sealed(started)))
        var sizes = [own.id: own.value?.utf8.count ?? 0]
        var (kept, sent) = ([PendingSignIn](), Set<String>())
        for pair in fields.flatMap({ $0.split(separator: ";") }) {
            let pair = pair.drop { $0 == " " }
            guard pair.hasPrefix(prefix), let equals = pair.firstIndex(of: "=") else { continue }
            let (id, value) = (String(pair[..<equals].dropFirst(prefix.count)), pair[pair.index(after: equals)...])
            guard sent.insert(id).inserted, let pending = read(value).open.first, pending.isAlive(now),
                id == Self.id(of: pending.state)
            else { continue }
            kept.append(pending)
            sizes[id] = value.utf8.count
        }
        var pending = PendingSignIns()
        for one in kept.sorted(by: { $0.begunAt < $1.begunAt }) + [started] { pending.add(one) }
        func bytes() -> Int {
            pending.open.reduce(0) { $0 + prefix.utf8.count + 9 + (sizes[Self.id(of: $1.state)] ?? 0) }
        }
        while bytes() > Self.maximumBytes, pending.open.count > 1 { pending.dropOne() }
        let gone = sent.subtracting(pending.open.map { Self.id(of: $0.state) })
        return gone.sorted().map { ($0, nil) } + [own]
    }

    private func sealed(_ started: PendingSignIn) throws -> String {
        var pending = PendingSignIns()
        pending.add(started)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return Base64URL.encode(try box.seal(Array(encoder.encode(pending))))
    }
}

extension Date {
    /// Whole milliseconds since 1970.
    var milliseconds: Int64 { Int64((timeIntervalSince1970 * 1000).rounded()) }
}

extension Duration {
    fileprivate var milliseconds: Int64 { Int64(self / .milliseconds(1)) }
}
