package import Hummingbird
package import IdPClients
package import IdPFlow
package import IdPProviders
import Logging
import SSOShared
package import SSOWeb

/// `/auth/native/PROVIDER` with a ticket: an app adds a provider to its user's account through the system browser.
///
/// The account is that of the ticket. The sign-in of the browser is neither used nor changed: it may be another user's.
package struct AppIdentityStart: TicketStart {
    let identities: AppIdentityStore
    let providers: ProviderRegistry
    let sessions: Sessions
    /// Takes the browser to the provider for a link.
    let begin: @Sendable (Provider, FlowID, Session, VisitorContext) async throws -> Response
    let pages: AppIdentityPages

    package init(
        identities: AppIdentityStore, providers: ProviderRegistry, sessions: Sessions,
        begin: @escaping @Sendable (Provider, FlowID, Session, VisitorContext) async throws -> Response,
        pages: AppIdentityPages
    ) {
        (self.identities, self.providers, self.sessions, self.begin, self.pages) = (
            identities, providers, sessions, begin, pages
        )
    }

    package func show(
        _ text: String, _ asked: HandoffRequest, at name: String, _ request: Request, _ context: VisitorContext
    ) async throws -> Response {
        guard let ticket = IdentityTicket(wire: text) else { throw rejected(.malformed, name, asked.app, context) }
        switch try await identities.account(of: ticket, provider: name) {
        case .failure(let rejection): throw rejected(rejection, name, asked.app, context)
        case .success(let account):
            guard let provider = providers.provider(id: name) else {
                throw rejected(.providerRemoved, name, asked.app, context)
            }
            let session = try await sessions.current(request, context)
            var response = pages.ask(
                request, asked, ticket: ticket, provider: provider, account: account,
                formToken: sessions.formToken(for: session))
            sessions.remember(session, in: &response)
            return response
        }
    }

    package func submit(
        _ text: String, _ asked: HandoffRequest, at name: String, _ session: Session, _ context: VisitorContext
    ) async throws -> Response {
        guard let ticket = IdentityTicket(wire: text) else { throw rejected(.malformed, name, asked.app, context) }
        let begun = try await identities.begin(
            ticket, provider: name, codeChallenge: asked.codeChallenge, redirectURI: asked.app.redirectURI)
        switch begun {
        case .failure(let rejection): throw rejected(rejection, name, asked.app, context)
        case .success(let link):
            guard let provider = providers.provider(id: name) else {
                throw rejected(.providerRemoved, name, asked.app, context)
            }
            context.record(
                Event(
                    .linkStarted, session: session.handle, detail: name,
                    ["app": "\(asked.app.id)", "link": "\(link.text)"]))
            do {
                return try await begin(provider, link, session, context)
            } catch let refusal as PublicError {
                throw AppIdentityPages.failed(refusal, provider, asked.app)
            }
        }
    }

    /// Says why.
    ///
    /// - Returns: the page of the answer.
    private func rejected(
        _ rejection: IdentityTicketError, _ name: String, _ app: NativeApp, _ context: VisitorContext
    ) -> PublicError {
        context.record(
            Event(.linkTicketRejected, session: context.session?.handle, cause: rejection.rawValue, detail: name))
        return AppIdentityPages.over(app)
    }
}
