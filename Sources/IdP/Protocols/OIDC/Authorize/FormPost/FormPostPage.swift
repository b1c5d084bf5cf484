import HTTPTypes
import Hummingbird
import IdPAccounts
import IdPAuthorization
import IdPClients
import SSOWeb

/// The page that takes an answer to a client as a form (OAuth 2.0 Form Post Response Mode): one form to the redirect URI, and its
/// button. A script sends it. Without a script the user presses the button.
///
/// After a question it is the page "Authentication complete". It is never in a frame, and no later request names its address.
struct FormPostPage: Sendable {
    let pages: Pages
    let logos: ClientLogos

    /// What the page of a completed sign-in says.
    struct Completed: Sendable {
        let account: Account
        /// Where the user chooses another account for the same request.
        let other: String
    }

    private struct Field: Encodable, Sendable { let key, value: String }

    private struct Model: Encodable, Sendable {
        let client, action, logo, logoSizeHTML, seconds, name, email, other: String
        let fields: [Field]
        let isComplete, isNamed, goesOn, waits, hasLogo: Bool
    }

    /// - Parameters:
    ///   - fields: of the answer. They appear in the form only, never in a header or in the log.
    ///   - action: a registered redirect URI with http or https (``ResponseMode/fits(_:)``).
    ///   - completed: after a question; nil where nothing was asked, and for an error.
    func response(
        _ request: Request, _ client: Client, _ fields: [(String, String)], to action: String,
        _ completed: Completed? = nil, pace: CompletionPage.Pace = .atOnce
    ) -> Response {
        let logo = logos.path(of: client)
        return pages.response(
            "form-post",
            Model(
                client: client.name, action: action, logo: logo, logoSizeHTML: logos.size(of: client),
                seconds: pace.seconds, name: completed?.account.name ?? "", email: completed?.account.email ?? "",
                other: completed?.other ?? "", fields: fields.map(Field.init), isComplete: completed != nil,
                isNamed: completed?.account.isNamed ?? false,
                goesOn: pace != .stays, waits: pace == .afterTwoSeconds, hasLogo: !logo.isEmpty), for: request,
            headers: [
                .contentSecurityPolicy: ContentPolicy.formsToClients, .referrerPolicy: "no-referrer",
                .cacheControl: "no-store",
            ])
    }
}
