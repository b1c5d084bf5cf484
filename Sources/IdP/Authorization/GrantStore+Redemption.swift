import IdPAccounts
import IdPClients
import IdPFlow
import IdPSignOut
import Logging
import SSOShared
package import SSOWeb
import Storage

/// Redeems grants.
extension GrantStore {
    /// Consumes a grant. Of any number of concurrent attempts, in any number of processes, exactly one is accepted, and it
    /// is answered only after the commit (docs/architecture.md, "single use").
    package func consume(_ asked: Presented, _ lifetime: SessionLifetime) async throws -> Outcome<Void> {
        try await consume(asked, lifetime, Effects(accepted: { _, _, _, _ in }, repeated: { _, _, _ in }))
    }

    /// The same, with what a protocol does in the same transaction.
    ///
    /// The account and the client are read before, where this does not have to wait. The statement that consumes compares them. One
    /// that consumes nothing has no effect, and the transaction then reads and decides itself.
    package func consume<More: Sendable>(
        _ asked: Presented, _ lifetime: SessionLifetime, _ effects: Effects<More>
    ) async throws -> Outcome<More> {
        let now = clock.now()
        let values = presented(asked, lifetime, at: now)
        let decided = try database.readAtOnce { try decide(asked, values, $0) }
        let outcome = try await clients.write(database) { [clients] connection in
            var outcome: Outcome<More>?
            if let decided, let mark = decided.mark, clients.isCurrent(mark) {
                outcome = try accept(asked, decided, effects, at: now, connection)
            }
            if outcome == nil {
                guard let decided = try decide(asked, values, connection) else { return Outcome<More>.clientDropped }
                outcome =
                    try accept(asked, decided, effects, at: now, connection)
                    ?? refuse(asked, decided, effects, connection)
            }
            if let use = asked.use { try clients.uses.write(use, at: now, connection) }
            return outcome ?? .clientDropped
        }
        if case .accepted(_, let redeemed, _) = outcome, !asked.client.isPublic {
            unredeemed.giveBack(Array(redeemed.sessionHandle.utf8))
        }
        return outcome
    }

    /// The values of the statements of a redemption.
    private func presented(_ asked: Presented, _ lifetime: SessionLifetime, at now: Timestamp) -> SQLArguments {
        var values = SessionHolds.values(at: now, lifetime, further: 5)
        values.append("digest", .blob(asked.digest))
        values.append("client", .text(asked.client.id))
        values.append("kind", .text(asked.kind.id))
        values.append("redirect", .optional(asked.neededReturnTo))
        values.append("challenge", .text(asked.challenge))
        return values
    }

    /// A grant, who it belongs to, and the client, as the statements of its redemption compare them.
    private struct Decided: Sendable {
        /// Nil if there is no such grant.
        let grant: SQLRow?
        let owner: Account?
        let client: Client
        let values: SQLArguments
        /// The clients at that moment; nil when another process has changed them.
        let mark: ClientDirectory.Mark?
    }

    /// Nil when the client, or what it has proven itself with, was dropped since its request was checked.
    private func decide(
        _ asked: Presented, _ presented: SQLArguments, _ connection: any SQLConnection
    ) throws -> Decided? {
        // The account is read for every grant, so that each refusal takes as long.
        let row = try connection.query(Self.grantSQL, presented).first
        let grant = try row?.optionalText("session_handle") == nil ? nil : row
        let revision = try row?.integer("revision") ?? 0
        // Before the clients that it stands for: a file that is read in between makes it an old one.
        let mark = clients.mark(at: revision)
        let registry = try clients.registered(at: revision, connection)
        guard let client = registry.client(id: asked.client.id), asked.isAllowed(client) else { return nil }
        let owner = try row.flatMap { try $0.optionalText("id") == nil ? nil : Account($0) }
        // The address may have been taken out of the client's entry since (RFC 6749 4.1.3).
        let issuedFor = try asked.neededReturnTo ?? grant?.optionalText("redirect_uri")
        let isRegistered = issuedFor.map { client.mayReturn(to: $0, by: asked.kind.id) } ?? true
        // IDP_ALLOWED_EMAILS is not in a table, so its verdict goes into the statement as a value.
        let mayOwnerSignIn = owner.map(eligibility.maySignIn) ?? true
        let signIn = try grant.map { try ClientSignInName(noted: $0, of: $0.text("session_handle")) }
        var values = presented
        values.reserve(8)
        values.append("eligible", .integer(mayOwnerSignIn ? 1 : 0))
        if let owner { values.append(Account.values(unchanged: owner)) }
        values.append("registered", .integer(isRegistered ? 1 : 0))
        values.append("access", AccessHolds.value(client.access))
        values.append("required", .text(required(by: client).rawValue))
        values.append("always", .integer(asked.kind.isVoidAfterAnyAttempt ? 1 : 0))
        values.append("revision", mark?.value ?? .null(.integer))
        values.append("told", .text(signIn?.session ?? ""))
        values.append("beginnings", .integer(signIn?.beginnings ?? 0))
        return Decided(grant: grant, owner: owner, client: client, values: values, mark: mark)
    }

    /// Consumes the grant; nil, and nothing is changed, if it cannot be accepted as it was decided.
    private func accept<More: Sendable>(
        _ asked: Presented, _ decided: Decided, _ effects: Effects<More>, at now: Timestamp,
        _ connection: any SQLConnection
    ) throws -> Outcome<More>? {
        guard let owner = decided.owner, let grant = decided.grant,
            try connection.execute(Self.consumeSQL, decided.values) == 1
        else { return nil }
        let client = decided.client
        let redeemed = try Redeemed(grant, groups: client.groupsTold(of: owner.id, connection))
        try signIns.note(
            redeemed.sessionHandle, kind: asked.kind.id, client: client.id, account: owner.id, at: now, connection)
        try asked.audit?.record(
            Event(
                .tokenRedeemed, by: .client(client.id), account: owner.id, client: client.id,
                session: redeemed.sessionHandle, flow: redeemed.flow, ["protocol": "\(asked.kind.id)"]), connection)
        return .accepted(owner, redeemed, try effects.accepted(owner, redeemed, client, connection))
    }

    /// Why a grant was not accepted. One that must not become valid later is void from now on.
    private func refuse<More: Sendable>(
        _ asked: Presented, _ decided: Decided, _ effects: Effects<More>, _ connection: any SQLConnection
    ) throws -> Outcome<More> {
        let owner = decided.owner
        let voided = try connection.query(Self.voidSQL, decided.values)
        // Read after every refusal, so that each answer takes as long.
        let known = try connection.query(Self.rejectedSQL, decided.values).first
        let burntOwner = try voided.first.map { try $0.text("client_id") }.flatMap { $0 == asked.client.id ? nil : $0 }
        var cause = try burntOwner == nil ? known.map(GrantErrorCause.init) ?? .unknown : .otherClient
        if asked.hasMalformedVerifier, [.verifierWrong, .verifierUnexpected].contains(cause) {
            cause = .malformedVerifier
        }
        let error = GrantError(
            cause: cause, session: try known?.text("session_handle"),
            flow: try known.map { FlowLogID.name(digest: try $0.blob("state_digest")) },
            isUsed: try known.map { try $0.integer("is_used") != 0 } ?? false)
        // The line is that of the caller's answer.
        let refused = Event(
            asked.kind.refused, by: .client(asked.client.id), account: owner?.id, client: asked.client.id,
            session: error.session, flow: error.flow, cause: cause.rawValue, detail: burntOwner)
        try asked.audit?.record(refused.only(in: .row), connection)
        if let burntOwner { return .burnt(error, owner: burntOwner) }
        if error.isUsed { try effects.repeated(owner, error, connection) }
        return .refused(error)
    }

    /// The grant of another client has leaked. The grant of an account that may not sign in, or enter, or for an address that
    /// is not registered, must not become valid again with the next change of a setting, a group or a client, nor an expired one
    /// when the clock is set back.
    private static let voidSQL = """
        UPDATE sso_token SET voided_at = :now
         WHERE digest = :digest AND kind = :kind
           AND (:always = 1 OR client_id <> :client OR :eligible = 0 OR NOT \(mayEnter) OR NOT \(isStrong)
                OR (\(isSameRedirect) AND :registered = 0) OR expires_at <= :now)
           AND used_at IS NULL AND voided_at IS NULL
        RETURNING client_id
        """

    /// One row, also for a grant that is unknown. One statement also reads the number of the registry: a sign-in costs no statement
    /// more for it.
    private static let grantSQL = """
        SELECT registry.revision, \(Account.columns(of: "a")), t.redirect_uri, t.session_handle, t.authenticated_at, t.is_proven,
               t.methods, t.strength, t.caused_sign_in, t.payload, t.state_digest, \(ClientSignIns.noted("t"))
          FROM \(ClientStore.revisionSQL) AS registry
          LEFT JOIN sso_token t ON t.digest = :digest AND t.kind = :kind
          LEFT JOIN account a ON a.id = t.account_id
        """

    /// The conditions of ``consumeSQL`` one by one, for a grant that it did not accept. See ``GrantErrorCause``.
    private static let rejectedSQL: String = {
        let conditions = [
            "is_own": "client_id = :client", "is_used": "used_at IS NOT NULL", "is_void": "voided_at < expires_at",
            "is_expired": "expires_at <= :now OR voided_at >= expires_at", "is_early": "created_at > :skewed",
            "may_sign_in": ":eligible = 1",
            "may_enter": mayEnter, "is_strong": isStrong,
            "is_registered": "NOT (\(isSameRedirect)) OR :registered = 1",
            "has_redirect": hasRedirect, "has_challenge": "code_challenge = :challenge",
            "wants_verifier": "code_challenge <> ''", "has_verifier": ":challenge <> ''", "has_session": hasSession,
        ]
        let columns = conditions.sorted { $0.key < $1.key }
            .map { "CASE WHEN \($0.value) THEN 1 ELSE 0 END AS \($0.key)" }
        return """
            SELECT session_handle, state_digest, \(columns.joined(separator: ", "))
              FROM sso_token WHERE digest = :digest AND kind = :kind
            """
    }()

    private static let mayEnter = AccessHolds.sql("sso_token.account_id")
    private static let isStrong = Strength.holdsSQL("sso_token")
    private static let isSameRedirect = "COALESCE(:redirect, redirect_uri) = redirect_uri"
    private static let hasRedirect = "(\(isSameRedirect) AND :registered = 1)"
    private static let hasSession = """
        EXISTS (SELECT 1 FROM session WHERE session.handle = sso_token.session_handle AND \(SessionHolds.sql))
        """

    /// One statement, so that nothing can happen between check and mark. It also checks the session, the account and its
    /// access: a user who signed out, was disabled or has left the client's group meanwhile has no valid grant. And it compares what
    /// the redemption was decided by before.
    private static let consumeSQL = """
        UPDATE sso_token SET used_at = :now
         WHERE digest = :digest AND kind = :kind AND client_id = :client AND used_at IS NULL AND voided_at IS NULL
           AND expires_at > :now AND created_at <= :skewed AND :eligible = 1
           AND \(hasRedirect) AND code_challenge = :challenge AND \(hasSession)
           AND \(SignInHolds.sql("sso_token")) AND \(mayEnter) AND \(isStrong)
           AND \(Account.unchangedSQL("sso_token.account_id")) AND \(ClientStore.unchangedSQL)
           AND \(ClientSignIns.isNoted("sso_token"))
        """
}
