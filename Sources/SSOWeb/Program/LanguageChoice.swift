import HTTPTypes
import Hummingbird

/// Owns the language that a user has chosen on a page, and that counts before the browser's.
///
/// All that follows reads the language of the field that it replaces, emails and errors included: one of the program's, by its tag.
struct LanguageChoice<Context: RequestContext>: RouterMiddleware {
    let languages: Languages
    let cookie: BrowserCookie

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let accepted = request.headers[.acceptLanguage]
        let chosen = cookie.value(in: request).flatMap { languages.named($0) }
        // Programs ask for no language.
        guard let language = chosen ?? accepted.map(languages.preferred), language.rawValue != accepted else {
            return try await next(request, context)
        }
        return try await next(request.asking(for: language), context)
    }
}

extension Request {
    /// The same request of a browser that asks for one language.
    fileprivate func asking(for language: Language) -> Request {
        var head = self.head
        head.headerFields[.acceptLanguage] = language.rawValue
        return Request(head: head, body: body)
    }
}

/// Owns the language that a client asks for in its request (`ui_locales`). It counts before the browser's, and after the user's own
/// choice: for the request itself, and for the pages and emails of the minutes after it.
struct AskedLanguage<Context: RequestContext>: RouterMiddleware {
    private static var parameter: String { "ui_locales" }

    let languages: Languages
    /// Lasts as long as a sign-in may take.
    let cookie: BrowserCookie
    /// Where clients ask.
    let paths: PathPatterns

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let before = cookie.value(in: request).flatMap { languages.named($0) }
        guard paths.contain(request.uri.path) else {
            return try await next(before.map(request.asking(for:)) ?? request, context)
        }
        let asked = ((try? request.queryFields.text(Self.parameter)) ?? nil).flatMap(languages.first(of:))
        var response = try await next(asked.map(request.asking(for:)) ?? request, context)
        // A request without a question, in a frame, is not a sign-in of this user.
        guard request.isTopLevelNavigation else { return response }
        if let asked {
            cookie.set(asked.rawValue, in: &response)
        } else if before != nil {
            cookie.clear(in: &response)
        }
        return response
    }
}

/// Answers the links of the switch of languages.
///
/// A link is the page's own address with one more parameter. It is answered with the cookie and a redirect to the address
/// without it. So a request names no address to go to but its own, and a pending sign-in goes on where it was. Where no page is
/// shown, the parameter means nothing.
struct LanguageLinks<Context: RequestContext>: RouterMiddleware {
    let languages: Languages
    let cookie: BrowserCookie
    /// The routes of pages, as the router prints them.
    let pageRoutes: Set<String>
    /// Those of pages that do not exist for every user: there only a shown page answers.
    let guardedRoutes: Set<String>

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        // Nearly no request has the parameter. Its bytes are looked for before anything else.
        guard LanguageSwitch.isNamed(in: request.head.path ?? ""),
            let route = context.endpointPath, pageRoutes.contains(route) || guardedRoutes.contains(route),
            let chosen = chosen(by: request), let address = LanguageSwitch.address(of: request)
        else { return try await next(request, context) }
        if guardedRoutes.contains(route) {
            let shown = try await next(request, context)
            guard shown.status == .ok, shown.headers[.contentType]?.hasPrefix("text/html") == true else { return shown }
        }
        var response = Response(status: .found, headers: [.location: address])
        cookie.set(chosen.rawValue, in: &response)
        return response
    }

    /// The language that a request chooses; nil for any other request. A link on another site chooses none, and neither does a
    /// browser that loads a page before a click.
    private func chosen(by request: Request) -> Language? {
        guard request.method == .get, let query = request.uri.query,
            request.headers[values: .secFetchSite].allSatisfy({ $0 == "same-origin" || $0 == "none" }),
            request.isTopLevelNavigation, !request.isPrefetch
        else { return nil }
        let values = query.split(separator: "&").filter { $0.hasPrefix("\(LanguageSwitch.parameter)=") }
        guard values.count == 1, let value = values.first else { return nil }
        return languages.named(value.dropFirst(LanguageSwitch.parameter.count + 1))
    }
}
