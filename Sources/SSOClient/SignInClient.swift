public import Foundation
public import SSOShared

/// A relying party's half of the protocol, for any web framework and any kind of session (docs/protocol.md).
///
/// ``start(returnTo:isOffer:asking:demanding:redirectURI:now:)`` gives the link to the identity provider and a pending sign-in for the
/// browser to keep. ``find(_:in:now:)`` and ``redeem(_:for:used:isSignedIn:now:)`` turn the callback into the user.
public struct SignInClient: Sendable {
    /// The origin of the identity provider, for browsers.
    public let idp: String
    private let clientID: String
    private let redirectURI: String
    private let backChannel: BackChannelClient
    private let randomness: any Randomness

    /// - Parameters:
    ///   - idp: such as `https://idp.example.com`.
    ///   - clientID: as registered at the identity provider.
    ///   - redirectURI: the URL of the callback, exactly as registered.
    public init(
        idp: String, clientID: String, redirectURI: String, backChannel: BackChannelClient,
        randomness: any Randomness = SystemRandomness()
    ) {
        self.idp = idp
        self.clientID = clientID
        self.redirectURI = redirectURI
        self.backChannel = backChannel
        self.randomness = randomness
    }

    /// Starts a sign-in. It counts once the browser keeps `pending`, for example in a ``PendingSignInsCookie``.
    ///
    /// - Parameters:
    ///   - returnTo: the path to return to. Anything but a path on this origin becomes `/`.
    ///   - isOffer: whether the visitor only sees a page with the link.
    ///   - wishes: what the identity provider is asked for. The user's browser can remove it from the link, so the callback
    ///     demands a sign-in after this moment for `prompt=login`, and the age of `max_age`.
    ///   - demand: what the callback demands in addition. A maximum age is also asked for.
    ///   - redirectURI: another registered one, such as that of an app; nil for the usual one. The token counts with this one
    ///     alone.
    public func start(
        returnTo: String?, isOffer: Bool = false, asking wishes: SignInWishes = SignInWishes(),
        demanding demand: SignInDemand = SignInDemand(), redirectURI: String? = nil, now: Date = Date()
    ) throws -> (url: String, pending: PendingSignIn) {
        var (wishes, demand) = (wishes, demand)
        let maxAge = [wishes.maxAge, demand.maximumAge].compactMap { $0 }.min()
        (wishes.maxAge, demand.maximumAge) = (maxAge, maxAge)
        let strength = [wishes.strength, demand.strength].compactMap { $0 }.max()
        (wishes.strength, demand.strength) = (strength, strength)
        let pending = PendingSignIn(
            state: Base64URL.encode(try randomness.bytes(32)),
            codeVerifier: try CodeChallenge.makeVerifier(randomness: randomness), idp: idp,
            returnTo: ReturnPath.checked(returnTo), begunAt: now, isOffer: isOffer, isNew: wishes.prompt == .login,
            demand: demand, redirectURI: redirectURI)
        let request = AuthorizeRequest(
            clientID: clientID, redirectURI: redirectURI ?? self.redirectURI, state: pending.state,
            codeChallenge: CodeChallenge.s256(pending.codeVerifier))
        return (request.url(at: idp, asking: wishes), pending)
    }

    /// The sign-in that a callback belongs to. The state must be one that this browser was given for this identity provider.
    public func find(
        _ callback: SignInCallback, in pending: PendingSignIns, now: Date = Date()
    ) throws(SignInError) -> PendingSignIn {
        guard let found = pending.find(callback.state, now: now), found.idp == idp else { throw .unknownState }
        return found
    }

    /// Uses the state and redeems the token. Whatever follows, the state cannot be used again.
    ///
    /// - Parameters:
    ///   - isSignedIn: whether a user is signed in in this browser. Then the same callback, used before here or on another
    ///     server, leads to the page.
    ///   - now: what the age of the user's sign-in is measured by.
    /// - Returns: the user to sign in, or nil when an earlier callback has done that. Call
    ///   ``UsedStates/noteFailure(_:)`` when signing the user in then fails.
    public func redeem(
        _ callback: SignInCallback, for pending: PendingSignIn, used: some UsedStates, isSignedIn: Bool,
        now: Date = Date()
    ) async throws -> VerifyReply? {
        if case .again(let repeats, let recently, let failed) = try await used.use(
            pending.state, callback: callback.digest(pending))
        {
            guard !failed, repeats, recently || isSignedIn else { throw SignInError.unknownState }
            return nil
        }
        do {
            let reply = try await verify(callback, pending)
            try pending.check(reply.session, now: now)
            return reply
        } catch {
            // If this fails too, a repetition within seconds leads to the page instead of an error.
            try? await used.noteFailure(pending.state)
            throw error
        }
    }

    private func verify(
        _ callback: SignInCallback, _ pending: PendingSignIn
    ) async throws(SignInError) -> VerifyReply {
        if let error = callback.error {
            throw .refused(error, description: callback.errorDescription, returnTo: pending.returnTo)
        }
        guard let token = callback.token else { throw .noToken(returnTo: pending.returnTo) }
        do {
            return try await backChannel.verify(
                token: token, redirectURI: pending.redirectURI ?? redirectURI, codeVerifier: pending.codeVerifier)
        } catch {
            throw .notVerified(error, returnTo: pending.returnTo)
        }
    }
}

/// The query of the callback.
public struct SignInCallback: Sendable {
    /// The state as it was sent.
    public let state: String
    /// nil when there is none, or two.
    let token: String?
    /// The value of `error`, empty when there are two.
    let error: String?
    let errorDescription: String?

    /// - Parameters:
    ///   - values: returns all values of a query parameter, decoded. A parameter given twice is refused.
    ///   - purpose: the values of the request header `Sec-Purpose`. A browser that loads a page ahead of a click must not
    ///     use a state.
    public init(purpose: String? = nil, _ values: (String) -> [String]) throws(SignInError) {
        guard purpose?.lowercased().contains("prefetch") != true else { throw .prefetch }
        func single(_ name: String) -> String? {
            let found = values(name)
            return found.count == 1 && found.first?.isEmpty == false ? found.first : nil
        }
        guard let state = single("state") else { throw .unknownState }
        self.state = state
        token = single("token")
        error = values("error").isEmpty ? nil : single("error") ?? ""
        errorDescription = single("error_description")
    }

    /// What the logs of both sides call this sign-in: `flow` at the identity provider. Not a secret.
    public var logID: String { Base64URL.encode(SHA256.hash(Array(state.utf8)).prefix(9)) }

    /// Tells this callback from any other, after its pending sign-in has gone. Contains none of its secrets.
    public var fingerprint: String {
        let parts = [state, token ?? "", error.map { "error \($0)" } ?? ""]
        return Base64URL.encode(SHA256.hash(parts.map { Array($0.utf8) }.flatMap(SHA256.hash)))
    }

    /// Identifies this callback in this browser. Contains none of its secrets.
    public func digest(_ pending: PendingSignIn) -> [UInt8] {
        SHA256.hash([pending.codeVerifier, state, token ?? ""].map { Array($0.utf8) }.flatMap(SHA256.hash))
    }
}

/// Where a sign-in may lead back to: a path on this origin (RFC 9700 section 4.11.1).
public enum ReturnPath {
    /// The path, or `/` for any text that a browser could read as another place.
    ///
    /// `//evil.example` and `/\evil.example` are other hosts to a browser, and it removes tabs and line ends before it
    /// parses. So only printable ASCII without a backslash is accepted.
    public static func checked(_ text: String?) -> String {
        guard let text, text.utf8.first == UInt8(ascii: "/"), text.utf8.count <= 1024,
            !text.utf8.starts(with: "//".utf8),
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\\") })
        else { return "/" }
        return text
    }

    /// ``SSOPath/start`` with the page to return to.
    public static func start(returnTo path: String) -> String {
        path == "/" ? SSOPath.start : SSOPath.start + "?return_to=" + PercentCoding.encode(path, keeping: "/")
    }
}
