import Foundation
import Glibc
import Synchronization

@testable import TestKit
@testable import WebTestKit

/// The Matrix server Synapse as a process of this test, with `examples/openid/synapse/oidc.yaml` in its settings.
final class Synapse: Sendable {
    private static let library = TestVectors.repository.appending(path: ".build/matrix_synapse").path
    static let isInstalled = FileManager.default.fileExists(atPath: library + "/synapse/__init__.py")

    let origin: String
    let secret = TestSecret.new()
    let host = "127.0.0.9"
    let port: UInt16
    private let folder: TemporaryFolder
    private let child = Mutex<ChildProcess?>(nil)

    init() throws {
        (folder, port) = (try TemporaryFolder(), try FreePort.find(on: host))
        origin = "http://\(host):\(port)"
    }

    /// The entry for the list `clients` of `IDP_CLIENTS_FILE`.
    func yaml(secret variable: String) -> String {
        """
          - id: synapse
            name: Synapse
            protocols: [oidc]
            access: everyone
            redirect_uris: ['\(origin)/_synapse/client/oidc/callback']
            backchannel_logout_uri: '\(origin)/_synapse/client/oidc/backchannel_logout'
            secrets: ['env:\(variable)']

        """
    }

    func start(issuer: String) async throws {
        let example = TestVectors.repository.appending(path: "examples/openid/synapse/oidc.yaml")
        let settings = try String(contentsOf: example, encoding: .utf8)
            .replacingOccurrences(of: "https://id.example.com", with: issuer)
            .replacingOccurrences(of: "/etc/matrix-synapse/main-app-secret", with: folder.path(of: "secret"))
        try folder.write(secret, to: "secret")
        let server = """
            server_name: "\(host)"
            public_baseurl: "\(origin)/"
            listeners:
              - {port: \(port), bind_addresses: ["\(host)"], type: http, tls: false, resources: [{names: [client]}]}
            database: {name: sqlite3, args: {database: "\(folder.path(of: "synapse.sqlite"))"}}
            media_store_path: "\(folder.path(of: "media"))"
            signing_key_path: "\(folder.path(of: "signing.key"))"
            report_stats: false
            trusted_key_servers: []
            macaroon_secret_key: "\(TestSecret.new())"
            sso: {client_whitelist: ["\(origin)/"]}

            """
        let file = try folder.write(server + settings, to: "homeserver.yaml")
        let environment = Programs.inherited.merging([
            "PYTHONPATH": Self.library, "PYTHONDONTWRITEBYTECODE": "1", "HOME": folder.path,
        ]) { $1 }
        let words = ["python3", "-m", "synapse.app.homeserver", "-c", file]
        let keys = try run(words + ["--generate-keys"], environment)
        guard try await keys.waitForExit() == .code(0) else { throw ProbeFailure("no keys: \(log.suffix(2_000))") }
        let child = try run(words, environment)
        self.child.withLock { $0 = child }
        let probe = HTTPProbe(host: host, port: port)
        try await eventually("synapse answers") { () -> Void? in
            if let exit = child.exit { throw ProbeFailure("synapse ended: \(exit) \(log.suffix(2_000))") }
            return (try? await probe.get("/_matrix/client/versions"))?.status == 200 ? () : nil
        }
    }

    func stop() async throws {
        guard let child = child.withLock({ $0 }) else { return }
        child.send(SIGTERM)
        _ = try await child.waitForExit()
    }

    /// Where a Matrix client sends its user to sign in, and takes the user back with `loginToken`.
    var signIn: String {
        "\(origin)/_matrix/client/v3/login/sso/redirect/oidc-main-app?redirectUrl=\(origin)/_matrix/static/"
    }

    /// Gives a Matrix client's `loginToken` for an access token.
    func login(_ token: String) async throws -> ProbeReply {
        let body = #"{"type":"m.login.token","token":"\#(token)"}"#
        return try await HTTPProbe(host: host, port: port)
            .post("/_matrix/client/v3/login", [("Content-Type", "application/json")], body: Array(body.utf8))
    }

    func whoAmI(_ accessToken: String) async throws -> ProbeReply {
        try await HTTPProbe(host: host, port: port)
            .get("/_matrix/client/v3/account/whoami", [("Authorization", "Bearer \(accessToken)")])
    }

    var log: String { folder.text(of: "log") }

    private func run(_ words: [String], _ environment: [String: String]) throws -> ChildProcess {
        try ChildProcess(
            "/usr/bin/env", words, environment: environment, folder: folder.path,
            standardOutput: folder.path(of: "log"), standardError: folder.path(of: "log"))
    }
}
