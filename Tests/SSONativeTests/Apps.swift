import Foundation
import SSONative
import Testing

/// An identity provider's app and a relying party's app.
enum Apps {
    static func identityProvider(signIn: NativeConfiguration.SignIn = .page) throws -> NativeConfiguration {
        try .identityProvider(
            server: #require(URL(string: "https://idp.example.com")), callback: callback("com.example.app:/callback"),
            signIn: signIn)
    }

    static func relyingParty() throws -> NativeConfiguration {
        try .relyingParty(
            server: #require(URL(string: "https://rp.example.net")),
            callback: callback("com.example.partner:/callback"),
            identityProvider: #require(URL(string: "https://idp.example.com")))
    }

    static func callback(_ text: String) throws -> URL { try #require(URL(string: text)) }

    /// A handoff code in its form.
    static let code = "shc_" + String(repeating: "A", count: 42) + "w"
    /// A ticket of a link in its form.
    static let ticket = "slt_" + String(repeating: "A", count: 42) + "w"
    static let authorize =
        "https://idp.example.com/auth/sso/authorize?client_id=partner"
        + "&redirect_uri=com.example.partner%3A%2Fcallback&state=S1&code_challenge=x"
}

/// A URL and what is expected of it.
struct LinkRow: Sendable, CustomTestStringConvertible {
    let url: String
    let expected: String
    var testDescription: String { "\(expected): \(url)" }

    init(_ url: String, _ expected: String) { (self.url, self.expected) = (url, expected) }

    /// A decision as one word. An URL that leaves the web view must leave it unchanged.
    static func word(_ decision: LinkPolicy.Decision, for url: URL) -> String {
        switch decision {
        case .webView: "web view"
        case .systemBrowser(let other): other == url ? "system browser" : "another URL"
        case .browserSession(let other): other == url ? "browser session" : "another URL"
        case .reset: "reset"
        case .ignore(let reason): "ignore \(reason.rawValue)"
        }
    }
}
