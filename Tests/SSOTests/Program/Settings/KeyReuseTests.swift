import SSOWeb
import Testing

@testable import IdPTestKit
@testable import TestKit

/// A key that a client holds as well protects nothing from that client.
@Suite("A program's own key beside shared secrets", .program)
struct KeyReuseTests {
    private let own = SettingsFixture.secret
    private let shared = SettingsFixture.otherSecret

    @Test("the same value for both is refused, at any position in the list, and the error names both")
    func same() {
        for keys in [shared, " \(shared)\n", "\(own),\(shared)"] {
            let idp = SettingsFixture.read(.idp, ["IDP_SECRET_KEY": keys]).problems
            #expect(idp.contains { $0.hasPrefix("IDP_SECRET_KEY: is the same as the secret of the client partner") })
            let client = SettingsFixture.read(.client, ["RP_SECRET_KEY": keys]).problems
            #expect(client.contains { $0.hasPrefix("RP_SECRET_KEY: is the same as SSO_SHARED_SECRET") })
            #expect(!(idp + client).joined().contains(shared))
        }
    }

    @Test("a secret of a client in the file is refused as the key")
    func file() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(
            """
            clients:
              - id: news
                name: News
                redirect_uris: [https://news.example/cb]
                secrets: ["0000111122223333444455556666777788889999aaaabbbb", "\(own)"]
            """, to: "clients.yaml")
        let problems = SettingsFixture.read(.idp, ["IDP_CLIENTS_FILE": path]).problems
        #expect(problems.contains { $0.contains("the secret of the client news") })
    }

    @Test("different values are accepted; a key that appears twice in the list is a warning")
    func different() {
        #expect(SettingsFixture.read(.idp).problems.isEmpty)
        let reader = SettingsFixture.read(.idp, ["IDP_SECRET_KEY": "\(own),\(own)"])
        #expect(reader.problems.isEmpty)
        #expect(reader.warnings.contains { $0.hasPrefix("IDP_SECRET_KEY: one key appears twice") })
    }
}
