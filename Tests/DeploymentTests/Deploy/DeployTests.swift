import Foundation
import SSOWeb
import Testing

@testable import IdPServer
@testable import RelyingParty
@testable import TestKit

@Suite("The files for deployment", .deployment)
struct DeployTests {
    /// Every setting of both programs.
    static let table = IdPSettings.table + RelyingPartySettings.table + CommonSettings.all
    static let settings = Set(table.map(\.name))

    @Test("example.env names every setting, and no setting that does not exist")
    func exampleSettings() throws {
        #expect(try Set(Self.assignments(in: "example.env").map(\.name)) == Self.settings)
    }

    @Test("example.env sets nothing and holds no secret, so that no deployment runs on a public secret")
    func exampleSecrets() throws {
        for line in try Self.lines("example.env") { #expect(line.isEmpty || line.hasPrefix("#")) }
        for assignment in try Self.assignments(in: "example.env") {
            #expect(!["IDP_SECRET_KEY", "RP_SECRET_KEY", "SSO_SHARED_SECRET"].contains(assignment.written))
        }
    }

    @Test(
        "Every setting that compose and the units use exists", arguments: ["compose.yml", "compose.nodes.yml"] + units)
    func usedSettings(file: String) throws {
        let used = try Self.assignments(in: file).map(\.name)
        #expect(used.count >= 3)
        for name in used { #expect(Self.settings.contains(name), "\(file): \(name)") }
    }

    @Test("Compose publishes only ports of the proxy, and only on this machine")
    func ports() throws {
        let services = try Self.services()
        #expect(services.keys.sorted() == ["certificates", "idp", "mailpit", "proxy", "relying-party"])
        #expect(services.filter { $0.value.contains("    ports:") }.keys.sorted() == ["proxy"])
        #expect(services["proxy"]?.contains("      - \"127.0.0.1:443:8443\"") == true)
    }

    @Test("Every container is locked down, and none runs as root")
    func hardened() throws {
        let all = try Self.lines("compose.yml")
        for (name, lines) in try Self.services() {
            #expect(lines.contains("    <<: *hardened"), "\(name)")
            #expect(!lines.contains { $0.contains("user:") || $0.contains("privileged: true") }, "\(name)")
        }
        for rule in [
            "  user: \"10001:10001\"", "  read_only: true", "  cap_drop: [ALL]",
            "  security_opt: [\"no-new-privileges:true\"]",
        ] {
            #expect(all.contains(rule), "\(rule)")
        }
    }

    @Test(
        "compose.nodes.yml: the second node has the settings of the first, and all that it adds is locked down as well")
    func nodes() throws {
        let (base, nodes) = (try Self.services(), try Self.services("compose.nodes.yml"))
        let setting = #/^\x20{6}([A-Z_]+): (.+)$/#
        func settings(_ lines: [String]?) -> [String: String] {
            (lines ?? []).compactMap { $0.firstMatch(of: setting) }.reduce(into: [:]) {
                $0[String($1.1)] = String($1.2)
            }
        }
        var first = settings(base["idp"])
        first["IDP_DATABASE_URL"] = nil
        #expect(first.count >= 10 && settings(nodes["idp-2"]) == first)
        #expect(
            settings(nodes["idp"]) == [
                "IDP_DATABASE_URL": "\"\"", "IDP_DATABASE_URL_FILE": "/run/secrets/idp-database-url",
            ])
        for name in ["idp-2", "postgres"] {
            let lines = try #require(nodes[name])
            for rule in [
                "    user: \"10001:10001\"", "    read_only: true", "    cap_drop: [ALL]",
                "    security_opt: [\"no-new-privileges:true\"]",
            ] {
                #expect(lines.contains(rule), "\(name): \(rule)")
            }
            #expect(lines.contains { $0.hasPrefix("    healthcheck:") } && !lines.contains("    ports:"), "\(name)")
        }
    }

    @Test("Every long-running container has a health check", arguments: ["idp", "relying-party", "proxy", "mailpit"])
    func healthChecks(service: String) throws {
        #expect(try Self.services()[service]?.contains { $0.hasPrefix("    healthcheck:") } == true)
    }

    @Test(
        "Secrets reach containers and services as files, never as values",
        arguments: ["compose.yml", "compose.nodes.yml"] + units)
    func secrets(file: String) throws {
        for assignment in try Self.assignments(in: file) where assignment.name.hasSuffix("SECRET_KEY") {
            #expect(assignment.written == assignment.name + "_FILE")
        }
        for assignment in try Self.assignments(in: file) where assignment.name == "SSO_SHARED_SECRET" {
            #expect(assignment.written == "SSO_SHARED_SECRET_FILE")
        }
    }

    @Test("The images end as a user who is not root")
    func imageUser() throws {
        var user: [String: String] = [:]
        var base: [String: String] = [:]
        var stage = ""
        for words in try Self.lines("Dockerfile").map({ $0.split(separator: " ").map(String.init) }) {
            if words.first == "FROM", words.count == 4 {
                stage = words[3]
                base[stage] = words[1]
            }
            if words.first == "USER", words.count == 2 { user[stage] = words[1] }
        }
        for image in ["idp", "relying-party", "wellknown", "trial-certificates"] {
            let final = user[image] ?? base[image].flatMap { user[$0] }
            #expect(final == "10001:10001", "\(image)")
        }
    }

    @Test("Caddy forwards no request for another protocol, and no incomplete body")
    func proxyRules() throws {
        let lines = try Self.lines("Caddyfile").map { $0.trimmingCharacters(in: .whitespaces) }
        for rule in ["request_buffers 64KiB", "header_up -Upgrade", "header_up -Connection"] {
            #expect(lines.contains(rule))
        }
        let backends = lines.count { $0.hasPrefix("reverse_proxy") && !$0.contains("mailpit") }
        #expect(backends == 3 && lines.count { $0 == "import patience" } == backends)
    }

    @Test(
        "Every script can be run",
        arguments: [
            "backup", "health", "mail-token", "make-secrets", "make-certificates", "set-database-password",
            "try-systemd", "postfix/deliver-reply",
            "postfix/send-reply",
        ])
    func executable(script: String) {
        #expect(FileManager.default.isExecutableFile(atPath: Self.folder.appending(path: script).path()))
    }

    // MARK: - Reading the files

    static let units = ["swift-sso-idp.service", "swift-sso-relying-party.service"]

    static let folder = DeployFiles.folder
    static func lines(_ file: String) throws -> [String] { try DeployFiles.lines(file) }

    /// The settings that a file assigns, in the syntax of an env file, a unit or compose: the setting's name, and the
    /// name as written, which may end in `_FILE`.
    static func assignments(in file: String) throws -> [(name: String, written: String)] {
        let pattern = #/^(?:#|Environment=|\x20{6})?((?:IDP|RP|SSO|LOG|HSTS|SHUTDOWN)_[A-Z_]+)(?:=|:\x20)/#
        return try lines(file).compactMap { line in
            guard let match = try pattern.firstMatch(in: line) else { return nil }
            let written = String(match.1)
            let isFile = written.hasSuffix("_FILE") && !settings.contains(written)
            return (isFile ? String(written.dropLast(5)) : written, written)
        }
    }

    /// The lines of each service in compose.yml, by the file's own indentation.
    static func services(_ file: String = "compose.yml") throws -> [String: [String]] {
        var services: [String: [String]] = [:]
        var inside = false
        var current = ""
        for line in try lines(file) {
            if !line.hasPrefix(" "), !line.isEmpty, !line.hasPrefix("#") { inside = line == "services:" }
            guard inside else { continue }
            if line.hasPrefix("  "), !line.hasPrefix("   "), line.hasSuffix(":"), !line.hasPrefix("  #") {
                current = String(line.dropFirst(2).dropLast())
            } else if !current.isEmpty {
                services[current, default: []].append(line)
            }
        }
        return services
    }
}
