import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPClients
@testable import IdPTestKit
@testable import TestKit

@Suite("The secrets of clients", .program)
struct ClientSecretsTests {
    static let one = "one-0123456789abcdef0123456789abcdef"
    static let two = "two-0123456789abcdef0123456789abcdef"

    static func file(_ secrets: [String: String]) -> String {
        "clients:\n"
            + secrets.sorted { $0.key < $1.key }.map {
                "  - {id: \($0.key), name: N, redirect_uris: [https://\($0.key).example/cb], secrets: [\($0.value)], access: everyone}\n"
            }.joined()
    }

    @Test("a secret from the environment, from a file or inline is the same key each time")
    func sources() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Self.one, to: "secret")
        for reference in ["env:PARTNER_SECRET", "file:\(path)", Self.one] {
            let read = try ClientsFixture(
                Self.file(["a": "\"\(reference)\""]), environment: ["PARTNER_SECRET": Self.one], in: folder)
            #expect(read.problems == [] && read.warnings == [])
            let secret = try #require(read.clients.first?.secrets.first)
            #expect(secret.isSame(as: try SharedSecret.parse(Self.one, setting: "S")))
        }
    }

    @Test("white space at the ends is removed, with a warning that names file, line and client; one line end silently")
    func trimmed() throws {
        let folder = try TemporaryFolder()
        let plain = try folder.write(Self.one + "\n", to: "plain")
        #expect(try ClientsFixture(Self.file(["a": "\"file:\(plain)\""]), in: folder).warnings == [])
        let path = try folder.write(Self.one + " \r\n", to: "secret")
        let read = try ClientsFixture(
            Self.file(["a": "\"file:\(path)\"", "b": "env:B"]), environment: ["B": " " + Self.two], in: folder)
        #expect(read.problems == [])
        #expect(read.warnings.count == 2)
        #expect(read.warnings[0].contains("\(read.path):2: secrets of \"a\""))
        #expect(read.warnings[1].contains("\(read.path):3: secrets of \"b\""))
        #expect(read.clients[0].secrets[0].isSame(as: try SharedSecret.parse(Self.one, setting: "S")))
        #expect(!read.warnings.contains { $0.contains("0123") })
    }

    @Test(
        "any other irregular secret is refused by name, never by value",
        arguments: [
            "", "0123456789abcdef0123456789abcde", "0123456789abcdef 0123456789abcdef",
            "0123456789abcdef\n0123456789abcdef", "'0123456789abcdef0123456789abcdef'",
        ])
    func refused(_ text: String) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(text, to: "secret")
        for reference in ["env:S", "\"file:\(path)\""] {
            let read = try ClientsFixture(Self.file(["a": reference]), environment: ["S": text], in: folder)
            #expect(read.clients.isEmpty)
            #expect(read.problems.count == 1 && read.problems[0].contains("\(read.path):2: secrets of \"a\""))
            #expect(!read.problems.contains { $0.contains("0123") })
        }
    }

    @Test("a file that is missing or not text is refused", arguments: ["/nowhere/secret", "/", "/bin/true"])
    func unreadable(_ path: String) throws {
        let read = try ClientsFixture(Self.file(["a": "\"file:\(path)\""]), in: TemporaryFolder())
        #expect(read.clients.isEmpty && read.problems.count == 1)
        #expect(read.problems.first?.contains(path) == true)
    }

    /// With one key for two clients, either could redeem and forge for the other.
    @Test("one secret for two clients is refused, at any position in their lists and in any encoding")
    func shared() throws {
        let folder = try TemporaryFolder()
        for (a, b) in [(Self.one, Self.one), ("\(Self.two), \(Self.one)", "\"\(Self.one) \""), ("env:S", Self.one)] {
            let read = try ClientsFixture(
                Self.file(["a": a, "b": b]), environment: ["S": Self.one + "\n"], in: folder)
            #expect(read.problems.count == 1)
            #expect(read.problems.first?.contains("\"a\" and \"b\" have the same secret, in ") == true)
            #expect(read.problems.first?.contains("clients.yaml:2 and ") == true, "\(read.problems)")
        }
        let apart = try ClientsFixture(Self.file(["a": "\(Self.one), \(Self.one)x", "b": Self.two]), in: folder)
        #expect(apart.problems == [])
    }

    @Test("one secret twice in one list is refused, in any encoding: it is not a rotation")
    func repeated() throws {
        for second in [Self.one, " \(Self.one)\n"] {
            let read = try ClientsFixture(
                Self.file(["a": "\(Self.one), env:S"]), environment: ["S": second], in: TemporaryFolder())
            #expect(read.clients.isEmpty && read.problems.count == 1)
            #expect(read.problems.first?.hasPrefix("IDP_CLIENTS_FILE: \(read.path):2: secrets of \"a\"") == true)
            #expect(!read.problems.contains { $0.contains("0123") })
        }
    }

    @Test("a line break in a client's name is refused, with the line, and so is any other control character")
    func lineBreak() throws {
        for name in [
            #""Part\nner""#, #""Part\rner""#, #""Part\u2028ner""#, #""Part\tner""#, "|\n      Part\n      ner",
        ] {
            let read = try ClientsFixture(
                "clients:\n  - id: a\n    name: \(name)\n    redirect_uris: [https://a.example/cb]\n    secrets: [\(Self.one)]\n",
                in: TemporaryFolder())
            #expect(read.clients.isEmpty && read.problems.count == 1, "\(name)")
            #expect(read.problems.first?.contains("\(read.path):3: name must be") == true, "\(read.problems)")
        }
    }

    @Test("a credential is read from the folder that systemd names, and is the same key")
    func credential() throws {
        let folder = try TemporaryFolder()
        let credentials = try folder.folder("credentials")
        try folder.write(Self.one, to: "credentials/partner")
        let read = try ClientsFixture(
            Self.file(["a": "credential:partner"]), environment: ["CREDENTIALS_DIRECTORY": credentials], in: folder)
        #expect(read.problems == [] && read.warnings == [])
        let secret = try #require(read.clients.first?.secrets.first)
        #expect(secret.isSame(as: try SharedSecret.parse(Self.one, setting: "S")))

        let missing = try ClientsFixture(
            Self.file(["a": "credential:other"]), environment: ["CREDENTIALS_DIRECTORY": credentials], in: folder)
        #expect(missing.clients.isEmpty && missing.problems.count == 1)
        #expect(missing.problems.first?.contains("\(credentials)/other") == true)
    }

    @Test("without systemd a credential is refused with the alternatives")
    func noCredentials() throws {
        let read = try ClientsFixture(Self.file(["a": "credential:partner"]), in: TemporaryFolder())
        #expect(read.clients.isEmpty && read.problems.count == 1)
        for word in ["IDP_CLIENTS_FILE: \(read.path):2:", "$CREDENTIALS_DIRECTORY", "LoadCredential=partner:"] {
            #expect(read.problems.first?.contains(word) == true, "\(read.problems)")
        }
    }

    @Test(
        "a credential's name cannot lead to another folder",
        arguments: ["", ".", "..", "../secret", "/etc/hostname", "a/b", "a b", "a:b"])
    func credentialName(_ name: String) throws {
        let folder = try TemporaryFolder()
        try folder.write(Self.one, to: "secret")
        let read = try ClientsFixture(
            Self.file(["a": "\"credential:\(name)\""]),
            environment: ["CREDENTIALS_DIRECTORY": try folder.folder("credentials")], in: folder)
        #expect(read.clients.isEmpty && read.problems.count == 1)
        #expect(read.problems.first?.contains("must name a credential") == true, "\(read.problems)")
    }

    @Test("an id appears once, and the environment's client is checked against the file's")
    func acrossSources() throws {
        let folder = try TemporaryFolder()
        let environment = [
            "IDP_CLIENTS_FILE": try folder.write(Self.file(["a": Self.one]), to: "clients.yaml"),
            "SSO_CLIENT_ID": "b", "SSO_REDIRECT_URIS": "https://b.example/cb, https://b.example/other",
            "SSO_SHARED_SECRET": Self.two,
        ]
        #expect(ClientsFixture.settings(environment, in: folder).problems == [])
        func problems(_ changes: [String: String]) -> [String] {
            ClientsFixture.settings(environment.merging(changes) { $1 }, in: folder).problems
        }
        #expect(problems(["SSO_SHARED_SECRET": Self.one]).first?.contains("\"a\" and \"b\"") == true)
        #expect(problems(["SSO_CLIENT_ID": "a"]).first?.contains("\"a\" is registered twice, in ") == true)
        for (name, value) in [
            ("SSO_CLIENT_ID", "B"), ("SSO_REDIRECT_URIS", "http://b.example/cb"), ("SSO_SHARED_SECRET", "short"),
            ("SSO_REDIRECT_URIS", ","), ("SSO_CLIENT_NAME", "\u{202e}"), ("SSO_CLIENT_ID", ""),
            ("SSO_REDIRECT_URIS", ""), ("SSO_SHARED_SECRET", ""),
        ] {
            let found = problems([name: value])
            #expect(found.count == 1 && found.first?.hasPrefix("\(name): ") == true, "\(name)=\(value): \(found)")
        }
    }

    @Test("the effective configuration shows fingerprints and never a secret")
    func fingerprints() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(Self.file(["a": "\(Self.one), \(Self.two)"]), to: "clients.yaml")
        let shown = ClientsFixture.settings(["IDP_CLIENTS_FILE": file], in: folder).lines
            .map { "\($0.name) \($0.shown)" }.joined(separator: "\n")
        for text in [Self.one, Self.two] {
            #expect(shown.contains(try SharedSecret.parse(text, setting: "S").fingerprint))
            #expect(!shown.contains(text))
        }
    }
}
