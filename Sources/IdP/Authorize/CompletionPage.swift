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

    private struct Variants: Sendable {
        let goingOn, staying: PreparedPage<Value>
    }

    private let variants: [Language: Variants]

    /// - Throws: if the template is malformed.
    init(pages: Pages, script: String) throws {
        func prepare(_ language: Language, goesOn: Bool) throws -> PreparedPage<Value> {
            try PreparedPage(pages, "completion", in: language) { value in
                Model(
                    client: value(.client), name: value(.name), email: value(.email), callback: value(.callback),
                    script: script, goesOn: goesOn)
            }
        }
        variants = try Dictionary(
            uniqueKeysWithValues: Language.allCases.map { language in
                (
                    language,
                    Variants(
                        goingOn: try prepare(language, goesOn: true), staying: try prepare(language, goesOn: false))
                )
            })
    }

    /// - Parameters:
    ///   - callback: holds the token. It appears in attributes only, never in a header or in the log.
    ///   - goesOn: false if a token of this request was redeemed already: a user who comes back with the Back button stays here.
    func response(
        _ request: Request, client: Client, account: Account, callback: String, goesOn: Bool
    ) throws -> Response {
        let language = Language.preferred(by: request)
        guard let variants = variants[language] else { throw PublicError.notFound }
        return (goesOn ? variants.goingOn : variants.staying).response(
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
