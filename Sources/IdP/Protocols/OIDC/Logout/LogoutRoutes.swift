import HTTPTypes
import Hummingbird
import IdPAccounts
import IdPAuthorization
import IdPClients
import IdPFlow
import IdPSignOut
import Logging
import SSOShared
import SSOWeb
import Storage

/// `GET|POST /oidc/logout` (OpenID Connect RP-Initiated Logout 2).
///
/// With a hint for this browser's user and session, and no address or a registered one, the user is signed out and goes back. Where
/// nobody is signed in, a hint of ours is enough to go back: there is nothing to ask. All else asks first, because any page of
/// another site can lead a browser here, and goes back only if client and address belong together.
struct LogoutRoutes: Sendable {
    /// How long the first tries of the messages may delay the user.
    private static let longestWait: Duration = .seconds(2)

    private let parts: SharedParts
    private let hints: IDTokenHints
    private let field: LogoutField

    private struct Model: Encodable, Sendable {
        let formToken, back, email: String
    }

    /// Who has agreed, and where the user goes then.
    private struct Agreed: Sendable {
        let user: SignedInUser
        let destination: String
    }

    init(_ parts: SharedParts, hints: IDTokenHints) {
        (self.parts, self.hints) = (parts, hints)
        field = LogoutField(keys: parts.keys, randomness: parts.randomness)
    }

    func addRoutes(to router: inout FeatureRouter) {
        router.visit([.get, .post], at: OIDCPath.logout, hasToken: true) {
            $0.method == .post
                ? try await OIDCPath.again($0, OIDCPath.logout) : try await logout($0, $1)
        }
        let form = Form(
            about: { post -> FormSubject<Agreed> in
                let user = try await parts.accounts.signedIn(post.context)
                let destination = await destination(after: post, user)
                return user.map { .open(Agreed(user: $0, destination: destination)) }
                    ?? .over(.redirect(to: destination))
            },
            orElse: { _ in .home },
            submit: { form, agreed in
                var response = Response.redirect(to: agreed.destination)
                try await end(agreed.user, form.context)
                parts.sessions.forget(in: &response)
                return response
            })
        router.form(at: OIDCPath.signOut, show: ask, form)
    }

    /// The page of this service that a user comes to who has signed out.
    private static let done = "/"

    @Sendable private func logout(_ request: Request, _ context: VisitorContext) async throws -> Response {
        let user = try await parts.accounts.signedIn(context)
        let asked = try await read(request, user, context)
        guard let user else {
            if asked.hint != nil, let back = asked.back { return .redirect(to: back.destination) }
            asked.logRefusal("id_token_hint_missing", context)
            return .redirect(to: Self.done)
        }
        if asked.cause == nil, try await isOfThisSession(asked, user) {
            try await end(user, context)
            var response = Response.redirect(to: asked.back?.destination ?? Self.done)
            parts.sessions.forget(in: &response)
            return response
        }
        let isOther = asked.hint.map { !$0.account.utf8.elementsEqual(user.account.id.utf8) } ?? false
        let back = isOther ? nil : asked.back
        if back == nil { asked.logRefusal("hint_of_other_user", context) }
        let now = parts.clock.now()
        // The page has a form, so the address of its own has no token.
        _ = try await parts.sessions.store.update(user.session) { slots in
            let hadOne = slots[LogoutQuestion.self].back(now: now) != nil
            slots[LogoutQuestion.self] = LogoutQuestion(back, now: now)
            return back != nil || hadOne
        }
        return .redirect(to: OIDCPath.signOut)
    }

    @Sendable private func ask(_ request: Request, _ context: VisitorContext) async throws -> Response {
        guard let user = try await parts.accounts.signedIn(context) else { return .redirect(to: Self.done) }
        let now = parts.clock.now()
        let back = user.session[LogoutQuestion.self].back(now: now)
        var response = parts.pages.response(
            "logout",
            Model(
                formToken: parts.sessions.formToken(for: user.session),
                back: try field.text(back, user.session, now: now), email: user.account.email),
            for: request, offersLanguages: true)
        if back != nil { response.headers[.contentSecurityPolicy] = ContentPolicy.formsToClients }
        return response
    }

    /// Where a user goes who has agreed: the registry may have changed since the page was shown.
    private func destination(after post: FormPost, _ user: SignedInUser?) async -> String {
        let text = (try? post.fields.text(LogoutField.name)) ?? nil
        guard let back = field.back(text, user?.session, now: parts.clock.now()) else { return Self.done }
        await parts.clients.read()
        return back.isRegistered(parts.clients) ? back.destination : Self.done
    }

    /// The request with the clients of this moment: a command may have added or removed one. At once for a user, by a shared reading
    /// for visitors.
    private func read(
        _ request: Request, _ user: SignedInUser?, _ context: VisitorContext
    ) async throws -> LogoutRequest {
        let parameters = RequestParameters(request.queryFields)
        func read() async throws -> LogoutRequest {
            try await LogoutRequest(parameters, hints: hints, clients: parts.clients, logged: context)
        }
        guard user == nil else {
            await parts.clients.read()
            return try await read()
        }
        let first = try await read()
        guard first.back != nil || first.mayBeOfNewClient else { return first }
        await parts.clients.renew(for: request, context, isKnown: !first.mayBeOfNewClient)
        return try await read()
    }

    /// Whether the hint is one for this browser's user and session, so that there is nothing to ask.
    private func isOfThisSession(_ asked: LogoutRequest, _ user: SignedInUser) async throws -> Bool {
        guard let hint = asked.hint, let session = hint.session, let client = asked.client,
            hint.account.utf8.elementsEqual(user.account.id.utf8)
        else { return false }
        let told = try await parts.database.read { [signOuts = parts.signOuts] connection in
            try signOuts.signIns.told(
                session: session, client: client.id, account: user.account.id, kind: OIDCProtocol.id, connection)
        }
        guard let told else { return false }
        return told.session == user.session.handle && told.endedAt == nil
    }

    private func end(_ user: SignedInUser, _ context: VisitorContext) async throws {
        let begun = parts.clock.now()
        try await parts.appDevices.end(
            user.session, of: user.account, context.audit, ["protocol": "\(OIDCProtocol.id)"])
        await firstTries(of: user.account.id, since: begun)
    }

    /// Waits until each message was tried once: a client that the user goes back to should know already.
    private func firstTries(of account: String, since begun: Timestamp) async {
        let deadline = ContinuousClock.now + Self.longestWait
        while ContinuousClock.now < deadline {
            let waiting = try? await parts.database.read { [queue = parts.signOuts.queue] connection in
                try queue.all(of: account, since: begun, connection).contains { $0.state == .waiting && $0.tries == 0 }
            }
            guard waiting == true else { return }
            try? await Task.sleep(for: .milliseconds(50))
        }
    }
}
