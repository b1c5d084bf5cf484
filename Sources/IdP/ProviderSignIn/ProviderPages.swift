import HTTPTypes
import Hummingbird
import IdPClients
import IdPFlow
import IdPProviders
import SSOShared
import SSOWeb

/// The pages on the way to a provider and back.
package struct ProviderPages: Sendable {
    let pages: Pages

    private struct GoOnModel: Encodable, Sendable { let provider, address: String }

    /// - Parameter address: holds `state` and `nonce`. It appears in attributes only, never in the log.
    func goOn(_ request: Request, _ provider: Provider, address: String) -> Response {
        pages.response(
            "provider-continue", GoOnModel(provider: provider.name, address: address),
            for: request,
            headers: .goingOn)
    }

    private struct KnownAddressModel: Encodable, Sendable {
        let formToken, flow, address, provider, other: String
        let service: String?
    }

    /// Asks the user to prove the verified address. Says the same whether or not it has an account.
    func knownAddress(
        _ request: Request, provider: String, address: String, flow: FlowID?, service: String?,
        formToken: String
    ) -> Response {
        pages.response(
            "provider-known-address",
            KnownAddressModel(
                formToken: formToken, flow: flow?.text ?? "", address: address, provider: provider,
                other: SignInPath.signIn(flow), service: service), for: request, offersLanguages: true)
    }
}

/// `/sign-in/known-address`: the word of a provider on an address is not enough, and the user proves it by email first.
package struct KnownAddressRoutes: Sendable {
    static let path = SignInPath.knownAddress

    let providers: ProviderRegistry
    let sessions: Sessions
    let completion: SignInCompletion
    let clock: ServiceClock
    let pages: ProviderPages

    func addRoutes(to router: inout FeatureRouter) { router.page(at: Self.path, use: show) }

    @Sendable private func show(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let flow = FlowID.read(request.queryFields)
        if let done = try await completion.alreadySignedIn(request, context, flow: flow) { return done }
        let now = clock.now()
        guard let session = context.session, let address = session[PendingIdentity.self].address(now: now),
            let provider = session[PendingIdentity.self].provider(now: now)
        else { return .redirect(to: SignInPath.signIn(flow)) }
        return pages.knownAddress(
            request, provider: providers.provider(id: provider)?.name ?? provider, address: address, flow: flow,
            service: completion.purposes.name(of: flow, in: session), formToken: sessions.formToken(for: session))
    }
}
