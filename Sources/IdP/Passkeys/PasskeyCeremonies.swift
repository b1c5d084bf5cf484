import HTTPTypes
import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import SSOShared
import SSOWeb
import Storage
import Synchronization
import WebAuthn

/// Asks browsers for passkeys, and takes what they answer: the options, the challenges, and the checks of WebAuthn.
struct PasskeyCeremonies: Sendable {
    /// The relying party ID.
    let relyingParty: String
    let origin: PublicOrigin
    let sessions: Sessions
    let clock: ServiceClock
    let randomness: any Randomness
    /// Of the requests of a session for new options.
    let options: RateLimit
    /// Of the answers that a session sends. Each costs a change of the session and a whole page.
    let answers: RateLimit

    init(relyingParty: String, _ parts: SharedParts) {
        self.relyingParty = relyingParty
        (origin, sessions) = (parts.origin, parts.sessions)
        (clock, randomness) = (parts.clock, parts.randomness)
        options = RateLimit(60, per: .minutes(1), clock: parts.clock)
        answers = RateLimit(20, per: .minutes(1), clock: parts.clock)
    }

    func id(_ credential: [UInt8]) -> PasskeyID { PasskeyID(relyingParty: relyingParty, credential: credential) }

    /// Counts a request of a session.
    ///
    /// - Throws: ``PublicError`` 429.
    func count(_ session: Session, against limit: RateLimit) throws {
        if let wait = limit.hit(session.id.digest) {
            throw PublicError.tooManyRequests(from: .browser, retryAfter: wait)
        }
    }

    // MARK: Challenges

    func issue(for use: PasskeyChallenges.Use, in slots: inout SessionSlots) throws -> Bool {
        try slots[PasskeyChallenges.self].issue(for: use, at: origin, randomness: randomness, now: clock.now())
    }

    /// A session with a new challenge; nil if it has ended meanwhile.
    func renew(for use: PasskeyChallenges.Use, in session: Session) async throws -> Session? {
        let now = clock.now()
        return try await sessions.store.update(session) { [origin, randomness] slots in
            try slots[PasskeyChallenges.self].renew(for: use, at: origin, randomness: randomness, now: now)
            return true
        }
    }

    /// The challenges that an answer may be for, which stay where they are.
    func open(for use: PasskeyChallenges.Use, in slots: SessionSlots) -> [Ceremony] {
        var challenges = slots[PasskeyChallenges.self]
        return challenges.take(for: use, now: clock.now()).map(ceremony)
    }

    /// Takes out the challenges that an answer may be for, once. Nothing of the answer has been read.
    ///
    /// - Returns: nil if the session has ended meanwhile, or another request has taken them.
    func take(
        for use: PasskeyChallenges.Use, in session: Session
    ) async throws -> (session: Session, open: [Ceremony])? {
        let now = clock.now()
        // The body may run again. The value of its last run is what was committed.
        let taken = Mutex<[PasskeyChallenges.Challenge]>([])
        let updated = try await sessions.store.update(session) { slots in
            let challenges = slots[PasskeyChallenges.self].take(for: use, now: now)
            taken.withLock { $0 = challenges }
            return true
        }
        return updated.map { ($0, taken.withLock { $0 }.map(ceremony)) }
    }

    private func ceremony(_ challenge: PasskeyChallenges.Challenge) -> Ceremony {
        Ceremony(relyingPartyID: relyingParty, origin: challenge.origin, challenge: challenge.bytes)
    }

    // MARK: Options

    /// What the sign-in page asks the browser for; empty without a challenge.
    func requestOptions(_ flow: FlowID?, in slots: SessionSlots) -> String {
        slots[PasskeyChallenges.self].current(for: .signIn(flow)).map { RequestOptions(ceremony($0)).json } ?? ""
    }

    /// What the page asks the browser for that adds a passkey; empty without a challenge.
    func creationOptions(
        for account: Account, handle: [UInt8], excluding passkeys: [Passkey], in slots: SessionSlots
    ) -> String {
        guard let challenge = slots[PasskeyChallenges.self].current(for: .add(to: account.id)) else { return "" }
        return CreationOptions(
            ceremony(challenge), relyingPartyName: origin.host,
            user: .init(handle: handle, name: account.email, displayName: account.name),
            excluding: passkeys.map { .init(id: $0.identity.credential, transports: $0.transports) }
        ).json
    }

    // MARK: What browsers may forget (WebAuthn Level 3, 5.1.10)

    /// A credential that no account has.
    func unknownCredential(_ id: [UInt8]) -> String {
        JSONText.object([.init("rpId", relyingParty), .init("credentialId", Base64URL.encode(id))])
    }

    /// Everything that an account has, and what it is called. A browser hides what is not in the list. Empty for an account that
    /// never asked for a passkey.
    func accepted(of account: Account, _ connection: any SQLConnection) throws -> String {
        guard let handle = try PasskeyStore.handle(of: account.id, connection) else { return "" }
        let passkeys = try PasskeyStore.all(of: account.id, connection)
        return JSONText.object([
            .init("rpId", relyingParty), .init("userId", Base64URL.encode(handle)), .init("name", account.email),
            .init("displayName", account.name),
            .init("allAcceptedCredentialIds", passkeys.map { Base64URL.encode($0.identity.credential) }),
        ])
    }

    // MARK: Answers

    /// Checks an answer against the challenges that were taken out.
    ///
    /// - Parameter check: with one challenge.
    static func verify<Verified>(
        _ ceremonies: [Ceremony], _ check: (Ceremony) throws(WebAuthnError) -> Verified
    ) throws(WebAuthnError) -> Verified {
        for ceremony in ceremonies.dropLast() {
            do throws(WebAuthnError) { return try check(ceremony) } catch {
                guard error == .challengeMismatch else { throw error }
            }
        }
        guard let last = ceremonies.last else { throw .challengeMismatch }
        return try check(last)
    }
}
