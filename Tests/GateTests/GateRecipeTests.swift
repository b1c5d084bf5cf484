import Foundation
import Storage
import Testing

@testable import IdPClients
@testable import IdPGate
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

    /// An origin, and lines of the blocks for it: nginx, HAProxy, Traefik and Caddy.
    private static let places: [(origin: String, lines: [GateProxy: [String]])] = [
        (
            "https://wiki.example.com:8443",
            [
                .nginx: ["listen 8443 ssl;", "server_name wiki.example.com;", "/live/wiki.example.com/privkey.pem;"],
                .haproxy: ["bind :8443 ssl crt /etc/haproxy/certs/", "{ req.hdr(host) -i wiki.example.com:8443 }"],
                .traefik: ["Host(`wiki.example.com`)"], .caddy: ["\nwiki.example.com:8443 {"],
            ]
        ),
        (
            "https://[2001:db8::1]",
            [
                .nginx: [
                    "listen [2001:db8::1]:443 ssl;", "server_name [2001:db8::1];", "/live/2001:db8::1/privkey.pem;",
                ],
                .haproxy: ["bind [2001:db8::1]:443 ssl", "{ req.hdr(host) -i [2001:db8::1] }"],
                .traefik: ["Host(`2001:db8::1`)"], .caddy: ["\n[2001:db8::1] {"],
            ]
        ),
        (
            "https://[2001:db8::1]:8443",
            [
                .nginx: ["listen [2001:db8::1]:8443 ssl;", "server_name [2001:db8::1];"],
                .haproxy: ["bind [2001:db8::1]:8443 ssl", "{ req.hdr(host) -i [2001:db8::1]:8443 }"],
                .traefik: ["Host(`2001:db8::1`)"], .caddy: ["\n[2001:db8::1]:8443 {"],
            ]
        ),
        (
            "http://[::1]",
            [
                .nginx: ["listen [::1]:80;", "server_name [::1];"], .haproxy: ["bind [::1]:80\n"],
                .traefik: ["Host(`::1`)"], .caddy: ["\nhttp://[::1] {"],
            ]
        ),
        (
            "http://localhost:8090",
            [
                .nginx: ["listen localhost:8090;", "server_name localhost;"], .haproxy: ["bind localhost:8090\n"],
                .traefik: ["Host(`localhost`)"], .caddy: ["\nhttp://localhost:8090 {"],
            ]
        ),
    ]

    @Test("name the port and the address of the origin as each proxy wants them")
    func places() async throws {
        try await TestDeployment.open { deployment in
            for (number, place) in Self.places.enumerated() {
                let keys = ["protocols": ClientEntry.Value.list(["gate"]), "gate_origin": .text(place.origin)]
                try await deployment.add(AddedClient("wiki-\(number)"), keys)
                let recipe = try #require(try await deployment.recipe("wiki-\(number)"))
                for (proxy, lines) in place.lines {
                    let text = recipe.text(for: proxy)
                    for line in lines { #expect(text.contains(line), "\(proxy) of \(place.origin): \(line)\n\(text)") }
                }
            }
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
