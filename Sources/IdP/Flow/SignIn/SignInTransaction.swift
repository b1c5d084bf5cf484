import Hummingbird
package import IdPAccounts
package import IdPClients
import IdPSignOut
import Logging
import SSOShared
package import SSOWeb
package import Storage
import Synchronization

/// The one transaction in which a browser or app gets the session of a user.
extension SignInCompletion {
    /// Moves a browser or app to the session that `decide` makes; nil from it leaves everything else as it was.
    func replace(
        _ target: SignInTarget, _ request: Request, _ context: VisitorContext,
        _ decide: @escaping @Sendable (SessionSlots, inout SignInOutcome, any SQLConnection) throws -> SessionContent?
    ) async throws -> SignInStep {
        // The body may run again. The values of its last run are those that were committed.
        let result = Mutex(SignInOutcome())
        let fresh = try await sessions.store.replace(
            target.session,
            with: { old, connection in
                var outcome = SignInOutcome()
                let content = try decide(old, &outcome, connection)
                outcome.replaced = old[CurrentSignIn.self].signIn
                outcome.replacesAccount = old.provenAccount != nil
                result.withLock { [outcome] in $0 = outcome }
                if content == nil, outcome.missing != nil {
                    for event in outcome.events(nil, replacing: nil) { try context.record(event, connection) }
                }
                return content
            },
            then: { try follow(target, to: $0, result.withLock { $0 }, request, context, $1) })
        let outcome = result.withLock { $0 }
        guard let match = outcome.match, fresh != nil || outcome.missing != nil && target.token != nil else {
            return .lost
        }
        let done = fresh.map {
            CompletedSignIn(session: $0, account: match.account, isNew: match.isNew, known: outcome.known)
        }
        if let factor = outcome.missing { return .needs(factor, done) }
        return done.map(SignInStep.signedIn) ?? .lost
    }

    /// What hung on the session of before goes on with the new one, in the transaction that makes it.
    private func follow(
        _ target: SignInTarget, to fresh: Session, _ outcome: SignInOutcome, _ request: Request,
        _ context: VisitorContext, _ connection: any SQLConnection
    ) throws {
        if let session = target.session {
            if target.token != nil { try tokens.end(session: session.handle, connection) }
            try tokens.follow(session, to: fresh, connection)
            if outcome.replacesAccount {
                try accounts.signOuts.follow(
                    session.handle, to: fresh.handle, account: fresh.slots.provenAccount, context.audit, connection)
            }
        }
        if let user = SessionUser(of: fresh, request, context) {
            try sessions.store.note(user, of: fresh.handle, connection)
        }
        if let token = target.token, let signIn = fresh[CurrentSignIn.self].signIn {
            try tokens.issue(token, for: signIn, in: fresh, connection)
        }
        for event in outcome.events(fresh, replacing: target.session) { try context.record(event, connection) }
    }

    /// The session of a user who has given every proof.
    func signIn(
        _ first: FirstProof, _ others: [Proof], _ old: SessionSlots, _ target: SignInTarget,
        by origin: ChangeOrigin, _ outcome: inout SignInOutcome, _ connection: any SQLConnection
    ) throws -> SessionContent? {
        guard let account = outcome.match?.account else { return nil }
        let all = [first.proof] + others
        let strength = all.map(\.strength).max() ?? .any
        let waiting = pendingIdentity(of: first.challenge, old, clock.now())
        outcome.linkRefused = waiting.removed.map { ("provider_removed", $0) }
        if let identity = waiting.identity {
            // A way in that stays asks for what the account's other ways are worth, as on the account's own pages.
            if strength < (try Proof.Need.ofAccount(account, connection).strength) {
                outcome.linkRefused = ("passkey_needed", identity.provider)
            } else if try accounts.add(.external(identity), to: account, connection) {
                outcome.added = identity
                try changes.report(.linked(provider: identity.provider), of: account, by: origin, connection)
            }
        }
        let handed = HandedSignIn(
            account: account, authenticatedAt: first.authenticatedAt, isProven: first.proof.at != nil,
            proofs: SignInProofs(all.flatMap(\.words), strength))
        let signIn = handed.current(for: first.flow, isFirst: first.isFirst)
        outcome.signIn = signIn
        return content(signIn, after: old, app: target.app, isRemembered: first.remembers)
    }

    /// What became of a sign-in that another browser has handed to the web view of an app.
    package enum Adoption<Refusal: Error>: Sendable {
        case adopted(Session)
        case refused(Refusal)
        /// There is no session that it could move to.
        case lost
    }

    /// Moves the web view of an app to a session with a sign-in that another browser has handed to it, in one transaction. A
    /// session that has ended meanwhile, before anything was consumed, is left alone: the web view gets one of its own then.
    ///
    /// - Parameters:
    ///   - session: that of the web view; nil for one of its own.
    ///   - device: the kind of the app.
    ///   - take: consumes what stands for the sign-in, and says what is recorded.
    package func adopt<Refusal>(
        _ session: Session?, by device: String, _ audit: RequestAudit?,
        taking take: @escaping @Sendable (any SQLConnection) throws -> Result<(HandedSignIn, Event), Refusal>
    ) async throws -> Adoption<Refusal> {
        let adoption = try await move(session, by: device, audit, taking: take)
        guard case .lost = adoption, session != nil else { return adoption }
        return try await move(nil, by: device, audit, taking: take)
    }

    private func move<Refusal>(
        _ session: Session?, by device: String, _ audit: RequestAudit?,
        taking take: @escaping @Sendable (any SQLConnection) throws -> Result<(HandedSignIn, Event), Refusal>
    ) async throws -> Adoption<Refusal> {
        // The body may run again, and then find the session gone. The values of its last run are those that were committed.
        let taken = Mutex<Result<(HandedSignIn, Event), Refusal>?>(nil)
        let fresh = try await sessions.store.replace(
            session,
            with: { old, connection in
                let found = try take(connection)
                taken.withLock { $0 = found }
                guard case .success(let (handed, _)) = found else { return nil }
                return content(handed.current(for: nil, isFirst: nil), after: old, app: device)
            },
            then: { fresh, connection in
                // The web view may be that of an app with an access token.
                if let session { try tokens.follow(session, to: fresh, connection) }
                guard case .success((let handed, var event))? = taken.withLock({ $0 }) else { return }
                let account = handed.account.id
                if let session {
                    try accounts.signOuts.follow(
                        session.handle, to: fresh.handle, account: account, audit, connection)
                }
                try sessions.store.note(
                    SessionUser(account: account, device: device, network: audit?.network), of: fresh.handle, connection
                )
                (event.actor, event.account, event.session) = (.user(account), account, fresh.handle)
                event.detail = handed.proofs.text
                try audit?.record(event, connection)
            })
        if let fresh { return .adopted(fresh) }
        guard case .failure(let refusal)? = taken.withLock({ $0 }) else { return .lost }
        return .refused(refusal)
    }

    /// The session of a user who has given every proof.
    func content(
        _ signIn: CurrentSignIn.SignIn, after old: SessionSlots, app device: String?, isRemembered: Bool = false
    ) -> SessionContent {
        var next = old.survivingSignIn(slots)
        next[CurrentSignIn.self] = CurrentSignIn(signIn)
        return SessionContent(
            next, app: device.map { AppSession(owner: signIn.accountID, device: $0) }, isRemembered: isRemembered)
    }
}

/// A finished sign-in, before a session has it.
package struct HandedSignIn: Sendable {
    let account: Account
    let authenticatedAt: Timestamp
    /// Whether ``authenticatedAt`` is proven (``ProvenMoment``).
    let isProven: Bool
    let proofs: SignInProofs

    package init(account: Account, authenticatedAt: Timestamp, isProven: Bool, proofs: SignInProofs) {
        (self.account, self.authenticatedAt, self.isProven, self.proofs) = (
            account, authenticatedAt, isProven, proofs
        )
    }

    func current(for flow: FlowID?, isFirst: Bool?) -> CurrentSignIn.SignIn {
        CurrentSignIn.SignIn(
            accountID: account.id, authenticatedAt: authenticatedAt, proofs: proofs, signOuts: account.signOuts,
            flow: flow?.text, isFirst: isFirst, isProven: isProven)
    }
}

/// What the transaction of a sign-in has decided, and what happened with it.
struct SignInOutcome: Sendable {
    var match: AccountMatch?
    /// Nil while a second proof is missing.
    var signIn: CurrentSignIn.SignIn?
    var missing: (any SecondFactor)?
    /// The identity that waited for this sign-in.
    var added: ExternalIdentity?
    /// Why one that waited was not added, and the id of its provider.
    var linkRefused: (cause: String, provider: String)?
    var known: KnownBrowserCookie.Claim?
    /// The sign-in of the browser until now.
    var replaced: CurrentSignIn.SignIn?
    /// Whether the session of before was that of a user, or of one whose second proof was missing: clients may know it.
    var replacesAccount = false

    /// What happened.
    ///
    /// - Parameters:
    ///   - session: nil for native screens whose account needs a second proof.
    ///   - old: the session of before.
    func events(_ session: Session?, replacing old: Session?) -> [Event] {
        guard let match else { return [] }
        let (id, actor) = (match.account.id, AuditActor.user(match.account.id))
        var events: [Event] = []
        if signIn != nil, let replaced, let old, replaced.accountID != id {
            let signedOut = Event(
                .signedOut, by: .user(replaced.accountID), account: replaced.accountID, session: old.handle,
                cause: "other_account")
            events.append(signedOut.only(in: .auditLog))
        }
        let flow = signIn?.flow.flatMap(FlowID.init) ?? session?[HalfSignIn.self].anyFlow
        let logFlow = flow.flatMap { session?[Flows.self].logID($0) }
        if let signIn {
            events.append(
                Event(
                    .signedIn, by: actor, account: id, session: session?.handle, flow: logFlow,
                    detail: signIn.proofs.text,
                    session?.rememberedUntil == nil ? [:] : ["remembered": "true"]))
        } else if let missing {
            events.append(
                Event(
                    .secondFactorRequired, by: actor, account: id, session: session?.handle, flow: logFlow,
                    detail: missing.id))
        }
        if let added { events.append(Event(.identityLinked, by: actor, account: id, detail: added.provider)) }
        if let (cause, provider) = linkRefused {
            events.append(Event(.identityLinkRefused, account: id, cause: cause, detail: provider))
        }
        return events
            + match.revoked.filter { $0.kind != .passkey }.map {
                Event(.identityRevoked, by: actor, account: id, cause: "address_proven", detail: $0.provider)
            }
    }
}

extension SessionStore {
    /// Stores the first step of a sign-in, in one transaction with `change`; nil when another request has replaced or ended
    /// the session meanwhile.
    ///
    /// A visitor gets a new id: one that was planted before is dead (session fixation). A user who is asked to sign in again
    /// stays signed in until then and keeps the session. A new one would renew it for 12 hours without a proof, and would void
    /// the tokens that other tabs have not redeemed yet.
    ///
    /// - Parameter keepsSession: whether the session and its id stay.
    package func storeFirstStep(
        of session: Session, keepsSession: Bool,
        _ change: @escaping @Sendable (inout SessionSlots, any SQLConnection) throws -> Void
    ) async throws -> Session? {
        guard !keepsSession else {
            return try await update(session) { slots, connection in
                try change(&slots, connection)
                return true
            }
        }
        return try await replace(
            session, keepingForms: true,
            with: { old, connection in
                var slots = old
                try change(&slots, connection)
                return SessionContent(slots)
            },
            then: { fresh, connection in
                // A first proof may wait in it, by which the user will be signed in again.
                guard let account = fresh.slots.provenAccount else { return }
                try ClientSignIns().follow(session.handle, to: fresh.handle, account: account, connection)
            })
    }
}
