import Foundation
import Testing

@testable import Counterparts
@testable import TestKit

/// nginx, as `script/setup --test` unpacks it.
private enum Nginx {
    static let path = [TestVectors.repository.path + "/.build/nginx/usr/sbin/nginx", "/usr/sbin/nginx"]
        .first(where: FileManager.default.isExecutableFile)
}

/// The configurations of proxies that operators copy, checked by the proxies themselves.
@Suite("Proxies of deploy/README.md")
struct ProxyExampleTests {
    private static func text(_ file: String) throws -> String {
        try DeployTests.lines(file).joined(separator: "\n")
    }

    @Test(
        "nginx accepts its file, and finds a wrong one",
        .enabled(if: Nginx.path != nil, "script/setup --test could not unpack nginx"))
    func nginx() async throws {
        let folder = try TemporaryFolder()
        let openssl = [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1",
            "-subj", "/CN=id.example.com", "-keyout", folder.path(of: "key"), "-out", folder.path(of: "certificate"),
        ]
        try #require(try await WellKnownRun.command(["/usr/bin/env"] + openssl).code == 0)
        let (plain, encrypted) = (try FreePort.find(), try FreePort.find())
        let text = try Self.text("nginx.example.conf")
            .replacing(#/\/etc\/letsencrypt\/live\/[a-z.]+\/fullchain\.pem/#, with: folder.path(of: "certificate"))
            .replacing(#/\/etc\/letsencrypt\/live\/[a-z.]+\/privkey\.pem/#, with: folder.path(of: "key"))
            .replacing("/var/log/nginx/", with: folder.path + "/")
            .replacing(#/listen \[::\]:(80|443 ssl);/#, with: "")
            .replacing("listen 80;", with: "listen 127.0.0.1:\(plain);")
            .replacing("listen 443 ", with: "listen 127.0.0.1:\(encrypted) ")
        #expect(!text.contains("/etc/letsencrypt") && !text.contains("listen 443"))
        for (wrong, code) in [("", 0), ("proxy_header X y;", 1)] as [(String, Int32)] {
            let paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
                "\($0)_temp_path \(folder.path(of: $0));"
            }
            let file = try folder.write(
                "events {}\nhttp {\n\(paths.joined())\n\(text)\n\(wrong)\n}\n", to: "nginx.conf")
            let run = try await WellKnownRun.command([
                try #require(Nginx.path), "-t", "-p", folder.path, "-c", file, "-e", folder.path(of: "errors"),
                "-g", "pid \(folder.path(of: "pid"));",
            ])
            #expect(run.code == code, "\(run.errors)")
            // A warning would be a rule that does not work.
            if code == 0 { #expect(!run.errors.contains("[warn]"), "\(run.errors)") }
        }
    }

    @Test(
        "Caddy accepts its file, and finds a wrong one",
        .enabled(if: ProxyProcess.Kind.caddy.path != nil, "needs Caddy"))
    func caddy() async throws {
        let folder = try TemporaryFolder()
        let text = try await ProxyProcess.adapted(try Self.text("Caddyfile.example"))
        for (wrong, code) in [("", 0), ("\nid.example.com {\n\treverse_proxi\n}\n", 1)] as [(String, Int32)] {
            let file = try folder.write(text + "\n" + wrong, to: "Caddyfile")
            let run = try await WellKnownRun.command(
                [
                    try #require(ProxyProcess.Kind.caddy.path), "validate", "--adapter", "caddyfile", "--config", file,
                ], environment: ["HOME": folder.path])
            #expect(run.code == code, "\(run.errors)")
        }
    }

    @Test("both set the client's address, forward no other protocol and log no query")
    func rules() throws {
        let nginx = try Self.text("nginx.example.conf")
        let locations = nginx.components(separatedBy: "proxy_pass ").dropFirst()
        #expect(locations.count == 2)
        for location in locations {
            for rule in [
                "proxy_set_header Host $host;", "proxy_set_header X-Forwarded-For $remote_addr;",
                "proxy_set_header Upgrade \"\";", "proxy_set_header Connection \"\";", "proxy_next_upstream off;",
            ] {
                #expect(location.contains(rule), "\(rule)")
            }
        }
        let servers = nginx.components(separatedBy: "\nserver {").dropFirst(2)
        #expect(servers.count == 2 && servers.allSatisfy { $0.contains(" swift_sso;") && $0.contains("gzip off;") })
        #expect(!nginx.contains("$request ") && !nginx.contains("$request_uri '"))

        let caddy = try DeployTests.lines("Caddyfile.example")
        let rules = try DeployTests.lines("Caddyfile")
        let patience = { (lines: [String]) in
            lines.drop { $0 != "(patience) {" }.prefix { $0 != "}" }.filter { !$0.hasPrefix("#") }
        }
        #expect(patience(caddy) == patience(rules) && patience(caddy).count > 5)
        #expect(caddy.count { $0.contains("import patience") } == 2 && !caddy.contains { $0.hasPrefix("\tlog") })
    }
}
