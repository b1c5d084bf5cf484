import HTTPTypes
package import Hummingbird
package import IdPAccounts
package import IdPClients
import Logging
import SSOShared
package import SSOWeb
package import Storage

/// The end of every sign-in method: changes the session id, keeps only the slots that survive a sign-in, and decides where
/// the user goes. Methods call it and never each other.
package struct SignInCompletion: Sendable {
    package let sessions: Sessions
    /// Every slot of the program.
    package let slots: [any SessionSlot.Type]
    package let purposes: FlowPurposes
    package let factors: [any SecondFactor]
    package let accounts: AccountStore
    package let knownBrowsers: KnownBrowsers
    let tokens: AccessTokenStore
    /// Whether a provider of this id and issuer is still in the providers file.
    let hasProvider: @Sendable (_ id: String, _ issuer: String) -> Bool
    /// Tells users what a sign-in has changed about their account.
    let changes: any AccountChangeReporter
    package let lastMethod: LastMethodCookie
    /// What may come between a sign-in and what it was for.
    package var offers: [any SignInOffer] = []
    let clock: ServiceClock

    /// Signs the owner of an identity in and sends the browser on, or asks for the second proof that the account needs.
    ///
    /// - Returns: 303 to what the sign-in was for, or to the home page (``FlowPurposes``), or to the page of the second factor;
    ///   nil when the proof did not hold, or another request of this browser has replaced or ended the session meanwhile.
    /// - Throws: ``PublicError`` 403 when the account may not sign in, or the identity has none.
    package func finish(
        _ proven: ProvenSignIn, _ session: Session, _ request: Request, _ context: VisitorContext
    ) async throws -> Response? {
        let target = SignInTarget(replacing: session, app: AppSession.kind(of: request))
        let step = try await complete(proven, for: target, request, context)
        guard var response = response(to: step, proven.flow, request) else { return nil }
        if case .signedIn(let done) = step, target.app == nil,
            let offer = try await offer(after: done, proven, request)
        {
            response.headers[.location] = offer
        }
        lastMethod.remember(proven.identity, in: &response)
        return response
    }

    /// Signs the owner of an identity in, in one transaction: the proof is consumed, the account made, the session
    /// replaced, the access token issued. If one of these fails, none of them happens. Where the account needs a second proof,
    /// only the first one is consumed.
    ///
    /// - Throws: ``PublicError`` 403 when the account may not sign in, or the identity has none.
    package func complete(
        _ proven: ProvenSignIn, for target: SignInTarget, _ request: Request, _ context: VisitorContext
    ) async throws -> SignInStep {
        let (now, origin) = (clock.now(), ChangeOrigin(request))
        let mailbox: EmailAddress? = if case .email(let address) = proven.identity { address } else { nil }
        let known = try await knownBrowsers.known(request, for: mailbox)
        let claims = knownBrowsers.claims(in: request)
        return try await replace(target, request, context) { old, outcome, connection in
            guard try proven.consume(connection) else { return nil }
            let waiting = pendingIdentity(of: proven.challenge, old, now)
            let match = try accounts.account(
                of: proven.identity, after: old[CurrentSignIn.self].signIn, adding: waiting.identity,
                auditing: context.audit, connection)
            guard let match else { throw Self.unknownIdentity }
            guard accounts.eligibility.maySignIn(match.account) else { throw Self.notAllowed }
            try accounts.note(origin.language, of: match.account, connection)
            outcome.match = match
            outcome.known = try mailbox.map {
                try knownBrowsers.store.remember($0, known: known, connection)
            }
            try report(revokedBy: match, by: origin, connection)
            if match.isFirstMailbox { try changes.report(.firstMailbox, of: match.account, by: origin, connection) }
            if !match.revoked.isEmpty { for factor in factors { try factor.end(for: match.account, connection) } }
            let provenAt = provenAt(proven.identity, old, for: proven.flow, now: now)
            let first = FirstProof(
                accountID: match.account.id, signOuts: match.account.signOuts,
                proof: Proof(proven.method, at: provenAt, strength: proven.strength),
                authenticatedAt: provenAt ?? now, flow: proven.flow, challenge: proven.challenge, isFirst: match.isNew,
                remembers: proven.remembers)
            if let factor = try missingFactor(match.account, after: first.proof, connection) {
                outcome.missing = factor
                return target.token == nil ? half(first, needs: factor, old, now) : nil
            }
            try noteBrowser(of: proven.identity, match, claims, by: origin, &outcome, connection)
            return try signIn(first, [], old, target, by: origin, &outcome, connection)
        }
    }

    // MARK: The second proof

    /// The second factor that an account asks for; nil where the first proof is enough.
    private func missingFactor(
        _ account: Account, after first: Proof, _ connection: any SQLConnection
    ) throws -> (any SecondFactor)? {
        guard first.strength == .any else { return nil }
        return try factors.first { try $0.isSetUp(for: account, connection) }
    }

    /// The session of a browser that has given the first proof. A sign-in of before ends: in a new session it would last for a
    /// whole life without a second proof, however often the first one is given.
    private func half(
        _ first: FirstProof, needs factor: any SecondFactor, _ old: SessionSlots, _ now: Timestamp
    ) -> SessionContent {
        var next = old.survivingSignIn(slots)
        next[HalfSignIn.self] = HalfSignIn(first, needs: factor.id, now: now)
        next[PendingIdentity.self] = old[PendingIdentity.self]
        return SessionContent(next, app: nil)
    }

    /// Completes a sign-in whose first proof waits in the session, and sends the browser on.
    ///
    /// - Parameters:
    ///   - factor: any that the account has set up, also another one than the visitor was asked for.
    ///   - consume: consumes the second proof of an account, in the transaction that signs in; false if it is wrong or used up
    ///     already.
    /// - Returns: nil when no first proof waits, when the proof did not hold, or when another request of this browser
    ///   has replaced or ended the session meanwhile.
    package func finish(
        second factor: any SecondFactor, _ session: Session, _ request: Request, _ context: VisitorContext,
        consuming consume: @escaping @Sendable (Account, any SQLConnection) throws -> Bool
    ) async throws -> Response? {
        let (now, origin) = (clock.now(), ChangeOrigin(request))
        let target = SignInTarget(replacing: session, app: AppSession.kind(of: request))
        let flow = session[HalfSignIn.self].current(now: now)?.flow
        let step = try await replace(target, request, context) { old, outcome, connection in
            guard let first = old[HalfSignIn.self].current(now: now),
                let account = try accounts.eligibility.signIn.account(
                    first.accountID, signOuts: first.signOuts, connection),
                try factor.isSetUp(for: account, connection), try consume(account, connection)
            else { return nil }
            outcome.match = AccountMatch(account: account, isNew: first.isFirst)
            let second = Proof(factor.id, at: now, strength: .mfa)
            return try signIn(first, [second], old, target, by: origin, &outcome, connection)
        }
        return response(to: step, flow, request)
    }

    // MARK: What both proofs share

    private func response(to step: SignInStep, _ flow: FlowID?, _ request: Request) -> Response? {
        var response: Response
        let done: CompletedSignIn
        switch step {
        case .signedIn(let completed):
            response = .redirect(to: destination(flow, completed.session, request))
            done = completed
        case .needs(let factor, let half?):
            response = .redirect(to: FlowID.path(factor.path, flow))
            done = half
        case .needs(_, nil), .lost: return nil
        }
        remember(done, request, in: &response)
        return response
    }

    /// Where the user goes on.
    func destination(_ flow: FlowID?, _ session: Session, _ request: Request) -> String {
        purposes.destination(flow, in: session.slots, isNativeShell: request.isFromNativeShell)
    }

    /// When the user was authenticated: by the provider's word, or now for a proof of our own. Nil for a provider that does
    /// not say when. Never before the moment that the flow asks for, which the method has checked: clocks differ a little,
    /// and a flow that has had its sign-in must not ask for another one.
    private func provenAt(
        _ identity: ProvenIdentity, _ old: SessionSlots, for flow: FlowID?, now: Timestamp
    ) -> Timestamp? {
        var moment = now
        if case .external(let external) = identity {
            guard let authenticatedAt = external.authenticatedAt else { return nil }
            moment = min(authenticatedAt, now)
        }
        return max(moment, old.signInSince(flow) ?? moment)
    }

    /// The identity that waited for this challenge. The operator may have removed its provider meanwhile, or given its id
    /// to another one.
    func pendingIdentity(
        of challenge: String?, _ old: SessionSlots, _ now: Timestamp
    ) -> (identity: ExternalIdentity?, removed: String?) {
        guard let identity = challenge.flatMap({ old[PendingIdentity.self].identity(addedBy: $0, now: now) }) else {
            return (nil, nil)
        }
        return hasProvider(identity.provider, identity.issuer) ? (identity, nil) : (nil, identity.provider)
    }

    private func report(
        revokedBy match: AccountMatch, by origin: ChangeOrigin, _ connection: any SQLConnection
    ) throws {
        if match.revoked.contains(where: { $0.kind == .passkey }) {
            try changes.report(.passkeysRevoked, of: match.account, by: origin, connection)
        }
        for identity in match.revoked {
            guard let provider = identity.provider else { continue }
            try changes.report(.revoked(provider: provider), of: match.account, by: origin, connection)
        }
    }

    /// Gives the browser or app its session, and makes it known.
    package func remember(_ done: CompletedSignIn, _ request: Request, in response: inout Response) {
        sessions.remember(done.session, in: &response)
        if let known = done.known { knownBrowsers.give(known, request, in: &response) }
    }

    private static let notAllowed = PublicError(
        .forbidden, code: "account_disabled", title: Text("error.account-disabled.title"),
        explanation: Text("error.account-disabled"),
        cause: "account_disabled_meanwhile")

    private static let unknownIdentity = PublicError(
        .forbidden, code: "unknown_identity", title: Text("error.unknown-identity.title"),
        explanation: Text("error.unknown-identity"),
        nextStep: .init(label: Text("sign-in.title"), href: SignInPath.signIn),
        cause: "identity_not_linked")
}

extension AppSession {
    /// The ``AppSession/device`` of a sign-in in the web view of an app; nil in a browser.
    static func kind(of request: Request) -> String? {
        request.isFromNativeShell ? DeviceKind(userAgent: request.headers[.userAgent]).rawValue : nil
    }
}
