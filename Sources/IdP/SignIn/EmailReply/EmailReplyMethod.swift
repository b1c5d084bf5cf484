import HTTPTypes
import Hummingbird
import IdPAccounts
import IdPClients
package import IdPFlow
import SSOShared
import SSOWeb

/// The sign-in method "answer to the email": the visitor answers the email with the number on the screen, and the browser
/// that waits goes on by itself.
///
/// It has no option on the sign-in page: its email is that of the code, and its number stands on the page with the field
/// for the code.
package struct EmailReplyMethod: SignInMethod {
    package let id = "email_reply"
    static let path = SignInPath.reply

    let sessions: Sessions
    let challenges: ChallengeStore
    let completion: SignInCompletion
    let limits: SignInLimits
    let events: ReplyEvents
    let pages: Pages

    /// What the page "You are signed in" shows.
    struct Model: Encodable, Sendable {
        let service, href: String
        let hasService: Bool
    }

    /// How the waiting page asks for an answer.
    package static func offer(_ reply: EmailReply, _ challenge: Challenge, _ flow: FlowID?) -> EmailCodePage.ReplyOffer
    {
        let number = reply.number(for: challenge.id)
        return .init(
            number: number, spaced: number.spelledOut, events: FlowID.path(ReplyEvents.path, flow),
            next: FlowID.path(path, flow))
    }

    package func addRoutes(to router: inout FeatureRouter) {
        // The button of a page without a script, or with the box to stay signed in ticked. It does what a GET does, so a form
        // that was open in another tab goes on as a GET.
        let button = Form(
            about: { post -> FormSubject<Void> in
                try await completion.alreadySignedIn(post.request, post.context, flow: post.flow) != nil
                    || post.context.session == nil
                    ? .over(.redirect(to: FlowID.path(Self.path, post.flow))) : .open(())
            },
            orElse: { .init(label: Text("code.back"), href: FlowID.path(EmailCodeMethod.path, $0.flow)) },
            submit: { form, _ in
                try await proceed(
                    form.flow, remembers: RememberChoice.isTicked(in: form.fields), form.request, form.context)
            })
        // A GET of an answered challenge signs in.
        router.visit(
            at: Self.path, refusing: { _, _ in PublicError.badRequest(cause: "reply_not_a_navigation") }, button
        ) { request, context in
            // A link must not decide how long the session lasts.
            try await proceed(FlowID.read(request.queryFields), remembers: false, request, context)
        }
        router.events(at: ReplyEvents.path, use: events.respond)
    }

    package func options(for attempt: SignInAttempt) -> [SignInOption] { [] }

    /// The waiting page comes here when it learns of an answer, or by its button.
    ///
    /// Another site can open this address too. It can only finish the sign-in that this user asked for and replied to.
    private func proceed(
        _ flow: FlowID?, remembers: Bool, _ request: Request, _ context: VisitorContext
    ) async throws -> Response {
        if let done = try await completion.alreadySignedIn(request, context, flow: flow) {
            return elsewhere(request, context, flow: flow) ?? done
        }
        guard let session = context.session, let held = session[BrowserChallenges.self].awaited(for: flow?.text) else {
            return .redirect(to: SignInPath.signIn(flow))
        }
        let waiting = Response.redirect(to: FlowID.path(EmailCodeMethod.path, flow))
        guard let challenge = try await challenges.findPending(held.id), challenge.isAnswered,
            held.isShared != true
        else { return waiting }
        let done = try await completion.finish(
            ProvenSignIn(
                .email(try EmailAddress(challenge.address)), method: id, challenge: challenge.id,
                flow: session.known(flow), remembers: remembers, consuming: { try challenges.succeed(challenge, $0) }),
            session, request,
            context)
        guard let done else {
            // Another tab was faster. The browser's next request carries the new cookie.
            return try await sessions.store.isAlive(session) ? waiting : .redirect(to: SignInPath.signIn(flow))
        }
        await limits.giveBack(request, context, browserID: challenge.browserID, hasPostedCode: false)
        return done
    }

    /// The page for a window whose sign-in has continued in another one, such as the one that the link opened in: that
    /// window has the flow, and this one can be closed. Nil where the sign-in was for another flow.
    private func elsewhere(_ request: Request, _ context: VisitorContext, flow: FlowID?) -> Response? {
        guard let session = context.session, let flow, let signIn = session[CurrentSignIn.self].signIn,
            signIn.flow.map({ $0.utf8.elementsEqual(flow.text.utf8) }) == true
        else { return nil }
        let (flows, purposes) = (session[Flows.self], completion.purposes)
        if flows.flow(flow) != nil {
            let next = purposes.destination(flow, in: session.slots, isNativeShell: request.isFromNativeShell)
            return purposes.name(of: flow, in: session).map { page(request, $0, href: next) } ?? .redirect(to: next)
        }
        let name = flows.ended(flow).flatMap(purposes.name)
        return page(request, name, href: purposes.over(flow, in: session).nextStep.href)
    }

    private func page(_ request: Request, _ service: String?, href: String) -> Response {
        let model = Model(service: service ?? "", href: href, hasService: service != nil && href != "/")
        return pages.response("signed-in-elsewhere", model, for: request)
    }
}
