import Foundation
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit

/// With two frontends of one port, HAProxy gives each a part of the connections, and finds nothing wrong with the file.
@Suite("Services behind the gate in one HAProxy", .deployment, .dependsOnMachine)
struct HAProxyGateTests {
    /// haproxy.example.cfg at one port without a certificate, with the blocks as their comments say.
    private static func file(_ blocks: [String], port: UInt16, idp: UInt16) throws -> String {
        let said = blocks.map(HAProxyBlock.init)
        let mark = "    # A service behind the gate"
        var lines = try DeployFiles.lines("haproxy.example.cfg").filter { line in
            ["    user ", "    group ", "    bind :443 ", "    http-request redirect "].allSatisfy {
                !line.hasPrefix($0)
            }
        }.map {
            $0.replacing("bind :80", with: "bind 127.0.0.1:\(port)")
                .replacing("127.0.0.1:8080", with: "127.0.0.1:\(idp)")
        }
        let place = try #require(lines.firstIndex { $0.hasPrefix(mark) })
        lines.insert(contentsOf: said.flatMap(\.choices).map { "    \($0)" }, at: place + 1)
        let global = try #require(lines.firstIndex(of: "global"))
        lines.insert(contentsOf: said[0].global.map { "    \($0)" }, at: global + 1)
        lines.removeAll { $0 == "    tune.bufsize 32768" }
        return (lines + blocks).joined(separator: "\n")
    }

    @Test(
        "two services, and the identity provider of the example: every request goes to its own, and none without a key",
        .enabled(if: ProxyProcess.Kind.haproxy.path != nil, "needs HAProxy"))
    func beside() async throws {
        let (folder, port) = (try TemporaryFolder(), try FreePort.find())
        let hosts = ["127.0.0.1:\(port)", "localhost:\(port)"]
        let services = try hosts.map { _ in
            try BackChannelStub { _ in .bytesThenClose(BackChannelFixture.http("200 OK", ["Connection: close"], [])) }
        }
        let entries = zip(hosts, services).enumerated().map { index, pair in
            "  - {id: wiki-\(index), name: Wiki, protocols: [gate], access: everyone, app_keys: true, "
                + "gate_origin: \"http://\(pair.0)\", upstream: \"\(pair.1.origin)\"}\n"
        }
        let settings = [
            "IDP_CLIENTS_FILE": try folder.write("clients:\n" + entries.joined(), to: "clients.yaml"),
            "IDP_TRUSTED_PROXIES": "127.0.0.1",
        ]
        try await ProcessDeployment.running(ProcessDeployment(clients: 0, settings: settings)) { pair in
            var (blocks, keys): ([String], [String]) = ([], [])
            for id in ["wiki-0", "wiki-1"] {
                let program = "127.0.0.1:\(pair.idp.port)"
                let words = ["client", "show", id, "--proxy", "haproxy", "--program", program]
                blocks.append(try await pair.idp(words, settings: settings).printed)
                let made = try await pair.idp(
                    ["client", "app-key", "add", id, "--name", "backup"], settings: settings)
                keys.append(try #require(made.printed.split(separator: "\n").last.map(String.init)))
            }
            let proxy = try await ProxyProcess(
                .haproxy, file: Self.file(blocks, port: port, idp: pair.idp.port), port: port, answering: [401])
            func ask(_ host: String, _ path: String, _ headers: HTTPProbe.Headers = []) async throws -> Int {
                var probe = proxy.probe
                probe.authority = host
                return try await probe.get(path, headers).status
            }
            let page = [("Accept", "text/html"), ("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "document")]
            for round in 0..<6 {
                for (index, host) in hosts.enumerated() {
                    let key = [("Authorization", "Bearer \(keys[index])"), ("Remote-User", "forged")]
                    #expect(try await ask(host, "/\(round)-\(index)", key) == 200)
                    #expect(try await ask(host, "/none") == 401)
                    #expect(try await ask(host, "/.sso/start?to=/", page) == 302)
                }
                #expect(try await ask("id.example.com", "/healthz") == 200)
                #expect(try await ask("other.example.com", "/") == 503)
            }
            for (index, service) in services.enumerated() {
                let arrived = service.requests
                #expect(arrived.map { $0.head.split(separator: " ")[1] } == (0..<6).map { "/\($0)-\(index)" })
                #expect(
                    arrived.allSatisfy {
                        $0.header("Remote-User") == "key:backup" && $0.header("Authorization") == nil
                    })
            }
        }
        for service in services { service.stop() }
    }
}
