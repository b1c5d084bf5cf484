import Foundation
package import IdPAccounts
import IdPFlow
package import SSOShared
package import SSOWeb
package import Storage

/// Owns the rows of `app_link`: one for each app that adds a provider to its user's account, from the ticket to the code.
///
/// Rows and codes are kept apart from those of `handoff`: a code that adds a provider never signs in, and a code that signs in
/// never adds one.
package struct AppIdentityStore: Sendable {
    /// From the app's request to the button in the browser.
    static let ticketLifetime: Duration = .seconds(60)
    /// From the button to the provider's answer.
    static let lifetime: Duration = .minutes(10)
    /// From the page that names the code to the app: both are on one device.
    static let codeLifetime: Duration = .seconds(60)

    let database: any Database
    let clock: ServiceClock
    let tokens: AccessTokenStore
    let box: SealedBox
    let randomness: any Randomness

    package init(
        database: any Database, clock: ServiceClock, tokens: AccessTokenStore, keys: DerivedKeys,
        randomness: any Randomness
    ) {
        (self.database, self.clock, self.tokens, self.randomness) = (database, clock, tokens, randomness)
        box = SealedBox(keys: keys, label: "app-link", randomness: randomness)
    }

    // MARK: The ticket

    /// Issues a ticket to an app. An earlier one of the same app ends, at whatever step it is: an app adds one provider at a
    /// time, and no app fills the table.
    func issue(_ ticket: IdentityTicket, to user: TokenUser, provider: String) async throws {
        let now = clock.now()
        let bytes = try randomness.bytes(16)
        guard bytes.count == 16 else { throw RandomnessError() }
        try await database.write { connection in
            try connection.execute("DELETE FROM app_link WHERE token_id = :token", ["token": .text(user.entry.id)])
            try connection.execute(
                """
                INSERT INTO app_link (id, ticket_digest, account_id, token_id, provider, created_at, expires_at)
                VALUES (:id, :digest, :account, :token, :provider, :now, :expires)
                """,
                [
                    "id": .text(Base64URL.encode(bytes)), "digest": .blob(ticket.digest),
                    "account": .text(user.account.id), "token": .text(user.entry.id), "provider": .text(provider),
                    "now": .timestamp(now), "expires": .timestamp(now + Self.ticketLifetime),
                ])
            return
        }
    }

    /// The account that a ticket is for, on a reader: a look uses nothing up.
    func account(of ticket: IdentityTicket, provider: String) async throws -> Result<Account, IdentityTicketError> {
        try await database.read { connection in
            guard let row = try row(of: ticket, connection) else { return .failure(.unknown) }
            if let rejection = try rejection(of: row) { return .failure(rejection) }
            return try account(row, provider, connection)
        }
    }

    /// Consumes a ticket, in one statement: of any number of callers in any number of processes one begins. A ticket that
    /// names another provider, or whose app has signed out, is used up as well.
    ///
    /// - Returns: the id of the link.
    func begin(
        _ ticket: IdentityTicket, provider: String, codeChallenge: String, redirectURI: String
    ) async throws -> Result<FlowID, IdentityTicketError> {
        let now = clock.now()
        return try await database.write { connection in
            let begun = try connection.query(
                """
                UPDATE app_link SET begun_at = :now, code_challenge = :challenge, redirect_uri = :redirect,
                       expires_at = :expires
                 WHERE ticket_digest = :digest AND begun_at IS NULL AND expires_at > :now AND created_at <= :skewed
                RETURNING id, account_id, token_id, provider
                """,
                [
                    "digest": .blob(ticket.digest), "now": .timestamp(now), "challenge": .text(codeChallenge),
                    "redirect": .text(redirectURI), "expires": .timestamp(now + Self.lifetime),
                    "skewed": .timestamp(now + ClockSkew.tolerated),
                ]
            ).first
            guard let begun, let id = FlowID(try begun.text("id")) else {
                guard let row = try row(of: ticket, connection) else { return .failure(.unknown) }
                return .failure(try rejection(of: row) ?? .expired)
            }
            switch try account(begun, provider, connection) {
            case .success: return .success(id)
            case .failure(let rejection):
                try end(id, connection)
                return .failure(rejection)
            }
        }
    }

    private func row(of ticket: IdentityTicket, _ connection: any SQLConnection) throws -> SQLRow? {
        try connection.query(
            "SELECT * FROM app_link WHERE ticket_digest = :digest", ["digest": .blob(ticket.digest)]
        ).first
    }

    /// Why a ticket does not begin a link; nil if it may.
    private func rejection(of row: SQLRow) throws -> IdentityTicketError? {
        let now = clock.now()
        if try row.optionalInteger("begun_at") != nil { return .used }
        let isAlive =
            try row.timestamp("expires_at") > now && row.timestamp("created_at") <= now + ClockSkew.tolerated
        return isAlive ? nil : .expired
    }

    /// The account of a row, while the app that asked is signed in to it.
    private func account(
        _ row: SQLRow, _ provider: String, _ connection: any SQLConnection
    ) throws -> Result<Account, IdentityTicketError> {
        guard try row.text("provider").utf8.elementsEqual(provider.utf8) else { return .failure(.wrongProvider) }
        return try owner(row, connection).map { .success($0) } ?? .failure(.signedOut)
    }

    func owner(_ row: SQLRow, _ connection: any SQLConnection) throws -> Account? {
        try tokens.account(row.text("account_id"), ofToken: row.text("token_id"), connection)
    }

    /// Ends a link, and its ticket or code with it, in the caller's transaction. The identity goes at once.
    func end(_ id: FlowID, _ connection: any SQLConnection) throws {
        try connection.execute(
            "UPDATE app_link SET ended_at = :now, identity = NULL WHERE id = :id AND ended_at IS NULL",
            ["id": .text(id.text), "now": .timestamp(clock.now())])
    }

    /// Deletes what neither a ticket, an answer nor a code can come for any more.
    package func purge(limit: Int) async throws -> Int {
        let now = clock.now()
        return try await database.purge(
            """
            DELETE FROM app_link WHERE id IN (SELECT id FROM app_link WHERE expires_at <= :dead LIMIT :limit)
            """, ["dead": .timestamp(now - ClockSkew.tolerated)], limit: limit)
    }
}
