import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import IdPSignOut
import Logging
import SSOShared
import SSOWeb

/// `/sign-in/account`: a user who is signed in continues with that account, or with another one, for a pending flow.
///
/// A client asks for it with `prompt=select_account`, and so does the link "Not you?" of the completion page. A request that
/// returns to an app's own scheme leads here unless its user has signed in for it. A link alone never ends a sign-in: that takes
/// the form on this page.
struct AccountChoice: Sendable {
    static let path = SignInPath.account

    let sessions: Sessions
    /// Every slot of the program.
    let slots: [any SessionSlot.Type]
    let accounts: AccountStore
    let accessTokens: AccessTokenStore
    let purposes: FlowPurposes
    let clients: ClientDirectory
    let logos: ClientLogos
    let clock: ServiceClock
    let pages: Pages

    private struct Model: Encodable, Sendable {
        let formToken, flow, name, email, client, logo, logoSizeHTML, complete, cancel: String
        let hasLogo: Bool
    }

    func addRoutes(to router: inout FeatureRouter) {
        router.form(
            at: Self.path, show: show,
            .ofUser(
                accounts.signedIn, elsewhere: { SignInPath.signIn($0.flow) },
                orElse: { .init(label: Text("error.try-again"), href: FlowID.path(Self.path, $0.flow)) },
                submit: useAnother))
    }

    @Sendable private func show(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let id = FlowID(try request.queryFields.text("flow") ?? "")
        guard let session = context.session, let id else { throw purposes.over(id, in: nil) }
        guard let flow = session[Flows.self].pending(id, now: clock.now()), purposes.isOfClient(flow) else {
            throw purposes.over(id, in: session)
        }
        guard let user = try await accounts.signedIn(context) else {
            return try .toSignIn(SignInPath.signIn(id), for: request)
        }
        await clients.read()
        guard let client = clients.client(id: flow.subject) else { throw FlowError.unknownClient }
        let logo = logos.path(of: client)
        return pages.response(
            "account",
            Model(
                formToken: sessions.formToken(for: session), flow: id.text, name: user.account.name,
                email: user.account.email, client: client.name, logo: logo,
                logoSizeHTML: logos.size(of: client),
                complete: purposes.resumption(of: id, in: session.slots),
                cancel: id.cancel, hasLogo: !logo.isEmpty), for: request,
            offersLanguages: true)
    }

    /// Ends the sign-in of this session and begins another one for the same flow. As after a sign-out, tokens that were not
    /// redeemed yet are void, and so is the access token of an app. The pending flows of all tabs are kept. The session id is new.
    @Sendable private func useAnother(_ form: SubmittedForm, _ user: SignedInUser) async throws -> Response {
        let flow = form.flow
        var response = Response.redirect(to: SignInPath.signIn(flow))
        let fresh = try await sessions.store.replace(user.session) { [slots, accounts, accessTokens] old, connection in
            try accessTokens.end(session: user.session.handle, connection)
            try accounts.signOuts.end(
                .one(user.session.handle), .otherAccount, by: .user(user.account.id), form.context.audit, connection)
            let signedOut = Event(
                .signedOut, by: .user(user.account.id), account: user.account.id, session: user.session.handle,
                cause: "other_account")
            try form.context.record(signedOut.only(in: .row), connection)
            return old.survivingSignIn(slots)
        }
        // Without a new session another request of this browser has ended this one: nothing is left to end.
        if let fresh {
            var further: Logger.Metadata = ["next": "\(fresh.handle)"]
            further["flow"] = fresh[Flows.self].logID(flow).map { "\($0)" }
            form.context.record(
                Event(.signedOut, session: user.session.handle, cause: "other_account", further).only(in: .log))
            sessions.remember(fresh, in: &response)
        }
        return response
    }
}
