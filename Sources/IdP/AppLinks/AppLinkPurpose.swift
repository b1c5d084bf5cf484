import Hummingbird
import Logging
import SSOShared
import SSOWeb

/// The answers to attempts that link for an app: the identity is parked, and the app gets a code for it. Nothing is linked
/// here: the browser may belong to another user than the account.
struct AppLinkPurpose: AttemptPurpose {
    let links: AppLinkStore
    let apps: NativeApps
    let signIn: ProviderSignIn
    let randomness: any Randomness
    let pages: AppLinkPages

    func finish(_ proven: ProviderIdentity, _ answered: AnsweredAttempt) async throws -> Response {
        let identity = try signIn.identity(proven, answered.provider)
        return try await goOn(answered) { try await links.park(identity, for: $0, code: $1) }
    }

    /// Shows the last page again, with another code.
    func again(_ answered: AnsweredAttempt) async throws -> Response {
        try await goOn(answered) { try await links.issueAgain($1, for: $0) }
    }

    private func goOn(
        _ answered: AnsweredAttempt, issuing issue: (FlowID, HandoffCode) async throws -> Bool
    ) async throws -> Response {
        let code = try HandoffCode(randomness: randomness)
        guard case .appLink(let link) = answered.attempt.purpose, let app = try await app(link),
            try await issue(link, code)
        else {
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

    func cancelled(_ answered: AnsweredAttempt) async throws -> Response {
        guard case .appLink(let link) = answered.attempt.purpose, let app = try await app(link) else {
            throw AppLinkPages.over(nil)
        }
        try await links.database.write { connection in try links.end(link, connection) }
        return pages.goOn(
            answered.request, app, answered.provider, callback: AppLinkPages.callback(app, error: "access_denied"),
            isDone: false)
    }

    func page(_ refusal: PublicError, _ answered: AnsweredAttempt) async throws -> PublicError {
        guard case .appLink(let link) = answered.attempt.purpose, refusal.code != AppLinkPages.over(nil).code else {
            return refusal
        }
        return AppLinkPages.failed(refusal, answered.provider, try await app(link))
    }

    /// The app of a link that has not ended, while the settings have it.
    private func app(_ link: FlowID) async throws -> NativeApp? {
        try await links.redirectURI(of: link).flatMap { apps.app($0.utf8) }
    }
}
