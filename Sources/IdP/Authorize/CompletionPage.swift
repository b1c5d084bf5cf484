import HTTPTypes
import Hummingbird
import SSOWeb

/// The page "Authentication complete": names the user and the client, and goes to the callback after two seconds.
///
/// Without JavaScript a refresh does it. With JavaScript a script does it, because a script recognises the Back button.
struct CompletionPage: Sendable {
    let pages: Pages
    let script: String

    struct Model: Sendable {
        let client, name, email, callback, script: String
        let goesOn: Bool
    }

    /// - Parameters:
    ///   - callback: holds the token. It appears in attributes only, never in a header or in the log.
    ///   - goesOn: false if a token of this request was redeemed already: a user who comes back with the Back button stays here.
    func response(client: Client, account: Account, callback: String, goesOn: Bool) -> Response {
        pages.response(
            "completion",
            Model(
                client: client.name, name: account.name, email: account.email, callback: callback, script: script,
                goesOn: goesOn),
            headers: [
                .contentSecurityPolicy: ContentPolicy.noForms, .referrerPolicy: "no-referrer",
                .cacheControl: "no-store",
            ])
    }
}
