import HTTPTypes
import Hummingbird
import IdPAccounts
import IdPClients
import SSOWeb

/// The page that goes back to a client which expects another account than the one that is signed in.
///
/// It is no redirect: a form may have led here, and Chromium applies `form-action 'self'` to the redirects after a form.
struct OtherAccountPage: Sendable {
    let pages: Pages
    let logos: ClientLogos

    private struct Model: Encodable, Sendable {
        let client, email, address, logo, logoSizeHTML: String
        let hasLogo: Bool
    }

    /// - Parameter address: of the client, with the error. It appears in attributes only, never in the log.
    func response(_ request: Request, client: Client, _ user: SignedInUser, address: String) -> Response {
        let logo = logos.path(of: client)
        return pages.response(
            "other-account",
            Model(
                client: client.name, email: user.account.email, address: address, logo: logo,
                logoSizeHTML: logos.size(of: client), hasLogo: !logo.isEmpty), for: request,
            headers: .goingOn)
    }
}
