import SSOShared
package import SSOWeb
package import Storage

/// A client that has redeemed a grant of a session: the user may be signed in there.
package struct ClientSignIn: Sendable {
    package let clientID: String
    /// Of the latest grant.
    package let at: Timestamp
}

extension GrantStore {
    /// Where a session's user has signed in: each client once, the latest sign-in first.
    package func signIns(of session: Session) async throws -> [ClientSignIn] {
        try await database.read { connection in try signIns(of: session, connection) }
    }

    /// The same, in the caller's read.
    package func signIns(of session: Session, _ connection: any SQLConnection) throws -> [ClientSignIn] {
        try connection.query(
            """
            SELECT client_id, MAX(used_at) AS used_at FROM sso_token
             WHERE session_handle = :session AND used_at IS NOT NULL GROUP BY client_id ORDER BY 2 DESC
            """, ["session": .text(session.handle)]
        ).map { ClientSignIn(clientID: try $0.text("client_id"), at: try $0.timestamp("used_at")) }
    }
}
