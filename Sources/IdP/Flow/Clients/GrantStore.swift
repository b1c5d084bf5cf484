package import IdPAccounts
package import IdPClients
import Logging
package import SSOShared
package import SSOWeb
package import Storage

/// Owns the rows of `sso_token`, which has the grants of every client protocol: issues, consumes and voids them. Only hashes
/// are stored.
///
/// Consuming also reads `session`, `account` and `group_member`, because single use, sign-out, a disabled account and access
/// have to be decided in one statement.
package struct GrantStore: Sendable {
    /// How long a used grant's row stays for the audit.
    static let auditPeriod: Duration = .days(30)

    let database: any Database
    let clock: ServiceClock
    let eligibility: SignInEligibility
    let clients: ClientDirectory
    /// The strength that a sign-in must have at least for every client (`IDP_REQUIRE`).
    private let least: Strength
    private let signIns = ClientSignIns()
    /// Grants of one session within a minute that no client with a secret has redeemed. A browser in a loop would fill the table,
    /// and a user of a public client is that client.
    private let unredeemed: RateLimit
    static let maximumUnredeemed = 50

    package init(
        database: any Database, clock: ServiceClock, eligibility: SignInEligibility, clients: ClientDirectory,
        least: Strength = .any
    ) {
        unredeemed = RateLimit(Self.maximumUnredeemed, per: .minutes(1), clock: clock)
        (self.database, self.clock, self.eligibility, self.clients) = (database, clock, eligibility, clients)
        self.least = least
    }

    /// The strength that a sign-in must have at least for a client.
    package func required(by client: Client) -> Strength { max(client.require, least) }

    /// What a grant has of its flow: the replay key of the request, or the flow's own id.
    struct FlowKey: Sendable {
        let id: FlowID
        let digest: [UInt8]
        /// Whether an earlier grant with this key is one of the same request.
        let isReplayable: Bool
        var logID: String { FlowLogID.name(digest: digest) }

        init(_ asked: ClientRequest, flow: FlowID) {
            (id, digest, isReplayable) = (flow, asked.replayKey ?? flow.digest, asked.replayKey != nil)
        }
    }

    /// Counts a grant that is about to be issued.
    ///
    /// - Returns: the time to wait beyond the limit; nil within it.
    func wait(beforeGrantIn session: Session) -> Duration? { unredeemed.hit(Array(session.handle.utf8)) }

    /// What was issued for the same request in the same session before.
    struct Earlier: Sendable {
        /// Whether there was any.
        var exists = false
        /// Whether one was redeemed.
        var isRedeemed = false
    }

    /// Stores a grant for this request and this user, in the caller's transaction. An unused one that was issued for the same
    /// request in the same session before is deleted: at most one is valid per request.
    func issue(
        _ secret: (wire: String, digest: [UInt8]), _ kind: GrantKind, for asked: ClientRequest, _ key: FlowKey,
        to user: SignedInUser, _ connection: any SQLConnection
    ) throws -> Earlier {
        let now = clock.now()
        let values: [String: SQLValue] = [
            "session": .text(user.session.handle), "client": .text(asked.client.id), "state": .blob(key.digest),
            "digest": .blob(secret.digest), "kind": .text(kind.id), "redirect": .text(asked.returnTo),
            "challenge": .text(asked.codeChallenge ?? ""), "account": .text(user.account.id),
            "authenticated": .timestamp(user.signIn.authenticatedAt),
            "proven": .integer(user.signIn.provenAt == nil ? 0 : 1),
            "methods": .text(user.signIn.proofs.text), "strength": .text(user.signIn.proofs.strength.rawValue),
            "caused": .integer(user.signIn.flow == key.id.text ? 1 : 0),
            "payload": kind.keepsPayload ? .blob(Array(asked.payload.utf8)) : .null(.blob), "now": .timestamp(now),
            "expires": .timestamp(now + kind.lifetime), "signouts": .integer(user.signIn.accountSignOuts),
        ]
        let earlier = key.isReplayable ? try endEarlier(like: values, connection) : Earlier()
        try connection.send(
            """
            INSERT INTO sso_token (digest, kind, client_id, redirect_uri, code_challenge, state_digest, account_id,
                                   session_handle, authenticated_at, is_proven, methods, strength, caused_sign_in,
                                   payload, created_at, expires_at, account_sign_outs)
            VALUES (:digest, :kind, :client, :redirect, :challenge, :state, :account, :session, :authenticated, :proven,
                    :methods, :strength, :caused, :payload, :now, :expires, :signouts)
            """,
            values)
        return earlier
    }

    /// Ends the grants of the same session, client, state and kind.
    private func endEarlier(like values: [String: SQLValue], _ connection: any SQLConnection) throws -> Earlier {
        let earlier = try connection.query(Self.earlierSQL, values)
        let isRedeemed = try earlier.map { try $0.optionalInteger("used_at") != nil }
        if isRedeemed.contains(false) {
            try connection.execute(Self.endEarlierSQL, values)
        }
        return Earlier(exists: !isRedeemed.isEmpty, isRedeemed: isRedeemed.contains(true))
    }

    private static let earlierSQL = "SELECT used_at FROM sso_token WHERE \(ofSameRequest)"
    private static let endEarlierSQL = "DELETE FROM sso_token WHERE \(ofSameRequest) AND used_at IS NULL"
    private static let ofSameRequest =
        "session_handle = :session AND client_id = :client AND state_digest = :state AND kind = :kind"

    /// Consumes a grant. Of any number of concurrent attempts, in any number of processes, exactly one is accepted, and it
    /// is answered only after the commit (docs/architecture.md, "single use").
    package func consume(_ asked: Presented, _ lifetime: SessionLifetime) async throws -> Outcome<Void> {
        try await consume(asked, lifetime, Effects(accepted: { _, _, _, _ in }, repeated: { _, _, _ in }))
    }

    /// The same, with what a protocol does in the same transaction.
    package func consume<More: Sendable>(
        _ asked: Presented, _ lifetime: SessionLifetime, _ effects: Effects<More>
    ) async throws -> Outcome<More> {
        let now = clock.now()
        let values = presented(asked, lifetime, at: now)
        let outcome = try await clients.write(database) { [clients] connection in
            // The account is read for every grant, so that each refusal takes as long.
            let row = try connection.query(Self.ownerSQL, values).first
            let registry = try clients.registered(at: row?.integer("revision") ?? 0, connection)
            guard let registered = registry.client(id: asked.client.id), asked.isAllowed(registered) else {
                return Outcome<More>.clientDropped
            }
            let owner = try row.flatMap { try $0.optionalText("id") == nil ? nil : Account($0) }
            // The address may have been taken out of the client's entry since (RFC 6749 4.1.3).
            let issuedFor = try asked.neededReturnTo ?? row?.optionalText("issued_for")
            let isRegistered = issuedFor.map { registered.mayReturn(to: $0, by: asked.kind.id) } ?? true
            let outcome = try redeem(
                asked, values, owner, for: registered, isRegistered: isRegistered, effects, at: now, connection)
            if let use = asked.use { try clients.uses.write(use, at: now, connection) }
            return outcome
        }
        if case .accepted(_, let redeemed, _) = outcome, !asked.client.isPublic {
            unredeemed.giveBack(Array(redeemed.sessionHandle.utf8))
        }
        return outcome
    }

    /// The values of the statements of a redemption.
    private func presented(_ asked: Presented, _ lifetime: SessionLifetime, at now: Timestamp) -> [String: SQLValue] {
        var values = SessionHolds.values(at: now, lifetime)
        values.reserveCapacity(values.count + 8)
        (values["digest"], values["client"]) = (.blob(asked.digest), .text(asked.client.id))
        (values["kind"], values["redirect"]) = (.text(asked.kind.id), .optional(asked.neededReturnTo))
        values["challenge"] = .text(asked.codeVerifier.map(CodeChallenge.s256) ?? "")
        return values
    }

    private func redeem<More: Sendable>(
        _ asked: Presented, _ presented: [String: SQLValue], _ owner: Account?, for client: Client,
        isRegistered: Bool, _ effects: Effects<More>, at now: Timestamp, _ connection: any SQLConnection
    ) throws -> Outcome<More> {
        // IDP_ALLOWED_EMAILS is not in a table, so its verdict goes into the statement as a value.
        let mayOwnerSignIn = owner.map(eligibility.maySignIn) ?? true
        var presented = presented
        presented["eligible"] = .integer(mayOwnerSignIn ? 1 : 0)
        presented["registered"] = .integer(isRegistered ? 1 : 0)
        presented["access"] = AccessHolds.value(client.access)
        presented["required"] = .text(required(by: client).rawValue)
        presented["always"] = .integer(asked.kind.isVoidAfterAnyAttempt ? 1 : 0)
        guard let row = try connection.query(Self.consumeSQL, presented).first, let owner else {
            let outcome: Outcome<More> = try refuse(asked, presented, owner, connection)
            if case .refused(let error) = outcome, error.isUsed { try effects.repeated(owner, error, connection) }
            return outcome
        }
        let redeemed = try Redeemed(row, groups: client.groupsTold(of: owner.id, connection))
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
        _ asked: Presented, _ presented: [String: SQLValue], _ owner: Account?, _ connection: any SQLConnection
    ) throws -> Outcome<More> {
        let voided = try connection.query(Self.voidSQL, presented)
        // Read after every refusal, so that each answer takes as long.
        let known = try connection.query(Self.rejectedSQL, presented).first
        let burntOwner = try voided.first.map { try $0.text("client_id") }.flatMap { $0 == asked.client.id ? nil : $0 }
        let cause = try burntOwner == nil ? known.map(GrantErrorCause.init) ?? .unknown : .otherClient
        let error = GrantError(
            cause: cause, session: try known?.text("session_handle"),
            flow: try known.map { FlowLogID.name(digest: try $0.blob("state_digest")) },
            isUsed: try known.map { try $0.integer("is_used") != 0 } ?? false)
        // The line is that of the caller's answer.
        let refused = Event(
            asked.kind.refused, by: .client(asked.client.id), account: owner?.id, client: asked.client.id,
            session: error.session, flow: error.flow, cause: cause.rawValue, detail: burntOwner)
        try asked.audit?.record(refused.only(in: .row), connection)
        return burntOwner.map { .burnt(error, owner: $0) } ?? .refused(error)
    }

    /// The grant of another client has leaked. The grant of an account that may not sign in, or enter, or for an address that
    /// is not registered, must not become valid again with the next change of a setting, a group or a client.
    private static let voidSQL = """
        UPDATE sso_token SET voided_at = :now
         WHERE digest = :digest AND kind = :kind
           AND (:always = 1 OR client_id <> :client OR :eligible = 0 OR NOT \(mayEnter) OR NOT \(isStrong)
                OR (\(isSameRedirect) AND :registered = 0))
           AND used_at IS NULL AND voided_at IS NULL
        RETURNING client_id
        """

    /// One row, also for a grant that is unknown. One statement also reads the number of the registry, and the address of the
    /// grant where the client sends none: a sign-in costs no statement more for it.
    private static let ownerSQL = """
        SELECT registry.revision, \(Account.columns),
               CASE WHEN CAST(:redirect AS TEXT) IS NULL
                    THEN (SELECT redirect_uri FROM sso_token WHERE digest = :digest AND kind = :kind) END AS issued_for
          FROM \(ClientStore.revisionSQL) AS registry
          LEFT JOIN account ON id = (SELECT account_id FROM sso_token WHERE digest = :digest AND kind = :kind)
        """

    /// The conditions of ``consumeSQL`` one by one, for a grant that it did not accept. See ``GrantErrorCause``.
    private static let rejectedSQL: String = {
        let conditions = [
            "is_own": "client_id = :client", "is_used": "used_at IS NOT NULL", "is_void": "voided_at IS NOT NULL",
            "is_expired": "expires_at <= :now", "is_early": "created_at > :skewed", "may_sign_in": ":eligible = 1",
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
    /// The rule of ``Strength``'s order on a row.
    private static let isStrong = "(strength = :required OR strength = 'phr' OR :required = 'any')"
    private static let isSameRedirect = "COALESCE(:redirect, redirect_uri) = redirect_uri"
    private static let hasRedirect = "(\(isSameRedirect) AND :registered = 1)"
    private static let hasSession = """
        EXISTS (SELECT 1 FROM session WHERE session.handle = sso_token.session_handle AND \(SessionHolds.sql()))
        """

    /// One statement, so that nothing can happen between check and mark. It also checks the session, the account and its
    /// access: a user who signed out, was disabled or has left the client's group meanwhile has no valid grant.
    private static let consumeSQL = """
        UPDATE sso_token SET used_at = :now
         WHERE digest = :digest AND kind = :kind AND client_id = :client AND used_at IS NULL AND voided_at IS NULL
           AND expires_at > :now AND created_at <= :skewed AND :eligible = 1
           AND \(hasRedirect) AND code_challenge = :challenge AND \(hasSession)
           AND \(SignInHolds.sql("sso_token")) AND \(mayEnter) AND \(isStrong)
        RETURNING session_handle, authenticated_at, is_proven, methods, strength, caused_sign_in, payload, state_digest,
                  \(ClientSignIns.noted("sso_token"))
        """
}
