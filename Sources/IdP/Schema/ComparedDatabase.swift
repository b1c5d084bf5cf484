import IdPClients
import SSOWeb
import Storage

/// What a restore compares of each of the two databases.
struct ComparedDatabase: Sendable {
    struct IdentityKey: Hashable, Sendable {
        let kind, issuer, subject: String
    }

    struct MembershipKey: Hashable, Sendable {
        let accountID, group: String
    }

    struct ComparedAccount: Sendable {
        let email: String
        let isDisabled: Bool
        /// Whether it waits to be erased.
        let isLeaving: Bool
        var isOff: Bool { isDisabled || isLeaving }
    }

    /// By the id of the account.
    let accounts: [String: ComparedAccount]
    let identities: [IdentityKey: (accountID: String, provider: String?)]
    let memberships: Set<MembershipKey>
    let registry: RestoredRegistry
    let rows: ComparedRows

    init(_ connection: any SQLConnection) throws {
        accounts = try Self.accounts(connection)
        identities = try Self.identities(connection)
        let members = try connection.query("SELECT account_id, group_id FROM group_member")
        memberships = try Set(
            members.map { MembershipKey(accountID: try $0.text("account_id"), group: try $0.text("group_id")) })
        registry = try RestoredRegistry(connection)
        rows = try ComparedRows(connection)
    }

    private static func accounts(_ connection: any SQLConnection) throws -> [String: ComparedAccount] {
        let rows = try connection.query("SELECT id, email, disabled, erase_at FROM account")
        return try Dictionary(
            rows.map { row in
                let account = ComparedAccount(
                    email: try row.text("email"), isDisabled: try row.integer("disabled") != 0,
                    isLeaving: try row.optionalInteger("erase_at") != nil)
                return (try row.text("id"), account)
            }
        ) { first, _ in first }
    }

    private static func identities(
        _ connection: any SQLConnection
    ) throws -> [IdentityKey: (accountID: String, provider: String?)] {
        let rows = try connection.query("SELECT kind, issuer, subject, account_id, provider FROM account_identity")
        return try Dictionary(
            rows.map { row in
                let key = IdentityKey(
                    kind: try row.text("kind"), issuer: try row.text("issuer"), subject: try row.text("subject"))
                return (key, (accountID: try row.text("account_id"), provider: try row.optionalText("provider")))
            }
        ) { first, _ in first }
    }
}

/// What has ended in the database that is replaced. Only accounts of both count.
extension ComparedDatabase {
    /// - Parameter erased: the accounts that the other database has erased. Any other that it does not have was lost.
    func disabled(in other: ComparedDatabase, erased: Set<String>) -> [EndedSinceBackup.DisabledAccount] {
        accounts.sorted { $0.value.email < $1.value.email }.filter { id, account in
            // One that waited to be erased already must not come back when that is cancelled.
            guard let other = other.accounts[id] else { return erased.contains(id) && !account.isDisabled }
            return !account.isOff && other.isOff
        }.map { .init(id: $0.key, email: $0.value.email) }
    }

    func identities(endedIn other: ComparedDatabase) -> [EndedSinceBackup.Identity] {
        identities.compactMap { key, identity -> EndedSinceBackup.Identity? in
            guard let email = emailOfBoth(identity.accountID, other),
                other.identities[key]?.accountID != identity.accountID
            else { return nil }
            return .init(
                kind: key.kind, issuer: key.issuer, subject: key.subject, accountID: identity.accountID,
                email: email, provider: identity.provider)
        }.sorted { ($0.email, $0.kind, $0.issuer, $0.subject) < ($1.email, $1.kind, $1.issuer, $1.subject) }
    }

    func memberships(endedIn other: ComparedDatabase) -> [EndedSinceBackup.Membership] {
        memberships.subtracting(other.memberships).compactMap { key -> EndedSinceBackup.Membership? in
            guard let email = emailOfBoth(key.accountID, other) else { return nil }
            return .init(accountID: key.accountID, email: email, group: key.group)
        }.sorted { ($0.email, $0.group) < ($1.email, $1.group) }
    }

    func changes(in other: ComparedDatabase) -> [EndedSinceBackup.Change] {
        rows.changes(in: other.rows).map { change in
            var change = change
            change.address = change.table == "client" ? "" : accounts[change.id]?.email ?? ""
            return change
        }
    }

    /// The accounts whose address an account gets that has changed its own.
    func displaced(by changes: [EndedSinceBackup.Change]) -> [EndedSinceBackup.DisabledAccount] {
        let addresses = changes.filter(\.isAddress)
        let (moved, taken) = (Set(addresses.map(\.id)), Set(addresses.map(\.now.content)))
        return accounts.filter { !moved.contains($0.key) && taken.contains($0.value.email) }
            .map { .init(id: $0.key, email: $0.value.email) }.sorted { $0.email < $1.email }
    }

    /// The address here of an account of both databases.
    private func emailOfBoth(_ account: String, _ other: ComparedDatabase) -> String? {
        other.accounts[account] == nil ? nil : accounts[account]?.email
    }
}
