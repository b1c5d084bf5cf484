public import Hummingbird

/// Sessions as routes use them: store, cookie and form tokens together.
public struct Sessions<Slots: SessionSlots>: Sendable {
    /// Their rows.
    public let store: SessionStore<Slots>
    /// How browsers hold them.
    public let cookie: SessionCookie
    /// The tokens of their forms.
    public let forms: CSRFTokens

    /// Slows down whoever makes one session after the other; nil where strangers cannot be told apart.
    let newcomers: NewSessionLimit?

    /// What belongs together for the sessions of one program.
    public init(
        store: SessionStore<Slots>, cookie: SessionCookie, forms: CSRFTokens, newcomers: NewSessionLimit? = nil
    ) {
        self.store = store
        self.cookie = cookie
        self.forms = forms
        self.newcomers = newcomers
    }

    /// The session of this request, or a new one whose cookie `response` must carry: pass it to ``remember(_:in:)``.
    /// For a HEAD without a session it is one that is stored nowhere.
    ///
    /// - Throws: ``PublicError`` 429 as ``begin(_:_:_:)`` does.
    public func current<Context: SessionRequestContext>(
        _ request: Request, _ context: Context
    ) async throws -> Session<Slots> where Context.Slots == Slots {
        if let session = context.session { return session }
        return request.method == .head ? try store.draft() : try await begin(Slots(), request, context, isVisit: true)
    }

    /// Starts a session for a browser that has none.
    ///
    /// - Parameter isVisit: whether only a page was looked at, and nothing submitted.
    /// - Throws: ``PublicError`` 429 when too many came from its network.
    public func begin(
        _ slots: Slots, _ request: Request, _ context: some WebRequestContext, isVisit: Bool
    ) async throws -> Session<Slots> {
        try newcomers?.count(request, context)
        return try await store.begin(slots, isVisit: isVisit)
    }

    /// Gives the browser the id of its session.
    public func remember(_ session: Session<Slots>, in response: inout Response) {
        cookie.set(session.id, in: &response)
    }

    /// Takes the cookie from the browser.
    public func forget(in response: inout Response) {
        cookie.clear(in: &response)
    }

    /// The token that every form of this session carries.
    public func formToken(for session: Session<Slots>) -> String { forms.token(for: session.formSeed) }
}

/// A request context that knows the browser's session, if it has one.
public protocol SessionRequestContext: WebRequestContext {
    associatedtype Slots: SessionSlots
    var session: Session<Slots>? { get set }
}
