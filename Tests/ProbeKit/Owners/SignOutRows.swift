package import SSOWeb
import Storage

package enum ClientSignInTable: StoredTable { package static let name = "client_sign_in" }

extension StoredRows {
    /// Which client was told which session.
    package var clientSignIns: TableRows<ClientSignInTable> { rows() }
}

extension TableRows where Table == ClientSignInTable {
    package var open: Self { with("ended_at IS NULL") }
    package func ofKind(_ kind: String) -> Self { with("kind = \(quoted(kind))") }
    package func ended(_ reason: String) -> Self { with("reason = \(quoted(reason))") }
    package func at(client: String) -> Self { with("client_id = \(quoted(client))") }
    package func told(_ session: String) -> Self { with("told_session = \(quoted(session))") }
    package func of(session handle: String) -> Self { with("session_handle = \(quoted(handle))") }

    /// Ends them, as every sign-out does.
    package func end(_ reason: String) async throws { try await set("ended_at = 1, reason = \(quoted(reason))") }

    /// Adds one that has ended.
    package func addEnded(
        _ session: String, at client: String, of account: String, _ reason: String, now: Timestamp
    ) async throws {
        try await insert([
            [
                "session_handle": .text(session), "client_id": .text(client), "kind": .text("sso"),
                "told_session": .text(session), "account_id": .text(account), "first_used_at": .timestamp(now),
                "last_used_at": .timestamp(now), "ended_at": .timestamp(now), "reason": .text(reason),
            ]
        ])
    }

    /// Signs accounts in, each in a session of its own.
    package func add(_ accounts: [String], at client: String, now: Timestamp) async throws {
        try await insert(
            accounts.map { account in
                [
                    "session_handle": .text("ses_\(account)"), "client_id": .text(client), "kind": .text("sso"),
                    "told_session": .text("ses_\(account)"), "account_id": .text(account),
                    "first_used_at": .timestamp(now), "last_used_at": .timestamp(now),
                ]
            })
    }

    /// As if another grant of the same session had been redeemed, and its client told this session.
    package func addForGrant(of client: String, telling session: String) async throws {
        try await StoredRows(database).change([
            """
            INSERT INTO client_sign_in (session_handle, client_id, kind, told_session, account_id, first_used_at, last_used_at)
            SELECT session_handle, client_id, kind, \(quoted(session)), account_id, 0, 0 FROM sso_token
             WHERE client_id = \(quoted(client))
            """
        ])
    }
}

package enum SignOutMessageTable: StoredTable { package static let name = "sign_out_message" }

extension StoredRows {
    /// The messages to clients.
    package var signOutMessages: TableRows<SignOutMessageTable> { rows() }
}

extension TableRows where Table == SignOutMessageTable {
    package var delivered: Self { with("is_delivered = 1") }

    /// Adds one that was tried once, and that the sender leaves alone until `next`.
    package func addTried(
        _ session: String, at client: String, of account: String, at now: Timestamp, next: Timestamp, error: String?,
        isSettled: Bool, isDelivered: Bool
    ) async throws {
        try await insert([
            [
                "id": .text("evt_\(session)"), "kind": .text("sso"), "client_id": .text(client),
                "account_id": .text(account), "told_session": .text(session), "created_at": .timestamp(now),
                "tries": .integer(1), "next_try_at": .timestamp(next), "last_error": .optional(error),
                "settled_at": .optional(isSettled ? now.milliseconds : nil),
                "is_delivered": .integer(isDelivered ? 1 : 0),
            ]
        ])
    }
}
