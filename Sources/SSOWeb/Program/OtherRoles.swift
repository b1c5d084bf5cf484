import Storage

/// The roles of a PostgreSQL server that may connect to a database beside its own one. Each could take the advisory lock of the
/// writers, which needs no other right. Superusers can do anything, and are not among them. Also what its own role may do beyond
/// its database.
struct OtherRoles: Sendable, CustomStringConvertible {
    /// Names beyond these are counted.
    private static let shown = 5

    /// Whether `PUBLIC` may connect, so that every role that is made later may, too.
    let includePublic: Bool
    let names: [String]
    /// The role that is connected.
    let own: String
    /// Its attributes that no program needs, as ALTER ROLE has them: `SUPERUSER`.
    let rights: [String]

    init(includePublic: Bool, names: [String], own: String = "", rights: [String] = []) {
        (self.includePublic, self.names, self.own, self.rights) = (includePublic, names, own, rights)
    }

    init(_ database: any Database) async throws {
        self = try await database.read { connection in
            let answer = try connection.query(
                """
                SELECT CAST(CAST(has_database_privilege('public', current_database(), 'CONNECT') AS INT) AS BIGINT) AS answer
                """)
            let roles = try connection.query(
                """
                SELECT CAST(rolname AS TEXT) AS name FROM pg_roles
                 WHERE rolcanlogin AND NOT rolsuper AND rolname <> current_user
                   AND has_database_privilege(oid, current_database(), 'CONNECT')
                 ORDER BY 1
                """)
            let own = try connection.query(
                """
                SELECT quote_ident(CAST(rolname AS TEXT)) AS name,
                       concat_ws(' ', CASE WHEN rolsuper THEN 'SUPERUSER' END, CASE WHEN rolcreaterole THEN 'CREATEROLE' END,
                                 CASE WHEN rolcreatedb THEN 'CREATEDB' END, CASE WHEN rolreplication THEN 'REPLICATION' END,
                                 CASE WHEN rolbypassrls THEN 'BYPASSRLS' END) AS rights
                  FROM pg_roles WHERE rolname = current_user
                """
            ).first
            return OtherRoles(
                includePublic: try answer.first?.integer("answer") == 1, names: try roles.map { try $0.text("name") },
                own: try own?.text("name") ?? "",
                rights: try own?.text("rights").split(separator: " ").map(String.init) ?? [])
        }
    }

    var isEmpty: Bool { names.isEmpty }

    /// The names, in one line.
    var description: String {
        let rest = names.count - Self.shown
        return names.prefix(Self.shown).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }
}
