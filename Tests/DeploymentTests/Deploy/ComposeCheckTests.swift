import Foundation
import Testing

@testable import Counterparts
@testable import TestKit

/// Both programs and Caddy with the files of deploy/, as compose.yml starts them: only paths, ports and names that exist
/// in containers alone are replaced.
@Suite(
    "The checks of the programs, in the set-up of compose.yml", .deployment, .dependsOnMachine,
    .enabled(if: ProxyProcess.Kind.caddy.path != nil, "needs Caddy"))
struct ComposeCheckTests {
    private let folder: TemporaryFolder
    private let idp: UInt16
    private let https: UInt16
    private let health: UInt16

    init() throws {
        folder = try TemporaryFolder()
        (idp, https, health) = (try FreePort.find(), try FreePort.find(), try FreePort.find())
    }

    /// The settings of a service in compose.yml, for this machine.
    private func settings(of service: String) throws -> [String: String] {
        let lines = try #require(try DeployTests.services()[service])
        var settings: [String: String] = [:]
        for line in lines {
            guard let match = try #/^\x20{6}([A-Z_]+): "?([^"]*)"?$/#.firstMatch(in: line) else { continue }
            settings[String(match.1)] = try here(String(match.2))
        }
        return settings
    }

    private func here(_ text: String) throws -> String {
        try [
            ("id.internal:8443", "localhost:\(https)"), ("/trust/", folder.path + "/trust/"),
            ("/run/secrets/", folder.path + "/secrets/"), ("sqlite:/var/lib/sso/", "sqlite:\(folder.path)/"),
            ("0.0.0.0:8080", "127.0.0.1:\(idp)"), ("0.0.0.0:8081", "127.0.0.1:\(FreePort.find())"),
        ].reduce(text) { $0.replacing($1.0, with: $1.1) }
    }

    /// - Parameter upstreams: the identity providers behind the proxy, as `UPSTREAMS` has them.
    private func caddyfile(_ upstreams: String? = nil) async throws -> String {
        let text = try DeployFiles.lines("Caddyfile").joined(separator: "\n")
        let ports = [
            ("https_port 8443", "https_port \(https)"), ("localhost:8443 {", "localhost:\(https) {"),
            ("https://id.internal:8443", "https://localhost:\(https)"),
            ("http_port 8080", "http_port \(try FreePort.find())"), ("http://:2020", "http://:\(health)"),
            ("/tls/", folder.path + "/proxy/"), ("{$UPSTREAMS:idp:8080}", upstreams ?? "127.0.0.1:\(idp)"),
            ("relying-party:8081", "127.0.0.1:1"), ("mailpit:8025", "127.0.0.1:1"),
        ]
        return try await ProxyProcess.adapted(ports.reduce(text) { $0.replacing($1.0, with: $1.1) })
    }

    private func prepare() async throws {
        for name in ["proxy", "mail", "trust", "secrets"] { _ = try folder.folder(name) }
        for name in ["idp-secret-key", "rp-secret-key", "sso-shared-secret"] {
            try folder.write(TestSecret.new(), to: "secrets/\(name)")
        }
        let make = try ChildProcess(
            DeployFiles.folder.appending(path: "make-certificates").path(),
            ["proxy", "mail", "trust"].map { folder.path(of: $0) } + ["localhost"],
            environment: ["PATH": "/usr/bin:/bin"], folder: folder.path,
            standardOutput: folder.path(of: "make.out"), standardError: folder.path(of: "make.err"))
        #expect(try await make.waitForExit() == .code(0), "\(folder.text(of: "make.err"))")
    }

    @Test("check passes for both, check --connect for the relying party, and the back channel has its four paths alone")
    func checks() async throws {
        try await prepare()
        let service = try ProgramProcess("idp", environment: settings(of: "idp"), port: idp, folder: folder)
        try await service.start()
        let proxy = try await ProxyProcess(.caddy, file: caddyfile(), port: health)
        defer { withExtendedLifetime(proxy) {} }
        for (program, arguments) in [
            ("idp", ["check"]), ("relying-party", ["check"]), ("relying-party", ["check", "--connect"]),
        ] {
            let check = try ProgramProcess(
                program, arguments, environment: settings(of: program), folder: TemporaryFolder())
            #expect(try await check.run() == .code(0), "\(program) \(arguments): \(check.output)")
            #expect(check.printed.contains("the identity provider answers") == arguments.contains("--connect"))
            #expect(check.printed.contains("and its secret is right") == arguments.contains("--connect"))
        }
        let paths = [
            ("/auth/sso/verify", "405"), ("/auth/sso/session", "405"), ("/auth/sso/ping", "405"), ("/healthz", "200"),
            ("/", "404"), ("/readyz", "404"), ("/sign-in", "404"),
        ]
        for (path, status) in paths {
            #expect(try await self.status(of: path) == status, "\(path)")
        }
        try await service.terminate()
    }

    @Test("of two nodes one is gone: each request is answered by the other one, whatever its method")
    func nodes() async throws {
        try await prepare()
        let service = try ProgramProcess("idp", environment: settings(of: "idp"), port: idp, folder: folder)
        try await service.start()
        let proxy = try await ProxyProcess(
            .caddy, file: caddyfile("127.0.0.1:\(FreePort.find()) 127.0.0.1:\(idp)"), port: health)
        defer { withExtendedLifetime(proxy) {} }
        // Each goes to a node by chance: that all of 20 go to the living one happens once in a million times.
        for number in 1...10 {
            #expect(try await status(of: "/healthz", named: "get\(number)") == "200")
            #expect(
                try await status(
                    of: "/auth/sso/verify", ["--data", "{}", "--header", "Content-Type: application/json"],
                    named: "post\(number)") == "401")
        }
        try await service.terminate()
    }

    /// The status of a request to the site for the back channel, by GET unless `options` of curl say otherwise.
    private func status(of path: String, _ options: [String] = [], named: String = "status") async throws -> String {
        let name = "\(named)\(path.replacing("/", with: "-"))"
        let curl = try ChildProcess(
            "/usr/bin/curl",
            [
                "-sS", "-o", "/dev/null", "-w", "%{http_code}", "--cacert", folder.path(of: "trust/trial-ca.pem"),
            ] + options + ["https://localhost:\(https)\(path)"], environment: ["PATH": "/usr/bin:/bin"],
            folder: folder.path,
            standardOutput: folder.path(of: name), standardError: folder.path(of: "\(name).err"))
        #expect(try await curl.waitForExit() == .code(0), "\(folder.text(of: "\(name).err"))")
        return folder.text(of: name)
    }
}
