import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPClients
@testable import IdPTestKit
@testable import TestKit

@Suite("The clients file", .program)
struct ClientsFileTests {
    static let secret = "0123456789abcdef0123456789abcdef"
    static let good = """
        clients:
          - id: partner
            name: Partner service
            redirect_uris: [https://partner.example.com/auth/sso/callback, "com.example.app:/callback"]
            secrets: ["\(secret)"]
        """

    @Test("a file as in the documentation is read completely, in order")
    func reads() throws {
        let read = try ClientsFixture(Self.good + "\n    access: everyone", in: TemporaryFolder())
        #expect(read.problems == [] && read.warnings == [])
        let client = try #require(read.clients.first)
        #expect(client.id == "partner" && client.name == "Partner service")
        #expect(
            client.redirectURIs == ["https://partner.example.com/auth/sso/callback", "com.example.app:/callback"])
        #expect(client.secrets.count == 1)
        #expect(client.secrets[0].isSame(as: try SharedSecret.parse(Self.secret, setting: "S")))
    }

    @Test(
        "an error names the file, the line and the key",
        arguments: [
            ("    redirect_uri: [https://a.example/cb]", 6, "redirect_uri"), ("    secret: x", 6, "secret"),
            ("    Name: x", 6, "Name"), ("    name: again", 3, "name"), ("others: []", 6, "others"),
            ("  - name: N\n    redirect_uris: [https://a.example/cb]\n    secrets: [env:X]", 6, "id"),
            ("  - {id: b, redirect_uris: [https://a.example/cb], secrets: [env:X]}", 6, "name"),
            ("  - {id: b, name: B, secrets: [env:X]}", 6, "redirect_uris"),
            ("  - {id: b, name: B, redirect_uris: [https://a.example/cb]}", 6, "secrets"),
            ("  - {id: b, name: B, redirect_uris: [], secrets: [env:X]}", 6, "redirect_uris"),
            ("  - {id: b, name: B, redirect_uris: https://a.example/cb, secrets: [env:X]}", 6, "redirect_uris"),
            ("  - {id: b, name: B, redirect_uris: [{}], secrets: [env:X]}", 6, "redirect_uris"),
            ("  - {id: b, name: B, redirect_uris: [https://a.example/cb], secrets: []}", 6, "secrets"),
            ("  - {id: [b], name: B, redirect_uris: [https://a.example/cb], secrets: [env:X]}", 6, "id"),
            ("  - {id: B, name: B, redirect_uris: [https://a.example/cb], secrets: [env:X]}", 6, "id"),
            ("  - {id: -b, name: B, redirect_uris: [https://a.example/cb], secrets: [env:X]}", 6, "id"),
            ("  - id: b\n    name: \"\\u202e\"\n    redirect_uris: [https://a.example/cb]", 7, "name"),
            (
                "  - id: b\n    name: B\n    redirect_uris:\n      - https://a.example/cb\n      - http://a.example/cb",
                10, "redirect_uris"
            ),
            ("  - id: b\n    name: B\n    secrets:\n      - env:MISSING", 9, "MISSING"),
            ("  - id: b\n    name: B\n    secrets:\n      - env:X\n      - too-short", 10, "secrets"),
            ("  - text", 6, "client"), ("   bad: [", 6, ""), ("\t- x", 6, ""),
        ] as [(String, Int, String)])
    func errors(_ lines: String, _ line: Int, _ key: String) throws {
        let read = try ClientsFixture(
            Self.good + "\n" + lines + "\n", environment: ["X": Self.secret + "-x"], in: TemporaryFolder())
        let named = read.problems.filter { $0.contains("\(read.path):\(line):") && $0.contains(key) }
        #expect(!named.isEmpty, "\(read.problems)")
        #expect(!read.problems.contains { $0.contains(Self.secret) || $0.contains("too-short") })
    }

    @Test("all errors are reported at once, not one per start")
    func allAtOnce() throws {
        let read = try ClientsFixture(
            """
            clients:
              - id: Bad Id
                name: ""
                redirect_uris: ["http://a.example/1", "https://*.example/2"]
                secrets: [short, "env:NONE"]
                colour: red
              - {}
            """, in: TemporaryFolder())
        #expect(read.problems.count == 11, "\(read.problems.joined(separator: "\n"))")
        #expect(read.clients.isEmpty)
    }

    @Test(
        "a file that is not a clients file is refused in one line",
        arguments: [
            "", "clients", "[]", "clients: {}", "clients: 7", "a: b: c", "%", "clients:\n\t- x", "--- a\n--- b",
        ])
    func notOne(_ text: String) throws {
        let read = try ClientsFixture(text, in: TemporaryFolder())
        #expect(read.problems.count == 1 && read.problems[0].contains(read.path), "\(read.problems)")
        #expect(!read.problems.contains { $0.contains("\n") })
    }

    @Test(
        "a name that ends before a # of its line is a warning, and a comment behind two blanks is none",
        arguments: [
            ("Shop #1", "Shop", true), ("Shop # 1", "Shop", true), ("Shop  #1", "Shop", true),
            ("Shop\t#1", "Shop", true),
            ("Shop  # shown to users", "Shop", false), ("Shop", "Shop", false), ("\"Shop #1\"", "Shop #1", false),
            ("'Shop #1'", "Shop #1", false), ("Shop#1", "Shop#1", false), ("\"Shop\" # 1", "Shop", false),
        ])
    func nameBeforeComment(written: String, name: String, isWarned: Bool) throws {
        let text = Self.good.replacing("name: Partner service", with: "name: \(written)") + "\n    access: everyone"
        let read = try ClientsFixture(text, in: TemporaryFolder())
        #expect(read.problems == [] && read.clients.first?.name == name)
        #expect(read.warnings.count == (isWarned ? 1 : 0), "\(read.warnings)")
        let hint = "\(read.path):3: name ends before the #"
        #expect(
            read.warnings.allSatisfy {
                $0.contains(hint) && $0.hasSuffix("in quotation marks. Begin a comment with two blanks, # and a blank.")
            }, "\(read.warnings)")
    }

    @Test("an id or a secret before #1 is a warning, and before # 1 is not: it has no blanks")
    func idBeforeComment() throws {
        for (written, isWarned) in [("partner #1", true), ("partner # main", false), ("partner  #1", true)] {
            let text = Self.good.replacing("id: partner", with: "id: \(written)") + "\n    access: everyone"
            let read = try ClientsFixture(text, in: TemporaryFolder())
            #expect(read.problems == [] && read.clients.first?.id == "partner")
            #expect(
                read.warnings.map { $0.contains(":2: id ends before the #") } == (isWarned ? [true] : []), "\(written)")
        }
        let secret = TestSecret.new()
        let text = """
            clients:
              - id: partner
                name: Partner
                access: everyone
                secrets:
                  - \(secret) #1
                redirect_uris: [https://rp.example/cb]
            """
        let read = try ClientsFixture(text, in: TemporaryFolder())
        #expect(read.problems == [] && read.warnings.count == 1, "\(read.problems)")
        #expect(read.warnings.first?.contains(":6: secrets ends before the #") == true, "\(read.warnings)")
        #expect(!read.warnings.contains { $0.contains(secret) })
    }

    @Test(
        "a text that means no value in YAML is refused, and is a text in quotation marks",
        arguments: ["~", "null", "NULL"])
    func noValue(written: String) throws {
        func read(_ name: String) throws -> ClientsFixture {
            let text = Self.good.replacing("name: Partner service", with: "name: \(name)") + "\n    access: everyone"
            return try ClientsFixture(text, in: TemporaryFolder())
        }
        let refused = try read(written)
        #expect(refused.problems.count == 1)
        let words = refused.problems.first ?? ""
        #expect(words.contains(":3: name must not be empty. \(written) means no value in YAML"), "\(words)")
        #expect(try read("'\(written)'").clients.first?.name == written)
    }

    @Test("a byte order mark at the start is skipped, and an error names a character that cannot be seen")
    func unseen() throws {
        let marked = try ClientsFixture("\u{feff}\(Self.good)\n    access: everyone", in: TemporaryFolder())
        #expect(marked.problems == [] && marked.clients.count == 1)
        let text = Self.good.replacing("id: partner", with: "id: part\u{200b}ner")
        let refused = try ClientsFixture(text, in: TemporaryFolder())
        let words = refused.problems.first ?? ""
        #expect(words.contains("The value has a zero-width space at position 5."), "\(refused.problems)")
    }

    @Test("a file that is missing, or not text, is refused by name")
    func unreadable() throws {
        let folder = try TemporaryFolder()
        for path in [folder.path(of: "none.yaml"), folder.path, "/bin/true"] {
            let reader = ClientsFixture.settings(["IDP_CLIENTS_FILE": path], in: folder)
            #expect(reader.problems.count == 1)
            #expect(reader.problems.first?.contains("IDP_CLIENTS_FILE") == true)
            #expect(reader.problems.first?.contains(path) == true)
        }
    }
}
