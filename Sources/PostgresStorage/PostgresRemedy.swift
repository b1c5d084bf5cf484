/// What an operator does about an error of PostgreSQL, a pooler or libpq at the opening. By SQLSTATE, or by a whole sentence where one
/// state has several causes and where none is given. Words that are unknown stand alone: advice for another fault leads astray.
enum PostgresRemedy {
    /// - Returns: sentences without a full stop at the end; nil where none fits.
    static func of(_ error: PostgresError) -> String? {
        guard error.parts.isEmpty else {
            // Several servers, each with its own error.
            let all = error.parts.compactMap(of).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
            return all.isEmpty ? nil : all.joined(separator: ". ")
        }
        return bySentence.first { $0.sentence.fits(error.message) }?.advice ?? byState[error.state]
    }

    /// A whole sentence, in which `…` stands for a part that differs.
    private struct Sentence: Sendable {
        private let parts: [Substring]

        init(_ text: String) { parts = text.split(separator: "…", omittingEmptySubsequences: false) }

        func fits(_ message: String) -> Bool {
            guard parts.count > 1, let end = parts.last else { return message == parts.first.map(String.init) }
            var rest = message[...]
            for (index, part) in parts.dropLast().enumerated() where !part.isEmpty {
                guard let found = rest.firstRange(of: part), index > 0 || found.lowerBound == rest.startIndex else {
                    return false
                }
                rest = rest[found.upperBound...]
            }
            return rest.hasSuffix(end)
        }
    }

    // MARK: - The advice

    static let fullDisk = "Make room on the disk of PostgreSQL"
    static let moreConnections =
        "Raise CONNECTION LIMIT, max_connections or the size of the pool, see docs/postgresql.md"
    private static let login = "Check the user and the password"
    private static let authority = "Name the file of its authority with sslrootcert="
    private static let primary = "Name the primary among the hosts, or turn default_transaction_read_only off"
    private static let wholeSessions = "Set pool_mode = session, or connect directly"
    private static let reach = "Check the address, and that the server runs"
    private static let stranger = "Check the address: what answers there does not speak PostgreSQL's protocol"
    private static let rules = "Let this user in by pg_hba.conf"

    /// Source: Appendix A of PostgreSQL's manual.
    private static let byState = [
        "28P01": login, "3D000": "Create the database, see docs/postgresql.md", "53100": fullDisk,
        "53300": moreConnections, "25006": primary, "26000": wholeSessions,
        "42P05": "Set server_reset_query = DISCARD ALL at the pooler",
    ]

    private static let bySentence: [(sentence: Sentence, advice: String)] =
        (own + server + pooler + library).map { (Sentence($0), $1) }

    private static let own = [
        (
            PostgresSession.standbyAnswers,
            "Turn load_balance_mode off in pgpool-II, or connect to the primary, see docs/postgresql.md"
        ),
        (
            PostgresSession.foreignSchema,
            "Find out who made it. If it is yours, ALTER SCHEMA … OWNER TO the role, else drop it"
        ),
    ]

    /// PostgreSQL's sentences. Source: its postinit.c, miscinit.c, auth.c and relcache.c.
    private static let server = [
        ("role \"…\" does not exist", "Create the role, see docs/postgresql.md"),
        ("role \"…\" is not permitted to log in", "ALTER ROLE … LOGIN"),
        ("no pg_hba.conf entry for …", rules), ("pg_hba.conf rejects connection for …", rules),
        ("password authentication failed for user \"…\"", login),
        ("Peer authentication failed for user \"…\"", "Name the role of this system user, or \(rules.lowercasedFirst)"),
        ("database \"…\" is not currently accepting connections", "ALTER DATABASE … ALLOW_CONNECTIONS true"),
        ("permission denied for database \"…\"", "GRANT CONNECT ON DATABASE … TO the role"),
        ("could not write init file", fullDisk), ("…: No space left on device", fullDisk),
    ]

    /// PgBouncer's sentences, nearly all with the state 08P01. Source: its client.c, objects.c and janitor.c.
    private static let pooler = [
        (
            "unsupported startup parameter: options",
            "Set ignore_startup_parameters = options at the pooler, and give the schema by ALTER ROLE … SET search_path"
        ),
        (
            "unsupported startup parameter in options: search_path",
            "Set ignore_startup_parameters = search_path at the pooler, and give the schema by ALTER ROLE … SET search_path"
        ),
        ("unsupported startup parameter: …", "Add it to ignore_startup_parameters of the pooler"),
        ("transaction blocks not allowed in statement pooling mode", wholeSessions),
        ("no more connections allowed (max_client_conn)", "Raise max_client_conn of the pooler"),
        ("no more connections allowed", "Raise max_client_conn of the pooler"),
        ("query_wait_timeout", "Raise default_pool_size of the pooler, see docs/postgresql.md"),
        ("no such database: …", "Add it to [databases] of the pooler"),
        ("bouncer config error", "Look at the pooler's log"),
        ("SASL authentication failed", login),
    ]

    /// libpq's own sentences. Source: its fe-connect.c, fe-auth.c and fe-secure-openssl.c.
    private static let library = [
        ("server does not support SSL, but SSL was required", "Turn TLS on at the server"),
        ("root certificate file \"…\" does not exist", authority),
        ("could not read root certificate file \"…", authority),
        ("SSL error: certificate verify failed", "\(authority), and see whether the certificate has expired"),
        ("server certificate for \"…does not match host name \"…\"", "Use a name that is in its certificate"),
        ("fe_sendauth: no password supplied", login),
        ("local user with ID … does not exist", "Name the user in the address, as in postgres://USER@HOST/NAME"),
        ("could not look up local user ID …", "Name the user in the address, as in postgres://USER@HOST/NAME"),
        ("session is read-only", primary), ("server is in hot standby mode", primary),
        ("Connection refused", reach), ("timeout expired", reach), ("No such file or directory", reach),
        ("No route to host", reach), ("Network is unreachable", reach),
        ("could not translate host name \"…", reach),
        ("received invalid response to SSL negotiation: …", stranger),
        ("expected authentication request from server, but received …", stranger),
    ]
}

extension String {
    fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
