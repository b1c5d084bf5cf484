package import IdPClients
import SSOShared
package import SSOWeb
package import Storage

/// What a client was issued and has not redeemed yet, when the client itself ends (it is disabled, removed or dropped from its
/// file), or an address of it. Otherwise a client that comes back with the same id, perhaps another one, could redeem it.
///
/// The rows of `app_key` belong to ``AppKeyStore``, those of `sso_token` to `GrantStore`. They change in the transaction that ends the client.
package enum ClientGrants {
    /// Voids the unused grants of a client, of every protocol.
    package static func void(of client: String, at now: Timestamp, _ connection: any SQLConnection) throws {
        try connection.execute(
            "UPDATE sso_token SET voided_at = :now WHERE client_id = :client AND \(unused)",
            values(at: now).merging(["client": .text(client), "now": .timestamp(now)]))
    }

    /// Voids the unused grants of a client for addresses that its entry does not name any more, also if it names them again.
    package static func void(
        ofDroppedAddresses client: Client, at now: Timestamp, _ connection: any SQLConnection
    ) throws {
        let named = values(at: now).merging(["client": .text(client.id)])
        let issued = try connection.query(
            "SELECT DISTINCT kind, redirect_uri FROM sso_token WHERE client_id = :client AND \(unused)", named
        ).map { (kind: try $0.text("kind"), address: try $0.text("redirect_uri")) }
        for (kind, address) in issued where !client.mayReturn(to: address, by: kind) {
            try connection.execute(
                """
                UPDATE sso_token SET voided_at = :now
                 WHERE client_id = :client AND kind = :kind AND redirect_uri = :address AND \(unused)
                """, named.merging(["kind": .text(kind), "address": .text(address), "now": .timestamp(now)]))
        }
    }

    /// Ends what a client has by one protocol, which its entry does not name any more: unused grants are void, and the sign-ins of its
    /// users have ended with all tokens that hang on them, also if the entry names it again. The client hears nothing of it: it does
    /// not speak the protocol.
    package static func end(_ kind: String, of client: String, at now: Timestamp, _ connection: any SQLConnection)
        throws
    {
        let named: SQLArguments = ["client": .text(client), "kind": .text(kind), "now": .timestamp(now)]
        try connection.execute(
            "UPDATE sso_token SET voided_at = :now WHERE client_id = :client AND kind = :kind AND \(unused)",
            values(at: now).merging(named))
        try connection.execute(
            """
            UPDATE client_sign_in SET ended_at = :now, reason = :reason
             WHERE client_id = :client AND kind = :kind AND \(ClientSignIns.isOpen)
            """, named.merging(["reason": .text(SessionEndReason.noAccess.rawValue)]))
    }

    /// The ids of clients with unused grants.
    package static func clients(at now: Timestamp, _ connection: any SQLConnection) throws -> Set<String> {
        let rows = try connection.query("SELECT DISTINCT client_id FROM sso_token WHERE \(unused)", values(at: now))
        return Set(try rows.map { try $0.text("client_id") })
    }

    /// The clients that something hangs on, and by which protocol. Looks at every sign-in at a client.
    package static func kinds(
        at now: Timestamp, _ connection: any SQLConnection
    ) throws -> [(client: String, kind: String)] {
        try connection.query(
            """
            SELECT client_id, kind FROM client_sign_in WHERE \(ClientSignIns.isOpen)
             UNION SELECT client_id, kind FROM sso_token WHERE \(unused) ORDER BY client_id, kind
            """, values(at: now)
        ).map { (try $0.text("client_id"), try $0.text("kind")) }
    }

    /// The ids of clients that something hangs on, and that the database does not have as enabled ones: the clients of the file,
    /// and those that have ended while no program was there to see it. Looks at every sign-in at a client.
    package static func idsOutsideDatabase(at now: Timestamp, _ connection: any SQLConnection) throws -> [String] {
        try connection.query(outsideSQL, values(at: now)).map { try $0.text("client_id") }
    }

    /// The index of `expires_at` bounds what is looked at.
    package static let unused = "used_at IS NULL AND voided_at IS NULL AND expires_at > :recent"

    private static let outsideSQL = """
        SELECT client_id FROM (
            SELECT client_id FROM client_sign_in WHERE \(ClientSignIns.isOpen)
             UNION SELECT client_id FROM sso_token WHERE \(unused)
             UNION SELECT client_id FROM app_key) AS known
         WHERE client_id NOT IN (SELECT id FROM client WHERE is_enabled = 1) ORDER BY client_id
        """

    /// A grant that has expired here may not have expired by another node's clock.
    package static func values(at now: Timestamp) -> SQLArguments {
        ["recent": .timestamp(now - ClockSkew.tolerated)]
    }
}
