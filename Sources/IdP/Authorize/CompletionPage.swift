import HTTPTypes
import Hummingbird
import SSOWeb

/// The page "Authentication complete": names the user and the client, and goes to the callback after two seconds.
///
/// Without JavaScript a refresh does it. With JavaScript a script does it, because a script recognises the Back button.
/// Both variants are rendered once, at start: this page is half of the work of a sign-in with a live session.
struct CompletionPage: Sendable {
    private enum Value: String, CaseIterable { case client, name, email, callback }

    private struct Model: Sendable {
        let client, name, email, callback, script: String
        let goesOn: Bool
    }

    private let goingOn: PreparedPage<Value>
    private let staying: PreparedPage<Value>

    /// - Throws: if the template is malformed.
    init(pages: Pages, script: String) throws {
        func prepare(goesOn: Bool) throws -> PreparedPage<Value> {
            try PreparedPage(pages, "completion") { value in
                Model(
                    client: value(.client), name: value(.name), email: value(.email), callback: value(.callback),
                    script: script, goesOn: goesOn)
            }
        }
        goingOn = try prepare(goesOn: true)
        staying = try prepare(goesOn: false)
    }

    /// - Parameters:
    ///   - callback: holds the token. It appears in attributes only, never in a header or in the log.
    ///   - goesOn: false if a token of this request was redeemed already: a user who comes back with the Back button stays here.
    func response(client: Client, account: Account, callback: String, goesOn: Bool) -> Response {
        let page = goesOn ? goingOn : staying
        return page.response(
            headers: [
                .contentSecurityPolicy: ContentPolicy.noForms, .referrerPolicy: "no-referrer",
                .cacheControl: "no-store",
            ]
        ) { value in
            switch value {
            case .client: client.name
            case .name: account.name
            case .email: account.email
            case .callback: callback
            }
        }
    }
}
