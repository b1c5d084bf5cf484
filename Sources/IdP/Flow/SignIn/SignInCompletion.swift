import HTTPTypes
package import Hummingbird
package import IdPDirectory
import Logging
import SSOShared
package import SSOWeb
import Synchronization

/// The end of every sign-in method: changes the session id, keeps only the slots that survive a sign-in, and decides where
/// the user goes. Methods call it and never each other.
package struct SignInCompletion: Sendable {
    let sessions: Sessions
    /// Every slot of the program.
    let slots: [any SessionSlot.Type]
    package let accounts: AccountStore
    package let knownBrowsers: KnownBrowsers
    let tokens: AccessTokenStore
    /// Whether a provider of this id and issuer is still in the providers file.
    let hasProvider: @Sendable (_ id: String, _ issuer: String) -> Bool
    /// Tells users what a sign-in has changed about their account.
    let changes: any AccountChangeReporter
    package let lastMethod: LastMethodCookie
    let clock: ServiceClock

    package init(
        sessions: Sessions, slots: [any SessionSlot.Type], accounts: AccountStore, knownBrowsers: KnownBrowsers,
        tokens: AccessTokenStore, hasProvider: @escaping @Sendable (_ id: String, _ issuer: String) -> Bool,
        changes: any AccountChangeReporter, lastMethod: LastMethodCookie, clock: ServiceClock
    ) {
        (self.sessions, self.slots, self.accounts, self.knownBrowsers, self.tokens) = (
            sessions, slots, accounts, knownBrowsers, tokens
        )
        (self.hasProvider, self.changes, self.lastMethod, self.clock) = (hasProvider, changes, lastMethod, clock)
    }

    /// Signs the owner of an identity in and sends the browser on.
    ///
    /// - Parameters:
    ///   - method: the ``SignInMethod/id`` of the method.
    ///   - challenge: the id of the challenge that has proven the address. It links the identity that waited for it
    ///     (``PendingIdentity``). Nil links none.
    ///   - proof: consumes what proves the identity, in the transaction that signs in; false if it is used up already.
    /// - Returns: 303 to what the sign-in was for, or to the home page (``FlowDestination``); nil when the proof did not hold, or
    ///   another request of this browser has replaced or ended the session meanwhile.
    /// - Throws: ``PublicError`` 403 when the account may not sign in, or the identity has none.
    package func finish(
        _ identity: ProvenIdentity, method: String, challenge: String? = nil, flow: FlowID?, _ session: Session,
        _ request: Request, _ context: VisitorContext,
        consuming proof: @escaping @Sendable (any SQLConnection) throws -> Bool
    ) async throws -> Response? {
        let done = try await complete(
            identity, method: method, challenge: challenge, flow: flow, replacing: session,
            app: AppSession.kind(of: request), request, context, consuming: proof)
        guard let done else { return nil }
        var response = Response.redirect(to: destination(flow, done.session, request))
        remember(done, request, in: &response)
        lastMethod.remember(identity, in: &response)
        return response
    }

    /// Signs the owner of an identity in, in one transaction: the proof is consumed, the account made, the session
    /// replaced, the access token issued. If one of these fails, none of them happens.
    ///
    /// - Parameters:
    ///   - session: nil for an app whose web view has none.
    ///   - app: the kind of device whose session it becomes; nil for a browser.
    ///   - issuing: the access token of the app's native screens; nil for a browser.
    /// - Returns: nil when the proof did not hold, or another request has replaced or ended the session meanwhile.
    /// - Throws: ``PublicError`` 403 when the account may not sign in, or the identity has none.
    package func complete(
        _ identity: ProvenIdentity, method: String, challenge: String? = nil, flow: FlowID?,
        replacing session: Session?, app: String?, issuing token: NewAccessToken? = nil, _ request: Request,
        _ context: VisitorContext,
        consuming proof: @escaping @Sendable (any SQLConnection) throws -> Bool
    ) async throws -> CompletedSignIn? {
        let (now, origin) = (clock.now(), ChangeOrigin(request))
        let known = try await knownBrowsers.known(request, for: identity.email)
        // The body may run again. The values of its last run are those that were committed.
        let result = Mutex<Outcome?>(nil)
        let fresh = try await sessions.store.replace(
            session,
            with: { old, connection in
                guard try proof(connection) else { return nil }
                let current = old[CurrentSignIn.self].signIn
                let waiting = pendingIdentity(of: challenge, old, now)
                guard
                    let match = try accounts.account(
                        of: identity, after: current, adding: waiting.identity, connection)
                else { throw Self.unknownIdentity }
                let account = match.account
                guard accounts.eligibility.maySignIn(account) else { throw Self.notAllowed }
                let remembered = try identity.email.map {
                    try knownBrowsers.store.remember($0, known: known, connection)
                }
                let added = try waiting.identity.flatMap {
                    try accounts.add(.external($0), to: account, connection) ? $0 : nil
                }
                try report(match, added, by: origin, connection)
                result.withLock {
                    $0 = Outcome(match: match, added: added, removedProvider: waiting.removed, known: remembered)
                }
                var slots = old.survivingSignIn(slots)
                let proven = provenAt(identity, old, for: flow, now: now)
                slots[CurrentSignIn.self] = CurrentSignIn(
                    .init(
                        accountID: account.id, authenticatedAt: proven ?? now, methods: [method],
                        signOuts: account.signOuts, flow: flow?.text, isFirst: match.isNew, isProven: proven != nil))
                return SessionContent(slots, app: app.map { AppSession(owner: account.id, device: $0) })
            },
            then: { fresh, connection in
                if let session, token != nil { try tokens.end(session: session.handle, connection) }
                if let session { try tokens.follow(session, to: fresh, connection) }
                if let token, let signIn = fresh[CurrentSignIn.self].signIn {
                    try tokens.issue(token, for: signIn, in: fresh, connection)
                }
            })
        guard let fresh, let outcome = result.withLock({ $0 }) else { return nil }
        let account = outcome.match.account
        context.logger.info(
            "signed_in",
            metadata: [
                "account": "\(account.id)", "method": "\(method)", "session": "\(fresh.handle)",
                "flow": "\(fresh[PendingFlows.self].logID(flow))",
            ])
        outcome.log(to: context.logger)
        return CompletedSignIn(
            session: fresh, account: account, isNew: outcome.match.isNew, known: outcome.known)
    }

    /// What a transaction has decided.
    private struct Outcome: Sendable {
        let match: AccountMatch
        /// The identity that waited for this sign-in.
        let added: ExternalIdentity?
        /// The id of the provider of one that waited and was not linked, because its provider is not in the file any more.
        let removedProvider: String?
        let known: KnownBrowserCookie.Claim?

        func log(to logger: Logger) {
            if let added {
                logger.notice(
                    "identity_linked",
                    metadata: ["account": "\(match.account.id)", "provider": "\(added.provider)"])
            }
            if let removedProvider {
                logger.notice(
                    "identity_link_refused",
                    metadata: [
                        "account": "\(match.account.id)", "provider": "\(removedProvider)",
                        "reason": "provider_removed",
                    ])
            }
            for identity in match.revoked {
                logger.warning(
                    "identity_revoked",
                    metadata: [
                        "account": "\(match.account.id)", "provider": "\(identity.provider ?? "-")",
                        "reason": "address_proven",
                    ])
            }
        }
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
    private func pendingIdentity(
        of challenge: String?, _ old: SessionSlots, _ now: Timestamp
    ) -> (identity: ExternalIdentity?, removed: String?) {
        guard let identity = challenge.flatMap({ old[PendingIdentity.self].identity(addedBy: $0, now: now) }) else {
            return (nil, nil)
        }
        return hasProvider(identity.provider, identity.issuer) ? (identity, nil) : (nil, identity.provider)
    }

    private func report(
        _ match: AccountMatch, _ added: ExternalIdentity?, by origin: ChangeOrigin, _ connection: any SQLConnection
    ) throws {
        for identity in match.revoked {
            guard let provider = identity.provider else { continue }
            try changes.report(.revoked(provider: provider), of: match.account, by: origin, connection)
        }
        if let added {
            try changes.report(.linked(provider: added.provider), of: match.account, by: origin, connection)
        }
    }

    /// Gives the browser or app its session, and makes it known.
    package func remember(_ done: CompletedSignIn, _ request: Request, in response: inout Response) {
        sessions.remember(done.session, in: &response)
        if let known = done.known { knownBrowsers.give(known, request, in: &response) }
    }

    /// Where a user goes who is signed in already; nil for a visitor who is not, and for a user whom the flow asks to sign
    /// in again. A form that was open in another tab, or sent twice, ends where the first one did.
    package func alreadySignedIn(
        _ request: Request, _ context: VisitorContext, flow: FlowID?
    ) async throws -> Response? {
        guard let user = try await accounts.signedIn(context), !asksAgain(user, for: flow) else { return nil }
        return .redirect(to: destination(flow, user.session, request))
    }

    /// The user whom a flow asks to sign in again; nil for any other visitor.
    package func askedAgain(_ context: VisitorContext, flow: FlowID?) async throws -> SignedInUser? {
        try await accounts.signedIn(context).flatMap { asksAgain($0, for: flow) ? $0 : nil }
    }

    private func asksAgain(_ user: SignedInUser, for flow: FlowID?) -> Bool {
        user.session.slots.asksAgain(flow, after: user.signIn.provenAt, now: clock.now())
    }

    private func destination(_ flow: FlowID?, _ session: Session, _ request: Request) -> String {
        FlowDestination.path(flow, in: session.slots, isNativeShell: request.isFromNativeShell)
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

/// What a sign-in has made.
package struct CompletedSignIn: Sendable {
    let session: Session
    package let account: Account
    /// Whether the sign-in made the account.
    package let isNew: Bool
    /// The browser is known by it from now on.
    fileprivate let known: KnownBrowserCookie.Claim?
}

extension ProvenIdentity {
    /// The address whose owner has read an email in this browser, so that the browser becomes known for it.
    fileprivate var email: EmailAddress? {
        if case .email(let address) = self { address } else { nil }
    }
}

extension AppSession {
    /// The ``AppSession/device`` of a sign-in in the web view of an app; nil in a browser.
    static func kind(of request: Request) -> String? {
        request.isFromNativeShell ? DeviceKind(userAgent: request.headers[.userAgent]).rawValue : nil
    }
}
