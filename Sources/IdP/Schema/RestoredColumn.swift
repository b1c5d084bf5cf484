import SSOWeb
import Storage

/// What a restore makes of each column of the IdP, compared with the database that it replaces: the one list of what can end or
/// narrow something. A test walks the schema, so that a new column without a decision fails.
enum RestoredColumn {
    enum Decision: Sendable, Equatable {
        /// ``IdPTable`` empties the table, or ends its rows.
        case ended
        /// ``RestoredDatabase`` and its registry have a rule of their own.
        case compared
        /// The later value holds in a row that both databases have.
        case later
        /// Rows that only the replaced database has are added (``AddedRows``).
        case added
        /// Ends nothing and narrows nothing.
        case kept
    }

    /// A table by its decision for every column, or by the same one for all.
    enum Table: Sendable {
        case all(Decision)
        case columns([Decision: [String]])

        func decision(on column: String) -> Decision? {
            switch self {
            case .all(let decision): decision
            case .columns(let columns): columns.first { $0.value.contains(column) }?.key
            }
        }
    }

    /// By the name of the table.
    static let tables: [String: Table] = [
        "access_token": .all(.ended), "account_notice": .all(.ended), "app_link": .all(.ended),
        "challenge": .all(.ended), "device": .all(.ended), "handoff": .all(.ended), "invitation": .all(.ended),
        "mail_queue": .all(.ended), "oidc_access_token": .all(.ended), "oidc_refresh_token": .all(.ended),
        "provider_attempt": .all(.ended), "session": .all(.ended),
        "account_role": .all(.ended), "sso_token": .all(.ended),
        "address_change": .all(.ended), "app_key": .all(.ended), "gate_session": .all(.ended),
        "client_sign_in": .all(.ended), "registry_revision": .all(.ended),
        "account": .columns([
            .compared: ["id", "disabled", "username", "begun_at"],
            .later: ["email", "added_at", "imported_at", "ends_at", "erase_at"],
            // An end date ends the sign-ins once more.
            .ended: ["end_done"],
            // The number of sign-outs is for sessions and tokens, which have ended.
            .kept: ["name", "created_at", "sign_outs", "language", "updated_at"],
        ]),
        "account_identity": .columns([
            .compared: ["kind", "issuer", "subject", "account_id"],
            .later: ["is_vouched", "is_email_disabled", "email_changed_at"],
            .kept: ["created_at", "provider", "email", "is_private_email", "used_at", "refresh_token"],
        ]),
        "client": .columns([
            .compared: ["id", "is_enabled"], .later: ["entry", "logo"], .kept: ["created_at", "changed_at"],
        ]),
        "client_secret": .all(.compared),
        "group_member": .columns([.compared: ["account_id", "group_id"], .kept: ["joined_at"]]),
        "signing_key": .columns([
            .compared: ["kid", "algorithm", "generation"],
            .kept: ["public_key", "private_key", "created_at", "used_from"],
        ]),
        // A group is nothing without its members. What the audit log and counters have lost is in the file that is kept.
        "user_group": .all(.kept), "audit_event": .all(.kept), "client_secret_use": .all(.kept),
        "code_guess": .all(.kept), "key_check": .all(.kept), "guess_alarm": .all(.kept), "mail_outage": .all(.kept),
        "used_provider_answer": .all(.kept), "admin_notice": .all(.kept), "refused_address": .all(.kept),
        "retired_secret": .all(.kept), "account_profile": .all(.kept), "sign_out_message": .all(.kept),
        // Whether a passkey has ended is said by account_identity.
        "passkey": .all(.kept), "passkey_user": .all(.kept),
        // Those that were not used have ended.
        "sign_in_link": .all(.kept),
        // What the start after the restore writes again.
        "file_client": .all(.kept),
        "token_revocation": .columns([.added: ["refresh_token", "issuer", "provider", "created_at", "next_try_at"]]),
        "used_username": .columns([.added: ["digest"]]),
    ]

    /// The tables with columns whose later value holds: what names a row, and whose it is for ``EndedSinceBackup/Change``.
    fileprivate static let compared: [(table: String, keys: [String])] = [
        ("account", ["id"]), ("account_identity", ["kind", "issuer", "subject", "account_id"]), ("client", ["id"]),
    ]

    static func columns(of table: String, _ wanted: Decision) -> [String] {
        guard case .columns(let columns)? = tables[table] else { return [] }
        return columns[wanted] ?? []
    }
}

/// The rows with columns whose later value holds, as they are in one database.
struct ComparedRows: Sendable {
    private let rows: [String: [[SQLValue]: [String: SQLValue]]]

    init(_ connection: any SQLConnection) throws {
        var all: [String: [[SQLValue]: [String: SQLValue]]] = [:]
        for (table, keys) in RestoredColumn.compared {
            let columns = RestoredColumn.columns(of: table, .later)
            for row in try connection.query("SELECT \((keys + columns).joined(separator: ", ")) FROM \(table)") {
                let values = row.values.map { $0 ?? .null(.text) }
                all[table, default: [:]][Array(values.prefix(keys.count))] = Dictionary(
                    uniqueKeysWithValues: zip(columns, values.dropFirst(keys.count)))
            }
        }
        rows = all
    }

    /// The values of the replaced database that differ, in rows of both.
    func changes(in replaced: ComparedRows) -> [EndedSinceBackup.Change] {
        RestoredColumn.compared.flatMap { table, keys in
            (rows[table] ?? [:]).flatMap { key, values -> [EndedSinceBackup.Change] in
                guard let later = replaced.rows[table]?[key] else { return [] }
                return RestoredColumn.columns(of: table, .later).compactMap { column in
                    guard let now = later[column], let before = values[column], now.content != before.content
                    else { return nil }
                    return .init(table: table, keys: keys, key: key, column: column, before: before, now: now)
                }
            }
        }.sorted { $0.order < $1.order }
    }
}

extension EndedSinceBackup {
    /// A column whose later value holds.
    package struct Change: Sendable, Equatable {
        package let table: String
        let keys: [String]
        let key: [SQLValue]
        package let column: String
        let before, now: SQLValue
        /// Of the account, as the backup has it; empty for a client.
        package var address = ""

        var isAddress: Bool { table == "account" && column == "email" }
        /// The id of the account or client.
        var id: String { key.last?.content ?? "" }
        /// What holds from now on, for the command's table: no entry of a client.
        package var words: String {
            if table == "client" { return id }
            guard column.hasSuffix("_at"), case .integer(let moment) = now else { return now.content ?? "none" }
            return PlainDate.rfc3339(Timestamp(milliseconds: moment))
        }
        fileprivate var order: String { "\(table) \(id) \(column)" }

        /// Puts a value into the row.
        func set(_ value: SQLValue, _ connection: any SQLConnection) throws {
            let condition = keys.map { "\($0) = :key_\($0)" }.joined(separator: " AND ")
            let named = zip(keys, key).map { ("key_\($0)", $1) }
            try connection.execute(
                "UPDATE \(table) SET \(column) = :value WHERE \(condition)",
                SQLArguments(named + [("value", value)]))
        }
    }

    /// Puts the later values in place. Addresses are unique, and two accounts may have exchanged theirs.
    func apply(_ connection: any SQLConnection) throws {
        for change in changes where change.isAddress { try change.set(.text("changing \(change.id)"), connection) }
        for account in displaced {
            try connection.execute(
                "UPDATE account SET email = :email, disabled = 1 WHERE id = :id",
                ["id": .text(account.id), "email": .text("\(account.id)@address-taken.invalid")])
        }
        for change in changes { try change.set(change.now, connection) }
    }
}

extension SQLValue {
    /// The value as text, to compare and to print; nil for NULL of any type.
    var content: String? {
        switch self {
        case .null: nil
        case .integer(let number): "\(number)"
        case .text(let text): text
        case .blob(let bytes): "\(bytes)"
        }
    }
}
