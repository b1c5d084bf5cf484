import Testing

@testable import IdPTestKit
@testable import TestKit

@Suite("Services behind the gate by command", .deployment)
struct GateClientCommandTests {
    private static let words = [
        "client", "add", "grafana", "--name", "Grafana", "--protocol", "gate", "--gate-origin",
        "https://grafana.example.com", "--everyone", "--app-keys",
    ]

    @Test(
        "what client add prints is a file of the proxy: the block that client show prints again, and comments",
        arguments: ["nginx", "caddy", "haproxy", "traefik"])
    func output(proxy: String) async throws {
        let pair = try ProcessDeployment()
        let settings = ["IDP_TRUSTED_PROXIES": "127.0.0.1"].merging(pair.idp.settings) { $1 }
        let arguments = ["--proxy", proxy]
        let added = try await pair.idp(Self.words + arguments, settings: settings).printed
        let shown = try await pair.idp(["client", "show", "grafana"] + arguments, settings: settings).printed
        #expect(added == "# Added grafana (Grafana).\n" + shown && shown.hasPrefix("# grafana behind the gate, for "))
        let again = try await pair.idp(Self.words + arguments, settings: settings).printed
        #expect(again == "# Nothing to do: grafana (Grafana) is so already.\n" + shown)
    }

    @Test("a client that is not behind the gate has no block")
    func another() async throws {
        let pair = try ProcessDeployment()
        let wiki = ["--name", "Wiki", "--everyone", "--redirect-uri", "https://wiki.example.com/auth/sso/callback"]
        try await pair.idp(["client", "add", "wiki"] + wiki, settings: pair.idp.settings)
        let shown = try await pair.idp(
            ["client", "show", "wiki", "--proxy", "nginx"], settings: pair.idp.settings, endsWith: 1)
        #expect(shown.log.contains("wiki is not behind the gate") && shown.printed.isEmpty)
    }
}
