/// How an answer gets to the client (`response_mode`).
enum ResponseMode: String, CaseIterable, Sendable {
    /// In the query of the redirect URI (OAuth 2.0 Multiple Response Type Encoding Practices 2.1).
    case query
    /// As a form that the browser posts to the redirect URI (OAuth 2.0 Form Post Response Mode 2).
    case formPost = "form_post"

    /// Whether an answer can get to a redirect URI so. The scheme of an app takes no form.
    func fits(_ redirectURI: String) -> Bool {
        self == .query || ["https://", "http://"].contains { redirectURI.utf8.starts(with: $0.utf8) }
    }
}
