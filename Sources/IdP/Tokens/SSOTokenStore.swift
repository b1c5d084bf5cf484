import Foundation
import SSOShared
import SSOWeb
import Synchronization

/// Owns the rows of `sso_token`: issue, consume, void. Only hashes of tokens are stored.
///
/// Does not decide who may have a token, and knows no request.
struct SSOTokenStore: Sendable {
    /// Five minutes: long enough for a slow redirect, short enough for a stolen log.
    static let lifetime: Duration = .minutes(5)
    /// How long a used token's row stays for the audit.
    static let auditPeriod: Duration = .days(30)

    let database: any Database
    let clock: ServiceClock
    let randomness: any Randomness
    let eligibility: SignInEligibility
    private let sweep = TokenSweep()

    init(
        database: any Database, clock: ServiceClock, randomness: any Randomness, eligibility: SignInEligibility
    ) {
        (self.database, self.clock, self.randomness) = (database, clock, randomness)
        self.eligibility = eligibility
    }

    /// Makes a token for this request and this signed-in visitor. Afterwards its hash is durable, and an unused token
    /// made earlier for the same request in the same session is gone: at most one is alive per flow.
    ///
    /// - Returns: the token, and whether an earlier one of the same flow has been redeemed already.
    func issue(
        for request: AuthorizeRequest, to visitor: SignedInVisitor
    ) async throws -> (token: SSOToken, wasRedeemed: Bool) {
        let token = try SSOToken(randomness: randomness)
        let now = clock.now()
        let flow: [String: SQLValue] = [
            "session": .text(visitor.session.handle), "client": .text(request.clientID),
            "state": .blob(SHA256.hash(Array(request.state.utf8))),
        ]
        return try await database.write { connection in
            let earlier = try connection.query(
                """
                SELECT 1 FROM sso_token
                 WHERE session_handle = :session AND client_id = :client AND state_digest = :state
                   AND used_at IS NOT NULL LIMIT 1
                """, flow)
            try connection.execute(
                """
                DELETE FROM sso_token
                 WHERE session_handle = :session AND client_id = :client AND state_digest = :state AND used_at IS NULL
                """, flow)
            try connection.execute(
                """
                INSERT INTO sso_token (digest, client_id, redirect_uri, code_challenge, state_digest, account_id,
                                       session_handle, authenticated_at, methods, created_at, expires_at,
                                       account_sign_outs)
                VALUES (:digest, :client, :redirect, :challenge, :state, :account, :session, :authenticated, :methods,
                        :now, :expires, :signouts)
                """,
                flow.merging([
                    "digest": .blob(token.digest), "redirect": .text(request.redirectURI),
                    "challenge": .text(request.codeChallenge ?? ""), "account": .text(visitor.account.id),
                    "authenticated": .timestamp(visitor.signIn.authenticatedAt),
                    "methods": .text(visitor.signIn.methods.joined(separator: " ")), "now": .timestamp(now),
                    "expires": .timestamp(now + Self.lifetime), "signouts": .integer(visitor.signIn.accountSignOuts),
                ]) { $1 })
            return (token, !earlier.isEmpty)
        }
    }

    /// What became of a token that was presented.
    enum Outcome: Sendable {
        case accepted(VerifyReply, flow: String)
        /// Unknown, expired, used, void, or for another redirect URI or verifier: never told apart outside.
        case refused(TokenFault)
        /// Somebody else's token: it has leaked, and is burnt now.
        case burnt(owner: String)
    }

    /// Why a token was refused, for the log alone.
    struct TokenFault: Sendable {
        /// A word or two.
        let cause: String
        /// Somebody has redeemed it before: the partner sent it twice, or it was seen by somebody else (RFC 9700 4.5).
        let isReplay: Bool
        /// The session it was made in.
        let session: String?
        /// The flow it was made for, as the log calls it.
        let flow: String?

        init(_ row: SQLRow?, now: Timestamp, mayOwnerSignIn: Bool) throws {
            guard let row else {
                (cause, isReplay, session, flow) = ("unknown", false, nil, nil)
                return
            }
            isReplay = try row.optionalInteger("used_at") != nil
            session = try row.text("session_handle")
            flow = FlowInLog.name(stateDigest: try row.blob("state_digest"))
            cause =
                if isReplay { "used before" } else if !mayOwnerSignIn {
                    "account may not sign in"
                } else if try row.optionalInteger("voided_at") != nil { "void" } else {
                    try row.timestamp("expires_at") <= now
                        ? "expired" : "session or account ended, or bound to another redirect URI or verifier"
                }
        }
    }

    /// Consumes a token: of any number of attempts at once, in any number of processes, exactly one is accepted, and
    /// it is answered only after the commit (invariants I1, I8).
    ///
    /// - Parameters:
    ///   - redirectURI: when the partner names one, it must be the one the token was made for.
    ///   - codeVerifier: must fit the challenge of the request; when there was none there, there must be none here, so
    ///     that an attacker cannot strip the challenge on the way (RFC 9700 4.8).
    func consume(
        _ token: SSOToken, client: PartnerClient, redirectURI: String?, codeVerifier: String?,
        idleLimit: Duration
    ) async throws -> Outcome {
        let now = clock.now()
        let presented: [String: SQLValue] = [
            "now": .timestamp(now), "digest": .blob(token.digest), "client": .text(client.id),
        ]
        let binding: [String: SQLValue] = [
            "redirect": .optional(redirectURI), "challenge": .text(codeVerifier.map(CodeChallenge.s256) ?? ""),
            "skewed": .timestamp(now + ClockSkew.tolerated), "idle": .timestamp(now - idleLimit),
        ]
        return try await database.write { [eligibility] connection in
            // The setting is in no table, so its verdict goes into the statement as a value. The account is read in the
            // same transaction, and for every token, so that each refusal takes as long.
            let owner = try connection.query(
                """
                SELECT \(Account.columns) FROM account
                 WHERE id = (SELECT account_id FROM sso_token WHERE digest = :digest)
                """, presented
            ).first.map(Account.init)
            let mayOwnerSignIn = owner.map(eligibility.maySignIn) ?? true
            let presented = presented.merging(["eligible": .integer(mayOwnerSignIn ? 1 : 0)]) { $1 }
            let rows = try connection.query(Self.consumeSQL, presented.merging(binding) { $1 })
            if let row = rows.first {
                return .accepted(
                    try Self.reply(row, client: client, connection),
                    flow: FlowInLog.name(stateDigest: try row.blob("state_digest")))
            }
            // Void from now on: the token of another client has leaked, and the token of an account that may not sign in
            // must not become valid again with the next change of the setting.
            let voided = try connection.query(
                """
                UPDATE sso_token SET voided_at = :now
                 WHERE digest = :digest AND (client_id <> :client OR :eligible = 0)
                   AND used_at IS NULL AND voided_at IS NULL
                RETURNING client_id
                """, presented)
            // Asked after every refusal, so that the answer takes as long for each.
            let known = try connection.query(
                """
                SELECT used_at, voided_at, expires_at, session_handle, state_digest FROM sso_token WHERE digest = :digest
                """, presented)
            if let issuedTo = try voided.first?.text("client_id"), issuedTo != client.id {
                return .burnt(owner: issuedTo)
            }
            return .refused(try TokenFault(known.first, now: now, mayOwnerSignIn: mayOwnerSignIn))
        }
    }

    /// One statement, so that looking and marking cannot come apart. The session and the account are looked at in it,
    /// too: whoever signed out or was disabled meanwhile has no token left.
    private static let consumeSQL = """
        UPDATE sso_token SET used_at = :now
         WHERE digest = :digest AND client_id = :client AND used_at IS NULL AND voided_at IS NULL
           AND expires_at > :now AND created_at <= :skewed AND :eligible = 1
           AND (:redirect IS NULL OR redirect_uri = :redirect) AND code_challenge = :challenge
           AND EXISTS (SELECT 1 FROM session s WHERE s.handle = sso_token.session_handle
                          AND s.expires_at > :now AND s.seen_at > :idle)
           AND EXISTS (SELECT 1 FROM account a WHERE a.id = sso_token.account_id AND a.disabled = 0
                          AND a.sign_outs = sso_token.account_sign_outs)
        RETURNING account_id, session_handle, authenticated_at, methods, state_digest
        """

    private static func reply(
        _ row: SQLRow, client: PartnerClient, _ connection: any SQLConnection
    ) throws -> VerifyReply {
        guard let account = try AccountStore.find(row.text("account_id"), connection) else {
            throw DatabaseError.unavailable("an account vanished while its token was redeemed")
        }
        return VerifyReply(
            user: VerifiedUser(id: account.id, email: account.email, name: account.name), clientID: client.id,
            session: VerifiedSession(
                id: try row.text("session_handle"), authenticatedAt: try row.timestamp("authenticated_at").seconds,
                methods: try row.text("methods").split(separator: " ").map(String.init)))
    }

    /// Where this session's person has been signed in: client ids with the latest moment, newest first.
    func partners(of session: Session<IdPSession>) async throws -> [(clientID: String, at: Timestamp)] {
        try await database.read { connection in
            try connection.query(
                """
                SELECT client_id, MAX(used_at) AS used_at FROM sso_token
                 WHERE session_handle = :session AND used_at IS NOT NULL GROUP BY client_id ORDER BY 2 DESC
                """, ["session": .text(session.handle)]
            ).map { (try $0.text("client_id"), try $0.timestamp("used_at")) }
        }
    }

    /// Removes tokens nobody can redeem any more: unused ones a while after they expire, used ones after the audit
    /// period. A used row always outlives its token's life, so that purging never makes a used token fresh.
    ///
    /// Between the two lie a month's used tokens. They are looked through on a reader, once, so that the writer only
    /// ever touches what goes.
    func purge(limit: Int) async throws -> Int {
        let now = clock.now()
        let dead = now - ClockSkew.tolerated
        // A clock that has been set back issues tokens that expire before the line it had reached.
        let from = sweep.swept <= dead ? sweep.swept : Timestamp(milliseconds: 0)
        let unused = try await database.read { connection in
            try connection.query(
                """
                SELECT digest, expires_at FROM sso_token
                 WHERE expires_at > :from AND expires_at <= :dead AND used_at IS NULL ORDER BY expires_at LIMIT :limit
                """, ["from": .timestamp(from), "dead": .timestamp(dead), "limit": .integer(Int64(limit))]
            ).map { (digest: try $0.blob("digest"), expiresAt: try $0.timestamp("expires_at")) }
        }
        let audited = now - Self.auditPeriod
        let gone = try await database.write { connection in
            var gone = try connection.execute(
                """
                DELETE FROM sso_token WHERE digest IN (
                    SELECT digest FROM sso_token WHERE expires_at <= :audited LIMIT :limit)
                """, ["audited": .timestamp(audited), "limit": .integer(Int64(limit))])
            for token in unused {
                gone += try connection.execute(
                    "DELETE FROM sso_token WHERE digest = :digest AND used_at IS NULL AND expires_at <= :dead",
                    ["digest": .blob(token.digest), "dead": .timestamp(dead)])
            }
            return gone
        }
        // Others may expire in the same millisecond as the last of a full piece.
        sweep.swept = unused.count < limit ? dead : (unused.last.map { $0.expiresAt - .milliseconds(1) } ?? dead)
        return gone
    }
}

/// How far the unused tokens are purged: those that expire by then are gone. Forgotten with the process, which costs one
/// look through the index.
final class TokenSweep: Sendable {
    private let moment = Mutex(Timestamp(milliseconds: 0))

    var swept: Timestamp {
        get { moment.withLock { $0 } }
        set { moment.withLock { $0 = newValue } }
    }
}
