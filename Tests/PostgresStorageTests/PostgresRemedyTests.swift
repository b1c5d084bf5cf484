import Storage
import Testing

@testable import PostgresStorage
@testable import TestKit

@Suite("The advice about an error of PostgreSQL", .deployment)
struct PostgresRemedyTests {
    private static let place = "connection to server at \"db.example\", port 5432 failed: "

    @Test(
        "is by SQLSTATE or by a whole sentence",
        arguments: [
            ("FATAL:  28P01: password authentication failed for user \"idp\"", "Check the user and the password"),
            ("FATAL:  28P01: Passwort-Authentifizierung für Benutzer »idp« fehlgeschlagen", "Check the user and"),
            ("FATAL:  28000: role \"does not exist\" is not permitted to log in", "ALTER ROLE … LOGIN"),
            ("FATAL:  28000: role \"idp\" does not exist", "Create the role"),
            ("FATAL:  28000: no pg_hba.conf entry for host \"::1\", user \"password\", no encryption", "pg_hba.conf"),
            ("FATAL:  3D000: database \"role \" does not exist", "Create the database"),
            ("FATAL:  53300: too many connections for role \"idp\"", "Raise CONNECTION LIMIT"),
            ("FATAL:  53300: sorry, too many clients already", "max_connections"),
            ("FATAL:  XX000: could not write init file", "Make room on the disk"),
            ("FATAL:  42501: permission denied for database \"idp\"", "GRANT CONNECT"),
            ("FATAL:  08P01: unsupported startup parameter: options", "ALTER ROLE … SET search_path"),
            ("FATAL:  08P01: unsupported startup parameter: geqo", "Add it to ignore_startup_parameters"),
            ("FATAL:  08P01: query_wait_timeout", "Raise default_pool_size"),
            ("FATAL:  08P01: no more connections allowed (max_client_conn)", "Raise max_client_conn"),
            ("server does not support SSL, but SSL was required", "Turn TLS on"),
            ("root certificate file \"/x\" does not exist\nEither provide the file or …", "sslrootcert="),
            ("SSL error: certificate verify failed", "has expired"),
            ("server certificate for \"a\" (and 2 other names) does not match host name \"b\"", "Use a name"),
            ("session is read-only", "Name the primary"),
            ("Connection refused\n\tIs the server running on that host?", "Check the address, and that"),
            ("timeout expired", "Check the address, and that"),
            ("received invalid response to SSL negotiation: H", "does not speak PostgreSQL's protocol"),
        ])
    func known(said: String, advice: String) {
        let found = PostgresRemedy.of(PostgresError(connecting: Self.place + said))
        #expect(found?.contains(advice) == true, "\(found ?? "none")")
    }

    @Test(
        "is none where no advice fits: the server's words stand alone",
        arguments: [
            "FATAL:  42501: must be superuser or replication role to start walsender",
            "FATAL:  57P03: the database system is starting up",
            "FATAL:  28000: role \"idp\" does not exist in this password authentication plan",
            "FATAL:  08P01: client_login_timeout", "ERROR:  42704: extension \"role \" does not exist",
            "server closed the connection unexpectedly", "could not receive data from server: Connection refused",
            "private key file \"root certificate\" does not exist",
        ])
    func unknown(said: String) {
        let error = PostgresError(connecting: Self.place + said)
        #expect(PostgresRemedy.of(error) == nil)
    }

    @Test("a user of the system without a name is told to name a role in the address")
    func localUser() {
        let error = PostgresError(connecting: "local user with ID 12345 does not exist\n")
        #expect("\(error)" == "local user with ID 12345 does not exist")
        #expect(PostgresRemedy.of(error) == "Name the user in the address, as in postgres://USER@HOST/NAME")
    }

    @Test("the words of an error have its state once, and no place in the server's source")
    func words() {
        let text = Self.place + "FATAL:  53300: sorry, too many clients already\nLOCATION:  ProcArray, proc.c:1\n"
        #expect(
            "\(PostgresError(connecting: text))"
                == Self.place + "FATAL:  sorry, too many clients already (SQLSTATE 53300)")
        let twice =
            Self.place + "FATAL:  28000: no pg_hba.conf entry for host \"a\", SSL encryption\n" + Self.place
            + "timeout expired\n"
        let last = PostgresError(connecting: twice)
        #expect(last.state.isEmpty && last.message == "timeout expired")
        #expect("\(PostgresError(connecting: ""))" == "the connection is closed")
        // Each sentence of libpq is one here.
        let refused = Self.place + "Connection refused\n\tIs the server running on that host?\n"
        #expect(
            "\(PostgresError(connecting: refused))"
                == Self.place + "Connection refused. Is the server running on that host?")
        let wrapped = ["it closed unexpectedly", "\tThis probably means that it ended", "\tbefore the request."]
        #expect(
            PostgresError.sentences(wrapped)
                == "it closed unexpectedly. This probably means that it ended before the request.")
    }

    @Test("of several servers each gets its own advice, once")
    func several() {
        let (refused, readOnly, odd) = (
            PostgresError(connecting: Self.place + "Connection refused"),
            PostgresError(connecting: Self.place + "session is read-only"), PostgresError.lost("odd")
        )
        #expect(
            PostgresRemedy.of(.lost([refused, readOnly, refused]))
                == "Check the address, and that the server runs. Name the primary among the hosts, "
                + "or turn default_transaction_read_only off")
        #expect(PostgresRemedy.of(.lost([odd, odd])) == nil)
        #expect("\(PostgresError.lost([odd, readOnly]))" == "odd; \(readOnly)")
    }

    @Test(
        "texts compare by bytes under the locales of libc and of the built-in provider that say so",
        arguments: [
            ("c", "C", nil, true), ("c", "POSIX", nil, true), ("c", "C.UTF-8", nil, true), ("c", "C.utf8", nil, true),
            ("c", "de_DE.UTF-8", nil, false), ("b", "de_DE.UTF-8", "C.UTF-8", true), ("b", "C", "C", true),
            ("b", "de_DE.UTF-8", "PG_UNICODE_FAST", true), ("b", "C", nil, false), ("i", "C", "und", false),
            ("i", "C.UTF-8", "de", false), ("x", "C", "C", false),
        ] as [(String, String, String?, Bool)])
    func collations(provider: String, libc: String, other: String?, comparesBytes: Bool) {
        #expect(PostgresCollation(provider: provider, libc: libc, other: other).comparesBytes == comparesBytes)
    }

    @Test("a collation is named as it was found")
    func namedCollations() {
        #expect("\(PostgresCollation(provider: "i", libc: "C", other: "und"))" == "und (provider icu)")
        #expect("\(PostgresCollation(provider: "c", libc: "de_DE.UTF-8", other: nil))" == "de_DE.UTF-8 (provider libc)")
        #expect("\(PostgresCollation(provider: "b", libc: "C", other: "X"))" == "X (provider builtin)")
    }

    @Test(
        "the schema that options ask for is read as PostgreSQL reads it",
        arguments: [
            ("-csearch_path=mine", ["mine"]), ("-c search_path=Mine,public", ["mine"]),
            ("--search-path=a -c SEARCH_PATH=b", ["b"]), ("-c geqo=off", []), ("", []),
            (#"-c search_path="$user",\ public"#, ["idp", "public"]), (#"-c search_path="My""x""#, [#"My"x"#]),
            ("-c search_path=pg_catalog,mine", ["mine"]), ("-c search_path=", []),
        ])
    func schemas(options: String, schemas: [String]) {
        let found = PostgresOptions.searchPath(options).map { PostgresOptions.schemas(of: $0, user: "idp") } ?? []
        #expect(found == Set(schemas))
    }
}
