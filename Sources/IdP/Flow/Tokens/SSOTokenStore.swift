package import IdPDirectory
package import SSOShared
package import SSOWeb

/// Owns the rows of `sso_token`: issues, consumes and voids tokens. Only hashes of tokens are stored.
///
/// Consuming also reads `session` and `account`, because single use, sign-out and a disabled account have to be decided in
/// one statement.
package struct SSOTokenStore: Sendable {
    /// Long enough for a slow redirect, short enough that a stolen log is worthless.
    static let lifetime: Duration = .minutes(5)
    /// How long a used token's row stays for the audit.
    static let auditPeriod: Duration = .days(30)

    let database: any Database
    let clock: ServiceClock
    let eligibility: SignInEligibility

    package init(database: any Database, clock: ServiceClock, eligibility: SignInEligibility) {
        (self.database, self.clock, self.eligibility) = (database, clock, eligibility)
    }

    /// Stores a token for this request and this user, in the caller's transaction. An unused token that was issued for the
    /// same request in the same session before is deleted: at most one is valid per flow.
    ///
    /// - Returns: whether an earlier token of the same flow has been redeemed already.
    package func issue(
        _ token: SSOToken, for request: AuthorizeRequest, to user: SignedInUser, _ connection: any SQLConnection
    ) throws -> Bool {
        let now = clock.now()
        let flow: [String: SQLValue] = [
            "session": .text(user.session.handle), "client": .text(request.clientID),
            "state": .blob(SHA256.hash(Array(request.state.utf8))),
        ]
        let earlier = try connection.query(
            """
            SELECT used_at FROM sso_token
             WHERE session_handle = :session AND client_id = :client AND state_digest = :state
            """, flow)
        let isRedeemed = try earlier.map { try $0.optionalInteger("used_at") != nil }
        if isRedeemed.contains(false) {
            try connection.execute(
                """
                DELETE FROM sso_token
                 WHERE session_handle = :session AND client_id = :client AND state_digest = :state AND used_at IS NULL
                """, flow)
        }
        try connection.execute(
            """
            INSERT INTO sso_token (digest, client_id, redirect_uri, code_challenge, state_digest, account_id,
                                   session_handle, authenticated_at, is_proven, methods, created_at,
                                   expires_at, account_sign_outs)
            VALUES (:digest, :client, :redirect, :challenge, :state, :account, :session, :authenticated, :proven,
                    :methods, :now, :expires, :signouts)
            """,
            flow.merging([
                "digest": .blob(token.digest), "redirect": .text(request.redirectURI),
                "challenge": .text(request.codeChallenge ?? ""), "account": .text(user.account.id),
                "authenticated": .timestamp(user.signIn.authenticatedAt),
                "proven": .integer(user.signIn.provenAt == nil ? 0 : 1),
                "methods": .text(user.signIn.methods.joined(separator: " ")), "now": .timestamp(now),
                "expires": .timestamp(now + Self.lifetime), "signouts": .integer(user.signIn.accountSignOuts),
            ]) { $1 })
        return isRedeemed.contains(true)
    }

    /// What became of a token that was presented.
    package enum Outcome: Sendable {
        case accepted(Account, Redeemed)
        /// Unknown, expired, used, void, or for another redirect URI or verifier.
        case refused(TokenError)
        /// The token of another client. It has leaked and is void from now on.
        case burnt(owner: String)
    }

    /// The sign-in that a redeemed token stands for.
    package struct Redeemed: Sendable {
        package let sessionHandle: String
        /// When the user was authenticated; nil for a moment that is not proven (``ProvenMoment``).
        package let provenAt: Timestamp?
        package let methods: [String]
        /// The flow it was issued for, as the log calls it.
        package let flow: String
    }

    /// Why a token was refused. The log gets all of it.
    package struct TokenError: Sendable {
        package let cause: TokenErrorCause
        /// The session it was issued in.
        package let session: String?
        /// The flow it was issued for, as the log calls it.
        package let flow: String?
    }

    /// Consumes a token. Of any number of concurrent attempts, in any number of processes, exactly one is accepted, and it
    /// is answered only after the commit (docs/architecture.md, "single use").
    ///
    /// - Parameters:
    ///   - redirectURI: if the client sends one, it must be the one the token was issued for.
    ///   - codeVerifier: must match the challenge of the request. A request without a challenge must have none, so that an
    ///     attacker cannot remove the challenge on the way (RFC 9700 4.8).
    package func consume(
        _ token: SSOToken, client: Client, redirectURI: String?, codeVerifier: String?,
        idleLimit: Duration
    ) async throws -> Outcome {
        let now = clock.now()
        let presented: [String: SQLValue] = [
            "now": .timestamp(now), "digest": .blob(token.digest), "client": .text(client.id),
        ]
        let binding = SessionHolds.values(at: now, idle: idleLimit).merging([
            "redirect": .optional(redirectURI), "challenge": .text(codeVerifier.map(CodeChallenge.s256) ?? ""),
        ]) { $1 }
        return try await database.write { [eligibility] connection in
            // IDP_ALLOWED_EMAILS is not in a table, so its verdict goes into the statement as a value. The account is read
            // for every token, so that each refusal takes as long.
            let owner = try connection.query(
                """
                SELECT \(Account.columns) FROM account
                 WHERE id = (SELECT account_id FROM sso_token WHERE digest = :digest)
                """, presented
            ).first.map(Account.init)
            let mayOwnerSignIn = owner.map(eligibility.maySignIn) ?? true
            let presented = presented.merging(["eligible": .integer(mayOwnerSignIn ? 1 : 0)]) { $1 }
            let rows = try connection.query(Self.consumeSQL, presented.merging(binding) { $1 })
            if let row = rows.first, let owner {
                return .accepted(
                    owner,
                    Redeemed(
                        sessionHandle: try row.text("session_handle"),
                        provenAt: try row.provenMoment(),
                        methods: try row.text("methods").split(separator: " ").map(String.init),
                        flow: FlowLogID.name(stateDigest: try row.blob("state_digest"))))
            }
            // The token of another client has leaked. The token of an account that may not sign in must not become valid
            // again with the next change of the setting.
            let voided = try connection.query(
                """
                UPDATE sso_token SET voided_at = :now
                 WHERE digest = :digest AND (client_id <> :client OR :eligible = 0)
                   AND used_at IS NULL AND voided_at IS NULL
                RETURNING client_id
                """, presented)
            // Read after every refusal, so that each answer takes as long.
            let known = try connection.query(Self.rejectedSQL, presented.merging(binding) { $1 }).first
            if let issuedTo = try voided.first?.text("client_id"), issuedTo != client.id {
                return .burnt(owner: issuedTo)
            }
            return .refused(
                TokenError(
                    cause: try known.map(TokenErrorCause.init) ?? .unknown,
                    session: try known?.text("session_handle"),
                    flow: try known.map { FlowLogID.name(stateDigest: try $0.blob("state_digest")) }))
        }
    }

    /// The conditions of ``consumeSQL`` one by one, for a token that it did not accept. See ``TokenErrorCause``.
    private static let rejectedSQL: String = {
        let conditions = [
            "is_own": "client_id = :client", "is_used": "used_at IS NOT NULL", "is_void": "voided_at IS NOT NULL",
            "is_expired": "expires_at <= :now", "is_early": "created_at > :skewed", "may_sign_in": ":eligible = 1",
            "has_redirect": hasRedirect, "has_challenge": "code_challenge = :challenge",
            "wants_verifier": "code_challenge <> ''", "has_verifier": ":challenge <> ''", "has_session": hasSession,
        ]
        let columns = conditions.sorted { $0.key < $1.key }
            .map { "CASE WHEN \($0.value) THEN 1 ELSE 0 END AS \($0.key)" }
        return """
            SELECT session_handle, state_digest, \(columns.joined(separator: ", "))
              FROM sso_token WHERE digest = :digest
            """
    }()

    private static let hasRedirect = "(:redirect IS NULL OR redirect_uri = :redirect)"
    private static let hasSession = """
        EXISTS (SELECT 1 FROM session WHERE session.handle = sso_token.session_handle AND \(SessionHolds.sql()))
        """

    /// One statement, so that nothing can happen between check and mark. It also checks the session and the account: a user
    /// who signed out or was disabled meanwhile has no valid token.
    private static let consumeSQL = """
        UPDATE sso_token SET used_at = :now
         WHERE digest = :digest AND client_id = :client AND used_at IS NULL AND voided_at IS NULL
           AND expires_at > :now AND created_at <= :skewed AND :eligible = 1
           AND \(hasRedirect) AND code_challenge = :challenge AND \(hasSession)
           AND \(SignInHolds.sql("sso_token"))
        RETURNING session_handle, authenticated_at, is_proven, methods, state_digest
        """
}
