import Foundation
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit

/// `idp check --connect` through real proxies, and on a disk that is full.
@Suite("A check that calls the running program through a proxy", .deployment)
struct SelfCheckProxyTests {
    /// What the proxy does to a request.
    private enum Manner: CaseIterable {
        case right, anotherHost, noAddress, undeclared

        /// What the check says of it; nil for nothing.
        var finding: String? {
            switch self {
            case .right: nil
            case .anotherHost: "arrives as 127.0.0.1:8080"
            case .noAddress: "sends no X-Forwarded-For that can be read"
            case .undeclared: "is not named, so all visitors seem to come from it. Add 127.0.0.1."
            }
        }
        /// What is a warning alone ends with 0.
        var code: Int32 { self == .right || self == .anotherHost ? 0 : 1 }
    }

    private static func file(_ kind: ProxyProcess.Kind, _ manner: Manner, _ port: UInt16, to backend: UInt16) -> String
    {
        let (host, address) = (manner == .anotherHost, manner == .noAddress)
        switch kind {
        case .caddy:
            return """
                {
                    admin off
                    auto_https off
                }
                http://:\(port) {
                    bind 127.0.0.1
                    reverse_proxy 127.0.0.1:\(backend) {
                        \(host ? "header_up Host 127.0.0.1:8080" : "")
                        \(address ? "header_up -X-Forwarded-For" : "")
                    }
                }

                """
        case .nginx:
            let paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path FOLDER/\($0);" }
            return """
                daemon off;
                pid FOLDER/nginx.pid;
                events {}
                http {
                    access_log off;
                    \(paths.joined(separator: "\n    "))
                    server {
                        listen 127.0.0.1:\(port);
                        location / {
                            proxy_pass http://127.0.0.1:\(backend);
                            proxy_set_header Host \(host ? "127.0.0.1:8080" : "$http_host");
                            proxy_set_header X-Forwarded-Proto $scheme;
                            \(address ? "" : "proxy_set_header X-Forwarded-For $remote_addr;")
                        }
                    }
                }

                """
        case .haproxy:
            return """
                defaults
                    mode http
                    timeout connect 5s
                    timeout client 60s
                    timeout server 60s
                    \(address ? "" : "option forwardfor")
                frontend front
                    bind 127.0.0.1:\(port)
                    \(host ? "http-request set-header Host 127.0.0.1:8080" : "")
                    default_backend back
                backend back
                    server one 127.0.0.1:\(backend)

                """
        }
    }

    private static func environment(_ url: UInt16, _ port: UInt16, _ folder: TemporaryFolder) throws -> [String: String]
    {
        SettingsFixture.idp.merging([
            "IDP_SECRET_KEY": TestSecret.new(), "IDP_PUBLIC_URL": "http://localhost:\(url)",
            "IDP_LISTEN": "127.0.0.1:\(port)", "IDP_MAIL_URL": "outbox:\(try folder.folder("outbox"))",
            "IDP_DATABASE_URL": "sqlite:\(folder.path(of: "idp.sqlite"))",
        ]) { $1 }
    }

    private static func check(_ environment: [String: String]) async throws -> (ProgramProcess, ChildProcess.Exit) {
        let program = ProgramProcess(
            "idp", ["check", "--connect"], environment: environment, folder: try TemporaryFolder())
        let exit = try await program.run()
        return (program, exit)
    }

    @Test(
        "what nginx, Caddy or HAProxy drops or changes is named, and nothing of one that is set up as the examples are",
        arguments: ProxyProcess.Kind.gates)
    func proxies(kind: ProxyProcess.Kind) async throws {
        for manner in Manner.allCases {
            let (folder, port, backend) = (try TemporaryFolder(), try FreePort.find(), try FreePort.find())
            var environment = try Self.environment(port, backend, folder)
            environment["IDP_TRUSTED_PROXIES"] = manner == .undeclared ? nil : "127.0.0.1"
            let serving = ProgramProcess("idp", environment: environment, port: backend, folder: folder)
            try await serving.start()
            let proxy = try await ProxyProcess(
                kind, file: Self.file(kind, manner, port, to: backend), port: port)
            let (program, exit) = try await Self.check(environment)
            #expect(exit == .code(manner.code), "\(manner) \(program.output)")
            if let finding = manner.finding { #expect(program.log.contains(finding), "\(manner) \(program.log)") }
            let others = Manner.allCases.compactMap(\.finding).filter { $0 != manner.finding }
            for other in others { #expect(!program.log.contains(other), "\(manner) \(program.log)") }
            withExtendedLifetime(proxy) {}
            try await serving.terminate()
        }
    }

    @Test(
        "a disk on which nothing more can be written is a problem, and the program is found all the same",
        .enabled(if: SmallDisk.canMount, "mounting needs root"))
    func fullDisk() async throws {
        let (disk, port) = (try SmallDisk(kilobytes: 16_384), try FreePort.find())
        let folder = try TemporaryFolder()
        var environment = try Self.environment(port, port, folder)
        environment["IDP_DATABASE_URL"] = "sqlite:\(disk.path)/idp.sqlite"
        let serving = ProgramProcess("idp", environment: environment, port: port, folder: folder)
        try await serving.start()
        let (narrow, narrowExit) = try await Self.check(environment)
        #expect(narrowExit == .code(1) && narrow.log.contains("\(disk.path) has"), "\(narrow.output)")
        _ = try disk.fill()
        let (full, exit) = try await Self.check(environment)
        #expect(exit == .code(1) && full.log.contains("\(disk.path) has 0 MiB left"), "\(full.output)")
        #expect(full.printed.contains("answers at http://localhost:\(port)"), "\(full.output)")
        try await serving.terminate()
    }
}
