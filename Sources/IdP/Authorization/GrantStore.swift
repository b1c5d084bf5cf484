package import IdPAccounts
package import IdPClients
import IdPFlow
import IdPSignOut
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
    let signIns = ClientSignIns()
    /// Grants of one session within a minute that no client with a secret has redeemed. A browser in a loop would fill the table,
    /// and a user of a public client is that client.
    let unredeemed: RateLimit
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

    /// Whether all that lets a user enter a client is as it was read before this transaction: session, account, access, clients.
    func stands(
        _ user: SignedInUser, at client: Client, _ mark: ClientDirectory.Mark, _ lifetime: SessionLifetime,
        at now: Timestamp, _ connection: any SQLConnection
    ) throws -> Bool {
        var values = SessionHolds.values(unchanged: user.session, at: now, lifetime)
        values.append("account", .text(user.account.id))
        values.append(Account.values(unchanged: user.account))
        values.append("signouts", .integer(user.signIn.accountSignOuts))
        values.append("access", AccessHolds.value(client.access))
        values.append("revision", mark.value)
        var stands = false
        try connection.forEachRow(Self.standsSQL, values) { _ in stands = true }
        return stands
    }

    private static let standsSQL = """
        SELECT account_id FROM (SELECT id AS account_id, CAST(:signouts AS BIGINT) AS account_sign_outs
                                  FROM account WHERE id = :account) AS asked
         WHERE \(Account.unchangedSQL("asked.account_id")) AND \(SessionHolds.unchangedSQL) AND \(SignInHolds.sql("asked")) AND \(AccessHolds.sql("asked.account_id"))
           AND \(ClientStore.unchangedSQL)
        """

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
        let values: SQLArguments = [
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
    private func endEarlier(like values: SQLArguments, _ connection: any SQLConnection) throws -> Earlier {
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
}
