package import Hummingbird
package import IdPAccounts
package import IdPClients
package import IdPFlow
package import IdPProviders
import Logging
package import SSOShared
package import SSOWeb
import Storage

/// What the provider of a link has answered, in the request that brought it.
package struct AppIdentityAnswer: Sendable {
    let id: FlowID
    let provider: Provider
    let session: Session
    let request: Request
    let context: VisitorContext

    package init(id: FlowID, provider: Provider, session: Session, request: Request, context: VisitorContext) {
        (self.id, self.provider, self.session, self.request, self.context) = (
            id, provider, session, request, context
        )
    }
}

/// The answers of providers to links for an app: the identity is parked, and the app gets a code for it. Nothing is added
/// here: the browser may belong to another user than the account.
package struct AppIdentityAnswers: Sendable {
    let identities: AppIdentityStore
    let apps: NativeApps
    let randomness: any Randomness
    let pages: AppIdentityPages

    package init(identities: AppIdentityStore, apps: NativeApps, randomness: any Randomness, pages: AppIdentityPages) {
        (self.identities, self.apps, self.randomness, self.pages) = (identities, apps, randomness, pages)
    }

    package func finish(_ identity: ExternalIdentity, _ answered: AppIdentityAnswer) async throws -> Response {
        try await goOn(answered) { try await identities.park(identity, for: $0, code: $1) }
    }

    /// Shows the last page again, with another code.
    package func again(_ answered: AppIdentityAnswer) async throws -> Response {
        try await goOn(answered) { try await identities.issueAgain($1, for: $0) }
    }

    private func goOn(
        _ answered: AppIdentityAnswer, issuing issue: (FlowID, HandoffCode) async throws -> Bool
    ) async throws -> Response {
        let code = try HandoffCode(randomness: randomness)
        let id = answered.id
        guard let app = try await app(id), try await issue(id, code) else {
            answered.context.record(Event(.linkRefused, cause: "ended", detail: answered.provider.id))
            throw AppIdentityPages.over(nil)
        }
        answered.context.record(
            Event(
                .linkCodeIssued, session: answered.session.handle, detail: answered.provider.id,
                ["app": "\(app.id)", "link": "\(id.text)"]))
        let callback = AuthorizeRequest.adding([("code", code.wire)], to: app.redirectURI)
        return pages.goOn(answered.request, app, answered.provider, callback: callback, isDone: true)
    }

    package func cancelled(_ answered: AppIdentityAnswer) async throws -> Response {
        let id = answered.id
        guard let app = try await app(id) else { throw AppIdentityPages.over(nil) }
        try await identities.database.write { connection in try identities.end(id, connection) }
        return pages.goOn(
            answered.request, app, answered.provider, callback: AppIdentityPages.callback(app, error: "access_denied"),
            isDone: false)
    }

    package func page(_ refusal: PublicError, _ answered: AppIdentityAnswer) async throws -> PublicError {
        guard refusal.code != AppIdentityPages.over(nil).code else { return refusal }
        return AppIdentityPages.failed(refusal, answered.provider, try await app(answered.id))
    }

    /// The app of a link that has not ended, while the settings have it.
    private func app(_ id: FlowID) async throws -> NativeApp? {
        try await identities.redirectURI(of: id).flatMap { apps.app($0.utf8) }
    }
}
