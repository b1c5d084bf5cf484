import SSOShared
import Testing

@testable import Counterparts
@testable import IdPClients
@testable import TestKit

/// What apps bring along: ids, schemes of one word, and ports that the system gives them.
@Suite("Ids and redirect URIs of apps", .rules)
struct AppAddressTests {
    private func read(_ keys: String) throws -> ClientsFixture {
        try ClientsFixture("clients:\n  - {name: App, access: everyone, \(keys)}", in: TemporaryFolder())
    }

    private func app(_ uri: String, isPublic: Bool = true, protocols: String = "oidc") throws -> ClientsFixture {
        let secrets = isPublic ? "" : ", secrets: [\(TestSecret.new())]"
        return try read(
            "id: app, protocols: [\(protocols)], public: \(isPublic)\(secrets), redirect_uris: [\(JSONText.string(uri))]"
        )
    }

    @Test(
        "a client of OpenID Connect alone may have the id that its app brings along, and no other client",
        arguments: [
            "OpenCloudDesktop", "web_app", "a.b", "0123456789", String(repeating: "Ab", count: 32), "1.10", "null-1",
        ])
    func ids(id: String) throws {
        let rest = "secrets: [\(TestSecret.new())], redirect_uris: [https://rp.example/cb]"
        let file = try read("id: \(id), protocols: [oidc], \(rest)")
        #expect(file.problems.isEmpty && file.clients.first?.id == id, "\(file.problems)")
        for protocols in ["[sso]", "[sso, oidc]", "[oidc, sso]"] {
            let other = try read("id: \(id), protocols: \(protocols), \(rest)")
            let isStrict = ClientID.isWellFormed(id)
            #expect(other.clients.isEmpty != isStrict && other.problems.isEmpty == isStrict, "\(other.problems)")
            guard !isStrict else { continue }
            #expect(other.problems.first?.contains("at most 63 lower-case letters") == true, "\(other.problems)")
            #expect(other.problems.first?.contains("protocols: [oidc] alone") == true, "\(other.problems)")
        }
    }

    @Test(
        "no client has another id",
        arguments: ["_a", ".a", "..", "a/b", "a:b", "a%41", "\u{e4}", String(repeating: "a", count: 129)])
    func wrongIDs(id: String) throws {
        let file = try read(
            "id: \(JSONText.string(id)), protocols: [oidc], secrets: [\(TestSecret.new())], redirect_uris: [https://rp.example/cb]"
        )
        #expect(file.clients.isEmpty && file.problems.count == 1, "\(file.problems)")
        #expect(file.problems.first?.contains("at most 128 letters, digits, ., _ and -") == true, "\(file.problems)")
    }

    @Test("two ids that differ only in case are two clients")
    func cases() throws {
        let clients = ["Web_App", "web_app", "WEB_APP"].map { Client(id: $0, name: $0, redirectURIs: [], secrets: []) }
        var problems: [String] = []
        let registry = ClientRegistry(clients, of: .tested) { problems.append($0) }
        #expect(problems.isEmpty)
        for client in clients { #expect(registry.client(id: client.id)?.name == client.name) }
        #expect(registry.client(id: "Web_app") == nil)
    }

    @Test(
        "a public client may have a scheme of one word, with a warning that any app may claim it; no other client may",
        arguments: [
            "oc://android.owncloud.com", "audiobookshelf://oauth", "kitchenowl:/signin/redirect", "app+1:///x", "oc:/",
        ])
    func schemes(uri: String) throws {
        let file = try app(uri)
        #expect(file.problems.isEmpty && file.clients.first?.hasRedirectURI(uri) == true, "\(file.problems)")
        let scheme = uri.prefix { $0 != ":" }
        #expect(file.warnings.count == 1 && file.warnings.first?.contains("the scheme \(scheme):") == true)
        #expect(file.warnings.first?.contains("Any other app may claim") == true, "\(file.warnings)")
        for protocols in ["oidc", "sso"] {
            let other =
                protocols == "sso"
                ? try read(
                    "id: app, secrets: [\(TestSecret.new())], redirect_uris: [\(JSONText.string(uri))]")
                : try app(uri, isPublic: false)
            #expect(other.clients.isEmpty && other.problems.count == 1, "\(other.problems)")
            #expect(other.problems.first?.contains("Only a client with public: true") == true, "\(other.problems)")
        }
        #expect(try app("app.immich:///oauth-callback").warnings.isEmpty)
    }

    @Test("a public client may leave the port of each loopback host open, with a path or without one")
    func openPorts() throws {
        for host in ["127.0.0.1", "[::1]", "localhost"] {
            for rest in ["", "/", "/cb", "/cb?tenant=7", "/a%20b"] {
                let uri = "http://\(host):*\(rest)"
                let client = try #require(try app(uri).clients.first, "\(uri)")
                for port in [1, 80, 41_234, 65_535] { #expect(client.hasRedirectURI("http://\(host):\(port)\(rest)")) }
                for sent in [
                    uri, "http://\(host)\(rest)", "http://\(host):0\(rest)", "http://\(host):01\(rest)",
                    "http://\(host):65536\(rest)", "http://\(host):1\(rest)x", "http://\(host):1x\(rest)",
                    "https://\(host):1\(rest)", "HTTP://\(host):1\(rest)", "http://\(host):1@evil.example\(rest)",
                    "http://\(host):x@evil.example\(rest)", "http://evil.example:1\(rest)",
                    "http://\(host).evil.example:1\(rest)",
                    "http://\(host):1\(rest)#x", "http://ann@\(host):1\(rest)", "http://\(host):1 \(rest)",
                    "http://\(host):\u{ff11}\(rest)", "http://\(host):1\\\(rest)", "http://\(host):1\(rest)/../x",
                ] { #expect(!client.hasRedirectURI(sent), "\(uri) \(sent)") }
                #expect(try app(uri, isPublic: false).clients.isEmpty, "\(uri)")
            }
        }
        let client = try #require(try app("http://localhost:*/cb").clients.first)
        for sent in ["http://127.0.0.1:1/cb", "http://[::1]:1/cb", "http://LOCALHOST:1/cb", "http://localhost:1/CB"] {
            #expect(!client.hasRedirectURI(sent), "\(sent)")
        }
    }

    @Test("no hostile address is registered, for no kind of client", arguments: HostileRedirectURI.all)
    func hostile(uri: String) throws {
        #expect(try app(uri).clients.isEmpty)
        #expect(try app(uri, isPublic: false).clients.isEmpty)
    }
}
