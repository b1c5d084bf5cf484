package import SSOWeb
package import Storage

/// Owns the rows of `token_revocation`: the refresh tokens of identities that are gone, until their provider was told (Apple,
/// "Revoke tokens"; RFC 7009).
///
/// A row is in the transaction that removes its identity, so that none is forgotten, whatever ends in between.
package enum TokenRevocations {
    /// How long a provider that cannot be reached is tried.
    package static let period: Duration = .days(1)
    /// After a try, until the next one; also until the try of a process that has died is made again.
    static let pause: Duration = .minutes(10)

    package struct Waiting: Sendable {
        package let issuer, provider: String
        package let sealedToken: [UInt8]
        package let isLast: Bool
    }

    package static func add(
        _ identities: [AccountIdentity], at now: Timestamp, _ connection: any SQLConnection
    ) throws {
        for identity in identities {
            guard let sealed = identity.sealedRefreshToken, case .external(let issuer, _) = identity.kind else {
                continue
            }
            try connection.execute(
                """
                INSERT INTO token_revocation (refresh_token, issuer, provider, created_at, next_try_at)
                VALUES (:token, :issuer, :provider, :now, :now) ON CONFLICT (refresh_token) DO NOTHING
                """,
                [
                    "token": .blob(sealed), "issuer": .text(issuer), "provider": .text(identity.provider ?? ""),
                    "now": .timestamp(now),
                ])
        }
    }

    /// Takes those that are due: no other process tries them for the next ten minutes.
    ///
    /// - Parameter limit: of each provider: those of one that never answers keep none of another from its turn.
    package static func take(
        at now: Timestamp, limit: Int, _ connection: any SQLConnection
    ) throws -> [Waiting] {
        try connection.query(
            """
            UPDATE token_revocation SET next_try_at = :next
             WHERE refresh_token IN (
                   SELECT refresh_token FROM (
                          SELECT refresh_token,
                                 ROW_NUMBER() OVER (PARTITION BY issuer ORDER BY next_try_at, refresh_token) AS place
                            FROM token_revocation WHERE next_try_at <= :now) AS due
                    WHERE place <= :limit)
            RETURNING refresh_token, issuer, provider, created_at
            """,
            ["now": .timestamp(now), "next": .timestamp(now + pause), "limit": .integer(Int64(limit))]
        ).map { row in
            Waiting(
                issuer: try row.text("issuer"), provider: try row.text("provider"),
                sealedToken: try row.blob("refresh_token"), isLast: try row.timestamp("created_at") + period <= now)
        }
    }

    package static func remove(_ revocation: Waiting, _ connection: any SQLConnection) throws {
        try connection.execute(
            "DELETE FROM token_revocation WHERE refresh_token = :token", ["token": .blob(revocation.sealedToken)])
    }
}
