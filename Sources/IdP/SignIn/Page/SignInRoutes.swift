import HTTPTypes
import Hummingbird
import IdPClients
import IdPFlow
import Logging
import SSOShared
import SSOWeb
import Storage

/// `/sign-in`.
struct SignInRoutes: Sendable {
    static let path = SignInPath.signIn

    let sessions: Sessions
    let completion: SignInCompletion
    let page: SignInPage
    /// Takes an address from the form with the field `email`; nil if it is not an email address. Itself nil where no email is sent.
    let submitAddress: (@Sendable (SubmittedAddress) async throws -> Response?)?

    func addRoutes(to router: inout FeatureRouter) {
        let form = Form(
            about: { [completion] post -> FormSubject<Void> in
                if let done = try await completion.alreadySignedIn(post.request, post.context, flow: post.flow) {
                    return .over(done)
                }
                let isSecondTry = post.request.queryFields.count(SignInPath.staleParameter) > 0
                // The same form once more, with the new cookie if the first half of a double click has brought one.
                if post.isOutrun, !isSecondTry { return .over(.redirect(to: SignInPath.stale, type: .temporary)) }
                if post.isOutrun { return .over(try await ended(post)) }
                // The first half has sent the email.
                let hasAsked = post.context.session?[BrowserChallenges.self].current != nil
                return isSecondTry && hasAsked
                    ? .over(.redirect(to: FlowID.path(SignInPath.code, post.flow))) : .open(())
            },
            orElse: { .init(label: Text("sign-in.title"), href: SignInPath.signIn($0.flow)) },
            submit: { form, _ in try await submit(form) })
        router.form(at: Self.path, show: show, form)
    }

    @Sendable private func show(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let flow = FlowID.read(request.queryFields)
        if let done = try await completion.alreadySignedIn(request, context, flow: flow) { return done }
        if let error = completion.unreachable(request.queryFields, request, context) { throw error }
        return page.response(
            request, try await page.session(request, context, flow), flow: flow,
            again: try await page.again(context, flow))
    }

    /// The page for the form of a session that has ended, with what was typed and the token of a new session. Nothing is sent.
    private func ended(_ post: FormPost) async throws -> Response {
        let (request, context) = (post.request, post.context)
        if let error = completion.unreachable(post.fields, request, context) { throw error }
        let error = PublicError.staleForm(request, from: post.sender, .home)
        context.logger.record(
            Event(
                .requestRefused, cause: error.cause,
                ["status": .number(error.status.code), "code": .string(error.code)]))
        let typed = try post.fields.text("email") ?? ""
        return page.response(
            request, try await page.session(request, context, post.flow), flow: post.flow,
            address: String(typed.prefix(SignInPage.longestTyped)),
            remembers: try RememberChoice.isTicked(in: post.fields))
    }

    private func submit(_ form: SubmittedForm) async throws -> Response {
        let (request, context, session, flow) = (form.request, form.context, form.session, form.flow)
        if let error = completion.unreachable(form.fields, request, context) { throw error }
        // The form of a page from the time when emails were sent.
        guard let submitAddress else { return .redirect(to: SignInPath.signIn(flow)) }
        let typed = try form.fields.text("email") ?? ""
        let submitted = SubmittedAddress(
            text: typed, session: session, flow: flow, clientName: completion.purposes.name(of: flow, in: session),
            confirmsIdentity: try form.fields.text("known") == "1", fields: form.fields, request: request,
            context: context)
        if let next = try await submitAddress(submitted) { return next }
        return page.response(
            request, try await page.prepared(session, request, flow), flow: flow,
            again: try await page.again(context, flow),
            address: String(typed.prefix(SignInPage.longestTyped)),
            error: EmailAddressError.reason(typed), remembers: try RememberChoice.isTicked(in: form.fields))
    }
}

/// What a visitor has typed into the field `email`, with the request it came in.
package struct SubmittedAddress: Sendable {
    let text: String
    let session: Session
    let flow: FlowID?
    let clientName: String?
    /// The form was on a page that says what the sign-in adds to the account (``PendingIdentity``).
    let confirmsIdentity: Bool
    /// The form, which says what the browser can do (``BrowserAbilities``).
    let fields: URLEncodedFields
    let request: Request
    let context: VisitorContext
    /// What the link of an invitation has made of the browser; nil for any other.
    var invited: InvitedBrowser?
}

/// A browser that an invitation has just made known. Its request does not have the cookie yet.
struct InvitedBrowser: Sendable {
    let id: String
    /// What it is counted for: scanners that press the button must not use up the posts of the user.
    let countedFor: String
}
