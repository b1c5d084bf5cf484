public import Foundation

/// The one place of an app that names its server. Everything else of this library is derived from it.
public struct NativeConfiguration: Sendable, Hashable {
    /// What the server is.
    public enum Role: Sendable, Hashable {
        /// The app belongs to the identity provider.
        case identityProvider
        /// The app belongs to a relying party, which signs users in at this identity provider.
        case relyingParty(identityProvider: WebOrigin)
    }

    /// Where users of an identity provider's app sign in after a 401.
    public enum SignIn: Sendable, Hashable {
        /// On `/sign-in` in the app's web view.
        case page
        /// In the system browser with this method, such as `email`: a handoff.
        case browser(method: String)
    }

    /// The origin whose pages the web view shows. Its cookies are the app's session.
    public let server: WebOrigin
    /// The first page of the app: `/` on the server.
    public let startPage: URL
    public let role: Role
    /// Where the browser session ends: the redirect URI as registered (`IDP_NATIVE_APPS`, `RP_NATIVE_REDIRECT_URI`).
    public let callback: AppCallback
    public let signIn: SignIn

    /// The configuration of an identity provider's app.
    public static func identityProvider(
        server: URL, callback: URL, signIn: SignIn = .page
    ) throws(NativeConfigurationError) -> NativeConfiguration {
        if case .browser(let method) = signIn, !ServerPath.isMethod(method) { throw .method(method) }
        return NativeConfiguration(
            server: try origin(server), startPage: server, role: .identityProvider, callback: try AppCallback(callback),
            signIn: signIn)
    }

    /// The configuration of a relying party's app.
    public static func relyingParty(
        server: URL, callback: URL, identityProvider: URL
    ) throws(NativeConfigurationError) -> NativeConfiguration {
        let (own, other) = (try origin(server), try origin(identityProvider))
        guard own != other else { throw .sameOrigin(own) }
        return NativeConfiguration(
            server: own, startPage: server, role: .relyingParty(identityProvider: other),
            callback: try AppCallback(callback),
            signIn: .page)
    }

    private static func origin(_ url: URL) throws(NativeConfigurationError) -> WebOrigin {
        guard let parts = LinkParts(url), let origin = WebOrigin(parts), parts.path.isEmpty || parts.path == "/",
            parts.query == nil, parts.fragment == nil
        else { throw .origin(url) }
        guard origin.scheme == "https" || origin.isLoopback else { throw .plaintext(origin) }
        return origin
    }
}

/// A mistake in the configuration of an app. It is the developer's, never the user's.
public enum NativeConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    case origin(URL)
    case plaintext(WebOrigin)
    case sameOrigin(WebOrigin)
    case callback(URL)
    case method(String)

    public var description: String {
        switch self {
        case .origin(let url): "\(url) is not an origin. Write scheme and host, as in https://idp.example.com"
        case .plaintext(let origin): "\(origin) must be https. http is accepted for localhost only."
        case .sameOrigin(let origin): "\(origin) is given for both server and identity provider."
        case .callback(let url):
            "\(url) cannot be an app's callback. Write the registered URI, as in com.example.app:/callback"
        case .method(let name): "\(name) is not a sign-in method. Write its id, as in email"
        }
    }
}

/// The redirect URI of an app, as registered at its server: `com.example.app:/callback`, or an `https` URI.
public struct AppCallback: Sendable, Hashable {
    /// The URI as registered. The server compares it byte for byte.
    public let text: String
    /// What ASWebAuthenticationSession and an Android intent filter wait for.
    public var scheme: String { parts.scheme }
    private let parts: LinkParts

    /// Schemes that a browser or the system handles itself. None of them can lead to an app.
    static let systemSchemes: Set<String> = [
        "about", "blob", "chrome", "content", "data", "file", "filesystem", "ftp", "http", "intent", "javascript",
        "mailto", "market", "sms", "tel", "vbscript", "view-source", "ws", "wss",
    ]

    init(_ url: URL) throws(NativeConfigurationError) {
        guard let parts = LinkParts(url), parts.fragment == nil, !Self.systemSchemes.contains(parts.scheme),
            !(parts.authority ?? "").contains("@"), parts.authority?.isEmpty == false || parts.path.hasPrefix("/"),
            parts.scheme != "https" || WebOrigin(parts) != nil
        else { throw .callback(url) }
        (text, self.parts) = (url.absoluteString, parts)
    }

    /// The parameters that the server added, or `nil` if the URL is not this callback. Scheme and host compare without
    /// regard to case, the path exactly. A query of the registered URI must be there unchanged.
    func parameters(of url: URL) -> String? {
        guard let other = LinkParts(url), other.scheme == parts.scheme, other.fragment == nil,
            other.authority?.lowercased() == parts.authority?.lowercased(), other.path == parts.path
        else { return nil }
        guard let own = parts.query, !own.isEmpty else { return other.query ?? "" }
        guard let query = other.query else { return nil }
        if query == own { return "" }
        return query.hasPrefix(own + "&") ? String(query.dropFirst(own.count + 1)) : nil
    }
}
