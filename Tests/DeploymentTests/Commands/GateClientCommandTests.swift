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
        "what client add prints is a file of the proxy: the block that client show prints again, and a comment",
        arguments: ["nginx", "caddy", "haproxy", "traefik"])
    func output(proxy: String) async throws {
        try await ProcessDeployment.running(ProcessDeployment(settings: ["IDP_TRUSTED_PROXIES": "127.0.0.1"])) { pair in
            let (settings, arguments) = (pair.idp.settings, ["--proxy", proxy])
            let added = try await pair.idp(Self.words + arguments, settings: settings).printed
            let shown = try await pair.idp(["client", "show", "grafana"] + arguments, settings: settings).printed
            #expect(shown.hasPrefix("# grafana behind the gate, for "))
            #expect(added == "# Added grafana (Grafana).\n" + shown)
            #expect(shown.contains("127.0.0.1:\(pair.idp.port)") && !shown.contains("8080"), "as IDP_LISTEN says")
            let everywhere = settings.merging(["IDP_LISTEN": "[::]:9123"]) { $1 }
            for (more, address) in [([], "127.0.0.1:9123"), (["--program", "10.0.0.9:80"], "10.0.0.9:80")] {
                let block = try await pair.idp(
                    ["client", "show", "grafana"] + arguments + more, settings: everywhere
                ).printed
                #expect(block.contains(address) && !block.contains("[::]"))
            }
        }
    }

    @Test(
        "without declared proxies client add, client set and check warn of the client behind the gate, and with them none does"
    )
    func withoutProxies() async throws {
        try await ProcessDeployment.running(ProcessDeployment()) { pair in
            let warning = "warning: IDP_TRUSTED_PROXIES: is not set, and the client grafana is behind the gate"
            let (none, declared) = (
                pair.idp.settings, pair.idp.settings.merging(["IDP_TRUSTED_PROXIES": "127.0.0.1"]) { $1 }
            )
            #expect(try await pair.idp(Self.words, settings: none).log.contains(warning))
            for arguments in [["client", "set", "grafana", "--name", "Graphs"], ["check"]] {
                #expect(try await pair.idp(arguments, settings: none).log.contains(warning), "\(arguments)")
                let program = try await pair.idp(arguments, settings: declared)
                #expect(!program.log.contains("IDP_TRUSTED_PROXIES: is not set"), "\(arguments): \(program.log)")
            }
        }
    }

    @Test("a client behind the gate without its address names the option that is missing")
    func withoutOrigin() async throws {
        try await ProcessDeployment.running(ProcessDeployment()) { pair in
            let words = ["client", "add", "g9", "--name", "G", "--protocol", "gate", "--everyone"]
            let refused = try await pair.idp(words, settings: pair.idp.settings, endsWith: 64)
            #expect(
                refused.log.contains("--gate-origin is missing. For example --gate-origin https://"), "\(refused.log)")
        }
    }

    @Test("a client that is not behind the gate has no block")
    func another() async throws {
        try await ProcessDeployment.running(ProcessDeployment()) { pair in
            let shown = try await pair.idp(
                ["client", "show", pair.client.id, "--proxy", "nginx"], settings: pair.idp.settings, endsWith: 1)
            #expect(shown.log.contains("\(pair.client.id) is not behind the gate") && shown.printed.isEmpty)
        }
    }
}
