package import Hummingbird
package import IdPDirectory
package import IdPFlow
package import IdPProviders
import Logging
package import SSOShared
package import SSOWeb

/// What the provider of a link has answered, in the request that brought it.
package struct AppLinkAnswer: Sendable {
    let link: FlowID
    let provider: Provider
    let session: Session
    let request: Request
    let context: VisitorContext

    package init(link: FlowID, provider: Provider, session: Session, request: Request, context: VisitorContext) {
        (self.link, self.provider, self.session, self.request, self.context) = (
            link, provider, session, request, context
        )
    }
}

/// The answers of providers to links for an app: the identity is parked, and the app gets a code for it. Nothing is linked
/// here: the browser may belong to another user than the account.
package struct AppLinkAnswers: Sendable {
    let links: AppLinkStore
    let apps: NativeApps
    let randomness: any Randomness
    let pages: AppLinkPages

    package init(links: AppLinkStore, apps: NativeApps, randomness: any Randomness, pages: AppLinkPages) {
        (self.links, self.apps, self.randomness, self.pages) = (links, apps, randomness, pages)
    }

    package func finish(_ identity: ExternalIdentity, _ answered: AppLinkAnswer) async throws -> Response {
        try await goOn(answered) { try await links.park(identity, for: $0, code: $1) }
    }

    /// Shows the last page again, with another code.
    package func again(_ answered: AppLinkAnswer) async throws -> Response {
        try await goOn(answered) { try await links.issueAgain($1, for: $0) }
    }

    private func goOn(
        _ answered: AppLinkAnswer, issuing issue: (FlowID, HandoffCode) async throws -> Bool
    ) async throws -> Response {
        let code = try HandoffCode(randomness: randomness)
        let link = answered.link
        guard let app = try await app(link), try await issue(link, code) else {
            answered.context.logger.notice(
                "link_refused", metadata: ["reason": "ended", "provider": "\(answered.provider.id)"])
            throw AppLinkPages.over(nil)
        }
        answered.context.logger.info(
            "link_code_issued",
            metadata: [
                "app": "\(app.name)", "provider": "\(answered.provider.id)", "link": "\(link.text)",
                "session": "\(answered.session.handle)",
            ])
        let callback = AuthorizeRequest.adding([("code", code.wire)], to: app.redirectURI)
        return pages.goOn(answered.request, app, answered.provider, callback: callback, isDone: true)
    }

    package func cancelled(_ answered: AppLinkAnswer) async throws -> Response {
        let link = answered.link
        guard let app = try await app(link) else { throw AppLinkPages.over(nil) }
        try await links.database.write { connection in try links.end(link, connection) }
        return pages.goOn(
            answered.request, app, answered.provider, callback: AppLinkPages.callback(app, error: "access_denied"),
            isDone: false)
    }

    package func page(_ refusal: PublicError, _ answered: AppLinkAnswer) async throws -> PublicError {
        guard refusal.code != AppLinkPages.over(nil).code else { return refusal }
        return AppLinkPages.failed(refusal, answered.provider, try await app(answered.link))
    }

    /// The app of a link that has not ended, while the settings have it.
    private func app(_ link: FlowID) async throws -> NativeApp? {
        try await links.redirectURI(of: link).flatMap { apps.app($0.utf8) }
    }
}
