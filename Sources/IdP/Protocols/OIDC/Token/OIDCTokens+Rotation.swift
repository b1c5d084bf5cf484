import IdPAccounts
import IdPAuthorization
import IdPClients
import IdPSignOut
import SSOShared
import SSOWeb
import Storage

/// The use of a refresh token, and the successor that replaces it.
extension OIDCTokens {
    /// What became of a refresh token that was presented.
    enum Outcome: Sendable {
        case accepted(Refreshed)
        case refused(Refusal)
    }

    /// Why a refresh token is not accepted.
    enum Refusal: Sendable {
        /// A stable id of the cause, for the log.
        case doesNotHold(String)
        /// It holds, and stays unused: the client may not ask for this.
        case notAdmitted
        /// It was used before, and not just now: it has leaked. Its family has ended.
        case reused(account: String)
        /// It is another client's: it has leaked. Its family has ended.
        case foreign(owner: String)
    }

    /// A refresh token that was accepted.
    struct Refreshed: Sendable {
        let family: Family
        let account: Account
        /// What was granted at the sign-in. A request may ask for less.
        let scopes: [OIDCScope]
        let moment: Moment
        /// The token in its place.
        let successor: OIDCRefreshToken
    }

    /// Uses a refresh token, in the caller's transaction. Of any number of attempts one rotates it, and the others get the same
    /// successor for a minute, as long as nobody has used that. One that is a successor itself is its own for a second.
    ///
    /// - Parameter isAdmitted: whether what was granted with the token may be asked for now. A token that has leaked is noticed
    ///   before that.
    func use(
        _ token: OIDCRefreshToken, by client: Client, requiring strength: Strength, at now: Timestamp,
        _ connection: any SQLConnection, where isAdmitted: ([OIDCScope]) -> Bool
    ) throws -> Outcome {
        guard let key = form.keys.first else { return .refused(.doesNotHold("no_key")) }
        var values: SQLArguments = [
            "digest": .blob(token.digest), "client": .text(client.id), "now": .timestamp(now),
        ]
        let account = try connection.query(Self.ownerSQL, ["digest": .blob(token.digest)]).first.map(Account.init)
        values["eligible"] = .integer(account.map(eligibility.maySignIn) == true ? 1 : 0)
        values["access"] = AccessHolds.value(client.access)
        values["required"] = .text(strength.rawValue)
        guard let row = try connection.query(Self.stateSQL, values).first, let account else {
            return .refused(try useForgotten(token, by: client, at: now, connection))
        }
        if let refusal = try refusal(of: row, by: client, at: now, connection) { return .refused(refusal) }
        let isWanted = isAdmitted(OIDCScope.list(try row.text("scope")))
        if let usedAt = try row.optionalTimestamp("used_at") {
            guard let again = try successor(of: token, row, usedAt: usedAt, at: now, connection) else {
                try end(family: try row.blob("family"), at: now, connection)
                return .refused(.reused(account: account.id))
            }
            return isWanted ? .accepted(try refreshed(row, account, again)) : .refused(.notAdmitted)
        }
        guard try row.timestamp("expires_at") > now else { return .refused(.doesNotHold("expired")) }
        guard isWanted else { return .refused(.notAdmitted) }
        if try isFresh(row, token, at: now, connection) { return .accepted(try refreshed(row, account, token)) }
        return try rotate(token, in: try row.blob("family"), of: account, key, values, at: now, connection)
    }

    /// Why a token does not hold, whether it is used or not. One of another client ends its family.
    private func refusal(
        of row: SQLRow, by client: Client, at now: Timestamp, _ connection: any SQLConnection
    ) throws -> Refusal? {
        let owner = try row.text("client_id")
        guard owner.utf8.elementsEqual(client.id.utf8) else {
            try end(family: try row.blob("family"), at: now, connection)
            return .foreign(owner: owner)
        }
        guard try row.optionalInteger("ended_at") == nil else { return .doesNotHold("ended") }
        guard try row.timestamp("family_ends_at") > now else { return .doesNotHold("expired") }
        return try row.integer("holds") == 1 ? nil : .doesNotHold("sign_in_ended")
    }

    private func rotate(
        _ token: OIDCRefreshToken, in family: [UInt8], of account: Account, _ key: RefreshTokenForm.Key,
        _ values: SQLArguments, at now: Timestamp, _ connection: any SQLConnection
    ) throws -> Outcome {
        let isNamed = form.isOf(family, token)
        let mark = SuccessorMark(keyID: key.id, isNamed: isNamed)
        // The statement decides once more: nothing may happen between check and mark.
        guard let used = try connection.query(Self.useSQL, values.merging(["key": .text(mark.text)])).first
        else { return .refused(.doesNotHold("unknown")) }
        let refreshed = try self.refreshed(used, account, form.successor(of: token, in: family, key.key))
        try insert(
            refreshed.successor, refreshed.family, refreshed.scopes, refreshed.moment,
            endsAt: try used.timestamp("family_ends_at"), at: now, connection)
        if isNamed { try forget(family, connection) }
        return .accepted(refreshed)
    }

    /// Whether a token is the successor of another one, and younger than a second. The first of a family is not.
    private func isFresh(
        _ row: SQLRow, _ token: OIDCRefreshToken, at now: Timestamp, _ connection: any SQLConnection
    ) throws -> Bool {
        let created = try row.timestamp("created_at")
        guard (created <= now ? now - created : created - now) < Self.rotation else { return false }
        return try !connection.query(
            "SELECT 1 AS one FROM oidc_refresh_token WHERE family = :family AND digest <> :digest LIMIT 1",
            ["family": .blob(try row.blob("family")), "digest": .blob(token.digest)]
        ).isEmpty
    }

    /// What a used row has of its successor: the id of the key that it was derived with. The text is stored.
    private struct SuccessorMark {
        let keyID: String
        /// Whether the used token itself is recognised without its row: it was made with a key of ours.
        let isNamed: Bool

        var text: String { keyID + (isNamed ? Self.named : ":unnamed") }
        static let named = ":named"

        init(keyID: String, isNamed: Bool) { (self.keyID, self.isNamed) = (keyID, isNamed) }

        init(_ text: String) {
            keyID = String(text.prefix { $0 != ":" })
            isNamed = text.hasSuffix(Self.named)
        }
    }

    /// The successor of a used token once more. Nil if it was used itself, after a minute, and if the key is gone.
    private func successor(
        of token: OIDCRefreshToken, _ row: SQLRow, usedAt: Timestamp, at now: Timestamp, _ connection: any SQLConnection
    ) throws -> OIDCRefreshToken? {
        // A clock that was set back, or another node's: not later than a minute either.
        guard now - usedAt < Self.repetition,
            let mark = try row.optionalText("successor_key").map(SuccessorMark.init),
            let key = form.keys.first(where: { $0.id == mark.keyID })
        else { return nil }
        let successor = try form.successor(of: token, in: try row.blob("family"), key.key)
        let unused = try connection.query(
            "SELECT 1 AS one FROM oidc_refresh_token WHERE digest = :digest AND used_at IS NULL",
            ["digest": .blob(successor.digest)])
        return unused.isEmpty ? nil : successor
    }

    /// A token without a row. One that was made for a family has been used long ago: it has leaked, and ends that.
    private func useForgotten(
        _ token: OIDCRefreshToken, by client: Client, at now: Timestamp, _ connection: any SQLConnection
    ) throws -> Refusal {
        guard let found = try family(ofForgotten: token, connection) else { return .doesNotHold("unknown") }
        try end(family: found.digest, at: now, connection)
        return found.clientID.utf8.elementsEqual(client.id.utf8)
            ? .reused(account: found.accountID) : .foreign(owner: found.clientID)
    }

    /// The family that a token without a row was made for, if it goes on.
    func family(
        ofForgotten token: OIDCRefreshToken, _ connection: any SQLConnection
    ) throws -> (digest: [UInt8], clientID: String, accountID: String)? {
        guard let name = form.name(in: token) else { return nil }
        let last = name + [UInt8](repeating: 0xff, count: 32 - name.count)
        return try connection.query(
            """
            SELECT DISTINCT family, client_id, account_id FROM oidc_refresh_token
             WHERE family >= :name AND family <= :last AND ended_at IS NULL
            """, ["name": .blob(name), "last": .blob(last)]
        ).map { (try $0.blob("family"), try $0.text("client_id"), try $0.text("account_id")) }
            .first { form.isOf($0.0, token) }
    }

    /// Deletes the rows of used tokens of a family but the last ones, as far as they are recognised without.
    private func forget(_ family: [UInt8], _ connection: any SQLConnection) throws {
        try connection.execute(
            """
            DELETE FROM oidc_refresh_token WHERE digest IN (
                SELECT digest FROM oidc_refresh_token WHERE family = :family AND successor_key LIKE :named
                 ORDER BY used_at DESC, created_at DESC LIMIT 100 OFFSET :kept)
            """,
            [
                "family": .blob(family), "named": .text("%\(SuccessorMark.named)"),
                "kept": .integer(Int64(Self.usedKept)),
            ])
    }

    private func refreshed(_ row: SQLRow, _ account: Account, _ successor: OIDCRefreshToken) throws -> Refreshed {
        let isProven = try row.integer("is_proven") != 0
        return Refreshed(
            family: Family(
                digest: try row.blob("family"), clientID: try row.text("client_id"), accountID: account.id,
                accountSignOuts: try row.integer("account_sign_outs"),
                signIn: ClientSignInName(
                    session: try row.text("told_session"), beginnings: try row.integer("sign_in_beginnings"))),
            account: account, scopes: OIDCScope.list(try row.text("scope")),
            moment: Moment(
                authenticatedAt: isProven ? try row.timestamp("authenticated_at") : nil,
                proofs: try row.signInProofs()),
            successor: successor)
    }

    private static let ownerSQL = """
        SELECT \(Account.columns) FROM account
         WHERE id = (SELECT account_id FROM oidc_refresh_token WHERE digest = :digest)
        """

    private static let holds = """
        :eligible = 1 AND \(Strength.holdsSQL("oidc_refresh_token"))
           AND \(AccessHolds.sql("oidc_refresh_token.account_id"))
           AND \(SignInHolds.atClientSQL("oidc_refresh_token"))
           AND \(ClientSignIns.holds("oidc_refresh_token", kind: OIDCProtocol.id))
        """

    /// One statement, so that nothing can happen between check and mark.
    private static let useSQL = """
        UPDATE oidc_refresh_token SET used_at = :now, successor_key = :key
         WHERE digest = :digest AND client_id = :client AND used_at IS NULL AND ended_at IS NULL
           AND expires_at > :now AND \(holds)
        RETURNING *
        """

    private static let stateSQL = """
        SELECT oidc_refresh_token.*, CASE WHEN \(holds) THEN 1 ELSE 0 END AS holds
          FROM oidc_refresh_token WHERE digest = :digest
        """
}
