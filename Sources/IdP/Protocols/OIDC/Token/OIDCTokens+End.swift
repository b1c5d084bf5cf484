import IdPClients
import SSOShared
import SSOWeb
import Storage

/// The end of tokens: by a revocation, by a leak, and of rows that nobody needs any more.
extension OIDCTokens {
    /// Ends all tokens that go back to one code.
    ///
    /// - Returns: whether any refresh token ended.
    @discardableResult
    func end(family: [UInt8], at now: Timestamp, _ connection: any SQLConnection) throws -> Bool {
        let values: SQLArguments = ["family": .blob(family)]
        try connection.execute("DELETE FROM oidc_access_token WHERE family = :family", values)
        return try connection.execute(
            "UPDATE oidc_refresh_token SET ended_at = :now WHERE family = :family AND ended_at IS NULL",
            values.merging(["now": .timestamp(now)])) > 0
    }

    /// Whether a token was ever issued, and its row or its family's is still here.
    func isKnown(_ text: String, _ connection: any SQLConnection) throws -> Bool {
        guard let digest = OIDCAccessToken(wire: text)?.digest ?? OIDCRefreshToken(wire: text)?.digest else {
            return false
        }
        let hasRow = try !connection.query(
            """
            SELECT 1 FROM oidc_access_token WHERE digest = :digest
             UNION ALL SELECT 1 FROM oidc_refresh_token WHERE digest = :digest
            """, ["digest": .blob(digest)]
        ).isEmpty
        guard !hasRow, let token = OIDCRefreshToken(wire: text) else { return hasRow }
        return try family(ofForgotten: token, connection) != nil
    }

    /// What a revocation has ended, and whose it was.
    enum Revoked: Sendable {
        case accessToken(account: String)
        case refreshTokens(account: String)
    }

    /// Revokes one token of a client (RFC 7009 2). A refresh token ends its family.
    ///
    /// - Returns: nil if nothing has ended.
    func revoke(
        _ text: String, by client: Client, at now: Timestamp, _ connection: any SQLConnection
    ) throws -> Revoked? {
        if let token = OIDCAccessToken(wire: text) {
            // Its row stays: a refresh in the same second derives the same token once more.
            return try connection.query(
                """
                UPDATE oidc_access_token SET expires_at = created_at
                 WHERE digest = :digest AND client_id = :client AND expires_at > created_at RETURNING account_id
                """, ["digest": .blob(token.digest), "client": .text(client.id)]
            ).first.map { .accessToken(account: try $0.text("account_id")) }
        }
        guard let token = OIDCRefreshToken(wire: text) else { return nil }
        let row = try connection.query(
            "SELECT family, client_id, account_id FROM oidc_refresh_token WHERE digest = :digest",
            ["digest": .blob(token.digest)]
        ).first
        let found =
            try row.map { (try $0.blob("family"), try $0.text("client_id"), try $0.text("account_id")) }
            ?? family(ofForgotten: token, connection)
        guard let (family, owner, account) = found, owner.utf8.elementsEqual(client.id.utf8) else { return nil }
        return try end(family: family, at: now, connection) ? .refreshTokens(account: account) : nil
    }

    /// Deletes rows that nobody needs any more. Those of revoked access tokens stay for the time that the tokens had. The last used
    /// refresh tokens stay until their family is over, so that a second use is noticed.
    static func purge(_ database: any Database, at now: Timestamp, limit: Int) async throws -> Int {
        try await database.write { connection in
            let values: SQLArguments = ["now": .timestamp(now), "limit": .integer(Int64(limit))]
            let access = try connection.execute(
                """
                DELETE FROM oidc_access_token WHERE digest IN (
                    SELECT digest FROM oidc_access_token WHERE expires_at <= :now AND created_at <= :begun LIMIT :limit)
                """, values.merging(["begun": .timestamp(now - accessLifetime)]))
            let refresh = try connection.execute(
                """
                DELETE FROM oidc_refresh_token WHERE digest IN (
                    SELECT digest FROM oidc_refresh_token WHERE family_ends_at <= :now LIMIT :limit)
                """, values)
            return access + refresh
        }
    }
}
