import HTTPTypes
import Hummingbird
import IdPAccounts
import IdPFlow
import SSOWeb

/// The pages of a handoff in the system browser.
package struct HandoffPages: Sendable {
    let pages: Pages
    /// Sends the form of the first page.
    let startScript: String

    private struct StartModel: Encodable, Sendable { let formToken, action, challenge, redirect, app, script: String }

    /// The page that sends itself on. A button without JavaScript.
    ///
    /// - Parameter action: the path of the page itself.
    func start(_ request: Request, _ asked: HandoffRequest, action: String, formToken: String) -> Response {
        pages.response(
            "native-start",
            StartModel(
                formToken: formToken, action: action, challenge: asked.codeChallenge,
                redirect: asked.app.redirectURI, app: asked.app.name, script: startScript), for: request)
    }

    private struct ConfirmModel: Encodable, Sendable {
        let formToken, flow, app, appID, name, email, cancel: String
        let hasName: Bool
    }

    /// Asks a user who was signed in before whether this app may sign in: another app may have begun it (RFC 8252 8.6).
    func confirm(
        _ request: Request, _ app: NativeApp, _ flow: FlowID, _ user: SignedInUser, formToken: String
    ) -> Response {
        pages.response(
            "native-confirm",
            ConfirmModel(
                formToken: formToken, flow: flow.text, app: app.name, appID: app.id, name: user.account.name,
                email: user.account.email, cancel: flow.cancel, hasName: app.hasName), for: request)
    }

    private struct ContinueModel: Encodable, Sendable { let app, name, email, callback: String }

    /// The page that goes on to the app. It is no redirect: Chromium applies `form-action` to the redirects after a form,
    /// and Chrome on Android opens an app by a tap only.
    ///
    /// - Parameter callback: holds the code. It appears in attributes only, never in a header or in the log.
    func goOn(_ request: Request, _ app: NativeApp, _ account: Account, callback: String) -> Response {
        pages.response(
            "native-continue",
            ContinueModel(
                app: app.name, name: account.name, email: account.email, callback: callback),
            for: request,
            headers: .goingOn)
    }
}
