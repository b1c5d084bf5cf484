import HTTPTypes
import Hummingbird

/// Owns the language that a user has chosen on a page, and that counts before the browser's.
///
/// The links of the switch are the page's own address with one more parameter. It is answered with the cookie and a redirect
/// to the address without it. So a request names no address to go to but its own, and a pending sign-in goes on where it was.
struct LanguageChoice<Context: RequestContext>: RouterMiddleware {
    private let cookie: BrowserCookie

    init(origin: PublicOrigin) {
        cookie = BrowserCookie(name: "language", origin: origin, maximumAge: .days(365))
    }

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        if let chosen = Self.chosen(by: request), let address = LanguageSwitch.address(of: request) {
            var response = Response(status: .found, headers: [.location: address])
            cookie.set(chosen.rawValue, in: &response)
            return response
        }
        guard let value = cookie.value(in: request), let language = Language(rawValue: String(value.prefix(8))) else {
            return try await next(request, context)
        }
        // All that follows reads the language of this field, emails and errors included.
        var head = request.head
        head.headerFields[.acceptLanguage] = language.rawValue
        return try await next(Request(head: head, body: request.body), context)
    }

    /// The language that a request chooses; nil for any other request. A link on another site chooses none, and neither does a
    /// browser that loads a page before a click.
    private static func chosen(by request: Request) -> Language? {
        // Nearly no request has the parameter. Its bytes are looked for before anything is parsed.
        guard request.method == .get, LanguageSwitch.isNamed(in: request.head.path ?? ""),
            let query = request.uri.query,
            request.headers[values: .secFetchSite].allSatisfy({ $0 == "same-origin" || $0 == "none" }),
            request.isTopLevelNavigation, !request.isPrefetch
        else { return nil }
        let values = query.split(separator: "&").filter { $0.hasPrefix("\(LanguageSwitch.parameter)=") }
        guard values.count == 1, let value = values.first else { return nil }
        return Language(rawValue: String(value.dropFirst(LanguageSwitch.parameter.count + 1).prefix(8)))
    }
}
