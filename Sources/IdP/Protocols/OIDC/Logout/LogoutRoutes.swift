import HTTPTypes
import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import Logging
import SSOShared
import SSOWeb
import Storage

/// `GET|POST /oidc/logout` (OpenID Connect RP-Initiated Logout 2).
///
/// With a hint for this browser's user and session, and no address or a registered one, the user is signed out and goes back. All
/// else asks first and stays here: any page of another site can lead a browser here.
struct LogoutRoutes: Sendable {
    /// How long the first tries of the messages may delay the user.
    private static let longestWait: Duration = .seconds(2)

    private let parts: SharedParts
    private let hints: IDTokenHints

    private struct Model: Encodable, Sendable {
        let formToken, email, script: String
    }

    init(_ parts: SharedParts, hints: IDTokenHints) { (self.parts, self.hints) = (parts, hints) }

    func addRoutes(to router: inout FeatureRouter) {
        router.visit([.get, .post], at: OIDCPath.logout, hasToken: true) {
            $0.method == .post
                ? try await OIDCPath.again($0, OIDCPath.logout) : try await logout(OIDCPath.readable($0), $1)
        }
        router.form(
            at: OIDCPath.signOut, show: ask,
            .ofUser(parts.accounts.signedIn) { form, user in
                var response = Response.redirect(to: Self.done)
                try await end(user, form.context)
                parts.sessions.forget(in: &response)
                return response
            })
    }

    /// The page of this service that a user comes to who has signed out.
    private static let done = "/"

    @Sendable private func logout(_ request: Request, _ context: VisitorContext) async throws -> Response {
        guard let user = try await parts.accounts.signedIn(context) else { return .redirect(to: Self.done) }
        // The page has a form, so the address of its own has no token.
        guard let destination = try await destination(request, user, context) else {
            return .redirect(to: OIDCPath.signOut)
        }
        try await end(user, context)
        var response = Response.redirect(to: destination)
        parts.sessions.forget(in: &response)
        return response
    }

    @Sendable private func ask(_ request: Request, _ context: VisitorContext) async throws -> Response {
        guard let user = try await parts.accounts.signedIn(context) else { return .redirect(to: Self.done) }
        return parts.pages.response(
            "logout",
            Model(
                formToken: parts.sessions.formToken(for: user.session), email: user.account.email,
                script: parts.formScript), for: request, offersLanguages: true)
    }

    /// Where a user goes whom the request signs out at once; nil where the user is asked.
    private func destination(
        _ request: Request, _ user: SignedInUser, _ context: VisitorContext
    ) async throws -> String? {
        let parameters = RequestParameters(request.queryFields)
        let (text, clientID, address, state): (String?, String?, String?, String?)
        do throws(ParameterError) {
            text = try parameters.text("id_token_hint", longest: 8192)
            clientID = try parameters.text("client_id")
            address = try parameters.text("post_logout_redirect_uri")
            state = try parameters.text("state")
        } catch { return nil }
        await parts.clients.read()
        guard let hint = await hints.hint(text, context.logger), let session = hint.session,
            hint.account.utf8.elementsEqual(user.account.id.utf8),
            clientID.map({ $0.utf8.elementsEqual(hint.client.utf8) }) ?? true,
            let client = parts.clients.client(id: hint.client), let settings = client.oidc
        else { return nil }
        let told = try await parts.database.read { [signOuts = parts.signOuts] connection in
            try signOuts.signIns.told(
                session: session, client: client.id, account: user.account.id, kind: OIDCProtocol.id, connection)
        }
        guard let told, told.session == user.session.handle, told.endedAt == nil else { return nil }
        guard let address else { return Self.done }
        guard settings.postLogoutRedirectURIs.contains(where: { $0.utf8.elementsEqual(address.utf8) }),
            state.map({ $0.utf8.allSatisfy { (0x20...0x7e).contains($0) } }) ?? true
        else { return nil }
        return state.map { AuthorizeRequest.adding([("state", $0)], to: address) } ?? address
    }

    private func end(_ user: SignedInUser, _ context: VisitorContext) async throws {
        let begun = parts.clock.now()
        try await parts.appDevices.end(user.session, of: user.account, context.audit)
        context.logger.info(
            "signed_out", metadata: ["session": "\(user.session.handle)", "protocol": "\(OIDCProtocol.id)"])
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
