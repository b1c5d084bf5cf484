import HTTPTypes
import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import IdPProviders
import Logging
import SSOShared
import SSOWeb
import Storage

/// `/auth/PROVIDER/callback`: takes the answer of a provider.
///
/// A form that the provider's page posts arrives without our cookies, which are `SameSite=Lax`. The POST only parks the answer
/// and redirects to a GET, which has them again (docs/decisions/0036-form-post-without-samesite-none.md).
package struct ProviderCallback: Sendable {
    /// More than an answer with the longest fields that are taken, and an ID token that is ignored.
    private static let maximumFormBytes = 32 * 1024

    let providers: ProviderRegistry
    let client: ProviderClient
    let attempts: ProviderAttemptStore
    let parked: ParkedAnswers
    let keys: ProviderAttemptKeys
    let origin: PublicOrigin
    let sessions: Sessions
    let completion: SignInCompletion
    let limits: SignInLimits
    let purposes: AttemptPurposes

    /// A GET consumes the answer. A POST comes from the provider's page.
    func addRoutes(to router: inout FeatureRouter) {
        router.visit(
            [.get, .post], at: "/auth/:provider/callback", hasToken: true,
            refusing: { refused(.notAPage, try providers.named(in: $1), nil, $1) }
        ) { request, context in
            let provider = try providers.named(in: context)
            return request.method == .post
                ? try await park(provider, request, context) : try await arrive(provider, request, context)
        }
    }

    private func park(
        _ provider: Provider, _ request: Request, _ context: VisitorContext
    ) async throws -> Response {
        guard provider.responseMode == .formPost else { throw refused(.wrongResponseMode, provider, nil, context) }
        let fields = try await request.formFields(atMost: Self.maximumFormBytes)
        guard let answer = ProviderAnswer(fields) else { throw refused(.malformedAnswer, provider, nil, context) }
        guard let id = keys.id(ofState: answer.state) else { throw refused(.unknownState, provider, nil, context) }
        switch try await parked.park(answer, for: id, provider: provider.id) {
        case .handle(let handle): return .redirect(to: "\(provider.callbackPath)?answer=\(handle)")
        case .tooLong: throw refused(.malformedAnswer, provider, nil, context)
        case .attemptUsed:
            let flow = try await attempts.state(of: id, provider: provider)?.attempt.flow
            throw refused(.attemptUsed, provider, flow, context)
        }
    }

    private func arrive(
        _ provider: Provider, _ request: Request, _ context: VisitorContext
    ) async throws -> Response {
        let fields = request.queryFields
        guard fields.count("answer") > 0 else {
            guard provider.responseMode == .query else {
                throw refused(.wrongResponseMode, provider, nil, context)
            }
            guard let answer = ProviderAnswer(fields) else { throw refused(.malformedAnswer, provider, nil, context) }
            return try await take(answer, provider, request, context)
        }
        switch try await parked.find((try? fields.text("answer")) ?? "") {
        case .answer(let answer): return try await take(answer, provider, request, context)
        case .taken(let id):
            return try await comesBack(id, provider, request, context)
        case nil: throw refused(.unknownHandle, provider, nil, context)
        }
    }

    /// Binds the answer to this browser and to one attempt at this provider, and consumes the attempt. The rest happens once.
    private func take(
        _ answer: ProviderAnswer, _ provider: Provider, _ request: Request, _ context: VisitorContext
    ) async throws -> Response {
        guard let id = keys.id(ofState: answer.state) else { throw refused(.unknownState, provider, nil, context) }
        guard let session = context.session, session[PendingProviderAttempts.self].contains(id) else {
            throw try await elsewhere(id, provider, context)
        }
        // Each answer costs the provider a call of ours. A right one is not counted.
        let browser = try await completion.knownBrowsers.countedBrowser(request)
        try limits.countCodePost(request, context, browserID: browser)
        guard let taken = try await attempts.take(id, provider: provider, code: answer.code) else {
            return try await comesBack(id, provider, request, context)
        }
        return try await LogFields.run(context, taken.0.flow) {
            try await use(taken.0, isCodeFresh: taken.isCodeFresh, answer, browser, provider, session, request, $0)
        }
    }

    /// What follows an answer of this browser, of an attempt that has just been consumed.
    private func use(
        _ attempt: ProviderAttempt, isCodeFresh: Bool, _ answer: ProviderAnswer, _ browser: String?,
        _ provider: Provider, _ session: Session, _ request: Request, _ context: VisitorContext
    ) async throws -> Response {
        let purpose = purposes[attempt.purpose]
        let answered = AnsweredAttempt(
            attempt: attempt, provider: provider, session: session, request: request, context: context)
        do {
            guard let code = answer.code else {
                try failed(answer, attempt, provider, context)
                return try await purpose.cancelled(answered)
            }
            guard isCodeFresh else { throw refused(.codeReused, provider, attempt.flow, context) }
            // The answer is used up.
            if let done = try await purpose.over(answered) { return done }
            let identity = try await identity(answer, code, attempt, provider, context)
            limits.giveBackCodePost(request, context, browserID: browser)
            return try await purpose.finish(identity, answered)
        } catch let refusal as PublicError {
            throw retrying(try await purpose.page(refusal, answered), attempt, session)
        }
    }

    /// The form of the page signs in, which is not what every attempt is for.
    private func retrying(_ page: PublicError, _ attempt: ProviderAttempt, _ session: Session) -> PublicError {
        page.withFormToken(attempt.signsIn ? sessions.formToken(for: session) : nil)
    }

    private func identity(
        _ answer: ProviderAnswer, _ code: String, _ attempt: ProviderAttempt, _ provider: Provider,
        _ context: VisitorContext
    ) async throws -> ProviderIdentity {
        let identity: ProviderIdentity
        do throws(ProviderError) {
            identity = try await client.identity(
                provider,
                .init(
                    code: code, codeVerifier: keys.codeVerifier(of: attempt.id, state: answer.state),
                    nonce: keys.nonce(of: attempt.id, state: answer.state),
                    redirectURI: provider.callback(at: origin), issuer: answer.issuer, user: answer.user))
        } catch {
            throw error.page(provider, attempt.flow, context)
        }
        if let digest = identity.tokenDigest, let expiry = identity.tokenExpiresAt {
            let isFresh = try await attempts.database.write { connection in
                try attempts.remember(digest, until: expiry + ClockSkew.tolerated, connection)
            }
            guard isFresh else { throw refused(.idTokenReused, provider, attempt.flow, context) }
        }
        return identity
    }

    /// The browser comes with an answer whose attempt takes none any more: a reload, Back, or the second half of a double
    /// click. A user who is signed in goes on.
    private func comesBack(
        _ id: String, _ provider: Provider, _ request: Request, _ context: VisitorContext
    ) async throws -> Response {
        guard let session = context.session, session[PendingProviderAttempts.self].contains(id) else {
            throw try await elsewhere(id, provider, context)
        }
        guard let state = try await attempts.state(of: id, provider: provider) else {
            throw refused(.otherProvider, provider, nil, context)
        }
        return try await LogFields.run(context, state.attempt.flow) { context in
            let answered = AnsweredAttempt(
                attempt: state.attempt, provider: provider, session: session, request: request, context: context)
            let purpose = purposes[state.attempt.purpose]
            guard case .used = state else {
                let refusal = refused(.attemptExpired, provider, state.attempt.flow, context)
                throw retrying(try await purpose.page(refusal, answered), state.attempt, session)
            }
            context.record(ProviderSignInError.attemptUsed.event(provider, context))
            return try await purpose.again(answered)
        }
    }

    /// The page for an answer that arrives in another browser than the one that began the attempt, or without our cookie. It leads
    /// back to the client: the flow is not in this browser.
    private func elsewhere(
        _ id: String, _ provider: Provider, _ context: VisitorContext
    ) async throws -> PublicError {
        let flow = try await attempts.state(of: id, provider: provider)?.attempt.flow
        let page = refused(.otherBrowser, provider, nil, context)
        return completion.purposes.wayBack(of: flow).map(page.leading) ?? page
    }

    /// Says that an answer is an error.
    ///
    /// - Throws: the page of the answer, unless the user pressed "Cancel" at the provider.
    private func failed(
        _ answer: ProviderAnswer, _ attempt: ProviderAttempt, _ provider: Provider, _ context: VisitorContext
    ) throws {
        guard answer.isCancelled else {
            // The text comes from outside: it is short, printable and only in the log.
            var event = ProviderSignInError.errorAnswer.event(provider, context)
            event.further["error"] = answer.error.map { "\($0.prefix(100))" }
            context.record(event)
            throw ProviderSignInError.errorAnswer.page(provider, attempt.flow)
        }
        context.record(ProviderSignInError.cancelled.event(provider, context))
    }

    /// Says why.
    ///
    /// - Returns: the page of the answer.
    private func refused(
        _ refusal: ProviderSignInError, _ provider: Provider, _ flow: FlowID?, _ context: VisitorContext
    ) -> PublicError {
        context.record(refusal.event(provider, context))
        return refusal.page(provider, flow).withFormToken(context.session.map { sessions.formToken(for: $0) })
    }
}
