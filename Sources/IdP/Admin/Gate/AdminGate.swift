import HTTPTypes
import Hummingbird
import IdPAccounts
import IdPClients
import IdPFlow
import SSOShared
import SSOWeb
import Storage

/// A user with a role that counts, of this request.
struct Admin: Sendable {
    let user: SignedInUser
    let role: AdminRole
    /// Whether the request is a form after ``AdminGate/idle``, which waits for a new sign-in.
    var isIdle = false

    var mayChange: Bool { role == .admin }
}

/// Owns the rule for whom the admin pages exist. For everybody else each path below `/admin` is one that does not exist.
struct AdminGate: Sendable {
    static let idle: Duration = .minutes(30)
    /// A session notes its use so often, as every session does.
    private static let touch: Duration = .minutes(1)

    let parts: SharedParts
    let networks: [Network]
    let strength: Strength

    /// How old and strong the sign-in of a change must be.
    var need: Proof.Need { Proof.Need(age: .minutes(10), strength: strength) }

    /// - Throws: ``PublicError/notFound`` for whom there are no admin pages.
    func admit(_ request: Request, _ context: VisitorContext) async throws -> FormSubject<Admin> {
        guard !request.isFromNativeShell, isFromHere(request, context) else { throw PublicError.notFound }
        guard let session = context.session, let (user, role) = try await role(of: session) else {
            guard try await hasAdmins() else { throw PublicError.notFound }
            return .over(try await signIn(request, context))
        }
        guard let role else { throw PublicError.notFound }
        let now = parts.clock.now()
        let used = user.session[AdminActivity.self].usedAt
        // The first request of a sign-in counts from that sign-in, with which the session began.
        let last = used ?? user.session.createdAt
        if last <= now + ClockSkew.tolerated, now - last > Self.idle {
            // What was typed is kept once the token of the form is checked.
            if request.method == .post { return .open(Admin(user: user, role: role, isIdle: true)) }
            return .over(try await signIn(request, context, since: now))
        }
        if used.map({ $0 > now || now - $0 >= Self.touch }) ?? true {
            _ = try await parts.sessions.store.update(user.session) { slots in
                slots[AdminActivity.self].usedAt = now
                return true
            }
        }
        return .open(Admin(user: user, role: role))
    }

    /// The user of a session and the role that counts, as the caller's transaction sees them.
    func role(
        of session: Session, _ connection: any SQLConnection
    ) throws -> (user: SignedInUser, role: AdminRole?)? {
        guard let current = try parts.sessions.store.current(session, connection),
            let user = try parts.accounts.signedIn(current, connection)
        else { return nil }
        return (user, try RoleStore.role(of: user.account, named: parts.admins, connection))
    }

    private func role(of session: Session) async throws -> (user: SignedInUser, role: AdminRole?)? {
        guard session[CurrentSignIn.self].signIn != nil else { return nil }
        return try await parts.database.read { try role(of: session, $0) }
    }

    private func hasAdmins() async throws -> Bool {
        guard parts.admins.isEmpty else { return true }
        return try await parts.database.read { try RoleStore.hasAny($0) }
    }

    private func isFromHere(_ request: Request, _ context: VisitorContext) -> Bool {
        guard !networks.isEmpty else { return true }
        guard let address = parts.address(of: request, context) else { return false }
        return networks.contains { $0.contains(address) }
    }

    /// Sends to the sign-in, and back to the page.
    func signIn(_ request: Request, _ context: VisitorContext, since: Timestamp? = nil) async throws -> Response {
        // Nothing begins with a request that shows nothing.
        guard request.method == .get || request.method == .post else { return .redirect(to: SignInPath.signIn) }
        // The page of a form has the same address, and what was typed belongs to nobody yet.
        let waiting = AdminWaiting(path: request.method == .post ? request.uri.path : request.uri.string)
        let session = try await parts.sessions.current(request, context)
        guard let flow = try waiting.flow(since: since) else { return .redirect(to: SignInPath.signIn) }
        let id = try await parts.begin(flow, session)
        var response = Response.redirect(to: SignInPath.signIn(id))
        parts.sessions.remember(session, in: &response)
        return response
    }
}
