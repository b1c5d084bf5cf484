package import SSOWeb
import Storage

package enum SessionTable: StoredTable { package static let name = "session" }

extension StoredRows {
    /// Those of the identity provider, or of a relying party in its own database.
    package var sessions: TableRows<SessionTable> { rows() }
}

extension TableRows where Table == SessionTable {
    /// Those with an account in a slot, also one that waits for its second proof.
    package var signedIn: Self { holding("accountID") }
    /// Those that belong to an account.
    package var ofAccounts: Self { with("account_id IS NOT NULL") }
    package var ofApps: Self { with("owner IS NOT NULL") }
    package func device(_ device: String) -> Self { with("device = \(quoted(device))") }
    package var remembered: Self { with("is_remembered = 1") }
    /// Those in which no form was ever submitted.
    package var ofVisitors: Self { with("submitted = 0") }
    /// Those with this text in their slots.
    package func holding(_ text: String) -> Self { with(contains("slots", text)) }
    package func handle(_ handles: String...) -> Self {
        with("handle IN (\(handles.map(quoted).joined(separator: ", ")))")
    }

    /// The slots of each.
    package func slots() async throws -> [String] { try await texts("slots", by: "id_digest") }
    package func handles() async throws -> [String] { try await texts("handle") }
    package func formSeeds() async throws -> [String] { try await texts("form_seed") }
    /// Handle, seed and slots of each, as one text, in the order of their digests.
    package func allTexts() async throws -> [String] {
        try await texts("handle || form_seed || slots", by: "id_digest")
    }
    package func digests() async throws -> [[UInt8]] {
        try await rows("id_digest").map { try $0.blob("id_digest") }
    }
    /// When the newest request of any came; nil without a session.
    package func lastSeen() async throws -> Timestamp? {
        try await number("MAX(seen_at)").map { Timestamp(milliseconds: Int64($0)) }
    }
    /// At how many moments they were seen last.
    package func momentsSeen() async throws -> Int { try await number("COUNT(DISTINCT seen_at)") ?? 0 }

    package func setSlots(_ text: String) async throws { try await set("slots = \(quoted(text))") }
    package func replace(_ text: String, with other: String) async throws {
        try await set("slots = REPLACE(slots, \(quoted(text)), \(quoted(other)))")
    }
    package func expire() async throws { try await set("expires_at = 0") }
    /// Ends them; a second time brings them back.
    package func invertExpiry() async throws { try await set("expires_at = -expires_at") }
    /// As if their last request had come so much earlier.
    package func age(by span: Duration) async throws { try await set("seen_at = seen_at - \(span.milliseconds)") }
    /// As if they were signed in since all sign-ins of their account were ended.
    package func renewSignIns() async throws {
        try await set("slots = json_set(slots, '$.signIn.signOuts', (SELECT sign_outs FROM account))")
    }
    /// Copies every session.
    ///
    /// - Returns: what brings those back that are gone by then.
    package func copied() async throws -> @Sendable () async throws -> Void {
        let stored = StoredRows(database)
        try await stored.change(["CREATE TABLE session_copy AS SELECT * FROM session"])
        return {
            try await stored.change(["INSERT INTO session SELECT * FROM session_copy WHERE true ON CONFLICT DO NOTHING"]
            )
        }
    }

    /// Adds sessions with the slots, the account and the end of the only one that belongs to an account.
    package func addCopies(_ copies: [(handle: String, seenAt: Timestamp)], now: Timestamp) async throws {
        guard let row = try await ofAccounts.rows("slots, expires_at, account_id").first else { return }
        let (slots, expiry) = (try row.text("slots"), try row.integer("expires_at"))
        let account = try row.text("account_id")
        try await insert(
            copies.map { copy in
                [
                    "id_digest": .blob(Array("id \(copy.handle)".utf8)), "handle": .text(copy.handle),
                    "form_seed": .text("seed"), "slots": .text(slots), "created_at": .timestamp(now),
                    "seen_at": .timestamp(copy.seenAt), "expires_at": .integer(expiry), "submitted": .integer(1),
                    "is_remembered": .integer(0), "account_id": .text(account),
                ]
            })
    }

    /// Adds a session of a visitor.
    package func add(_ handle: String, now: Timestamp) async throws {
        try await insert([
            [
                "id_digest": .blob(Array("id \(handle)".utf8)), "handle": .text(handle), "form_seed": .text("seed"),
                "slots": .text("{}"), "created_at": .timestamp(now), "seen_at": .timestamp(now),
                "expires_at": .timestamp(now + .seconds(86_400)),
            ]
        ])
    }

    /// Adds a session of a relying party.
    package func addAtRelyingParty(
        user: String, session: String, since then: Timestamp, until end: Timestamp
    ) async throws {
        try await insert([
            [
                "id_digest": .blob([1]), "handle": .text("ses_1"), "form_seed": .text("seed"), "slots": .text("{}"),
                "created_at": .timestamp(then), "seen_at": .timestamp(then), "expires_at": .timestamp(end),
                "idp_session": .text(session), "idp_user": .text(user),
            ]
        ])
    }
}
