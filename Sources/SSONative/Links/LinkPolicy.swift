public import Foundation

/// Decides for any URL where it opens.
///
/// The web view shows exactly one origin, the server's. It holds the app's session, and a page of another origin would
/// look like part of the app. Everything else belongs to the system browser, because the cookies of other services are
/// there. When in doubt, a URL leaves the web view or is ignored.
///
/// Sources: RFC 8252 sections 8.12 (no sign-in of others in a web view) and 7.1 (private-use schemes), Hotwire Native,
/// "Reference: Navigation" (routes outside the app's domain).
public struct LinkPolicy: Sendable, Hashable {
    /// What to do with a URL.
    public enum Decision: Sendable, Hashable {
        /// Show it in the web view.
        case webView
        /// Give it to the system: UIApplication.open, or an intent with ACTION_VIEW.
        case systemBrowser(URL)
        /// Sign-in that needs the system browser and comes back: ASWebAuthenticationSession, or a Custom Tab.
        case browserSession(URL)
        /// The session changed. Drop all pages that are on the screen, and start again.
        case reset
        /// Do nothing.
        case ignore(Reason)
    }

    /// Why a URL is ignored. Safe to log.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// Not well-formed, or read in different ways by different programs.
        case malformed
        /// `https://user@host`: made to look like another host.
        case userInformation = "user_information"
        /// `javascript:`, `intent:`, `data:`, `file:`, `about:` and everything else that is not known to be harmless.
        case scheme
        /// The app's own callback. It counts only as the result of a browser session.
        case callback
        /// A page that only the app itself opens.
        case reserved
        /// A link from outside that does not belong to this app.
        case notForThisApp = "not_for_this_app"
        /// An authorize request of the server that would not come back to this app. `RP_NATIVE_REDIRECT_URI` is
        /// missing or different.
        case otherRedirect = "other_redirect"
    }

    public let configuration: NativeConfiguration

    public init(_ configuration: NativeConfiguration) { self.configuration = configuration }

    /// Decides about a link, form or redirect of a page in the web view.
    public func decide(_ url: URL) -> Decision {
        guard let parts = LinkParts(url) else { return .ignore(.malformed) }
        guard parts.scheme == "https" || parts.scheme == "http" else { return decideScheme(url, parts) }
        if parts.authority?.contains("@") == true { return .ignore(.userInformation) }
        guard let origin = WebOrigin(parts) else { return .ignore(.malformed) }
        if configuration.callback.parameters(of: url) != nil { return .ignore(.callback) }
        if origin == configuration.server { return decideOwnPage(url, parts) }
        if case .relyingParty(origin) = configuration.role, parts.path == ServerPath.authorize {
            return returnsHere(parts) ? .browserSession(url) : .ignore(.otherRedirect)
        }
        return .systemBrowser(url)
    }

    /// Decides about a link that another app or the system opens this app with: a universal link or an app link.
    ///
    /// Only pages of the server that change nothing by being opened. Another app could otherwise sign the user in on an
    /// account of the attacker, or throw away the pages on the screen.
    public func decideOutside(_ url: URL) -> Decision {
        switch decide(url) {
        case .webView:
            guard let path = LinkParts(url)?.plainPath else { return .ignore(.malformed) }
            return path == ServerPath.callback || path == ServerPath.start ? .ignore(.notForThisApp) : .webView
        case .reset: return .ignore(.reserved)
        case .systemBrowser, .browserSession: return .ignore(.notForThisApp)
        case .ignore(let reason): return .ignore(reason)
        }
    }

    private func decideScheme(_ url: URL, _ parts: LinkParts) -> Decision {
        if parts.scheme == configuration.callback.scheme { return .ignore(.callback) }
        // A scheme with a dot belongs to an app (RFC 8252, section 7.1): the callback of a relying party's app.
        let isApp = parts.scheme.contains(".") && !parts.scheme.hasPrefix(".") && !parts.scheme.hasSuffix(".")
        return isApp || ["mailto", "tel"].contains(parts.scheme) ? .systemBrowser(url) : .ignore(.scheme)
    }

    private func decideOwnPage(_ url: URL, _ parts: LinkParts) -> Decision {
        guard let path = parts.plainPath else { return .ignore(.malformed) }
        let segments = path.split(separator: "/").map { $0.lowercased() }
        if path == ServerPath.reset { return .reset }
        // Also in a form that a server might accept: /Reset_app, //hotwire_native//sign_in, /reset_app/.
        if segments.first == "hotwire_native" || segments.first == "reset_app" { return .ignore(.reserved) }
        guard segments.first == "auth" else { return .webView }
        switch configuration.role {
        case .identityProvider:
            if [ServerPath.authorize, ServerPath.complete, ServerPath.signOut].contains(path) { return .webView }
            return ServerPath.method(of: path) == nil ? .systemBrowser(url) : .browserSession(url)
        case .relyingParty:
            return path == ServerPath.start || path == ServerPath.callback ? .webView : .systemBrowser(url)
        }
    }

    /// Whether an authorize request names this app's callback, once.
    private func returnsHere(_ parts: LinkParts) -> Bool {
        guard let items = LinkParts.values(of: parts.query) else { return false }
        return items.filter { $0.name == "redirect_uri" }.map(\.value) == [configuration.callback.text]
    }
}
