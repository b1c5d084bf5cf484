import IdPClients
package import SSOShared
package import SSOWeb
package import Storage

/// Owns the rows of `address_change`. Every function works in the caller's transaction.
package enum AddressChangeStore {
    private static let columns = """
        id, account_id, session, old_address, new_address, fate, language, tries, created_at, changed_at, stopped_at
        """

    // MARK: What may be asked

    /// Why the address of an account cannot be changed by its user; nil if it can.
    ///
    /// - Parameter isNamedAdmin: whether `IDP_ADMINS` names it.
    package static func fixed(
        _ account: Account, isNamedAdmin: Bool, at now: Timestamp, _ connection: any SQLConnection
    ) throws -> FixedAddress? {
        if isNamedAdmin { return .admin }
        let rows = try connection.query(
            """
            SELECT changed_at, stopped_at FROM address_change
             WHERE account_id = :account AND created_at > :since ORDER BY created_at DESC
            """, ["account": .text(account.id), "since": .timestamp(now - .days(2))])
        for row in rows {
            guard let changed = try row.optionalTimestamp("changed_at"),
                try row.optionalTimestamp("stopped_at") == nil, changed + AddressChange.stoppable > now
            else { continue }
            return .recent(changed + AddressChange.stoppable)
        }
        let imported = try connection.query(
            "SELECT 1 FROM account WHERE id = :id AND imported_at IS NOT NULL", ["id": .text(account.id)])
        guard imported.isEmpty else { return .imported }
        let ofDay = try connection.query(
            "SELECT COUNT(*) AS count FROM address_change WHERE account_id = :account AND created_at > :since",
            ["account": .text(account.id), "since": .timestamp(now - .days(1))]
        ).first?.integer("count")
        return ofDay ?? 0 >= AddressChange.perAccount ? .often : nil
    }

    /// Whether as many changes to an address were asked for in a day as may be, by whatever accounts, so that codes for it cannot
    /// be guessed.
    package static func isUsedUp(
        _ address: EmailAddress, at now: Timestamp, _ connection: any SQLConnection
    ) throws -> Bool {
        let count = try connection.query(
            "SELECT COUNT(*) AS count FROM address_change WHERE new_address = :address AND created_at > :since",
            ["address": .text(address.text), "since": .timestamp(now - .days(1))]
        ).first?.integer("count")
        return count ?? 0 >= AddressChange.perAddress
    }

    /// Whether an address was that of an account until a change that can be stopped yet. Nobody else gets it.
    package static func isKept(
        _ address: String, at now: Timestamp, _ connection: any SQLConnection
    ) throws -> Bool {
        try !connection.query(
            """
            SELECT 1 FROM address_change
             WHERE old_address = :address AND changed_at > :since AND stopped_at IS NULL LIMIT 1
            """, ["address": .text(address), "since": .timestamp(now - AddressChange.stoppable)]
        ).isEmpty
    }

    // MARK: The change

    /// Stores a change that waits for its code. What the account has asked for before accepts no code any more.
    package static func insert(
        _ id: String, of account: Account, session: String, to address: EmailAddress, _ fate: AddressChange.Fate,
        at now: Timestamp, _ connection: any SQLConnection
    ) throws {
        try connection.execute(
            "UPDATE address_change SET tries = :maximum WHERE account_id = :account AND changed_at IS NULL",
            ["maximum": .integer(Int64(AddressChange.maximumTries)), "account": .text(account.id)])
        try connection.execute(
            """
            INSERT INTO address_change (id, account_id, session, old_address, new_address, fate, language, created_at)
            VALUES (:id, :account, :session, :old, :new, :fate, :language, :now)
            """,
            [
                "id": .text(id), "account": .text(account.id), "session": .text(session),
                "old": .text(account.email), "new": .text(address.text), "fate": .text(fate.rawValue),
                "language": .text((account.language ?? .english).rawValue), "now": .timestamp(now),
            ])
    }

    package static func find(_ id: String, _ connection: any SQLConnection) throws -> AddressChange? {
        try connection.query("SELECT \(columns) FROM address_change WHERE id = :id", ["id": .text(id)]).first
            .map(AddressChange.init)
    }

    /// The change that a session waits with, while its code can be typed.
    package static func waiting(
        session: String, of account: String, at now: Timestamp, _ connection: any SQLConnection
    ) throws -> AddressChange? {
        try connection.query(
            "SELECT \(columns) FROM address_change WHERE account_id = :account AND \(isOpen) ORDER BY created_at DESC",
            open(session, account, now)
        ).first.map(AddressChange.init)
    }

    /// Counts one guess before it is compared: of a hundred concurrent ones no more are compared than may be.
    ///
    /// - Returns: nil for a change that accepts no code.
    package static func countGuess(
        on id: String, session: String, of account: String, at now: Timestamp, _ connection: any SQLConnection
    ) throws -> AddressChange? {
        var values = open(session, account, now)
        values["id"] = .text(id)
        return try connection.query(
            """
            UPDATE address_change SET tries = tries + 1 WHERE id = :id AND account_id = :account AND \(isOpen)
            RETURNING \(columns)
            """, values
        ).first.map(AddressChange.init)
    }

    private static let isOpen = """
        session = :session AND tries < :maximum AND changed_at IS NULL AND created_at > :since AND created_at <= :latest
        """

    private static func open(_ session: String, _ account: String, _ now: Timestamp) -> SQLArguments {
        [
            "session": .text(session), "account": .text(account),
            "maximum": .integer(Int64(AddressChange.maximumTries)),
            "since": .timestamp(now - AddressChange.codeLifetime),
            "latest": .timestamp(now + ClockSkew.tolerated),
        ]
    }

    /// Notes that a change is made. Of any number of callers exactly one gets true.
    package static func take(_ id: String, at now: Timestamp, _ connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            "UPDATE address_change SET changed_at = :now WHERE id = :id AND changed_at IS NULL",
            ["now": .timestamp(now), "id": .text(id)]) == 1
    }

    // MARK: The way back

    /// A change that can be stopped now; nil for any other.
    package static func stoppable(
        _ id: String, at now: Timestamp, _ connection: any SQLConnection
    ) throws -> AddressChange? {
        try connection.query(
            """
            SELECT \(columns) FROM address_change
             WHERE id = :id AND changed_at > :since AND changed_at <= :latest AND stopped_at IS NULL
            """,
            [
                "id": .text(id), "since": .timestamp(now - AddressChange.stoppable),
                "latest": .timestamp(now + ClockSkew.tolerated),
            ]
        ).first.map(AddressChange.init)
    }

    /// Notes that a change was stopped. Of any number of callers exactly one gets true.
    package static func stop(_ id: String, at now: Timestamp, _ connection: any SQLConnection) throws -> Bool {
        try connection.execute(
            "UPDATE address_change SET stopped_at = :now WHERE id = :id AND stopped_at IS NULL",
            ["now": .timestamp(now), "id": .text(id)]) == 1
    }

    /// Forgets the changes of an account: an operator has given it another address, which nobody takes back.
    package static func forget(of account: String, _ connection: any SQLConnection) throws {
        try connection.execute("DELETE FROM address_change WHERE account_id = :account", ["account": .text(account)])
    }

    /// Deletes what counts for nothing any more. An email about a change may wait for days.
    package static func purge(limit: Int, at now: Timestamp, _ connection: any SQLConnection) throws -> Int {
        try connection.execute(
            """
            DELETE FROM address_change WHERE id IN (
                SELECT id FROM address_change WHERE created_at <= :old LIMIT :limit)
            """, ["old": .timestamp(now - .days(5)), "limit": .integer(Int64(limit))])
    }
}
