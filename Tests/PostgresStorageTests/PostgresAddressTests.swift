import Storage
import Testing

@testable import PostgresStorage
@testable import TestKit

@Suite("Addresses of PostgreSQL", .deployment)
struct PostgresAddressTests {
    private static func read(_ text: String, allowsPlaintext: Bool = false) throws -> PostgresAddress {
        try PostgresAddress(text, allowsPlaintext: allowsPlaintext, readers: 4, program: "idp")
    }

    @Test(
        "a URI and keywords mean the same, and are shown without the password",
        arguments: [
            ("postgres://idp:s3cret@127.0.0.1/main", "postgres://idp@127.0.0.1/main"),
            ("postgresql://idp@localhost:5433/main?password=s3cret", "postgres://idp@localhost:5433/main"),
            ("host=127.0.0.1 dbname=main user=idp password=s3cret", "postgres://idp@127.0.0.1/main"),
            ("postgres://idp:s3cret@%2Frun%2Fpostgresql/main", "postgres://idp@/run/postgresql/main"),
            ("postgres://idp:s3cret@[::1]:5432/main", "postgres://idp@[::1]:5432/main"),
            (
                "postgres://idp:s3cret@one.example,two.example:5433/main?sslmode=verify-full&sslpassword=s3cret",
                "postgres://idp@one.example,two.example:5433/main"
            ),
        ])
    func shown(text: String, words: String) throws {
        let address = try Self.read(text)
        #expect("\(address)" == words)
        var dumped = ""
        dump(address, to: &dumped)
        for printed in ["\(address)", String(reflecting: address), "\(DatabaseLocation.postgres(address))", dumped] {
            #expect(!printed.contains("s3cret"))
        }
        #expect(address.parameters["target_session_attrs"] == "read-write")
        #expect(address.parameters["connect_timeout"] == "2")
        #expect(address.parameters["application_name"] == "idp")
    }

    @Test(
        "a file for TLS that cannot be read is refused, without its name; what is no file is not looked for",
        arguments: ["sslrootcert", "sslcert", "sslkey"])
    func files(keyword: String) throws {
        let folder = try TemporaryFolder()
        let readable = try folder.write("certificate", to: "file.pem")
        for host in ["db.example", "localhost"] {
            let address = "postgres://idp@\(host)/main?\(keyword)="
            #expect(try Self.read(address + readable).parameters[keyword] == readable)
            let missing = folder.path(of: "S3CRET.pem")
            let error = #expect(throws: PostgresAddress.ParsingError.self) { try Self.read(address + missing) }
            #expect(error?.description.contains("\(keyword)= that cannot be read") == true)
            #expect(error?.description.contains("S3CRET") == false)
            #expect(throws: Never.self) { try Self.read(address + missing + "&sslmode=disable", allowsPlaintext: true) }
        }
        #expect(throws: Never.self) { try Self.read("postgres://idp@db.example/main?sslrootcert=system") }
        #expect(throws: Never.self) { try Self.read("postgres://idp@db.example/main?sslkey=pkcs11:key") }
    }

    @Test(
        "TLS is verified unless the server is on this machine",
        arguments: [
            ("postgres://idp@db.example/main", "verify-full"), ("postgres://idp@10.0.0.1/main", "verify-full"),
            ("postgres://idp@localhost/main", "prefer"), ("postgres://idp@127.0.0.2/main", "prefer"),
            ("postgres://idp@%2Ftmp/main", "prefer"), ("postgres://idp@localhost,db.example/main", "verify-full"),
            ("postgres://idp@localhost/main?sslmode=disable", "disable"),
            ("postgres://idp@127.0.0.1.example/main", "verify-full"),
            ("postgres://idp@localhost/main?hostaddr=10.0.0.1", "verify-full"),
        ])
    func tls(text: String, mode: String) throws {
        #expect(try Self.read(text).parameters["sslmode"] == mode)
    }

    @Test(
        "a weaker mode for another machine needs the setting", arguments: ["disable", "prefer", "require", "verify-ca"])
    func plaintext(mode: String) throws {
        let text = "postgres://idp:s3cret@db.example/main?sslmode=\(mode)"
        let error = #expect(throws: PostgresAddress.ParsingError.self) { try Self.read(text) }
        #expect(error?.description.contains("sslmode=\(mode)") == true)
        #expect(error?.description.contains("s3cret") == false)
        #expect(try Self.read(text, allowsPlaintext: true).parameters["sslmode"] == mode)
    }

    @Test(
        "what is no address is refused, and the words have none of it",
        arguments: [
            "postgres://idp:s3cret@db.example", "postgres://idp:s3cret@db.example/", "postgres://idp:s3cret@[::1/main",
            "postgres://idp:s3cret@localhost/main?nothing=1", "dbname=main password='s3cret",
            "postgres://localhost/main?service=s3cret", "postgres://idp:s3%00cret@localhost/main",
        ])
    func refused(text: String) throws {
        let error = #expect(throws: PostgresAddress.ParsingError.self) { try Self.read(text) }
        #expect(error?.description.contains("cret") == false)
    }

    @Test(
        "a misspelt parameter is said to be one, with those that are usual, and is not repeated",
        arguments: ["postgres://idp@localhost/main?sslmod=disable", "host=localhost dbname=main sslmod=disable"])
    func unknownParameter(text: String) {
        let error = #expect(throws: PostgresAddress.ParsingError.self) { try Self.read(text) }
        #expect(error?.description.contains("a parameter that PostgreSQL does not know") == true)
        #expect(error?.description.contains("sslmode") == true && error?.description.contains("sslmod=") == false)
    }

    @Test(
        "a password that is not percent-encoded is in no word, whatever it contains",
        arguments: [
            "/", "@", ":", "?", "#", "%", "&", "=", ",", "[", "]", " ", "\\", "'", "+", "/x@", "@x/", "?user=", "/?",
        ],
        [
            "postgres://idp:first*SECOND@127.0.0.1/idp", "postgres://idp:1*SECOND@127.0.0.1/idp",
            "postgres://idp:*SECOND@localhost:5432,two.example/idp",
            "postgresql://idp:1/2*SECOND@h/idp?sslmode=disable",
            "postgres://SECOND*:x@127.0.0.1/idp", "postgres://idp@127.0.0.1/idp?password=a*SECOND",
            "host=127.0.0.1 dbname=idp user=idp password=a*SECOND", "dbname=postgres://idp:a*SECOND@h/idp",
            "host=postgres://idp:a*SECOND@h/idp dbname=idp", "dbname=idp user=idp:a*SECOND",
        ])
    func unencoded(piece: String, pattern: String) {
        // As a login, the whole text may be the name of a user.
        let text = pattern.replacing("*", with: piece)
        guard !text.hasPrefix("postgres://SECOND") || piece.contains(where: { "@/".contains($0) }) else { return }
        do {
            let address = try Self.read(text, allowsPlaintext: true)
            // A user that is named by the address itself is shown.
            guard address.parameters["user"]?.contains("SECOND") != true else { return }
            #expect(!"\(address)".contains("SECOND"), "\(text)")
        } catch {
            #expect(!"\(error)".contains("SECOND"), "\(text)")
        }
    }

    @Test("an address is shown only when every part has its form")
    func misfits() {
        let right = ["host": "one.example,/run/pg,::1", "port": "5432", "user": "idp@server", "dbname": "main"]
        #expect(PostgresAddress(parameters: right, readers: 1).description.contains("one.example"))
        for (part, value) in [
            ("host", "S3CRET@h"), ("host", "idp:S3CRET"), ("host", "h,S3CRET/"), ("hostaddr", "S3CRET"),
            ("port", "S3CRET"), ("port", "70000"), ("user", "idp:S3CRET"), ("user", "a/b"), ("dbname", "S3CRET@h"),
            ("dbname", "a/b"), ("dbname", "a b"),
        ] {
            let address = PostgresAddress(parameters: right.merging([part: value]) { $1 }, readers: 1)
            #expect("\(address)" == "postgres://…", "\(part)=\(value)")
        }
    }

    @Test(
        "more than an hour for a connection is refused: so much cannot be meant, and the largest numbers not be added")
    func connectTimeout() throws {
        let text = "postgres://idp@localhost/main?connect_timeout="
        for seconds in ["3601", "9223372036854775807"] {
            let error = #expect(throws: PostgresAddress.ParsingError.self) { try Self.read(text + seconds) }
            #expect(error?.description.contains("connect_timeout") == true)
        }
        #expect(try Self.read(text + "3600").parameters["connect_timeout"] == "3600")
    }

    @Test(
        "a setting that takes a defence away is warned about, once",
        arguments: [
            "tcp_user_timeout=0", "keepalives=0", "connect_timeout=0", "target_session_attrs=any",
            "ssl_min_protocol_version=TLSv1",
        ])
    func weakened(setting: String) throws {
        let warnings = try Self.read("postgres://idp@localhost/main?\(setting)").warnings
        #expect(warnings.count == 1)
        #expect(warnings.first?.hasPrefix(setting.prefix { $0 != "=" }) == true)
        #expect(try Self.read("postgres://idp@localhost/main?connect_timeout=5&keepalives=1").warnings.isEmpty)
    }
}
