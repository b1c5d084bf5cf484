import Testing

@testable import Counterparts
@testable import IdPProviders
@testable import IdPTestKit
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

@Suite("The providers in force", .program, .alsoOnPostgres)
struct ProviderRegistryTests {
    let folder: TemporaryFolder
    let path: String
    let log = CapturedLog()

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path(of: "providers.yaml")
        try write(ProvidersFixture.entry(.oidc))
    }

    private func write(_ entries: String...) throws {
        try folder.write("providers:\n" + entries.joined(), to: "providers.yaml")
    }

    /// - Parameter publicURL: that of a trial on this machine, unless a test is about another one.
    private func source(_ publicURL: String = "http://localhost:8080") throws -> ProviderSource {
        let reader = SettingsReader(
            SettingsSource(["IDP_PROVIDERS_FILE": path, "SECRET": ProvidersFixture.secret, "KEY": ProvidersFixture.key])
        )
        let source = ProviderSource.read(
            reader, publicURL: try PublicOrigin(publicURL), listen: try ListenAddress("127.0.0.1:8080"), keys: nil)
        try #require(reader.problems == [])
        return source
    }

    private func registry() throws -> ProviderRegistry {
        ProviderRegistry(try source(), logger: log.logger("idp"))
    }

    @Test("an id that stands for another issuer since is not the provider of an identity from before")
    func issuer() throws {
        let registry = try registry()
        let provider = try #require(registry.all.first)
        #expect(registry.has(id: provider.id, issuer: provider.issuer))
        #expect(!registry.has(id: "other", issuer: provider.issuer))
        #expect(registry.name(ofIssuer: provider.issuer) == provider.name)
        try write(ProvidersFixture.entry(.apple, ["id: \(provider.id)"]))
        registry.reload()
        #expect(registry.provider(id: provider.id) != nil)
        #expect(!registry.has(id: provider.id, issuer: provider.issuer))
        #expect(registry.name(ofIssuer: "https://gone.example/realms/x") == "gone.example")
    }

    @Test("a good file replaces the whole list, and the log has its length")
    func reload() throws {
        let registry = try registry()
        #expect(registry.all.map(\.id) == ["work"])
        try write(ProvidersFixture.entry(.apple), ProvidersFixture.entry(.google))
        registry.reload()
        #expect(registry.all.map(\.id) == ["apple", "google"])
        #expect(log.text == "info providers_file_loaded [\"count\": 2]")
        try folder.write("providers: []\n", to: "providers.yaml")
        registry.reload()
        #expect(registry.all.isEmpty)
    }

    @Test(
        "a file with any fault is refused whole, with one event for each fault, and the old list stays",
        arguments: [
            [ProvidersFixture.entry(.google), ProvidersFixture.entry(.oidc, ["issuer: http://a.example"])],
            [ProvidersFixture.entry(.google), ProvidersFixture.entry(.oidc, ["colour: red"])],
            [ProvidersFixture.entry(.google), ProvidersFixture.entry(.google, ["id: other", "name: Other"])],
            [ProvidersFixture.entry(.google), ProvidersFixture.entry(.oidc, ["client_secret: env:NONE"])],
            [ProvidersFixture.entry(.google), "  - [\n"],
        ])
    func refused(_ entries: [String]) throws {
        let registry = try registry()
        try folder.write("providers:\n" + entries.joined(), to: "providers.yaml")
        registry.reload()
        #expect(registry.all.map(\.id) == ["work"])
        #expect(log.contains("error providers_file_rejected [\"error\": IDP_PROVIDERS_FILE: \(path):"), "\(log.text)")
        #expect(!log.contains("providers_file_loaded"))
        try write(ProvidersFixture.entry(.google))
        registry.reload()
        #expect(registry.all.map(\.id) == ["google"])
    }

    @Test("two faults are two events; a file that is gone is one")
    func faults() throws {
        let registry = try registry()
        try write(ProvidersFixture.entry(.google, ["prompt: none", "response_mode: fragment"]))
        registry.reload()
        #expect(log.text.split(separator: "\n").count == 2, "\(log.text)")
        let without = ProviderRegistry(
            ProviderSource(providers: registry.all) {
                let reader = SettingsReader(SettingsSource([:]))
                let providers = ProvidersFile(
                    path: "/nowhere/providers.yaml", environment: { _ in nil }, problem: reader.problem,
                    checkSecret: { _, _ in }
                ).read()
                return .init(providers: providers, problems: reader.problems)
            }, logger: log.logger("idp"))
        without.reload()
        #expect(without.all.map(\.id) == ["work"] && log.contains("cannot read /nowhere/providers.yaml"))
    }

    @Test("a secret in a file is read again")
    func rotation() throws {
        let secret = try folder.write("first-7a1f03c9\n", to: "secret")
        try write(ProvidersFixture.entry(.oidc, ["client_secret: \"file:\(secret)\""]))
        let registry = try registry()
        try folder.write("second-7a1f03c9\n", to: "secret")
        registry.reload()
        guard case .secret(let now)? = registry.provider(id: "work")?.credential else {
            Issue.record("the provider has no secret")
            return
        }
        #expect(now.text == "second-7a1f03c9")
        #expect(!log.contains("7a1f03c9"))
    }

    @Test("without a file there is no provider, and a reload does nothing")
    func none() {
        let registry = ProviderRegistry(.none, logger: log.logger("idp"))
        registry.reload()
        #expect(registry.all.isEmpty && log.text == "")
    }

    @Test("a provider is found by its exact id and its exact issuer only")
    func exact() throws {
        let registry = try registry()
        #expect(registry.provider(id: "work")?.id == "work")
        for id in ["Work", "work ", "wor\u{212a}", "", "work/"] { #expect(registry.provider(id: id) == nil, "\(id)") }
        let issuer = "https://idp.example.org/realms/staff"
        #expect(registry.provider(issuer: issuer)?.id == "work")
        for other in [issuer + "/", issuer.uppercased(), "https://idp.example.org", ""] {
            #expect(registry.provider(issuer: other) == nil, "\(other)")
        }
    }

    @Test("a secret that looks like an example is a warning in a trial and a problem elsewhere, at a reload too")
    func examples() throws {
        let secret = try folder.write(ProvidersFixture.secret, to: "secret")
        try write(ProvidersFixture.entry(.oidc, ["client_secret: \"file:\(secret)\""]))
        let (trial, service) = (try source(), try source("https://idp.example.com"))
        try folder.write("changeme-now", to: "secret")
        let name = "IDP_PROVIDERS_FILE: \(path):7: client_secret of \"work\": looks like an example"
        let (readTrial, readService) = (try #require(trial.read), try #require(service.read))
        let (inTrial, elsewhere) = (readTrial(), readService())
        #expect(inTrial.problems == [] && inTrial.warnings.first?.hasPrefix(name) == true, "\(inTrial)")
        #expect(elsewhere.problems.first?.hasPrefix(name) == true, "\(elsewhere)")
        ProviderRegistry(trial, logger: log.logger("idp")).reload()
        #expect(log.contains("warning providers_file_warning") && log.contains("providers_file_loaded"))
    }

    @Test("check has one line for each provider, with what to register there, and no secret")
    func lines() throws {
        try write(
            ProvidersFixture.entry(.oidc), ProvidersFixture.entry(.apple),
            ProvidersFixture.entry(
                .microsoft, ["kind: oidc", "id: public", "name: Public", "-client_secret"]),
            ProvidersFixture.entry(.google, ["token_endpoint_auth_method: client_secret_post"]))
        let reader = SettingsFixture.read(
            .idp,
            [
                "IDP_PROVIDERS_FILE": path, "SECRET": ProvidersFixture.secret, "KEY": ProvidersFixture.key,
                "IDP_PUBLIC_URL": "https://idp.example.com", "IDP_MAIL_URL": "smtps://mail.example.com:465",
            ])
        #expect(reader.problems == [])
        let shown = Dictionary(reader.lines.map { ($0.name, $0.shown) }) { $1 }
        let print = ProviderSecret(text: ProvidersFixture.secret).fingerprint
        #expect(
            shown["provider work"]
                == "\"Work account\", oidc, issuer https://idp.example.org/realms/staff, client id main-app, fingerprint \(print), callback https://idp.example.com/auth/work/callback"
        )
        #expect(
            shown["provider apple"]
                == "\"Apple\", apple, issuer https://appleid.apple.com, client id org.example.sign-in, team ABCDE12345, key KEY1234567, owns addresses at privaterelay.appleid.com, callback https://idp.example.com/auth/apple/callback"
        )
        #expect(shown["provider public"]?.contains("client id main-app, public client, callback") == true)
        #expect(shown["provider google"]?.contains("fingerprint \(print), client_secret_post, owns") == true)
        #expect(shown["IDP_PROVIDERS_FILE"] == path)
        let all = (reader.lines.map(\.shown) + reader.warnings).joined()
        for secret in [ProvidersFixture.secret, ProvidersFixture.key, "PRIVATE KEY"] { #expect(!all.contains(secret)) }
    }

    @Test("the fingerprint of a long secret is the one that both programs show")
    func fingerprint() throws {
        let secret = SettingsFixture.otherSecret
        #expect(
            ProviderSecret(text: secret).fingerprint == (try SharedSecret.parse(secret, setting: "S")).fingerprint)
    }

    @Test("a secret that the provider knows is not the key of this program")
    func reuse() throws {
        let reader = SettingsFixture.read(.idp, ["IDP_PROVIDERS_FILE": path, "SECRET": SettingsFixture.secret])
        #expect(
            reader.problems.count == 1 && reader.problems.first?.hasPrefix("IDP_SECRET_KEY: is the same as") == true)
        #expect(!reader.problems.contains { $0.contains(SettingsFixture.secret) })
    }

    @Test("a description of a provider has no secret")
    func descriptions() throws {
        try write(ProvidersFixture.entry(.oidc), ProvidersFixture.entry(.apple))
        for provider in try registry().all {
            var dumped = ""
            dump(provider, to: &dumped)
            for text in ["\(provider)", String(reflecting: provider), dumped] {
                #expect(!text.contains(ProvidersFixture.secret) && !text.contains("PRIVATE KEY"))
            }
        }
    }
}
