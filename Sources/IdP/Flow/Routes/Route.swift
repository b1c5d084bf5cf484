package import HTTPTypes
package import Hummingbird
package import IdPAccounts
package import IdPClients
import SSOWeb

/// A route of the identity provider, as a feature has declared it.
///
/// What a route *is* decides how its requests are guarded: ``FeatureRouter`` has a function for each kind. A path that is
/// declared nowhere does not exist, and tests read the list.
package struct Route: Sendable {
    /// What a route is.
    package enum Kind: String, Sendable, CaseIterable {
        /// The same bytes for everybody, by GET and HEAD, without a session.
        case file
        /// A page by GET and HEAD, which changes nothing.
        case page
        /// A form, and often its page. A POST counts only with the token of the session's own pages.
        case form
        /// A page or form of `/admin`. For everybody but an admin the path does not exist, whatever the method.
        case admin
        /// A POST of a script of our own pages, which names their token in a header. Its answers are JSON.
        case script
        /// A GET that changes something, such as the way back from a provider. Only a user who goes there reaches it: no part
        /// of a page, no prefetch, no HEAD. It is protected by a secret in its URL or body.
        case visit
        /// Server-sent events, for pages of this origin only.
        case events
        /// A POST of another server, which has signed it. Its errors are JSON.
        case signedPost
        /// For the programs of clients, which prove themselves with a secret, or bring a token. No cookie counts. Its errors are
        /// JSON.
        case endpoint
        /// A question of a proxy about a request of another service, by any method. Cookies of that service's host count. Its
        /// errors are JSON.
        case check
        /// The JSON API for apps, for which a request of another site's page is an error. Its errors are JSON.
        case api
    }

    /// How a request is answered.
    package typealias Handler = @Sendable (Request, VisitorContext) async throws -> Response

    /// As the router has it: `:name` stands for one part of a path.
    package let path: String
    /// The methods that it accepts. All others are 405.
    package let methods: [HTTPRequest.Method]
    package let kind: Kind
    /// Whether it has the browser's session.
    package let readsSession: Bool
    /// Whether its URL contains a token, which later requests must not name as their `Referer`.
    package let hasToken: Bool
    /// Whether a POST counts only with the token of the session's own pages.
    package let checksFormToken: Bool
    let attach: @Sendable (any RouterMethods<VisitorContext>) -> Void

    init(
        _ kind: Kind, at path: String, _ methods: [HTTPRequest.Method], readsSession: Bool = true,
        hasToken: Bool = false, checksFormToken: Bool = false,
        attach: @escaping @Sendable (any RouterMethods<VisitorContext>) -> Void
    ) {
        (self.path, self.methods, self.kind, self.readsSession) = (path, methods, kind, readsSession)
        (self.hasToken, self.checksFormToken, self.attach) = (hasToken, checksFormToken, attach)
    }

    /// The path as the middleware of every request knows it: `*` for one part of it, and a slash at the end for all below it.
    var pattern: String {
        let parts = path.split(separator: "/").map { $0.hasPrefix(":") ? "*" : String($0) }
        let fixed = parts.last == "*" ? parts.dropLast() + [""] : parts
        return "/" + fixed.joined(separator: "/")
    }
}

/// A change that needs a sign-in of some age and strength, as a feature has declared it.
package struct DeclaredChange: Sendable {
    package let id: String
    /// Where the form is sent that asks for it.
    package let path: String
    package let needs: Proof.Need
}
