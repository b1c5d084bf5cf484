import SSOShared
package import SSOWeb
package import Storage

/// What an account may do on the admin pages.
package enum AdminRole: String, Sendable, CaseIterable {
    /// Reads and exports.
    case auditor
    /// Also changes.
    case admin
}

/// A role that was granted. Whether it counts is decided by ``RoleStore/role(of:named:_:)``.
package struct GrantedRole: Sendable {
    package let account: Account
    package let role: AdminRole
    package let at: Timestamp
    /// ``AuditActor/text`` of who granted it.
    package let by: String
    /// Whether the mailbox was proven here, or a passkey is there.
    package let counts: Bool
}

/// Owns the rows of `account_role`.
package enum RoleStore {
    /// The table of roles, for the migrations.
    package static let schema = [
        """
        CREATE TABLE account_role (
            account_id TEXT NOT NULL,
            role TEXT NOT NULL,
            granted_at BIGINT NOT NULL,
            granted_by TEXT NOT NULL,
            PRIMARY KEY (account_id, role)
        )
        """
    ]

    /// The condition that a role of the account `a` counts. A provider's word, or a link that an operator has printed, makes no admin:
    /// the mailbox must have been proven here, or a passkey must be there.
    private static let counts = """
        EXISTS (SELECT 1 FROM account_identity i WHERE i.account_id = a.id AND i.kind IN ('email', 'passkey'))
        """

    /// The role of an account that counts; nil without one.
    ///
    /// - Parameter admins: the addresses of `IDP_ADMINS`.
    package static func role(
        of account: Account, named admins: AdminAddresses, _ connection: any SQLConnection
    ) throws -> AdminRole? {
        let rows = try connection.query(
            """
            SELECT (SELECT MIN(r.role) FROM account_role r WHERE r.account_id = a.id) AS role FROM account a
             WHERE a.id = :id AND \(counts)
            """, ["id": .text(account.id)])
        guard let row = rows.first else { return nil }
        if admins.contains(account.email) { return .admin }
        // "admin" sorts before "auditor".
        return try row.optionalText("role").flatMap(AdminRole.init)
    }

    /// Whether anybody has a role by a grant.
    package static func hasAny(_ connection: any SQLConnection) throws -> Bool {
        try !connection.query("SELECT 1 AS one FROM account_role LIMIT 1").isEmpty
    }

    /// All granted roles, by address.
    package static func all(_ connection: any SQLConnection) throws -> [GrantedRole] {
        try connection.query(
            """
            SELECT \(Account.columns(of: "a")), r.role, r.granted_at, r.granted_by, CASE WHEN \(counts) THEN 1 ELSE 0 END AS counts
              FROM account_role r JOIN account a ON a.id = r.account_id ORDER BY a.email, r.role
            """
        ).compactMap { row in
            guard let role = AdminRole(rawValue: try row.text("role")) else { return nil }
            return GrantedRole(
                account: try Account(row), role: role, at: try row.timestamp("granted_at"),
                by: try row.text("granted_by"), counts: try row.integer("counts") != 0)
        }
    }

    /// - Returns: whether the account did not have the role.
    package static func grant(
        _ role: AdminRole, to account: String, by actor: AuditActor, at now: Timestamp, _ connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            INSERT INTO account_role (account_id, role, granted_at, granted_by) VALUES (:account, :role, :now, :by)
                ON CONFLICT (account_id, role) DO NOTHING
            """,
            [
                "account": .text(account), "role": .text(role.rawValue), "now": .timestamp(now),
                "by": .text(actor.text),
            ]) > 0
    }

    /// - Returns: whether the account had the role.
    package static func revoke(
        _ role: AdminRole, of account: String, _ connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            "DELETE FROM account_role WHERE account_id = :account AND role = :role",
            ["account": .text(account), "role": .text(role.rawValue)]) > 0
    }

    /// The accounts whose role admin counts and who may sign in.
    package static func admins(
        named addresses: AdminAddresses, _ eligibility: SignInEligibility, _ connection: any SQLConnection
    ) throws -> [Account] {
        let granted = try all(connection).filter { $0.role == .admin && $0.counts }.map(\.account)
        let named = try addresses.all.compactMap { try AccountStore.find(email: $0, connection) }
            .filter { account in try role(of: account, named: addresses, connection) == .admin }
        var seen: Set<String> = []
        return (named + granted).filter { seen.insert($0.id).inserted && eligibility.maySignIn($0) }
    }
}

/// `IDP_ADMINS`: addresses whose accounts have the role admin. No page and no command takes it away.
package struct AdminAddresses: Sendable {
    package static let setting: Setting<AdminAddresses> = Setting(
        "IDP_ADMINS", .empty, example: "ann@example.com, ben@example.com",
        "Addresses with the role admin, separated by commas. They may sign in, and no page or command takes the role away. Name two, so that one who is away locks nobody out."
    ) { try AdminAddresses($0) }

    /// Lower-cased, in the order of the setting.
    package let all: [String]

    package init() { all = [] }

    /// - Throws: ``SettingError`` for what is no address.
    init(_ text: String) throws {
        let items = text.split(separator: ",").filter { !$0.allSatisfy(\.isWhitespace) }
        all = try items.readAll { item in
            let words = item.split(whereSeparator: \.isWhitespace)
            guard words.count == 1, let word = words.first, !word.contains("*") else {
                throw SettingError(
                    "\"\(item)\" must be one address. Separate addresses with commas, for example ann@example.com, ben@example.com."
                )
            }
            do { return try Entered.address(String(word)).text } catch {
                throw SettingError("\"\(item)\" is not an email address. \(error) Use one such as ann@example.com.")
            }
        }
    }

    package var isEmpty: Bool { all.isEmpty }

    package func contains(_ email: String) -> Bool { all.contains { $0.utf8.elementsEqual(email.utf8) } }
}
