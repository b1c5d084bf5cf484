package import Hummingbird
package import IdPDirectory
import Logging
import SSOShared
package import SSOWeb

/// `/sign-in/account`: a user who is signed in continues with that account, or with another one, for a pending flow.
///
/// A client asks for it with `prompt=select_account`, and so does the link "Not you?" of the completion page. A request that
/// returns to an app's own scheme always leads here first. A link alone never ends a sign-in: that takes the form on this
/// page.
package struct AccountChoice: Sendable {
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
    /// Keeps a double click from sending the form twice.
    let script: String

    package init(
        sessions: Sessions, slots: [any SessionSlot.Type], accounts: AccountStore, accessTokens: AccessTokenStore,
        purposes: FlowPurposes, clients: ClientDirectory, logos: ClientLogos, clock: ServiceClock, pages: Pages,
        script: String
    ) {
        (self.sessions, self.slots, self.accounts, self.accessTokens, self.clients) = (
            sessions, slots, accounts, accessTokens, clients
        )
        (self.purposes, self.logos, self.clock, self.pages, self.script) = (purposes, logos, clock, pages, script)
    }

    private struct Model: Sendable {
        let formToken, flow, name, email, client, logo, complete, cancel, script: String
        let hasLogo: Bool
    }

    package func add(to router: Router<VisitorContext>) {
        router.form(at: RouterPath(Self.path), show: show, submit: useAnother)
    }

    @Sendable private func show(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let id = FlowID(try request.queryFields.text("flow") ?? "")
        guard let session = context.session, let id else { throw FlowError.noSuchFlow }
        guard let flow = session[Flows.self].pending(id, now: clock.now()), purposes.isOfClient(flow) else {
            throw purposes.over(id, in: session)
        }
        guard let user = try await accounts.signedIn(context) else {
            return try .toSignIn(SignInPath.signIn(id), for: request)
        }
        guard let client = clients.client(id: flow.subject) else { throw FlowError.unknownClient }
        let logo = logos.path(of: client)
        return pages.response(
            "account",
            Model(
                formToken: sessions.formToken(for: session), flow: id.text, name: user.account.name,
                email: user.account.email, client: client.name, logo: logo,
                complete: purposes.destination(id, in: session.slots, isNativeShell: false),
                cancel: id.cancel, script: script, hasLogo: !logo.isEmpty), for: request)
    }

    /// Ends the sign-in of this session and begins another one for the same flow. As after a sign-out, tokens that were not
    /// redeemed yet are void, and so is the access token of an app. The pending flows of all tabs are kept. The session id is new.
    @Sendable private func useAnother(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let fields = try await sessions.formFields(of: request, context)
        let flow = FlowID.read(fields)
        guard let user = try await accounts.signedIn(context) else {
            return .redirect(to: SignInPath.signIn(flow))
        }
        guard sessions.forms.accepts(request, fields: fields, seed: user.session.formSeed) else {
            throw PublicError.staleForm(
                request, .init(label: Text("error.try-again"), href: FlowID.path(Self.path, flow)))
        }
        var response = Response.redirect(to: SignInPath.signIn(flow))
        let fresh = try await sessions.store.replace(user.session) { [slots, accessTokens] old, connection in
            try accessTokens.end(session: user.session.handle, connection)
            return old.survivingSignIn(slots)
        }
        // Without a new session another request of this browser has ended this one: nothing is left to end.
        if let fresh {
            context.logger.info(
                "signed_out",
                metadata: [
                    "session": "\(user.session.handle)", "next": "\(fresh.handle)",
                    "flow": "\(fresh[Flows.self].logID(flow))",
                ])
            sessions.remember(fresh, in: &response)
        }
        return response
    }
}
