import HTTPTypes
import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import SSOShared
import SSOWeb
import Storage

/// `/sign-in/operator`: from a link that an operator has printed to the session, once, for an account that nobody has signed in to.
///
/// GET changes nothing, so programs that check links may fetch it. It proves the operator's word, and not the mailbox.
struct PrintedLinkRoutes: Sendable {
    static let path = SignInPath.printedLink
    static let method = "operator"

    let sessions: Sessions
    let completion: SignInCompletion
    let changes: any AccountChangeReporter
    let pages: Pages
    let clock: ServiceClock
    let hasPasskeys: Bool
    private let cookie: BrowserCookie

    init(
        _ parts: SharedParts, _ completion: SignInCompletion, changes: any AccountChangeReporter, hasPasskeys: Bool
    ) {
        self.hasPasskeys = hasPasskeys
        (sessions, pages, clock) = (parts.sessions, parts.pages, parts.clock)
        (self.completion, self.changes) = (completion, changes)
        cookie = BrowserCookie(
            name: "idp_operator_link", origin: parts.origin, maximumAge: PrintedLinkStore.lifetime)
    }

    struct Model: Encodable, Sendable { let formToken, address: String }

    private struct Opened: Sendable {
        let key: PrintedLinkKey
        let account: Account
    }

    func addRoutes(to router: inout FeatureRouter) {
        router.page(at: "\(Self.path)/:key", hasToken: true, use: keep)
        let form = Form(
            about: { post in .open(try await opened(post.request)) },
            orElse: { _ in .init(label: Text("error.try-again"), href: Self.path) }, submit: submit)
        router.form(at: Self.path, show: show, form)
    }

    @Sendable private func keep(_ request: Request, _ context: VisitorContext) async throws -> Response {
        cookie.taking(PrintedLinkKey(wire: context.parameters.get("key") ?? "")?.wire, to: Self.path)
    }

    @Sendable private func show(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let opened = try await opened(request)
        let session = try await sessions.current(request, context)
        var response = pages.response(
            "printed-link",
            Model(formToken: sessions.formToken(for: session), address: opened.account.email), for: request,
            offersLanguages: true)
        sessions.remember(session, in: &response)
        return response
    }

    @Sendable private func submit(_ form: SubmittedForm, _ opened: Opened) async throws -> Response {
        let (now, origin) = (clock.now(), ChangeOrigin(form.request))
        let done = try await completion.finish(
            ProvenSignIn(
                .printedLink(accountID: opened.account.id), method: Self.method, flow: nil,
                consuming: { connection in
                    guard try PrintedLinkStore.use(opened.key, of: opened.account, at: now, connection) else {
                        return false
                    }
                    let event = Event(
                        .signInLinkUsed, by: .user(opened.account.id), account: opened.account.id,
                        session: form.session.handle)
                    try form.context.record(event, connection)
                    try changes.report(.printedLinkUsed, of: opened.account, by: origin, connection)
                    return true
                }), form.session, form.request, form.context)
        guard var done else { return .redirect(to: Self.path) }
        cookie.clear(in: &done)
        // What signs the user in from now on.
        if hasPasskeys { done.headers[.location] = PasskeyPath.add }
        return done
    }

    /// - Throws: ``PublicError`` 410 for a link that works no more.
    private func opened(_ request: Request) async throws -> Opened {
        guard let key = cookie.value(in: request).flatMap({ PrintedLinkKey(wire: String($0)) }) else {
            throw PublicError.printedLinkOver("unknown", Text("error.printed-link"))
        }
        let now = clock.now()
        let state = try await completion.accounts.database.read { [eligibility = completion.accounts.eligibility] in
            try PrintedLinkStore.state(of: key, at: now, eligibility, $0)
        }
        switch state {
        case .open(let account): return Opened(key: key, account: account)
        case .unknown: throw PublicError.printedLinkOver("unknown", Text("error.printed-link"))
        case .used: throw PublicError.printedLinkOver("used", Text("error.printed-link-used"))
        case .expired: throw PublicError.printedLinkOver("expired", Text("error.printed-link"))
        case .withdrawn: throw PublicError.printedLinkOver("withdrawn", Text("error.printed-link"))
        }
    }
}

extension PublicError {
    fileprivate static func printedLinkOver(_ cause: String, _ words: Text) -> PublicError {
        PublicError(
            .gone, code: "sign_in_link_over", title: Text("error.printed-link.title"), explanation: words,
            nextStep: .init(label: Text("sign-in.title"), href: SignInPath.signIn), cause: "sign_in_link_\(cause)")
    }
}
