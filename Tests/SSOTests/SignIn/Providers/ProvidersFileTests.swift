import JWT
import Testing

@testable import Counterparts
@testable import IdPProviders
@testable import IdPTestKit
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit

@Suite("The providers file", .program, .alsoOnPostgres)
struct ProvidersFileTests {
    static let environment = [
        "SPACE": "7a1f03c9 e2b8", "LINES": "7a1f03c9\ne2b8", "UMLAUT": "7a1f03c9ä",
        "PUBLIC": (try? TestKeys.new().publicPEM) ?? "", "P384": (try? TestKeys.new(.curve("P-384")).pem) ?? "",
        "CUT": String(ProvidersFixture.key.dropLast(80)),
    ]

    static func read(_ entries: String...) throws -> ProvidersFixture {
        try ProvidersFixture(
            "providers:\n" + entries.joined(), environment: environment, in: TemporaryFolder())
    }

    @Test("a wrong entry is refused with setting, file, line and key, whatever is wrong", arguments: WrongProviders.all)
    func wrong(_ row: WrongProviders.Row) throws {
        let read = try Self.read(row.entry)
        #expect(read.problems == row.problems.map { "IDP_PROVIDERS_FILE: \(read.path):\($0)" })
        #expect(read.providers.isEmpty)
        for secret in Array(Self.environment.values) + ["hidden-7a1f03c9", "pa55-word", "MIGTAgEAMBMG"] {
            #expect(!read.problems.contains { $0.contains(secret) })
        }
    }

    @Test("the presets have what their provider needs")
    func presets() throws {
        let read = try Self.read(
            ProvidersFixture.entry(.apple), ProvidersFixture.entry(.github), ProvidersFixture.entry(.google),
            ProvidersFixture.entry(.microsoft), ProvidersFixture.entry(.oidc))
        #expect(read.problems == [])
        let all = read.providers
        #expect(all.map(\.kind) == [.apple, .github, .google, .microsoft, .oidc])
        #expect(all.map(\.id) == ["apple", "github", "google", "microsoft", "work"])
        #expect(all.map(\.name) == ["Apple", "GitHub", "Google", "Microsoft", "Work account"])
        #expect(
            all.map(\.issuer) == [
                "https://appleid.apple.com", "https://github.com", "https://accounts.google.com",
                "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0",
                "https://idp.example.org/realms/staff",
            ])
        let openID = ["openid", "email", "profile"]
        #expect(all.map(\.scopes) == [["openid", "name", "email"], ["user:email"], openID, openID, openID])
        #expect(all.map(\.responseMode) == [.formPost, .query, .query, .query, .query])
        #expect(
            all.map(\.algorithms) == [[.rs256], [], [.rs256], [.rs256], [.rs256, .es256, .ps256, .eddsa]])
        for provider in all {
            #expect(provider.emailTrust == .ifVerified && provider.allowsNewAccounts)
            #expect(!provider.allowsPrivateAddresses && provider.allowedDomains == [] && provider.prompt == nil)
            #expect(provider.authMethod == nil)
        }
        #expect(
            all.map(\.ownedDomains) == [
                ["privaterelay.appleid.com"], [], ["gmail.com", "googlemail.com"], [], [],
            ])
        #expect(all.map(\.method) == ["apple", "github", "google", "oidc:microsoft", "oidc:work"])
        guard case .apple(let key) = all[0].credential, case .secret(let secret) = all[1].credential else {
            Issue.record("the credentials are of another kind")
            return
        }
        #expect(key.teamID == "ABCDE12345" && key.keyID == "KEY1234567")
        let expected = try PrivateKey(pem: ProvidersFixture.key)
        #expect(JSONText.object(key.key.publicMembers) == JSONText.object(expected.publicMembers))
        #expect(secret.text == ProvidersFixture.secret)
    }

    @Test("every key of an entry counts")
    func everyKey() throws {
        let read = try Self.read(
            ProvidersFixture.entry(
                .oidc,
                [
                    "client_id: \"12345\"", "scopes: [openid, email]", "response_mode: form_post",
                    "allowed_domains: [Example.ORG, bücher.example]", "owns_addresses: [Example.org, bücher.example]",
                    "prompt: select_account", "new_accounts: false",
                    "allow_private: true", "algorithms: [ES256, Ed25519]",
                    "token_endpoint_auth_method: client_secret_post",
                ]))
        #expect(read.problems == [])
        let provider = try #require(read.providers.first)
        #expect(provider.clientID == "12345" && provider.scopes == ["openid", "email"])
        #expect(
            provider.responseMode == .formPost && provider.allowedDomains == ["example.org", "xn--bcher-kva.example"])
        #expect(provider.ownedDomains == ["example.org", "xn--bcher-kva.example"])
        #expect(provider.prompt == "select_account" && !provider.allowsNewAccounts && provider.allowsPrivateAddresses)
        #expect(provider.algorithms == [.es256, .eddsa] && provider.authMethod == .post)
        let silent = try Self.read(ProvidersFixture.entry(.oidc, ["email: never"]))
        #expect(silent.problems == [] && silent.providers.first?.emailTrust == .never)
    }

    @Test(
        "an issuer is kept byte for byte, with its slash, port, case and escapes",
        arguments: [
            "https://a.example/", "https://a.example", "https://A.example:443/Realm/", "https://a.example/my%20realm",
            "http://localhost:8081", "http://127.0.0.1:8081/", "http://[::1]:8081/x", "https://a.example/a//b",
        ])
    func issuers(_ issuer: String) throws {
        let read = try Self.read(ProvidersFixture.entry(.oidc, ["issuer: \"\(issuer)\""]))
        #expect(read.problems == [] && read.providers.first?.issuer == issuer)
    }

    @Test("a client id that ends before #1 is a warning, and one before a comment is not")
    func comments() throws {
        for (written, count) in [("abc #1", 1), ("abc  # from the console", 0), ("abc # old", 0), ("\"abc#1\"", 0)] {
            let read = try Self.read(ProvidersFixture.entry(.oidc, ["client_id: \(written)"]))
            #expect(read.problems == [] && read.warnings.count == count, "\(written): \(read.warnings)")
            #expect(read.warnings.allSatisfy { $0.contains("client_id ends before the #") })
        }
    }

    @Test("another issuer may replace that of a preset: GitHub Enterprise, a stand-in for tests")
    func otherIssuers() throws {
        for kind in [Provider.Kind.github, .apple, .google] {
            let read = try Self.read(ProvidersFixture.entry(kind, ["issuer: https://own.example.org"]))
            #expect(read.problems == [] && read.providers.first?.issuer == "https://own.example.org")
        }
    }

    @Test("a public client of kind oidc has no secret; Apple without name and email may answer in the query")
    func exceptions() throws {
        let read = try Self.read(
            ProvidersFixture.entry(.oidc, ["-client_secret", "token_endpoint_auth_method: none"]),
            ProvidersFixture.entry(.apple, ["scopes: [openid]", "response_mode: query"]))
        #expect(read.problems == [] && read.providers.count == 2)
        guard case Provider.Credential.none? = read.providers.first?.credential else {
            Issue.record("the public client has a secret")
            return
        }
        #expect(read.providers.last?.responseMode == .query)
    }

    @Test("a secret from the environment, from a file or from systemd is the same")
    func sources() throws {
        let folder = try TemporaryFolder()
        let credentials = try folder.folder("credentials")
        try folder.write(ProvidersFixture.secret + "\n", to: "credentials/work")
        for reference in ["env:SECRET", "file:\(credentials)/work", "credential:work"] {
            let read = try ProvidersFixture(
                "providers:\n" + ProvidersFixture.entry(.oidc, ["client_secret: \(reference)"]),
                environment: ["CREDENTIALS_DIRECTORY": credentials], in: folder)
            #expect(read.problems == [])
            guard case .secret(let secret)? = read.providers.first?.credential else {
                Issue.record("\(reference) gives no secret")
                continue
            }
            #expect(secret.text == ProvidersFixture.secret)
        }
    }

    @Test("two providers never share an id, a name or an issuer, also when the rest of an entry is wrong")
    func repeated() throws {
        let other = ["id: other", "name: Other", "issuer: https://other.example"]
        for (change, problem) in [
            ("id: work", "8: id \"work\" appears twice, first in line 2. Each provider needs its own."),
            (
                "name: work ACCOUNT",
                "9: name \"work account\" appears twice, first in line 3. Each provider needs its own."
            ),
            (
                "issuer: https://idp.example.org/realms/staff",
                "11: issuer \"https://idp.example.org/realms/staff\" appears twice, first in line 5. Each provider needs its own."
            ),
        ] {
            let second = ProvidersFixture.entry(.oidc, other + [change])
            let read = try Self.read(ProvidersFixture.entry(.oidc), second)
            #expect(read.problems == ["IDP_PROVIDERS_FILE: \(read.path):\(problem)"])
            let both = try Self.read(ProvidersFixture.entry(.oidc, ["prompt: none"]), second)
            #expect(both.problems.count == 2 && both.problems.last?.contains("appears twice") == true)
        }
        let presets = try Self.read(
            ProvidersFixture.entry(.google), ProvidersFixture.entry(.google, ["id: second", "name: Second"]))
        #expect(
            presets.problems == [
                "IDP_PROVIDERS_FILE: \(presets.path):7: issuer \"https://accounts.google.com\" appears twice, first in line 2. Each provider needs its own."
            ])
    }

    @Test("all wrong entries are reported at once")
    func allAtOnce() throws {
        let read = try Self.read(
            ProvidersFixture.entry(.oidc, ["kind: saml"]), ProvidersFixture.entry(.google, ["prompt: none"]),
            "  - text\n", "  - {}\n")
        #expect(
            read.problems.map { $0.dropFirst("IDP_PROVIDERS_FILE: \(read.path):".utf8.count) } == [
                "4: kind \"saml\" must be oidc, apple, github, google or microsoft.",
                "13: prompt of \"google\" must not be none: a user who is not signed in at the provider could not sign in. For example prompt: select_account",
                "14: a provider must be a mapping of keys to values.",
                "15: id is missing. For example id: work", "15: name is missing. For example name: Work account",
                "15: kind is missing. For example kind: oidc",
                "15: client_id is missing. For example client_id: main-app",
            ])
    }

    @Test("an empty list has no providers and no problem")
    func empty() throws {
        let read = try ProvidersFixture("providers: []\n", in: TemporaryFolder())
        #expect(read.problems == [] && read.providers.isEmpty)
    }

    @Test(
        "a file that is not a providers file is refused in one line",
        arguments: [
            ("", ": is empty. It must have a list called providers, as in deploy/providers.example.yaml."),
            ("[]", ":1: a providers file must be a mapping of keys to values."),
            ("providers: {}", ":1: providers must be a list, as in deploy/providers.example.yaml."),
            ("providers:", ":1: providers must be a list, as in deploy/providers.example.yaml."),
            ("{}", ":1: providers must be a list, as in deploy/providers.example.yaml."),
            ("providers:\n\t- x", ":2: is indented with a tab. Use spaces."),
            ("providers: [", ":2: a value is missing, or the ] or } that ends the list before."),
            ("providers: []\nproviders: []", ":1: the key providers appears twice. Its first place is here."),
        ])
    func notOne(_ text: String, _ problem: String) throws {
        let read = try ProvidersFixture(text, in: TemporaryFolder())
        #expect(read.problems == ["IDP_PROVIDERS_FILE: \(read.path)\(problem)"])
    }

    @Test("a file that is missing, or not text, stops the start")
    func unreadable() throws {
        let folder = try TemporaryFolder()
        for (path, words) in [
            (folder.path(of: "none.yaml"), "cannot read"), (folder.path, "cannot read"),
            ("/bin/true", "must be UTF-8 text"),
        ] {
            let problems = SettingsFixture.read(.idp, ["IDP_PROVIDERS_FILE": path]).problems
            #expect(problems.count == 1, "\(problems)")
            #expect(problems.first?.hasPrefix("IDP_PROVIDERS_FILE: ") == true)
            #expect(problems.first?.contains(words) == true && problems.first?.contains(path) == true)
        }
    }
}
