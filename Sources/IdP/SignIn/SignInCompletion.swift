import HTTPTypes
import Hummingbird
import Logging
import SSOShared
import SSOWeb
import Synchronization

/// What every way in calls when it has succeeded, and nothing else: changes the session id, keeps only the `sso` slot,
/// and decides where to go.
struct SignInCompletion: Sendable {
    let sessions: Sessions<IdPSession>
    let accounts: AccountStore
    let devices: Devices
    let clock: ServiceClock

    /// Signs the owner of an address in, all in one transaction: the proof is used up, the account made, the session
    /// replaced, or none of it.
    ///
    /// - Parameter proof: uses up what proves the address; false when somebody else was faster.
    /// - Returns: 303 to the waiting request, or to the home page when there is none; nil when the proof did not hold,
    ///   or another request of this browser has replaced or ended the session meanwhile.
    func finish(
        _ address: String, method: String, flow: FlowID?, _ session: Session<IdPSession>, _ request: Request,
        _ context: VisitorContext, proof: @escaping @Sendable (any SQLConnection) throws -> Bool
    ) async throws -> Response? {
        let now = clock.now()
        let mailbox = try LetterAddress(address)
        let known = try await devices.known(request, for: mailbox)
        let claim = Mutex<DeviceCookie.Claim?>(nil)
        let fresh = try await sessions.store.replace(session) { old, connection in
            guard try proof(connection) else { return nil }
            let account = try accounts.findOrCreate(email: address, connection)
            guard accounts.eligibility.maySignIn(account) else { throw Self.disabled }
            let given = try devices.store.remember(mailbox, known: known, connection)
            claim.withLock { $0 = given }
            let signIn = IdPSession.SignIn(
                accountID: account.id, authenticatedAt: now, methods: [method], signOuts: account.signOuts)
            return IdPSession(sso: old.sso, signIn: signIn)
        }
        guard let fresh else { return nil }
        context.logger.info(
            "signed in",
            metadata: [
                "account": "\(fresh.slots.signIn?.accountID ?? "-")", "method": "\(method)",
                "session": "\(fresh.handle)", "flow": "\(fresh.slots.sso.nameInLog(flow))",
            ])
        var response = Response.redirect(to: Self.destination(flow))
        sessions.remember(fresh, in: &response)
        if let claim = claim.withLock({ $0 }) { devices.give(claim, request, in: &response) }
        return response
    }

    /// Where somebody goes who is signed in already, or nil for a stranger. A form that lay open in another tab, or was
    /// sent twice, ends where the first one did.
    func alreadySignedIn(_ context: VisitorContext, flow: FlowID?) async throws -> Response? {
        guard try await accounts.signedIn(context) != nil else { return nil }
        return .redirect(to: Self.destination(flow))
    }

    private static func destination(_ flow: FlowID?) -> String {
        flow.map { "\(SSOPath.complete)?flow=\($0.text)" } ?? "/"
    }

    private static let disabled = PublicError(
        .forbidden, code: "account_disabled", title: "This account is switched off",
        explanation: "Ask whoever runs this service.", cause: "account disabled between letter and code")
}
