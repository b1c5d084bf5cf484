import SSOShared
import SSOWeb

/// Owns the beginning of a sign-in: makes the state, remembers it in the browser's session, builds the link.
struct SignInStart: Sendable {
    let settings: RelyingPartySettings
    let sessions: Sessions<RelyingPartySession>
    let clock: ServiceClock
    let randomness: any Randomness

    /// - Parameter session: the browser's, or nil for its first visit.
    /// - Returns: the address of the IdP to go to, and the session whose cookie the answer must carry.
    func begin(
        _ session: Session<RelyingPartySession>?, returnTo: String
    ) async throws -> (url: String, session: Session<RelyingPartySession>) {
        let pending = PendingSignIns.Pending(
            state: Base64URL.encode(try randomness.bytes(32)),
            codeVerifier: try CodeChallenge.makeVerifier(randomness: randomness),
            idp: settings.idp.text, returnTo: returnTo, begunAt: clock.now())
        let request = AuthorizeRequest(
            clientID: settings.clientID, redirectURI: settings.redirectURI, state: pending.state,
            codeChallenge: CodeChallenge.s256(pending.codeVerifier))
        return (request.url(at: settings.idp.text), try await remember(pending, in: session))
    }

    private func remember(
        _ pending: PendingSignIns.Pending, in session: Session<RelyingPartySession>?
    ) async throws -> Session<RelyingPartySession> {
        if let session, let updated = try await sessions.store.update(session, { $0.pending.add(pending) }) {
            return updated
        }
        var slots = RelyingPartySession()
        slots.pending.add(pending)
        return try await sessions.store.begin(slots)
    }
}
