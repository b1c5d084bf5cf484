import IdPAccounts
import IdPFlow
import SSOShared
import SSOWeb
import Storage

extension HandoffStore {
    /// The sign-in that a code stood for.
    struct Redeemed: Sendable {
        let handoff: Handoff
        let signIn: HandedSignIn
    }

    /// Why a code does not sign in. The raw values are stable: the log has them as `reason`.
    enum CodeError: String, Error, CaseIterable {
        /// Code or verifier is missing, given twice, or does not have its form.
        case malformed
        /// Never issued, replaced by a newer one of the same handoff, given up in the browser, or purged.
        case unknown
        case expired
        /// Its handoff has ended: by a sign-in or by a wrong verifier.
        case used
        /// An attacker has the code and not the verifier. The code is void from now on.
        case wrongVerifier = "wrong_verifier"
        /// The user has signed out of the browser, or all sign-ins of the account were ended.
        case signedOut = "signed_out"
        /// The account is disabled, or `IDP_ALLOWED_EMAILS` does not name its address.
        case account
        /// `IDP_NATIVE_APPS` does not name the app any more: the settings have changed since the code was issued.
        case notRegistered = "redirect_not_registered"

        /// Whether an attack may be under way.
        var isAlert: Bool { self == .used || self == .wrongVerifier }
    }

    enum Outcome: Sendable {
        case accepted(Redeemed)
        case rejected(CodeError)
    }

    /// Whether there is such a code at all, on a reader: a flood of invented codes writes nothing.
    func isKnown(_ code: HandoffCode) async throws -> Bool {
        try await database.read { connection in
            try !connection.query("SELECT id FROM handoff WHERE code_digest = :digest", ["digest": .blob(code.digest)])
                .isEmpty
        }
    }

    /// Consumes a code, in the caller's transaction. Of any number of concurrent attempts, in any number of processes, at
    /// most one is accepted (docs/architecture.md, "single use").
    ///
    /// The first attempt in time ends the code, also one that is refused: only a thief has the code without the verifier.
    ///
    /// - Parameter apps: those that may sign in now.
    func consume(
        _ code: HandoffCode, verifier: String, of apps: NativeApps, _ connection: any SQLConnection
    ) throws -> Outcome {
        let now = clock.now()
        let presented: SQLArguments = ["digest": .blob(code.digest), "now": .timestamp(now)]
        let consumed = try connection.query(
            """
            UPDATE handoff SET ended_at = :now
             WHERE code_digest = :digest AND ended_at IS NULL
               AND code_expires_at > :now AND code_expires_at <= :latest
            RETURNING id, method, redirect_uri, code_challenge, account_id, account_sign_outs, session_handle,
                      authenticated_at, is_proven, methods, COALESCE(strength, 'any') AS strength
            """,
            presented.merging(["latest": .timestamp(now + Self.codeLifetime + ClockSkew.tolerated)])
        ).first
        guard let consumed else { return .rejected(try rejection(code, connection)) }
        guard ConstantTime.equal(CodeChallenge.s256(verifier), try consumed.text("code_challenge")) else {
            return .rejected(.wrongVerifier)
        }
        guard apps.app(try consumed.text("redirect_uri").utf8) != nil else { return .rejected(.notRegistered) }
        guard let id = FlowID(try consumed.text("id")) else { return .rejected(.account) }
        let account: Account
        switch try eligibility.signIn.verdict(
            consumed.text("account_id"), signOuts: consumed.integer("account_sign_outs"), connection)
        {
        case .mayNotSignIn: return .rejected(.account)
        case .ended: return .rejected(.signedOut)
        case .holds(let holder): account = holder
        }
        guard try sessions.isAlive(handle: consumed.text("session_handle"), connection) else {
            return .rejected(.signedOut)
        }
        return .accepted(
            Redeemed(
                handoff: Handoff(
                    id: id, method: try consumed.text("method"), redirectURI: try consumed.text("redirect_uri")),
                signIn: HandedSignIn(
                    account: account, authenticatedAt: try consumed.timestamp("authenticated_at"),
                    isProven: try consumed.provenMoment() != nil, proofs: try consumed.signInProofs())))
    }

    /// Why a code was not consumed.
    private func rejection(_ code: HandoffCode, _ connection: any SQLConnection) throws -> CodeError {
        let row = try connection.query(
            "SELECT ended_at FROM handoff WHERE code_digest = :digest", ["digest": .blob(code.digest)]
        ).first
        guard let row else { return .unknown }
        return try row.optionalInteger("ended_at") == nil ? .expired : .used
    }
}
