import Foundation
import IdPAccounts
import IdPFlow
import SSOShared
import SSOWeb
import Storage

extension AppIdentityStore {
    /// The redirect URI of a link that has begun and not ended; nil for any other.
    func redirectURI(of id: FlowID) async throws -> String? {
        let now = clock.now()
        return try await database.read { connection in
            try connection.query(
                """
                SELECT redirect_uri FROM app_link
                 WHERE id = :id AND begun_at IS NOT NULL AND ended_at IS NULL AND expires_at > :now
                """, ["id": .text(id.text), "now": .timestamp(now)]
            ).first.flatMap { try $0.optionalText("redirect_uri") }
        }
    }

    /// Keeps the identity that the provider has vouched for, sealed, and issues the code for it. The first identity stays.
    ///
    /// - Returns: false for a link that has ended, expired, or has an identity.
    func park(_ identity: ExternalIdentity, for id: FlowID, code: HandoffCode) async throws -> Bool {
        let sealed = try box.seal(Array(JSONEncoder().encode(StoredIdentity(identity))))
        return try await issue(code, for: id, "identity = :identity,", "identity IS NULL", ["identity": .blob(sealed)])
    }

    /// Issues another code for the parked identity: the browser shows its last page again. The code before is void.
    ///
    /// - Returns: false without an identity.
    func issueAgain(_ code: HandoffCode, for id: FlowID) async throws -> Bool {
        try await issue(
            code, for: id, "", "identity IS NOT NULL AND begun_at > :earliest",
            ["earliest": .timestamp(clock.now() - Self.lifetime)])
    }

    private func issue(
        _ code: HandoffCode, for id: FlowID, _ assignment: String, _ condition: String, _ more: SQLArguments
    ) async throws -> Bool {
        let now = clock.now()
        let values: SQLArguments = [
            "id": .text(id.text), "digest": .blob(code.digest), "now": .timestamp(now),
            "until": .timestamp(now + Self.codeLifetime),
        ]
        return try await database.write { connection in
            try connection.execute(
                """
                UPDATE app_link SET \(assignment) code_digest = :digest, code_expires_at = :until,
                       expires_at = CASE WHEN expires_at > :until THEN expires_at ELSE :until END
                 WHERE id = :id AND begun_at IS NOT NULL AND ended_at IS NULL AND expires_at > :now AND \(condition)
                """, values.merging(more)) == 1
        }
    }

    /// Whether there is such a code at all, on a reader: a flood of invented codes writes nothing.
    func isKnown(_ code: HandoffCode) async throws -> Bool {
        try await database.read { connection in
            try !connection.query("SELECT id FROM app_link WHERE code_digest = :digest", ["digest": .blob(code.digest)])
                .isEmpty
        }
    }

    /// Consumes a code, in the caller's transaction. Of any number of concurrent attempts, in any number of processes, at
    /// most one gets the identity. The code ends with the first attempt in time, whatever becomes of it.
    ///
    /// - Parameters:
    ///   - user: of the request. It must have the access token that asked for the ticket.
    ///   - apps: those that may add a provider now.
    func consume(
        _ code: HandoffCode, verifier: String, by user: TokenUser, of apps: NativeApps, _ connection: any SQLConnection
    ) throws -> Result<ExternalIdentity, IdentityTicketError> {
        let now = clock.now()
        let consumed = try connection.query(
            """
            UPDATE app_link SET ended_at = :now
             WHERE code_digest = :digest AND ended_at IS NULL AND code_expires_at > :now AND code_expires_at <= :latest
            RETURNING id, account_id, token_id, redirect_uri, code_challenge, identity
            """,
            [
                "digest": .blob(code.digest), "now": .timestamp(now),
                "latest": .timestamp(now + Self.codeLifetime + ClockSkew.tolerated),
            ]
        ).first
        guard let consumed else { return .failure(try whyNotConsumed(code, connection)) }
        try connection.execute(
            "UPDATE app_link SET identity = NULL WHERE id = :id", ["id": .text(try consumed.text("id"))])
        guard ConstantTime.equal(CodeChallenge.s256(verifier), try consumed.text("code_challenge")) else {
            return .failure(.wrongVerifier)
        }
        guard try consumed.text("token_id").utf8.elementsEqual(user.entry.id.utf8) else { return .failure(.otherApp) }
        guard let uri = try consumed.optionalText("redirect_uri"), apps.app(uri.utf8) != nil else {
            return .failure(.notRegistered)
        }
        // The app may have been signed out since the request was read.
        guard let owner = try owner(consumed, connection), owner.id.utf8.elementsEqual(user.account.id.utf8) else {
            return .failure(.signedOut)
        }
        // Sealed with a key that is gone: the app begins again.
        guard let sealed = try consumed.optionalBlob("identity"), let plain = box.open(sealed),
            let stored = try? JSONDecoder().decode(StoredIdentity.self, from: Data(plain))
        else { return .failure(.expired) }
        return .success(stored.identity)
    }

    private func whyNotConsumed(
        _ code: HandoffCode, _ connection: any SQLConnection
    ) throws -> IdentityTicketError {
        let row = try connection.query(
            "SELECT ended_at FROM app_link WHERE code_digest = :digest", ["digest": .blob(code.digest)]
        ).first
        guard let row else { return .unknown }
        return try row.optionalInteger("ended_at") == nil ? .expired : .used
    }
}
