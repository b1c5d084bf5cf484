import HTTPTypes
package import Hummingbird
import IdPAccounts
package import IdPClients
import IdPFlow
package import IdPProviders
import SSOShared
package import SSOWeb

/// `/sign-in/with/PROVIDER`: takes the browser to a provider.
///
/// A form begins the attempt, so that no other site can (login CSRF). Its answer leads to a page of ours, which goes on to the
/// provider: Chromium applies `form-action 'self'` to the redirects after a form.
package struct ProviderStart: Sendable {
    static let prefix = SignInPath.provider

    let providers: ProviderRegistry
    let client: ProviderClient
    package let attempts: ProviderAttemptStore
    let keys: ProviderAttemptKeys
    let origin: PublicOrigin
    let sessions: Sessions
    let completion: SignInCompletion
    let randomness: any Randomness
    let pages: ProviderPages
    let flowLimit: FlowLimit

    static func path(_ provider: Provider) -> String { prefix + provider.id }

    func addRoutes(to router: inout FeatureRouter) {
        let form = Form(
            about: { [providers, completion] post -> FormSubject<Provider> in
                let provider = try providers.named(in: post.context)
                if let done = try await completion.alreadySignedIn(post.request, post.context, flow: post.flow) {
                    return .over(done)
                }
                // With a flow its page leads on, or says that it has ended.
                let next = post.flow == nil ? SignInPath.stale : SignInPath.signIn(post.flow)
                return post.isOutrun ? .over(.redirect(to: next)) : .open(provider)
            },
            orElse: { .init(label: Text("sign-in.title"), href: SignInPath.signIn($0.flow)) },
            submit: { [completion] form, provider in
                if let error = completion.unreachable(form.fields, form.request, form.context) { throw error }
                return try await begin(
                    provider, .signIn(form.flow), form.session, form.context, noting: form.fields)
            })
        router.form(at: "\(Self.prefix):provider", show: show, form)
    }

    /// Begins an attempt for this browser.
    ///
    /// - Parameter fields: the form of the sign-in page, which says what the browser can do.
    /// - Returns: 303 to the page that goes on to the provider.
    /// - Throws: ``PublicError`` 503 when the provider cannot be reached, 429 when this session begins too many.
    package func begin(
        _ provider: Provider, _ purpose: ProviderAttempt.Purpose, _ session: Session, _ context: VisitorContext,
        noting fields: URLEncodedFields? = nil
    ) async throws -> Response {
        let attempt = ProviderAttempt(
            id: try ProviderAttemptKeys.makeID(randomness), provider: provider.id,
            registration: provider.registration, purpose: purpose)
        try flowLimit.count(session)
        // A provider that is down costs no row, and the user learns it before leaving.
        _ = try await address(of: attempt, provider, session, context)
        guard let current = try await store(attempt, session, fields) else {
            // Another request of this browser has replaced the session meanwhile.
            return .redirect(to: SignInPath.signIn(attempt.flow))
        }
        context.record(
            Event(
                .providerSignInStarted, session: current.handle, flow: current[Flows.self].logID(attempt.flow),
                detail: provider.id))
        var response = Response.redirect(to: "\(Self.path(provider))?attempt=\(attempt.id)")
        sessions.remember(current, in: &response)
        return response
    }

    /// Row and slot in one transaction. A signed-in user keeps the session.
    private func store(
        _ attempt: ProviderAttempt, _ session: Session, _ fields: URLEncodedFields?
    ) async throws -> Session? {
        let isSignedIn = session[CurrentSignIn.self].signIn != nil
        return try await sessions.store.storeFirstStep(of: session, keepsSession: isSignedIn) { slots, connection in
            for forgotten in slots[PendingProviderAttempts.self].add(attempt.id) {
                try attempts.forget(forgotten, connection)
            }
            try attempts.begin(attempt, connection)
            slots[PendingIdentity.self] = PendingIdentity()
            if let fields { slots[BrowserAbilities.self].note(fields) }
        }
    }

    /// The page that goes on. Reloading it is harmless: it says the same while the attempt waits.
    @Sendable private func show(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let provider = try providers.named(in: context)
        let id = (try? request.queryFields.text("attempt")) ?? nil
        guard request.isTopLevelNavigation, !request.isPrefetch, let id, let session = context.session,
            session[PendingProviderAttempts.self].contains(id),
            let state = try await attempts.state(of: id, provider: provider)
        else { return .redirect(to: SignInPath.signIn(FlowID.read(request.queryFields))) }
        guard case .pending(let attempt) = state else {
            return .redirect(to: SignInPath.signIn(state.attempt.flow))
        }
        let address = try await address(of: attempt, provider, session, context)
        return pages.goOn(request, provider, address: address)
    }

    /// The address of the provider for an attempt.
    private func address(
        of attempt: ProviderAttempt, _ provider: Provider, _ session: Session, _ context: VisitorContext
    ) async throws -> String {
        let state = keys.state(of: attempt.id)
        let verifier = keys.codeVerifier(of: attempt.id, state: state)
        do throws(ProviderError) {
            return try await client.authorizationURL(
                provider,
                .init(
                    state: state, nonce: keys.nonce(of: attempt.id, state: state),
                    codeChallenge: CodeChallenge.s256(verifier), redirectURI: provider.callback(at: origin),
                    asksAgain: session.slots.needsNewSignIn(attempt.flow)))
        } catch {
            let page = error.page(provider, attempt.flow, context)
            throw page.withFormToken(attempt.signsIn ? sessions.formToken(for: session) : nil)
        }
    }
}

extension ProviderAttemptStore.State {
    var attempt: ProviderAttempt {
        switch self {
        case .pending(let attempt), .used(let attempt), .expired(let attempt): attempt
        }
    }
}

extension ProviderRegistry {
    /// The provider that the path names.
    ///
    /// - Throws: ``PublicError/notFound``, also for one that was removed from the file.
    func named(in context: VisitorContext) throws(PublicError) -> Provider {
        guard let provider = context.parameters.get("provider").flatMap({ provider(id: $0) }) else { throw .notFound }
        return provider
    }
}
