package import SSOWeb
package import Storage

/// What a client was issued and has not redeemed yet, when the client itself ends: it is disabled, removed or dropped from its
/// file. Otherwise a client that comes back with the same id, perhaps another one, could redeem it.
///
/// The rows of `app_key` belong to ``AppKeyStore``, those of `sso_token` to `GrantStore`. They change in the transaction that ends the client.
package enum ClientGrants {
    /// Voids the unused grants of a client, of every protocol.
    package static func void(of client: String, at now: Timestamp, _ connection: any SQLConnection) throws {
        try connection.execute(
            "UPDATE sso_token SET voided_at = :now WHERE client_id = :client AND \(unused)",
            values(at: now).merging(["client": .text(client), "now": .timestamp(now)]))
    }

    /// The ids of clients that something hangs on, and that the database does not have as enabled ones: the clients of the file,
    /// and those that have ended while no program was there to see it. Looks at every sign-in at a client.
    package static func idsOutsideDatabase(at now: Timestamp, _ connection: any SQLConnection) throws -> [String] {
        try connection.query(outsideSQL, values(at: now)).map { try $0.text("client_id") }
    }

    /// The index of `expires_at` bounds what is looked at.
    private static let unused = "used_at IS NULL AND voided_at IS NULL AND expires_at > :recent"

    private static let outsideSQL = """
        SELECT client_id FROM (
            SELECT client_id FROM client_sign_in WHERE \(ClientSignIns.isOpen)
             UNION SELECT client_id FROM sso_token WHERE \(unused)
             UNION SELECT client_id FROM app_key) AS known
         WHERE client_id NOT IN (SELECT id FROM client WHERE is_enabled = 1) ORDER BY client_id
        """

    /// A grant that has expired here may not have expired by another node's clock.
    private static func values(at now: Timestamp) -> SQLArguments {
        ["recent": .timestamp(now - ClockSkew.tolerated)]
    }
}
