import HTTPTypes
import Hummingbird
import IdPClients
import Logging
import SSOShared
import SSOWeb

/// The start of every request to the JSON API: refuses pages of other sites, and answers errors in JSON.
///
/// The answers have no CORS header, so a browser gives them to no other site. This also keeps other sites from sending.
struct APIGuard: RouterMiddleware {
    typealias Context = VisitorContext

    let forms: CSRFTokens

    func handle(
        _ request: Request, context: VisitorContext, next: (Request, VisitorContext) async throws -> Response
    ) async throws -> Response {
        do {
            switch forms.sender(of: request) {
            case .ownPage: return try await next(request, context)
            case .hidden: throw APIError.originHidden
            case .otherAddress, .otherSite: throw APIError.otherSite
            }
        } catch let error as APIError {
            // An app that is signed out asks as often as it comes to the foreground.
            context.record(
                Event(
                    .requestRefused, cause: error.cause,
                    ["status": .number(error.status.code), "code": "\(error.code)"],
                    level: error.code == APIError.unauthenticated.code ? .debug : nil))
            return .json(
                [.init("error", error.code), .init("error_description", error.words)], status: error.status,
                headers: error.headers)
        }
    }
}

extension APIError {
    /// A page of another site sent the request.
    static let otherSite = Self(
        status: .forbidden, code: "cross_site", words: "Pages of other sites cannot use this interface.",
        cause: "cross_site")

    /// `Origin: null` from a browser that does not say more: that of a sandboxed page, or of our own behind a proxy that hides it.
    static let originHidden = Self(
        status: .forbidden, code: "cross_site",
        words:
            "The browser hides where this request comes from. A proxy may send the header Referrer-Policy: no-referrer.",
        cause: "origin_null_referrer_policy")
}

extension Request {
    /// Whether the request authenticates itself. Then its cookies do not count.
    package var hasAuthorization: Bool { !headers[values: .authorization].isEmpty }
}

/// Reads the session of a request without `Authorization`. From a request with one it removes the cookies: nothing behind it
/// can mix the two.
struct APISession: RouterMiddleware {
    typealias Context = VisitorContext

    let sessions: SessionMiddleware<VisitorContext>

    func handle(
        _ request: Request, context: VisitorContext, next: (Request, VisitorContext) async throws -> Response
    ) async throws -> Response {
        guard !request.hasAuthorization else {
            var head = request.head
            head.headerFields[.cookie] = nil
            return try await next(Request(head: head, body: request.body), context)
        }
        return try await sessions.handle(request, context: context, next: next)
    }
}
