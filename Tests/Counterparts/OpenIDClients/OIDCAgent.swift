import Foundation
import Glibc
import Synchronization

@testable import TestKit

/// oidc-agent, which gets access tokens for programs on the command line: a public client that listens on loopback.
final class OIDCAgent: Sendable {
    static let isInstalled = FileManager.default.fileExists(atPath: "/usr/bin/oidc-agent")
    /// In CI the test always runs, and a missing program is a failure.
    static let isAvailable = isInstalled || ProcessInfo.processInfo.environment["CI"] != nil

    /// This version takes no other form than `http://localhost:PORT`.
    let redirectURI: String
    private let port: UInt16
    private let folder: TemporaryFolder
    private let agent = Mutex<ChildProcess?>(nil)

    init() throws {
        guard Self.isInstalled else { throw ProbeFailure("script/setup --test could not install oidc-agent-cli") }
        (folder, port) = (try TemporaryFolder(), try FreePort.find())
        redirectURI = "http://localhost:\(port)"
    }

    /// The entry for the list `clients` of `IDP_CLIENTS_FILE`.
    var yaml: String {
        """
          - id: command-line
            name: Command line
            protocols: [oidc]
            public: true
            access: everyone
            redirect_uris: ['\(redirectURI)']
            scopes: [openid, profile, email, offline_access]

        """
    }

    private var environment: [String: String] {
        Programs.inherited.merging([
            "HOME": folder.path, "OIDC_SOCK": folder.path(of: "agent.socket"), "OIDC_ENCRYPTION_PW": "of this test",
            "TMPDIR": folder.path,
        ]) { $1 }
    }

    /// Starts the agent, and the program that registers an account. Returns that program, and the address for the browser.
    func begin(issuer: String) async throws -> (ChildProcess, address: String) {
        _ = try folder.folder(".config/oidc-agent")
        let agent = try run(
            ["oidc-agent", "--console", "--socket-path=\(folder.path(of: "agent.socket"))"], output: "agent.log")
        self.agent.withLock { $0 = agent }
        try await eventually("the agent listens") { () -> Void? in
            if let exit = agent.exit { throw ProbeFailure("oidc-agent ended: \(exit) \(folder.text(of: "agent.log"))") }
            return FileManager.default.fileExists(atPath: folder.path(of: "agent.socket")) ? () : nil
        }
        let words = [
            "oidc-gen", "main-app", "--pub", "--manual", "--iss=\(issuer)", "--client-id=command-line",
            "--client-secret=",
            "--scope=openid profile email offline_access", "--redirect-uri=\(redirectURI)", "--port=\(port)",
            "--flow=code", "--no-url-call", "--no-scheme", "--prompt=none", "--confirm-yes", "--pw-env",
        ]
        let program = try run(words, output: "gen.log")
        let address = try await eventually("oidc-gen prints the address") { () -> String? in
            if let exit = program.exit { throw ProbeFailure("oidc-gen ended: \(exit) \(log)") }
            return log.split(separator: "\n").first { $0.hasPrefix(issuer) }.map(String.init)
        }
        return (program, address)
    }

    /// An access token; nil if the provider gives none any more.
    ///
    /// - Parameter isNew: by the refresh token, though the last one is still valid.
    func token(isNew: Bool = false) async throws -> String? {
        let output = "token-\(UUID().uuidString)"
        let program = try run(["oidc-token", "main-app"] + (isNew ? ["--force-new"] : []), output: output)
        guard try await program.waitForExit() == .code(0) else { return nil }
        return folder.text(of: output).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    func stop() async throws {
        guard let agent = agent.withLock({ $0 }) else { return }
        agent.send(SIGTERM)
        _ = try await agent.waitForExit()
    }

    /// What oidc-gen has printed.
    var log: String { folder.text(of: "gen.log") }

    private func run(_ words: [String], output: String) throws -> ChildProcess {
        try ChildProcess(
            "/usr/bin/env", words, environment: environment, folder: folder.path,
            standardOutput: folder.path(of: output), standardError: folder.path(of: output))
    }
}
