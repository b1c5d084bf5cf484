import Hummingbird
import IdPAccounts
import IdPFlow
import SSOShared
package import SSOWeb

/// The page with the button that carries out a change.
package struct IdentityConfirmPage: Sendable {
    let pages: Pages
    /// Keeps a double click from sending the form twice.
    let script: String

    package init(pages: Pages, script: String) {
        (self.pages, self.script) = (pages, script)
    }

    private struct Model: Encodable, Sendable {
        let formToken, flow, provider, email, script: String
        let isLink: Bool
    }

    func response(
        _ request: Request, _ user: SignedInUser, _ flow: FlowID, provider: String, isLink: Bool, formToken: String
    ) -> Response {
        pages.response(
            "identity-confirm",
            Model(
                formToken: formToken, flow: flow.text, provider: provider, email: user.account.email, script: script,
                isLink: isLink), for: request, offersLanguages: true)
    }
}
