import Foundation
import Testing

@testable import TestKit

@Suite("deploy/README.md", .deployment)
struct DeployDocumentTests {
    @Test("it names every file of the folder")
    func filesAreNamed() throws {
        let text = try DeployTests.lines("README.md").joined(separator: "\n")
        let files = try FileManager.default.contentsOfDirectory(atPath: DeployTests.folder.path())
        #expect(files.count > 10)
        // And the files that exist after following it.
        let made: Set = ["README.md", "secrets", "idp", "relying-party"]
        for file in files where !file.hasPrefix(".") && !made.contains(file) {
            // The table has one row for the units.
            let name = file.hasPrefix("swift-sso-") ? "swift-sso-*.service" : file
            let isNamed = text.contains("`\(name)`") || file == "Dockerfile.dockerignore"
            #expect(isNamed, "\(file)")
        }
    }

    @Test("the blocks that try-systemd runs exist, and install the files of the folder")
    func blocks() throws {
        let install = try Self.block("install")
        for file in ["example.env", "clients.example.yaml", "swift-sso-*.service"] {
            #expect(install.contains { $0.hasPrefix("install ") && $0.contains(" \(file) ") }, "\(file)")
        }
        #expect(install.contains { $0.hasPrefix("apt-get install -y ") })
        let start = try Self.block("start")
        #expect(start == ["systemctl enable --now swift-sso-idp swift-sso-relying-party"])
        let form = try Self.block("environment-client")
        #expect(form.contains { $0.hasPrefix("install ") && $0.contains(" environment-client.conf ") })
    }

    @Test("the install block makes every secret that the units load")
    func secretsAreMade() throws {
        let install = try Self.block("install")
        let made = install.compactMap { $0.firstMatch(of: #/^for name in ([^;]+);/#)?.1 }
            .flatMap { $0.split(separator: " ").map(String.init) }
        #expect(made.count == 3)
        for unit in DeployTests.units {
            for line in try SystemdUnitTests.values("LoadCredential", in: unit) {
                let path = line.split(separator: ":").last ?? ""
                let name = String(path.split(separator: "/").last ?? "")
                #expect(path == "/etc/swift-sso/secrets/\(name)" && made.contains(name), "\(unit): \(line)")
            }
        }
    }

    @Test("compose.yml has no key that docker-compose 1.29 refuses, and the documents give the project's name")
    func composeKeys() throws {
        let keys = try DeployTests.lines("compose.yml")
            .compactMap { $0.firstMatch(of: #/^([a-z][a-z-]*):/#).map { String($0.1) } }
        let allowed: Set = ["services", "networks", "volumes", "secrets"]
        #expect(keys.filter { !$0.hasPrefix("x-") && !allowed.contains($0) } == [])
        for file in ["README.md", "compose.yml"] {
            let commands = try DeployTests.lines(file).filter { $0.contains("docker compose ") && $0.contains(" up") }
            #expect(!commands.isEmpty)
            for command in commands where command.contains("--build") {
                #expect(command.contains("-p swift-sso"), "\(file): \(command)")
            }
        }
    }

    @Test("the image's programs are stripped, and its build has the packages of a static link")
    func image() throws {
        let text = try DeployTests.lines("Dockerfile").joined(separator: "\n")
        #expect(text.contains("install -D -s "))
        #expect(text.contains(" libstdc++-12-dev ") && text.contains(" binutils "))
    }

    @Test("each program has an image with its bill of materials and licences, built as a release with its versions")
    func imageContents() throws {
        let lines = try DeployTests.lines("Dockerfile")
        for name in ["idp", "relying-party", "wellknown"] {
            let start = try #require(lines.firstIndex(of: "FROM runtime AS \(name)"))
            let image = lines[(start + 1)...].prefix { !$0.hasPrefix("FROM ") }
            #expect(image.contains("COPY --from=build /programs/\(name) /usr/local/bin/\(name)"))
            #expect(image.contains("COPY --from=build /documents/\(name) /"))
        }
        let text = lines.joined(separator: "\n")
        #expect(text.contains("COPY Package.swift Package.resolve[d] ./\nRUN if [ -f Package.resolved ]; "))
        #expect(text.contains("swift package resolve --force-resolved-versions"))
        let sent = try DeployTests.lines("Dockerfile.dockerignore")
        for line in lines where line.hasPrefix("COPY ") && !line.contains("--from=") {
            for source in line.split(separator: " ").dropFirst().dropLast() where !source.hasPrefix("--") {
                let file = source.replacing("resolve[d]", with: "resolved")
                #expect(sent.contains("!\(file)"), "the engine does not get \(file)")
            }
        }
    }

    /// The lines of a block that is marked ```sh NAME.
    private static func block(_ name: String) throws -> [String] {
        let lines = try DeployTests.lines("README.md")
        let start = try #require(lines.firstIndex(of: "```sh \(name)"), "\(name)")
        return Array(lines[(start + 1)...].prefix { !$0.hasPrefix("```") })
    }
}
