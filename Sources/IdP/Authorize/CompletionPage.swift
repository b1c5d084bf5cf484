import HTTPTypes
import Hummingbird
import SSOWeb

/// The page "Authentication complete": names the person and the service, and goes on by itself after two seconds.
///
/// Without JavaScript a refresh does it; with it a script does, since a script can tell a visit from the Back button.
struct CompletionPage: Sendable {
    let pages: Pages
    let script: String

    struct Model: Sendable {
        let client, name, email, callback, script: String
        let goesOn: Bool
    }

    /// - Parameters:
    ///   - callback: holds the token: it stands in attributes only, and no header or log sees it.
    ///   - goesOn: false when this request has been redeemed already: whoever comes back by the Back button stays.
    func response(client: PartnerClient, account: Account, callback: String, goesOn: Bool) -> Response {
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
