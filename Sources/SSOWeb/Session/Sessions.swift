public import Hummingbird
import Logging

/// Sessions as routes use them: rows, cookie and form tokens.
public struct Sessions: Sendable {
    /// Their rows.
    public let store: SessionStore
    /// How browsers hold them.
    public let cookie: SessionCookie
    /// The tokens of their forms.
    public let forms: CSRFTokens

    /// Limits how many sessions one network begins; nil where networks cannot be told apart.
    let newcomers: NewSessionLimit?

    public init(
        store: SessionStore, cookie: SessionCookie, forms: CSRFTokens, newcomers: NewSessionLimit? = nil
    ) {
        self.store = store
        self.cookie = cookie
        self.forms = forms
        self.newcomers = newcomers
    }

    /// The session of this request, or a new one whose cookie the response must carry: pass it to ``remember(_:in:)``.
    /// For a HEAD without a session it is one that is not stored.
    ///
    /// - Throws: ``PublicError`` 429 as ``begin(_:_:_:isVisit:)`` does.
    public func current(_ request: Request, _ context: some SessionRequestContext) async throws -> Session {
        if let session = context.session { return session }
        return request.method == .head
            ? try store.draft() : try await begin(SessionSlots(), request, context, isVisit: true)
    }

    /// Starts a session for a browser that has none.
    ///
    /// - Parameter isVisit: whether the browser only looked at a page and submitted nothing.
    /// - Throws: ``PublicError`` 429 when too many came from its network.
    public func begin(
        _ slots: SessionSlots, _ request: Request, _ context: some WebRequestContext, isVisit: Bool
    ) async throws -> Session {
        try await newcomers?.count(request, context)
        return try await store.begin(slots, isVisit: isVisit)
    }

    /// Reads the fields of a form of this session.
    ///
    /// A form that cannot be accepted, because the request has no session or comes from another site, costs hardly more
    /// than its head: over 4 KiB it counts as empty. ``CSRFTokens/accepts(_:fields:seed:)`` refuses it in any case.
    ///
    /// - Throws: ``PublicError`` 415 unless the type is `application/x-www-form-urlencoded`, 413 over 64 KiB.
    public func formFields(
        of request: Request, _ context: some SessionRequestContext
    ) async throws -> URLEncodedFields {
        guard context.session != nil, forms.isSameOrigin(request) else {
            return try await request.fieldsOfRefusedForm()
        }
        return try await request.formFields()
    }

    /// Reads the fields of a form of this session that may have a file. Its bytes are those of a field.
    ///
    /// One that cannot be accepted counts as empty, and is not read.
    ///
    /// - Throws: ``PublicError`` 415 for another type, 413 over the limit, 400 for what is no such form.
    package func uploadFields(
        of request: Request, _ context: some SessionRequestContext, atMost limit: Int
    ) async throws -> URLEncodedFields {
        guard request.hasMultipartForm else { return try await formFields(of: request, context) }
        guard context.session != nil, forms.isSameOrigin(request) else { return URLEncodedFields([]) }
        return try await request.multipartFields(atMost: limit)
    }

    /// Gives the browser the id of its session.
    public func remember(_ session: Session, in response: inout Response) {
        cookie.set(session, at: store.clock.now(), in: &response)
    }

    /// Leaves out the session's cookie where the request brought the same: the answer may arrive after that of another request, which
    /// has replaced the session, and would put the old id back.
    package func leaveOutBrought(by request: Request, in response: inout Response) {
        if let id = cookie.id(in: request) { cookie.leaveOut(id, in: &response) }
    }

    /// Gives an app the id of its session again when its use is noted: the cookie lasts as long as the session. A cookie that
    /// the response sets or clears stays as it is.
    public func prolong(_ session: Session, in response: inout Response) {
        guard session.app != nil, store.isTouchDue(session), !cookie.isSet(in: response) else { return }
        remember(session, in: &response)
    }

    /// Removes the cookie from the browser.
    public func forget(in response: inout Response) { cookie.clear(in: &response) }

    /// The token that every form of this session carries.
    public func formToken(for session: Session) -> String { forms.token(for: session.formSeed) }
}

/// A request context that holds the browser's session, if it has one.
public protocol SessionRequestContext: WebRequestContext {
    var session: Session? { get set }
}

/// Finds the session that the request's cookie names. A missing, malformed, doubled or expired cookie is not an error:
/// the request has no session then.
public struct SessionMiddleware<Context: SessionRequestContext>: RouterMiddleware {
    let sessions: Sessions

    public init(_ sessions: Sessions) { self.sessions = sessions }

    public func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        var context = context
        if let id = sessions.cookie.id(in: request), let session = try await sessions.store.find(id) {
            // A full disk must not break pages that only read. A session that is not touched ends earlier.
            do {
                try await sessions.store.touch(session)
            } catch {
                context.logger.record(Event(.sessionTouchFailed, cause: "\(error)"))
            }
            context.session = session
        }
        var response = try await next(request, context)
        sessions.leaveOutBrought(by: request, in: &response)
        if let session = context.session, session.app != nil, request.method != .head,
            sessions.store.isTouchDue(session),
            // A sign-in of another request may have replaced it meanwhile, whose cookie must stay.
            (try? await sessions.store.isAlive(session)) == true
        {
            sessions.prolong(session, in: &response)
        }
        return response
    }
}
