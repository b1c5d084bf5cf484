import Foundation
import Storage
import Testing

@testable import IdP
@testable import IdPClients
@testable import IdPProtocols
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("The blocks of proxies for services behind the gate", .program)
struct GateRecipeTests {
    private static let wiki: [String: ClientEntry.Value] = [
        "protocols": .list(["gate"]), "gate_origin": .text("https://wiki.example.com"), "app_keys": .text("true"),
        "app_key_field": .text("X-Api-Key"), "upstream": .text("http://127.0.0.1:3000"),
    ]

    private static let files = [
        GateProxy.nginx: "nginx.conf", .caddy: "Caddyfile", .haproxy: "haproxy.cfg", .traefik: "traefik.yaml",
    ]

    private static func text(_ name: String) throws -> String {
        try String(contentsOf: TestVectors.repository.appending(path: "deploy/gate/\(name)"), encoding: .utf8)
    }

    @Test("are those of deploy/gate for the example", arguments: GateProxy.allCases)
    func example(_ proxy: GateProxy) async throws {
        try await TestDeployment.open { deployment in
            try await deployment.add(AddedClient("wiki"), Self.wiki)
            let text = try #require(try await deployment.recipe("wiki")).text(for: proxy)
            let name = try #require(Self.files[proxy])
            #expect(try Self.text(name) == text, "\(name)")
        }
    }

    @Test(
        "clear every identity field, and hide keys from the service where there are keys", arguments: GateProxy.allCases
    )
    func fields(_ proxy: GateProxy) async throws {
        try await TestDeployment.open { deployment in
            try await deployment.add(AddedClient("wiki"), Self.wiki)
            var plain = Self.wiki
            for key in ["app_keys", "app_key_field"] { plain[key] = nil }
            plain["gate_origin"] = .text("https://plain.example.com")
            try await deployment.add(AddedClient("plain"), plain)
            for (id, hides) in [("wiki", true), ("plain", false)] {
                let text = try #require(try await deployment.recipe(id)).text(for: proxy)
                for field in GateRecipe.identity {
                    let regular = field.lowercased().replacing("-", with: "[^a-z0-9]")
                    #expect(text.contains(field) || text.contains(regular), "\(field)")
                }
                #expect(text.contains("Authorization") == hides && text.contains("X-Api-Key") == hides, "\(id)")
                #expect(text.contains("/gate/\(id)/check"))
            }
            #expect(try await deployment.recipe("partner-1") == nil)
        }
    }
}

extension TestDeployment {
    /// The recipe of a client; nil for one that is not behind the gate.
    fileprivate func recipe(_ id: String) async throws -> GateRecipe? {
        let file = idp.clients.clients
        let all = try await database.read { try ClientView.all(file: file, $0) }
        return try GateRecipe(#require(all.first { $0.client.id == id }).client, program: "127.0.0.1:8080")
    }
}
