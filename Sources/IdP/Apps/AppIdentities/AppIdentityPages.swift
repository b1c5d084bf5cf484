import HTTPTypes
import Hummingbird
import IdPAccounts
package import IdPFlow
import IdPProviders
import SSOShared
package import SSOWeb

/// The pages of a link in the system browser.
package struct AppIdentityPages: Sendable {
    let pages: Pages

    package init(_ parts: SharedParts) { pages = parts.pages }

    private struct AskModel: Encodable, Sendable {
        let formToken, action, challenge, redirect, ticket, app, appID, provider, address, cancel: String
        let hasName: Bool
    }

    /// Asks whether to go on. The page does not send itself, and it names the account: a link of an attacker may have led
    /// the user here, and then the account is the attacker's.
    func ask(
        _ request: Request, _ asked: HandoffRequest, ticket: IdentityTicket, provider: Provider, account: Account,
        formToken: String
    ) -> Response {
        pages.response(
            "native-link",
            AskModel(
                formToken: formToken, action: HandoffRoutes.prefix + provider.id, challenge: asked.codeChallenge,
                redirect: asked.app.redirectURI, ticket: ticket.wire, app: asked.app.name, appID: asked.app.id,
                provider: provider.name,
                address: (try? EmailAddress(account.email))?.masked ?? "",
                cancel: Self.callback(asked.app, error: "access_denied"),
                hasName: asked.app.hasName), for: request)
    }

    private struct EndModel: Encodable, Sendable {
        let app, provider, callback: String
        let isDone: Bool
    }

    /// The page that goes on to the app. It is no redirect: Chrome on Android opens an app by a tap only.
    ///
    /// - Parameters:
    ///   - callback: holds the code or the error. It appears in attributes only, never in a header or in the log.
    ///   - isDone: whether there is an identity for the app to add.
    func goOn(
        _ request: Request, _ app: NativeApp, _ provider: Provider, callback: String, isDone: Bool
    ) -> Response {
        pages.response(
            "native-link-end",
            EndModel(
                app: app.name, provider: provider.name, callback: callback, isDone: isDone),
            for: request,
            headers: .goingOn)
    }

    // MARK: Errors

    /// The ticket does not begin anything, or the link has ended. One page for all reasons: the log has them.
    package static func over(_ app: NativeApp?) -> PublicError {
        PublicError(
            .gone, code: "link_over", title: Text("error.link-over.title"), explanation: Text("error.link-over"),
            nextStep: way(to: app, error: "invalid_ticket"), cause: "link_refused",
            headers: [.referrerPolicy: "no-referrer"])
    }

    /// The answer of the provider is refused or missing. The log has the reason.
    static func failed(_ refusal: PublicError, _ provider: Provider, _ app: NativeApp?) -> PublicError {
        let isUnavailable = refusal.status == .serviceUnavailable
        var page = PublicError(
            refusal.status, code: refusal.code, title: Text("native.link-failed.title", ["provider": provider.name]),
            explanation: Text("native.link-failed"),
            nextStep: way(to: app, error: isUnavailable ? "temporarily_unavailable" : "server_error"),
            cause: refusal.cause, headers: refusal.headers)
        page.isLogged = refusal.isLogged
        return page
    }

    static func callback(_ app: NativeApp, error: String) -> String {
        AuthorizeRequest.errorCallback(redirectURI: app.redirectURI, error: error, state: nil)
    }

    private static func way(to app: NativeApp?, error: String) -> PublicError.NextStep {
        app.map { .init(label: Text("native.continue"), href: callback($0, error: error)) } ?? .home
    }
}
