public import Hummingbird
import Logging

/// Sessions as routes use them: store, cookie and form tokens together.
public struct Sessions<Slots: SessionSlots>: Sendable {
    public let store: SessionStore<Slots>
    public let cookie: SessionCookie
    public let forms: FormTokens

    public init(store: SessionStore<Slots>, cookie: SessionCookie, forms: FormTokens) {
        self.store = store
        self.cookie = cookie
        self.forms = forms
    }

    /// The session of this request, or a new one whose cookie `response` must carry: pass it to ``remember(_:in:)``.
    public func current<Context: SessionRequestContext>(
        _ context: Context
    ) async throws -> Session<Slots> where Context.Slots == Slots {
        if let session = context.session { return session }
        return try await store.begin()
    }

    /// Gives the browser the id of its session.
    public func remember(_ session: Session<Slots>, in response: inout Response) {
        response.headers.append(.init(name: .setCookie, value: cookie.set(session.id)))
    }

    /// Takes the cookie from the browser.
    public func forget(in response: inout Response) {
        response.headers.append(.init(name: .setCookie, value: cookie.clear()))
    }

    /// The token that every form of this session carries.
    public func formToken(for session: Session<Slots>) -> String { forms.token(for: session.formSeed) }
}

/// A request context that knows the browser's session, if it has one.
public protocol SessionRequestContext: WebRequestContext {
    associatedtype Slots: SessionSlots
    var session: Session<Slots>? { get set }
}

/// Finds the session that the request's cookie names. A missing, malformed, doubled or dead cookie is no error: the
/// visitor is a stranger then.
public struct SessionMiddleware<Context: SessionRequestContext>: RouterMiddleware {
    let sessions: Sessions<Context.Slots>

    public init(_ sessions: Sessions<Context.Slots>) { self.sessions = sessions }

    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var context = context
        if let id = sessions.cookie.id(in: request), let session = try await sessions.store.find(id) {
            // A disk that is full must not take pages that only read. Not touched, the session ends the earlier.
            do { try await sessions.store.touch(session) } catch {
                context.logger.warning("session not touched", metadata: ["cause": "\(error)"])
            }
            context.session = session
        }
        return try await next(request, context)
    }
}
