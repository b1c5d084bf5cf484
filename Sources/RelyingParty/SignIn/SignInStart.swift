import Hummingbird
import SSOShared
import SSOWeb

/// Owns the beginning of a sign-in: makes the state, remembers it in the browser's session, builds the link.
struct SignInStart: Sendable {
    let settings: RelyingPartySettings
    let sessions: Sessions<RelyingPartySession>
    let clock: ServiceClock
    let randomness: any Randomness

    /// A sign-in that could begin, and the address of the IdP to go to for it.
    struct Begun: Sendable {
        let url: String
        let pending: PendingSignIns.Pending
    }

    func make(returnTo: String) throws -> Begun {
        let pending = PendingSignIns.Pending(
            state: Base64URL.encode(try randomness.bytes(32)),
            codeVerifier: try CodeChallenge.makeVerifier(randomness: randomness),
            idp: settings.idp.text, returnTo: returnTo, begunAt: clock.now())
        let request = AuthorizeRequest(
            clientID: settings.clientID, redirectURI: settings.redirectURI, state: pending.state,
            codeChallenge: CodeChallenge.s256(pending.codeVerifier))
        return Begun(url: request.url(at: settings.idp.text), pending: pending)
    }

    /// Begins it: from now on this browser may come back with its state. The answer carries the session's cookie.
    func remember(
        _ begun: Begun, _ request: Request, _ context: VisitorContext, in response: inout Response
    ) async throws {
        let session: Session<RelyingPartySession>
        if let current = context.session,
            let updated = try await sessions.store.update(current, { $0.pending.add(begun.pending) })
        {
            session = updated
        } else {
            var slots = RelyingPartySession()
            slots.pending.add(begun.pending)
            session = try await sessions.begin(slots, request, context)
        }
        sessions.remember(session, in: &response)
    }
}
