package import IdPAccounts
package import SSOWeb
package import Storage

/// The operator's view of accounts, beside a running IdP. Reads only: what changes an account is an ``OperatorChange``.
package struct AccountAdministration: Sendable {
    /// Of one page.
    package static let maximumRows = 1000

    let database: any Database
    private let clock: ServiceClock

    package init(database: any Database, clock: ServiceClock = .system()) {
        (self.database, self.clock) = (database, clock)
    }

    /// What an account is like, for an operator.
    package enum State: String, Sendable, CaseIterable {
        /// May sign in, if `IDP_ALLOWED_EMAILS` names its address or it was added.
        case active
        /// Was imported, or made for a printed link. Nobody has signed in to it, and it was never written to.
        case added
        /// Was sent an invitation, and nobody has signed in to it yet.
        case invited
        /// Its invitation was taken back before anybody had signed in.
        case withdrawn
        /// Also until it is erased.
        case disabled
        /// Its end date is over.
        case ended
    }

    /// An account in a list.
    package struct Row: Sendable {
        package let account: Account
        package let state: State
    }

    /// Which accounts are asked for. What is nil does not matter.
    package struct Search: Sendable {
        /// A part of the address or the name, in upper or lower case.
        package var text: String?
        /// How the address or the name begins, in upper or lower case.
        package var beginning: String?
        package var state: State?
        package var group: String?
        /// Whether only accounts without a passkey are asked for.
        package var isWithoutPasskey = false
        /// The last address of the page before.
        package var after: String?

        package init(text: String? = nil, state: State? = nil, group: String? = nil, after: String? = nil) {
            (self.text, self.state, self.group, self.after) = (text, state, group, after)
        }
    }

    /// A page of accounts, by address.
    package func page(_ search: Search = Search(), limit: Int = maximumRows) async throws -> [Row] {
        // Of the letters beyond ASCII, SQLite lowers none, nor does PostgreSQL in a database of the locale C.
        let others = Self.capitals(in: (search.text ?? "") + (search.beginning ?? ""))
        let name = others.indices.reduce("LOWER(name)") { "REPLACE(\($0), :capital\($1), :small\($1))" }
        var letters: SQLArguments = [:]
        for (index, letter) in others.enumerated() {
            letters.append("capital\(index)", .text(letter.capital))
            letters.append("small\(index)", .text(letter.small))
        }
        return try await rows(
            """
            SELECT * FROM (SELECT \(Account.columns), \(Self.state) FROM account
                            WHERE (CAST(:after AS TEXT) IS NULL OR email > :after)
                              AND (CAST(:text AS TEXT) IS NULL OR email LIKE :text ESCAPE '!' OR \(name) LIKE :text ESCAPE '!')
                              AND (CAST(:beginning AS TEXT) IS NULL OR (email >= :beginning AND email < :beginningEnd)
                                   OR \(name) LIKE :beginningLike ESCAPE '!')
                              AND (CAST(:group AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM group_member m WHERE m.group_id = :group AND m.account_id = account.id))
                              AND (:without = 0 OR id NOT IN (SELECT account_id FROM account_identity WHERE kind = 'passkey'))
                          ) AS listed
             WHERE (CAST(:state AS TEXT) IS NULL OR state = :state) ORDER BY email LIMIT :limit
            """,
            letters.merging([
                "after": .optional(search.after?.lowercased()), "text": .optional(search.text.map(Self.pattern)),
                "beginning": .optional(search.beginning?.lowercased()),
                "beginningEnd": .optional(search.beginning.map { $0.lowercased() + "\u{10ffff}" }),
                "beginningLike": .optional(search.beginning.map { String(Self.pattern($0).dropFirst()) }),
                "state": .optional(search.state?.rawValue), "group": .optional(search.group),
                "without": .integer(search.isWithoutPasskey ? 1 : 0), "limit": .integer(Int64(limit)),
            ]))
    }

    /// Each is one more call in the statement.
    private static let maximumCapitals = 50

    /// The letters of a searched text that the engines may leave as they are, with their capitals.
    private static func capitals(in text: String) -> [(small: String, capital: String)] {
        let letters = Set(text.lowercased().unicodeScalars.filter { !$0.isASCII }).sorted()
        let found = letters.map { (small: String($0), capital: $0.properties.uppercaseMapping) }
            .filter { $0.small != $0.capital && $0.capital.unicodeScalars.count == 1 }
        return Array(found.prefix(maximumCapitals))
    }

    /// The account of an address, in upper or lower case.
    package func row(of address: String) async throws -> Row? {
        try await rows(
            "SELECT \(Account.columns), \(Self.state) FROM account WHERE email = :email",
            ["email": .text(address.lowercased())]
        ).first
    }

    /// The account of an address, in upper or lower case.
    package func account(of address: String) async throws -> Account? { try await row(of: address)?.account }

    private func rows(_ sql: String, _ values: SQLArguments) async throws -> [Row] {
        let now = clock.now()
        return try await database.read { connection in
            try connection.rows(sql, values.merging(["now": .timestamp(now)])) { row in
                Row(account: try Account(row), state: State(rawValue: try row.text("state")) ?? .active)
            }
        }
    }

    private static let state = """
        CASE WHEN disabled <> 0 OR erase_at IS NOT NULL THEN 'disabled' WHEN ends_at <= :now THEN 'ended'
             WHEN begun_at IS NOT NULL OR EXISTS (SELECT 1 FROM account_identity i WHERE i.account_id = account.id) THEN 'active'
             WHEN added_at IS NULL
             THEN CASE WHEN EXISTS (SELECT 1 FROM sign_in_link l WHERE l.account_id = account.id)
                        AND NOT EXISTS (SELECT 1 FROM invitation v WHERE v.account_id = account.id)
                       THEN 'added' ELSE 'withdrawn' END
             WHEN imported_at IS NULL OR EXISTS (SELECT 1 FROM invitation v WHERE v.account_id = account.id) THEN 'invited'
             ELSE 'added' END AS state
        """

    private static func pattern(_ text: String) -> String {
        let escaped = text.lowercased().map { "%_!".contains($0) ? "!\($0)" : String($0) }.joined()
        return "%\(escaped)%"
    }
}
