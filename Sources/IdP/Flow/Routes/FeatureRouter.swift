package import HTTPTypes
package import Hummingbird
import IdPAccounts
package import IdPClients
import SSOShared
package import SSOWeb

/// Where features declare their routes. Each function is one ``Route/Kind``, with the guards of that kind.
package struct FeatureRouter {
    package private(set) var routes: [Route] = []
    /// Every change that needs a sign-in of some age and strength. The attacks of the tests read it.
    package private(set) var changes: [DeclaredChange] = []
    /// The paths at which clients ask for a language, as ``WebRouter`` takes them.
    package private(set) var localePaths: Set<String> = []
    /// The paths whose requests carry the fields of another service, as ``WebRouter`` takes them.
    package private(set) var otherHosts: Set<String> = []
    /// The paths with an address of another service in their query, as ``WebRouter`` takes them.
    package private(set) var longTargets: Set<String> = []
    private var absent: Set<String> = []
    private let sessions: Sessions
    private let auditing: AuditMiddleware

    package init(_ sessions: Sessions, auditing: AuditMiddleware) {
        (self.sessions, self.auditing) = (sessions, auditing)
    }

    /// Answers a method that a path does not have, with those that it has.
    package typealias Refusal = @Sendable ([HTTPRequest.Method]) throws -> Response

    /// 405 as a page, or in JSON at the paths for programs.
    package static let refusal: Refusal = { throw PublicError.methodNotAllowed($0) }

    // MARK: Without a session

    /// The same bytes for everybody.
    package mutating func file(at path: String, use handler: @escaping Route.Handler) {
        add(.file, [.get, .head], at: path, readsSession: false, use: handler)
    }

    /// The same bytes for everybody, which pages of any origin may read.
    package mutating func openFile(at path: String, use handler: @escaping Route.Handler) {
        add(.file, [.get, .head, .options], at: path, readsSession: false) { request, context in
            guard request.method != .options else { return Preflight.answer(to: request, [.get, .head], from: "*") }
            var response = try await handler(request, context)
            response.headers[.accessControlAllowOrigin] = "*"
            return response
        }
    }

    /// A page that is the same for every visitor.
    package mutating func publicPage(at path: String, use handler: @escaping Route.Handler) {
        routes.append(
            Route(.page, at: path, [.get, .head], readsSession: false) { $0.page(at: RouterPath(path), use: handler) })
    }

    /// Where the request of a client protocol arrives. The ``Authorizer`` reads the session itself, in its transaction. A frame,
    /// an image or a prefetch must not obtain grants without the user's knowledge (ASVS 7.6.2).
    ///
    /// - Parameters:
    ///   - methods: a POST comes from outside, without a form token and without the session's cookie.
    ///   - hasToken: whether the URL contains a token.
    ///   - inFrames: answers a frame by a redirect, which shows nothing. Nil where frames get no answer.
    package mutating func request(
        _ methods: [HTTPRequest.Method] = [.get], at path: String, hasToken: Bool = false,
        inFrames: Route.Handler? = nil, use handler: @escaping Route.Handler
    ) {
        let refuse: @Sendable (Request, VisitorContext) throws -> any Error = { _, _ in FlowError.notAPage }
        visit(methods, at: path, hasToken: hasToken, readsSession: false, refusing: refuse) { request, context in
            guard request.isFrame, let inFrames else { return try await handler(request, context) }
            let response = try await inFrames(request, context)
            guard response.status.kind == .redirection else { throw FlowError.notAPage }
            return response
        } mayBeFrame: {
            inFrames != nil && $0.isFrame
        }
    }

    /// A route for the programs of clients, which bring a secret or a token of their own.
    package mutating func endpoint(
        _ methods: [HTTPRequest.Method], at path: String,
        refusing refusal: @escaping Refusal,
        use handler: @escaping Route.Handler
    ) {
        add(.endpoint, methods, at: path, readsSession: false, refusing: refusal, use: handler)
    }

    /// Where a proxy asks about a request of any method, of the host of another service. A method that no route has comes as
    /// `unservedMethod` of the context.
    package mutating func check(at path: String, use handler: @escaping Route.Handler) {
        let methods = HTTPRequest.Method.served
        routes.append(
            Route(.check, at: path, methods, readsSession: false) {
                for method in methods + [HTTPRequest.Method.trace] {
                    $0.on(RouterPath(path), method: method, use: handler)
                }
            })
    }

    /// Says that a proxy passes on what is below a path from the host of another service: with its cookies, so that heads may be
    /// longer, and with answers that count for that host.
    package mutating func answersOtherHosts(below path: String) { otherHosts.insert(path) }

    /// Lets the query at a path be longer: it has an address of another service.
    package mutating func takesLongTargets(at path: String) { longTargets.insert(path) }

    /// A request by some methods that a proxy passes on from the host of another service.
    package mutating func check(
        _ methods: [HTTPRequest.Method], at path: String, use handler: @escaping Route.Handler
    ) {
        add(.check, methods, at: path, readsSession: false, use: handler)
    }

    /// A post that another server has signed.
    package mutating func signedPost<Signer: Sendable>(_ post: SignedPost<Signer>, at path: String) {
        signedPost(at: path, refusing: { _ in SignedPost<Signer>.wrongMethod }, use: post.receive)
    }

    /// A post whose signature the handler checks itself, before anything else.
    package mutating func signedPost(
        at path: String,
        refusing refusal: @escaping Refusal = Self.refusal,
        use handler: @escaping Route.Handler
    ) {
        add(.signedPost, [.post], at: path, readsSession: false, refusing: refusal, use: handler)
    }

    /// Says to programs in JSON that a path for signed posts does not exist here.
    package mutating func noSignedPost(at path: String) { absent.insert(path) }

    /// Lets clients ask for the language of the pages and emails that follow, with `ui_locales` (OpenID Connect Core 3.1.2.1).
    package mutating func takesLocales(at paths: [String]) { localePaths.formUnion(paths) }

    /// A route of the JSON API; its path is below `/api/v1/`. Its guard reads the session of a request without an access token.
    package mutating func api(_ methods: [HTTPRequest.Method], at path: String, use handler: @escaping Route.Handler) {
        routes.append(
            Route(.api, at: "\(APIPath.prefix)/\(path)", methods, readsSession: false) {
                $0.only(methods, at: RouterPath(path), use: handler)
            })
    }

    // MARK: With the browser's session

    /// - Parameters:
    ///   - handler: must not change anything.
    ///   - hasToken: whether the URL contains a token.
    package mutating func page(at path: String, hasToken: Bool = false, use handler: @escaping Route.Handler) {
        routes.append(
            Route(.page, at: path, [.get, .head], hasToken: hasToken) { $0.page(at: RouterPath(path), use: handler) })
    }

    /// A page and its form.
    ///
    /// - Parameter show: must not change anything.
    package mutating func form<Subject>(at path: String, show: @escaping Route.Handler, _ form: Form<Subject>) {
        self.form(at: path, show: show, submit: handler(of: form))
    }

    private mutating func form(at path: String, show: @escaping Route.Handler, submit: @escaping Route.Handler) {
        routes.append(
            Route(.form, at: path, [.get, .head, .post], checksFormToken: true) {
                $0.form(at: RouterPath(path), show: show, submit: submit)
            })
    }

    /// A form that stands on a page with another path.
    package mutating func form<Subject>(at path: String, _ form: Form<Subject>) {
        add(.form, [.post], at: path, checksFormToken: true, use: handler(of: form))
    }

    /// A page and its form with a file.
    ///
    /// - Parameters:
    ///   - limit: bytes of the form, whatever else it has included.
    ///   - tooLarge: the answer to a longer one, which is not read. It changes nothing.
    package mutating func upload<Subject>(
        at path: String, atMost limit: Int, tooLarge: @escaping Route.Handler, show: @escaping Route.Handler,
        _ form: Form<Subject>
    ) {
        self.form(at: path, show: show) { [sessions] request, context in
            let fields: URLEncodedFields
            do { fields = try await sessions.uploadFields(of: request, context, atMost: limit) } catch let error
                as PublicError where error.status == .contentTooLarge
            {
                return try await tooLarge(request, context)
            }
            return try await Self.submit(form, fields, request, context, sessions)
        }
    }

    /// For a script of our own pages: a POST with their token in a header.
    package mutating func script(
        at path: String, use handler: @escaping @Sendable (Request, VisitorContext, Session) async throws -> Response
    ) {
        add(.script, [.post], at: path, checksFormToken: true) { [sessions] request, context in
            guard let session = context.session, sessions.forms.acceptsScript(request, seed: session.formSeed)
            else { throw PublicError.staleForm(request, from: sessions.forms.sender(of: request), .home) }
            return try await handler(request, context, session)
        }
    }

    /// Those that reach the handlers of routes.
    private static let adminMethods: [HTTPRequest.Method] = [
        .get, .head, .post, .delete, .options, .trace,
    ]

    /// A page of `/admin`, and what its form does.
    ///
    /// - Parameters:
    ///   - admit: looks at who asks before anything else of the request is. It throws ``PublicError/notFound`` for whom the path does
    ///     not exist, so that no method, type or size of a request says that it does.
    ///   - show: must not change anything but when the session was last used.
    ///   - submit: nil for a page without a form.
    package mutating func admin<Admitted: Sendable>(
        at path: String,
        admitting admit: @escaping @Sendable (Request, VisitorContext) async throws -> FormSubject<Admitted>,
        show: (@Sendable (Request, VisitorContext, Admitted) async throws -> Response)?,
        submit: (@Sendable (SubmittedForm, Admitted) async throws -> Response)? = nil
    ) {
        let methods: [HTTPRequest.Method] = (show == nil ? [] : [.get, .head]) + (submit == nil ? [] : [.post])
        let post = submit.map { submit in
            handler(
                of: Form<Admitted>(
                    about: { try await admit($0.request, $0.context) },
                    orElse: { _ in .init(label: Text("error.try-again"), href: path.contains(":") ? "/admin" : path) },
                    submit: submit))
        }
        let handle: Route.Handler = { request, context in
            let admitted: Admitted
            switch try await admit(request, context) {
            case .over(let response): return response
            case .open(let open): admitted = open
            }
            switch (request.method, show, post) {
            case (.get, let show?, _), (.head, let show?, _): return try await show(request, context, admitted)
            case (.post, _, let post?): return try await post(request, context)
            default: throw PublicError.methodNotAllowed(methods)
            }
        }
        routes.append(
            Route(.admin, at: path, methods, checksFormToken: submit != nil) { router in
                for method in Self.adminMethods {
                    router.on(RouterPath(path), method: method, use: handle)
                }
            })
    }

    /// The form that asks for a change. What follows is the same for all.
    mutating func change(_ change: DeclaredChange, _ form: Form<SignedInUser>) {
        changes.append(change)
        self.form(at: change.path, form)
    }

    /// - Parameters:
    ///   - methods: a POST comes from outside, without a form token. The handler checks what it brings.
    ///   - hasToken: whether the URL contains a token.
    ///   - notAPage: the error for anything but a user who goes there.
    package mutating func visit(
        _ methods: [HTTPRequest.Method] = [.get], at path: String, hasToken: Bool = false,
        refusing notAPage: @escaping @Sendable (Request, VisitorContext) throws -> any Error = { _, _ in
            FlowError.notAPage
        },
        use handler: @escaping Route.Handler
    ) {
        visit(methods, at: path, hasToken: hasToken, readsSession: true, refusing: notAPage, use: handler)
    }

    /// A visit whose page asks for a click first.
    package mutating func visit<Subject>(
        at path: String, refusing notAPage: @escaping @Sendable (Request, VisitorContext) throws -> any Error,
        _ form: Form<Subject>, use handler: @escaping Route.Handler
    ) {
        let submit = self.handler(of: form)
        visit([.get, .post], at: path, readsSession: true, checksFormToken: true, refusing: notAPage) {
            $0.method == .post ? try await submit($0, $1) : try await handler($0, $1)
        }
    }

    private mutating func visit(
        _ methods: [HTTPRequest.Method], at path: String, hasToken: Bool = false, readsSession: Bool,
        checksFormToken: Bool = false,
        refusing notAPage: @escaping @Sendable (Request, VisitorContext) throws -> any Error = { _, _ in
            FlowError.notAPage
        },
        use handler: @escaping Route.Handler, mayBeFrame: @escaping @Sendable (Request) -> Bool = { _ in false }
    ) {
        add(
            .visit, methods, at: path, readsSession: readsSession, hasToken: hasToken, checksFormToken: checksFormToken
        ) { request, context in
            guard request.isTopLevelNavigation || mayBeFrame(request), !request.isPrefetch else {
                throw try notAPage(request, context)
            }
            return try await handler(request, context)
        }
    }

    /// Server-sent events. Another site must not learn from the length of a stream what a user does here, nor use up places.
    package mutating func events(at path: String, use handler: @escaping Route.Handler) {
        // No HEAD: it would be a stream without an end for some clients and without a use for all.
        add(.events, [.get], at: path) { request, context in
            guard request.headers[values: .secFetchSite].allSatisfy({ $0 == "same-origin" || $0 == "none" })
            else { throw PublicError.badRequest(cause: "events_cross_site") }
            return try await handler(request, context)
        }
    }

    /// A route that answers some methods with one handler, and all others with a refusal.
    private mutating func add(
        _ kind: Route.Kind, _ methods: [HTTPRequest.Method], at path: String, readsSession: Bool = true,
        hasToken: Bool = false, checksFormToken: Bool = false,
        refusing refusal: @escaping Refusal = Self.refusal,
        use handler: @escaping Route.Handler
    ) {
        routes.append(
            Route(
                kind, at: path, methods, readsSession: readsSession, hasToken: hasToken,
                checksFormToken: checksFormToken
            ) { $0.only(methods, at: RouterPath(path), refusing: refusal, use: handler) })
    }

    private func handler<Subject>(of form: Form<Subject>) -> Route.Handler {
        { [sessions] request, context in
            try await Self.submit(form, sessions.formFields(of: request, context), request, context, sessions)
        }
    }

    /// The one place where the token of a form is checked.
    private static func submit<Subject>(
        _ form: Form<Subject>, _ fields: URLEncodedFields, _ request: Request, _ context: VisitorContext,
        _ sessions: Sessions
    ) async throws -> Response {
        try await LogFields.run(context, FlowID.read(fields)) { context in
            let sender = sessions.forms.sender(of: request)
            let post = FormPost(
                request: request, context: context, fields: fields, sender: sender,
                isOutrun: context.session == nil && sender == .ownPage && sessions.cookie.id(in: request) != nil)
            do {
                let subject: Subject
                switch try await form.subject(post) {
                case .over(let response): return response
                case .open(let open): subject = open
                }
                guard let session = context.session,
                    sessions.forms.accepts(request, fields: fields, seed: session.formSeed)
                else { throw form.stale(post) }
                return try await form.submit(SubmittedForm(post, of: session), subject)
            } catch { throw form.leadingBack(error, post) }
        }
    }

    // MARK: The router of the program

    /// The paths whose errors are JSON, as ``WebRouter`` takes them.
    package var jsonPaths: Set<String> {
        absent.union(
            routes.compactMap {
                [.signedPost, .endpoint, .check, .script].contains($0.kind)
                    ? $0.pattern : $0.kind == .api ? "/api/" : nil
            })
    }

    /// The paths whose URL contains a token, as ``WebRouter`` takes them.
    package var pathsWithTokens: Set<String> { Set(routes.filter(\.hasToken).map(\.pattern)) }

    /// The routes that show pages to users at an address without a token, as ``WebRouter`` takes them.
    package var pageRoutes: Set<String> { pageRoutes(of: [.page, .form]) }

    /// Those of the admin pages.
    package var guardedPageRoutes: Set<String> { pageRoutes(of: [.admin]) }

    private func pageRoutes(of kinds: Set<Route.Kind>) -> Set<String> {
        let pages = routes.filter { kinds.contains($0.kind) && $0.methods.contains(.get) && !$0.hasToken }
        return Set(pages.map { RouterPath($0.path).description })
    }

    /// Adds all routes, those with a session behind the middleware that reads it.
    package func add(to router: Router<VisitorContext>) {
        router.add(middleware: auditing)
        for route in routes where !route.readsSession && route.kind != .api { route.attach(router) }
        let api = router.group(RouterPath(APIPath.prefix))
        api.add(middleware: APIGuard(forms: sessions.forms))
        api.add(middleware: APISession(sessions: SessionMiddleware(sessions)))
        for route in routes where route.kind == .api { route.attach(api) }
        router.add(middleware: SessionMiddleware(sessions))
        router.add(middleware: LogFieldsMiddleware())
        for route in routes where route.readsSession { route.attach(router) }
    }
}

/// Where the JSON API is.
enum APIPath {
    static let prefix = "/api/v1"
}

extension NativeRoutes {
    /// The same files and page as in any program, declared as those of the identity provider.
    package func addRoutes(to router: inout FeatureRouter) {
        for (platform, file) in files { router.file(at: platform.path) { request, _ in file.response(to: request) } }
        router.publicPage(at: NativePath.resetApp) { request, _ in resetPage(request) }
    }
}
