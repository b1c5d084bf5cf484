import HTTPTypes
import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import Logging
import SSOShared
import SSOWeb
import Storage

/// `/invitation`: from the link in an invitation's email to the code.
///
/// GET changes nothing, so mail scanners may fetch the link. The button sends a code to the mailbox, as on the sign-in page, and
/// makes the browser known for the address: it has a budget of its own, whatever scanners press. It proves nothing.
struct InvitationRoutes: Sendable {
    static let path = "/invitation"

    let sessions: Sessions
    let accounts: AccountStore
    let invitations: InvitationStore
    let knownBrowsers: KnownBrowsers
    let clients: ClientDirectory
    let cookie: BrowserCookie
    let pages: Pages
    let flowLimit: FlowLimit
    let clock: ServiceClock
    let randomness: any Randomness
    /// Begins the sign-in; nil where no email is sent.
    let submitAddress: InvitationFeature.SubmitAddress?

    init(
        _ parts: SharedParts, _ invitations: InvitationStore,
        submitAddress: InvitationFeature.SubmitAddress?
    ) {
        (self.invitations, self.submitAddress) = (invitations, submitAddress)
        (sessions, accounts, knownBrowsers) = (parts.sessions, parts.accounts, parts.knownBrowsers)
        (clients, flowLimit, clock) = (parts.clients, parts.flowLimit, parts.clock)
        (randomness, pages) = (parts.randomness, parts.pages)
        cookie = BrowserCookie(name: "idp_invitation", origin: parts.origin, maximumAge: .minutes(10))
    }

    struct Model: Encodable, Sendable {
        let formToken, address, service, other, errorHTML: String
        let hasClient, hasOther, hasError: Bool
    }

    func addRoutes(to router: inout FeatureRouter) {
        router.page(at: "\(Self.path)/:key", hasToken: true, use: keep)
        let form = Form(
            about: { post in .open(try await opened(post.request, post.context)) },
            orElse: { _ in .init(label: Text("error.try-again"), href: Self.path) }, submit: submit)
        router.form(at: Self.path, show: show, form)
    }

    @Sendable private func keep(_ request: Request, _ context: VisitorContext) async throws -> Response {
        cookie.taking(InvitationKey(wire: context.parameters.get("key") ?? "")?.wire, to: Self.path)
    }

    @Sendable private func show(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let opened = try await opened(request, context)
        let session = try await sessions.current(request, context)
        return try await page(request, context, session, opened, address: opened.address.shown)
    }

    @Sendable private func submit(_ form: SubmittedForm, _ opened: Invitation.Opened) async throws -> Response {
        let typed = try form.fields.text("email") ?? ""
        let address: EmailAddress
        do throws(EmailAddressError) { address = try Entered.address(typed) } catch {
            return try await page(
                form.request, form.context, form.session, opened,
                address: String(typed.prefix(SignInPage.longestTyped)), error: error)
        }
        try flowLimit.count(form.session)
        // Another address gets what it gets on the sign-in page.
        let isInvited = address == opened.address
        let claim = isInvited ? try await makeKnown(opened, form.session) : nil
        let flow = try FlowID(randomness: randomness)
        let now = clock.now()
        let begun = try await sessions.store.update(form.session) { slots in
            try slots[Flows.self].begin(
                InvitationPurpose.request(for: opened.invitation, address: address), id: flow, now: now)
            return true
        }
        guard let begun else { return .redirect(to: Self.path) }
        let next = try await submitAddress?(
            SubmittedAddress(
                text: address.text, session: begun, flow: flow, clientName: client(of: opened)?.name,
                confirmsIdentity: false, fields: form.fields, request: form.request, context: form.context,
                invited: claim?.browser))
        guard var response = next ?? nil else { return .redirect(to: Self.path) }
        if let claim {
            form.context.record(
                Event(
                    .browserKnown, session: form.session.handle, flow: begun[Flows.self].logID(flow),
                    ["device": "\(claim.known.name)"]))
            knownBrowsers.give(claim.known, form.request, in: &response)
        }
        return response
    }

    /// Makes a browser known for the address of an invitation. One browser is known by each: the link moves it here. Guesses of
    /// codes and emails count for all of them together.
    private func makeKnown(
        _ opened: Invitation.Opened, _ session: Session
    ) async throws -> (known: KnownBrowserCookie.Claim, browser: InvitedBrowser) {
        try await invitations.database.write { connection in
            let known = try knownBrowsers.store.remember(
                opened.address, known: opened.browserID, keepsPrevious: false, connection)
            return (known, InvitedBrowser(id: known.name, countedFor: "\(known.name).\(session.handle)"))
        }
    }

    private func client(of opened: Invitation.Opened) -> Client? {
        opened.invitation.clientID.flatMap { clients.client(id: $0) }
    }

    private func page(
        _ request: Request, _ context: VisitorContext, _ session: Session, _ opened: Invitation.Opened, address: String,
        error: EmailAddressError? = nil
    ) async throws -> Response {
        await clients.renew()
        let (client, other) = (client(of: opened), try await accounts.signedIn(context))
        let model = Model(
            formToken: sessions.formToken(for: session), address: address, service: client?.name ?? "",
            other: other?.account.email ?? "",
            errorHTML: error.map { pages.texts(for: request).html($0.words) } ?? "", hasClient: client != nil,
            hasOther: other != nil, hasError: error != nil)
        var response = pages.response(
            "invitation", model, for: request, status: error != nil ? .unprocessableContent : .ok, offersLanguages: true
        )
        sessions.remember(session, in: &response)
        return response
    }

    // MARK: The key

    /// - Throws: ``PublicError`` 410 for an invitation that is over.
    private func opened(_ request: Request, _ context: VisitorContext) async throws -> Invitation.Opened {
        guard submitAddress != nil else { throw Self.withoutMail }
        guard let key = cookie.value(in: request).flatMap({ InvitationKey(wire: String($0)) }) else {
            throw rejected(.unknown, nil, context)
        }
        switch try await invitations.state(of: key) {
        case .open(let opened): return opened
        case .ended(let ending, let account): throw rejected(ending, account, context)
        }
    }

    /// Its link would lead to a code that nobody sends.
    private static let withoutMail = PublicError(
        .gone, code: "invitation_without_mail", title: Text("invitation.without-mail.title"),
        explanation: Text("invitation.without-mail"),
        nextStep: .init(label: Text("sign-in.title"), href: SignInPath.signIn), cause: "invitation_without_mail"
    ).logged

    private func rejected(
        _ ending: Invitation.Ending, _ account: Account?, _ context: VisitorContext
    ) -> PublicError {
        var event = Event(
            .invitationRejected, by: .visitor, session: context.session?.handle, cause: ending.rawValue)
        // The line alone names whose invitation it was.
        if let account, let typed = (try? EmailAddress(account.email)).flatMap({ context.audit?.typed($0) }) {
            event.further = ["account": "\(account.id)", "address": "\(typed.masked)", "address_id": "\(typed.id)"]
        }
        context.record(event)
        return PublicError(
            .gone, code: "invitation_\(ending.rawValue)", title: Text("invitation.\(ending.rawValue).title"),
            explanation: Text("invitation.\(ending.rawValue)"),
            nextStep: .init(label: Text("sign-in.title"), href: SignInPath.signIn),
            cause: "invitation_\(ending.rawValue)"
        ).logged
    }
}
