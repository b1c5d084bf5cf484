import Foundation
import SSOWeb
import Testing

@testable import Counterparts
@testable import TestKit

/// nginx, as `script/setup --test-all` unpacks it.
private enum Nginx {
    static let path = [TestVectors.repository.path + "/.build/nginx/usr/sbin/nginx", "/usr/sbin/nginx"]
        .first(where: FileManager.default.isExecutableFile)
}

/// The configurations of proxies that operators copy, checked by the proxies themselves.
@Suite("Proxies of deploy/README.md", .deployment, .dependsOnMachine)
struct ProxyExampleTests {
    private static func text(_ file: String) throws -> String {
        try DeployTests.lines(file).joined(separator: "\n")
    }

    @Test(
        "nginx accepts its file, and finds a wrong one",
        .enabled(if: Nginx.path != nil, "script/setup --test-all could not unpack nginx"))
    func nginx() async throws {
        let folder = try TemporaryFolder()
        let (text, _) = try await Self.nginx(in: folder)
        let twoNodes = text.replacing("#2 ", with: "")
        for (text, code) in [(text, 0), (twoNodes, 0), (text + "\nproxy_header X y;", 1)] as [(String, Int32)] {
            let run = try await WellKnownRun.command(
                [try #require(Nginx.path), "-t"] + Self.arguments(for: text, in: folder))
            #expect(run.code == code, "\(run.errors)")
            // A warning would be a rule that does not work.
            if code == 0 { #expect(!run.errors.contains("[warn]"), "\(run.errors)") }
        }
    }

    /// The file of nginx with certificates, logs and free ports of a test, and the port of HTTPS.
    private static func nginx(in folder: TemporaryFolder) async throws -> (text: String, port: UInt16) {
        let openssl = [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1",
            "-subj", "/CN=id.example.com", "-keyout", folder.path(of: "key"), "-out", folder.path(of: "certificate"),
        ]
        try #require(try await WellKnownRun.command(["/usr/bin/env"] + openssl).code == 0)
        let (plain, encrypted) = (try FreePort.find(), try FreePort.find())
        let (program, again) = (try FreePort.find(), try FreePort.find())
        let text = try Self.text("nginx.example.conf")
            .replacing(#/\/etc\/letsencrypt\/live\/[a-z.]+\/fullchain\.pem/#, with: folder.path(of: "certificate"))
            .replacing(#/\/etc\/letsencrypt\/live\/[a-z.]+\/privkey\.pem/#, with: folder.path(of: "key"))
            .replacing("/var/log/nginx/", with: folder.path + "/")
            .replacing(#/listen \[::\]:(80|443 ssl http2);/#, with: "")
            .replacing("listen 80;", with: "listen 127.0.0.1:\(plain);")
            .replacing("listen 443 ", with: "listen 127.0.0.1:\(encrypted) ")
            .replacing(#/server 127\.0\.0\.1:808[01] /#, with: "server 127.0.0.1:\(program) ")
            .replacing("127.0.0.1:8089", with: "127.0.0.1:\(again)")
            // No program runs here. Each request is refused five times, and these tests do not wait a second before each.
            .replacing("rate=1r/s", with: "rate=1000r/s")
        #expect(!text.contains("/etc/letsencrypt") && !text.contains("listen 443"))
        return (text, encrypted)
    }

    private static func arguments(for text: String, in folder: TemporaryFolder) throws -> [String] {
        let paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
            "\($0)_temp_path \(folder.path(of: $0));"
        }
        let file = try folder.write("events {}\nhttp {\n\(paths.joined())\n\(text)\n}\n", to: "nginx.conf")
        return [
            "-p", folder.path, "-c", file, "-e", folder.path(of: "errors"), "-g",
            "pid \(folder.path(of: "pid")); daemon off; master_process off;",
        ]
    }

    /// Addresses with a secret, and what else is in the line of the log.
    private static let secretAddresses = [
        ("/invitation/S3CRET", "/invitation/-"), ("/sign-in/link/S3CRET/x", "/sign-in/link/-"),
        ("/sign-in/browser/S3CRET", "/sign-in/browser/-"), ("/sign-in/operator/S3CRET", "/sign-in/operator/-"),
        ("/Invitation//S3CRET", "/Invitation/-"), ("/%69nvitation/S3CRET", "/invitation/-"),
        ("/auth/google/callback?code=S3CRET", "/auth/google/callback "), ("/sign-in?x=S3CRET", "/sign-in "),
    ]

    @Test(
        "the log of nginx has the path of a request, and neither the key of a link nor a query",
        .enabled(if: Nginx.path != nil, "script/setup --test-all could not unpack nginx"))
    func nginxLog() async throws {
        let folder = try TemporaryFolder()
        let (text, port) = try await Self.nginx(in: folder)
        let nginx = try ChildProcess(
            try #require(Nginx.path), try Self.arguments(for: text, in: folder), environment: [:],
            folder: folder.path, standardOutput: folder.path(of: "out"), standardError: folder.path(of: "err"))
        let curl = ["/usr/bin/env", "curl", "-k", "-s", "-o", "/dev/null", "--path-as-is"]
        for (address, _) in Self.secretAddresses {
            try await eventually("nginx answers") { () -> Void? in
                if let exit = nginx.exit { throw ProbeFailure("nginx ended: \(exit)\n\(folder.text(of: "err"))") }
                let run = try await WellKnownRun.command(curl + ["https://127.0.0.1:\(port)\(address)"])
                return run.code == 0 ? () : nil
            }
        }
        let lines = try await eventually("the log has each request") { () -> [Substring]? in
            let lines = folder.text(of: "swift-sso.log").split(separator: "\n")
            return lines.count >= Self.secretAddresses.count ? lines : nil
        }
        for (line, (_, shown)) in zip(lines, Self.secretAddresses) {
            #expect(line.contains(" GET \(shown)") && !line.contains("S3CRET"), "\(line)")
        }
    }

    @Test(
        "Caddy logs a request that the program did not answer without its address and headers",
        .enabled(if: ProxyProcess.Kind.caddy.path != nil, "needs Caddy"),
        arguments: ["Caddyfile", "Caddyfile.example"])
    func caddyLog(file: String) async throws {
        let options = try DeployTests.lines(file).drop { $0 != "\tlog {" }.prefix { $0 != "\t}" } + ["\t}"]
        #expect(options.count > 5)
        let (folder, port, closed) = (try TemporaryFolder(), try FreePort.find(), try FreePort.find())
        let text = """
            {
            admin off
            auto_https off
            \(options.joined(separator: "\n"))
            }
            http://127.0.0.1:\(port) {
                respond /healthz 200
                reverse_proxy 127.0.0.1:\(closed)
            }

            """
        let caddy = try ChildProcess(
            try #require(ProxyProcess.Kind.caddy.path),
            ["run", "--adapter", "caddyfile", "--config", try folder.write(text, to: "configuration")],
            environment: ["PATH": "/usr/bin:/bin", "HOME": folder.path], folder: folder.path,
            standardOutput: folder.path(of: "out"), standardError: folder.path(of: "err"))
        let probe = HTTPProbe(port: port, timeout: .seconds(30))
        try await eventually("Caddy answers") { () -> Void? in
            if let exit = caddy.exit { throw ProbeFailure("Caddy ended: \(exit)\n\(folder.text(of: "err"))") }
            return (try? await probe.get("/healthz"))?.status == 200 ? () : nil
        }
        let reply = try await probe.get("/invitation/S3CRET?code=S3CRET", [("Referer", "https://id.example/S3CRET")])
        #expect(reply.status == 502)
        let log = try await eventually("the log has the error") { () -> String? in
            let log = folder.text(of: "out") + folder.text(of: "err")
            return log.contains("connection refused") ? log : nil
        }
        #expect(!log.contains("S3CRET"), "\(log)")
    }

    @Test(
        "Caddy accepts its file, and finds a wrong one",
        .enabled(if: ProxyProcess.Kind.caddy.path != nil, "needs Caddy"))
    func caddy() async throws {
        let folder = try TemporaryFolder()
        // As it stands: it has the rules of Debian's Caddy and of newer ones.
        let text = try Self.text("Caddyfile.example")
        let wrong = text + "\nid.example.com {\n\treverse_proxi\n}\n"
        for (text, code) in [(text, 0), (text.replacing("#2 ", with: ""), 0), (wrong, 1)] as [(String, Int32)] {
            let file = try folder.write(text, to: "Caddyfile")
            let run = try await WellKnownRun.command(
                [
                    try #require(ProxyProcess.Kind.caddy.path), "validate", "--adapter", "caddyfile", "--config", file,
                ], environment: ["HOME": folder.path])
            #expect(run.code == code, "\(run.errors)")
        }
    }

    @Test(
        "whole sign-ins go through each example, with one node and with two", .timeLimit(.minutes(5)),
        arguments: ["nginx", "caddy", "haproxy", "apache"])
    func signIns(proxy: String) async throws {
        let script = TestVectors.repository.appending(path: "script/try-proxies").path()
        let run = try await WellKnownRun.command(
            [script, "--still", "--requests", "100", proxy], environment: ["SSO_PROGRAMS": Programs.folder])
        #expect(run.code == 0, "\(run.output)\(run.errors)")
        let isMissing = run.output.contains("not run, it is missing")
        #expect(isMissing || run.output.matches(of: #/: 0 of \d+ requests and 0 of \d+ sign-ins failed/#).count == 2)
    }

    @Test("nginx and Caddy set the client's address, forward no other protocol and log no query and no key")
    func rules() throws {
        let nginx = try Self.text("nginx.example.conf")
        // The first one has requests that nginx has sent to itself.
        let locations = nginx.components(separatedBy: "proxy_pass ").dropFirst(2)
        #expect(locations.count == 2)
        for location in locations {
            for rule in [
                "proxy_set_header Host $host;", "proxy_set_header X-Forwarded-For $remote_addr;",
                "proxy_set_header Upgrade \"\";", "proxy_set_header Connection \"\";", "proxy_next_upstream error;",
            ] {
                #expect(location.contains(rule), "\(rule)")
            }
        }
        let servers = nginx.components(separatedBy: "\nserver {").dropFirst(3)
        #expect(servers.count == 2 && servers.allSatisfy { $0.contains(" swift_sso;") && $0.contains("gzip off;") })
        #expect(!nginx.contains("$request ") && !nginx.contains("$request_method $uri "))
        #expect(!nginx.contains("$request_uri '"))

        let caddy = try DeployTests.lines("Caddyfile.example")
        let rules = try DeployTests.lines("Caddyfile")
        let patience = { (lines: [String]) in
            lines.drop { $0 != "(patience) {" }.prefix { $0 != "}" }.filter { !$0.hasPrefix("#") }
        }
        let shared = Set(patience(rules)).subtracting(["\trequest_buffers 64KiB"])
        #expect(shared.count > 5 && shared.isSubset(of: patience(caddy)) && caddy.contains("\trequest_buffers 64KiB"))
        #expect(caddy.count { $0.contains("import patience") } == 2 && !caddy.contains { $0.hasPrefix("\tencode") })
        // The one in the options is for errors. One in a site would be an access log.
        let logs = { (lines: [String]) in lines.drop { $0 != "\tlog {" }.prefix { $0 != "\t}" } }
        for file in [caddy, rules] { #expect(file.count { $0.hasPrefix("\tlog") } == 1) }
        #expect(logs(caddy) == logs(rules) && logs(caddy).contains("\t\t\t\trequest>uri delete"))
    }

    @Test("HAProxy, Apache and Traefik set the client's address, and log no query and no key")
    func otherRules() throws {
        let haproxy = try DeployTests.lines("haproxy.example.cfg").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(haproxy.contains("http-request set-header X-Forwarded-For %[src]"))
        #expect(haproxy.contains("option http-buffer-request") && haproxy.contains("http-request del-header Upgrade"))
        #expect(!haproxy.contains { $0.hasPrefix("log") || $0.hasPrefix("option httplog") })
        let apache = try DeployTests.lines("apache.example.conf").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(apache.contains("RequestHeader unset X-Forwarded-For") && apache.contains("SetEnv no-gzip 1"))
        let format = try #require(apache.first { $0.hasPrefix("LogFormat ") })
        #expect(["%r", "%q", "Referer"].allSatisfy { !format.contains($0) })
        let logs = apache.filter { $0.hasPrefix("CustomLog ") }
        #expect(
            logs.count == 2 && logs[0].contains("/dev/null")
                && logs[1].contains("(invitation|sign-in/+(link|browser|operator))")
        )
        let traefik = try DeployTests.lines("traefik.example.yaml")
        #expect(!traefik.contains { $0.hasPrefix("accessLog") || $0.contains("forwardedHeaders") })
    }

    @Test("idle connections of each example end before the program closes them")
    func idleConnections() throws {
        let rules = [
            "nginx.example.conf": ("    keepalive_timeout 10s;", 2), "Caddyfile.example": ("\t\tkeepalive 10s", 1),
            "Caddyfile": ("\t\tkeepalive 10s", 1),
        ]
        for (file, (rule, count)) in rules {
            #expect(try DeployTests.lines(file).count { $0 == rule } == count, "\(file)")
        }
        #expect(try Self.text("traefik.example.yaml").contains("idleConnTimeout: 10s"))
        let members = try DeployTests.lines("apache.example.conf").filter { $0.contains("BalancerMember ") }
        #expect(members.count == 4 && members.allSatisfy { $0.contains(" ttl=10 ") })
        #expect(ServerLimits().idle > .seconds(10))
    }
}
