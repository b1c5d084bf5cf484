import Hummingbird
import SSOShared
import SSOWeb

/// Owns the beginning of a sign-in: makes the state, has the browser remember it, builds the link. Costs no row.
struct SignInStart: Sendable {
    let settings: RelyingPartySettings
    let cookie: PendingSignInsCookie
    let clock: ServiceClock
    let randomness: any Randomness

    /// A sign-in that could begin, and the address of the IdP to go to for it.
    struct Begun: Sendable {
        let url: String
        let pending: PendingSignIns.Pending
    }

    /// - Parameter isOffer: whether the visitor only sees a link so far.
    func make(returnTo: String, isOffer: Bool = false) throws -> Begun {
        let pending = PendingSignIns.Pending(
            state: Base64URL.encode(try randomness.bytes(32)),
            codeVerifier: try CodeChallenge.makeVerifier(randomness: randomness),
            idp: settings.idp.text, returnTo: returnTo, begunAt: clock.now(), isOffer: isOffer ? true : nil)
        let request = AuthorizeRequest(
            clientID: settings.clientID, redirectURI: settings.redirectURI, state: pending.state,
            codeChallenge: CodeChallenge.s256(pending.codeVerifier))
        return Begun(url: request.url(at: settings.idp.text), pending: pending)
    }

    /// Begins it: from now on this browser may come back with its state.
    func remember(_ begun: Begun, _ request: Request, in response: inout Response) throws {
        var pending = cookie.read(request)
        pending.dropExpired(now: clock.now())
        pending.add(begun.pending)
        try cookie.write(pending, in: &response)
    }
}
