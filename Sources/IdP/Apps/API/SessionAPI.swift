import Hummingbird
package import IdPAccounts
import IdPClients
import IdPFlow
import SSOShared
package import SSOWeb

/// `/api/v1/session`, `/api/v1/session/check` and `/api/v1/me`: who is signed in, and the sign-out.
package struct SessionAPI: Sendable {
    let authentication: APIAuthentication
    let sessions: Sessions
    let devices: AppDevices
    let clock: ServiceClock

    package init(authentication: APIAuthentication, sessions: Sessions, devices: AppDevices, clock: ServiceClock) {
        (self.authentication, self.sessions, self.devices, self.clock) = (authentication, sessions, devices, clock)
    }

    @Sendable func show(_ request: Request, _ context: VisitorContext) async throws -> Response {
        switch try await authentication.caller(request, context) {
        case .app(let user):
            let entry = user.entry
            return .json(
                Self.members(user.account, entry.provenAt, entry.proofs.methods) + [
                    .init("expires_in", (entry.expiresAt - clock.now()).secondsRoundedUp)
                ])
        case .session(let user):
            return .json(Self.members(user.account, user.signIn.provenAt, user.signIn.proofs.methods))
        }
    }

    /// For the app's return to the foreground: as cheap as an answer about a user can be.
    @Sendable func check(_ request: Request, _ context: VisitorContext) async throws -> Response {
        _ = try await authentication.caller(request, context)
        return .json([])
    }

    @Sendable func me(_ request: Request, _ context: VisitorContext) async throws -> Response {
        .json(try await authentication.app(request, context).account.members)
    }

    /// Signs this app out: its access token and the session of its web view end together, whichever the request carries.
    @Sendable func end(_ request: Request, _ context: VisitorContext) async throws -> Response {
        var response = Response(status: .noContent)
        switch try await authentication.caller(request, context) {
        case .app(let user):
            _ = try await devices.end(user.entry.id, of: user.account, context.audit, as: .signedOut)
        case .session(let user):
            try await devices.end(user.session, of: user.account, context.audit)
            sessions.forget(in: &response)
        }
        return response
    }

    /// - Parameter provenAt: nil leaves `authenticated_at` out, as in the answer to verify.
    private static func members(
        _ account: Account, _ provenAt: Timestamp?, _ methods: [String]
    ) -> [JSONText.Member] {
        [.init("user", account.members)] + (provenAt.map { [.init("authenticated_at", $0.seconds)] } ?? [])
            + [.init("methods", methods)]
    }
}
