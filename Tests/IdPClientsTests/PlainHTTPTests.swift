import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPClients
@testable import TestKit

/// `allow_private_http`: plain http in private networks, for one client.
@Suite("Plain http of a client in a private network", .rules)
struct PlainHTTPTests {
    static let keys = [
        "redirect_uris", "post_logout_redirect_uris", "sign_out_uris", "logout_uri", "backchannel_logout_uri",
    ]
    static let good = [
        "http://10.0.0.1/a", "http://172.16.0.1", "http://172.31.255.255:8080/", "http://192.168.1.20:3866/x",
        "http://100.64.0.1/", "http://100.127.255.254/", "http://[fd12:3456::1]/x", "http://[fc00::1]:81/",
        "http://nas/x", "http://my_nas:5000/", "http://wiki.lan/", "http://a.b.local:1/", "http://x.home.arpa/",
        "http://svc.ns.internal/", "http://NAS.lan/", "http://localhost:1/", "http://127.0.0.1/", "https://rp.example/",
    ]
    static let bad = [
        "http://8.8.8.8/", "http://172.32.0.1/", "http://100.128.0.1/", "http://11.0.0.1/", "http://169.254.1.1/",
        "http://169.254.169.254/", "http://100.100.100.200/", "http://[fe80::1]/", "http://[fd00:ec2::254]/",
        "http://[fd20:ce::254]/", "http://[2001:db8::1]/", "http://[2606:4700::1]/", "http://[::ffff:10.0.0.1]/",
        "http://[::]/", "http://0.0.0.0/", "http://rp.example/", "http://lan.example.com/",
        "http://wiki.lan.evil.example/", "http://wikilan.example/", "http://wiki.lan./", "http://.lan/",
        "http://wiki..lan/", "http://metadata.google.internal/", "http://metadata/", "http://instance-data/",
        "http://10.0.0.1@evil.example/", "http://10.0.0.1.evil.example/", "http://10.0.0/", "http://10.1/",
        "http://167772161/", "http://0xa000001/", "http://012.0.0.1/", "http://nas.lan@evil.example/",
        "http://nas.lan:x@evil.example/", "http://nas.lan:0/", "http://nas.lan:65536/", "http://nas.lan#x",
        #"http://nas.lan\@evil.example/"#, "http://n\u{e4}s.lan/", "HTTP://nas.lan/", "http://10.0.0.1:*/",
        "http://168.63.129.16/", "http://192.0.0.192/", "http://224.0.0.1/", "http://[fec0::1]/",
        "http://[64:ff9b::a00:1]/",
    ]

    /// A client with one address in one of its keys.
    private func read(_ key: String, _ address: String, allows: String? = "true") throws -> ClientsFixture {
        let value = key.hasSuffix("s") ? "[\(JSONText.string(address))]" : JSONText.string(address)
        let redirects = key == "redirect_uris" ? "" : "\n    redirect_uris: [https://rp.example/cb]"
        let allowed = allows.map { "\n    allow_private_http: \($0)" } ?? ""
        return try ClientsFixture(
            """
            clients:
              - id: partner
                name: P
                access: everyone
                protocols: [sso, oidc]
                secrets: [\(TestSecret.new())]
                \(key): \(value)\(redirects)\(allowed)
            """, in: TemporaryFolder())
    }

    @Test("each address of a client may be one with the key, with a warning, and none without it", arguments: keys)
    func good(key: String) throws {
        for address in Self.good where address.hasPrefix("http:") {
            let url = try WebURL(address, allowing: .looseNames)
            let file = try read(key, address)
            #expect(file.problems.isEmpty, "\(address) \(file.problems)")
            #expect(file.clients.first?.allowsPrivateHTTP == true)
            let isWarned = file.warnings.contains { $0.contains("plain http") && $0.contains(address) }
            #expect(isWarned != url.authority.isLoopback, "\(address) \(file.warnings)")
            for allows in [nil, "false"] where !url.authority.isLoopback {
                let refused = try read(key, address, allows: allows)
                #expect(refused.clients.isEmpty && refused.problems.count == 1, "\(address) \(refused.problems)")
                #expect(refused.problems.first?.contains("must be https") == true, "\(refused.problems)")
            }
        }
        #expect(try read(key, "https://rp.example/x").warnings.isEmpty)
    }

    @Test("no other address may be one, also with the key", arguments: keys)
    func bad(key: String) throws {
        for address in Self.bad {
            let file = try read(key, address)
            #expect(file.clients.isEmpty && file.problems.count == 1, "\(address) \(file.problems)")
        }
    }

    @Test(
        "no message address is a link-local or metadata one, over https either; redirect URIs may be",
        arguments: ["logout_uri", "backchannel_logout_uri", "redirect_uris"])
    func messageAddress(key: String) throws {
        for address in [
            "https://169.254.169.254/l", "https://[fe80::1]/l", "https://metadata.google.internal/l",
            "https://METADATA/l", "https://100.100.100.200/", "https://0.0.0.0/",
        ] {
            let problems = try read(key, address).problems
            #expect(problems.count == (key == "redirect_uris" ? 0 : 1), "\(address) \(problems)")
            #expect(problems.allSatisfy { $0.contains("no message goes there") }, "\(problems)")
        }
        for address in Self.good { #expect(try read(key, address).problems.isEmpty, "\(address)") }
    }

    @Test("the key is true or false, and false says the same as no key")
    func key() throws {
        #expect(try read("logout_uri", "https://rp.example/x", allows: nil).clients.first?.allowsPrivateHTTP == false)
        #expect(
            try read("logout_uri", "https://rp.example/x", allows: "false").clients.first?.allowsPrivateHTTP == false)
        let file = try read("logout_uri", "https://rp.example/x", allows: "always")
        #expect(file.problems.count == 1 && file.problems.first?.contains("must be true or false") == true)
    }

    @Test("a message goes over plain http to loopback, and into private networks only where the client allows it")
    func messages() throws {
        for (address, isAllowed, isPlain) in [
            ("http://127.0.0.1:1/out", false, true), ("http://nas.lan/out", true, true),
            ("http://nas.lan/out", false, false),
            ("http://10.0.0.1/out", true, true), ("http://8.8.8.8/out", true, false),
            ("https://nas.lan/out", true, false),
            ("http://metadata.google.internal/out", true, false), ("http://rp.example/out", true, false),
        ] {
            var client = Client(id: "p", name: "P", redirectURIs: [], secrets: [])
            client.allowsPrivateHTTP = isAllowed
            #expect(try client.takesPlainHTTP(at: WebURL(address)) == isPlain, "\(address)")
        }
    }
}
