import Foundation
import Glibc
import Synchronization

@testable import TestKit
@testable import WebTestKit

/// A service of `examples/openid` as a process of this test, at a loopback host of its own.
final class OpenIDService: Sendable {
    let example: OpenIDExample
    /// Its client id, too.
    var id: String { example.rawValue }
    let origin: String
    let secret = TestSecret.new()
    private let host = "127.0.0.9"
    private let port: UInt16
    private let folder: TemporaryFolder
    private let child = Mutex<ChildProcess?>(nil)

    var callback: String { origin + example.callback }

    init(_ example: OpenIDExample) throws {
        guard example.isInstalled else {
            throw ProbeFailure("script/setup --test could not install what \(example.rawValue) needs")
        }
        self.example = example
        (folder, port) = (try TemporaryFolder(), try FreePort.find(on: host))
        origin = "http://\(host):\(port)"
    }

    /// The entry for the list `clients` of `IDP_CLIENTS_FILE`, which reads the secret from the variable.
    func yaml(secret variable: String) -> String {
        var lines = [
            "- id: \(id)", "  name: \(id)", "  protocols: [oidc]", "  access: everyone",
            "  redirect_uris: ['\(origin)\(example.callback)']", "  secrets: ['env:\(variable)']",
            "  id_token_alg: \(example.signingAlgorithm)",
        ]
        if let page = example.signedOutPage { lines.append("  post_logout_redirect_uris: ['\(origin)\(page)']") }
        if let path = example.backChannel { lines.append("  backchannel_logout_uri: '\(origin)\(path)'") }
        return lines.map { "  \($0)\n" }.joined()
    }

    /// Prepares it, starts it, and waits until it answers.
    ///
    /// - Parameter given: the secret that the identity provider has made for it; nil for its own one.
    func start(issuer: String, secret given: String? = nil) async throws {
        let files = try exampleFolder()
        let settings = [
            "HOST": host, "PORT": "\(port)", "ORIGIN": origin, "ISSUER": issuer, "CLIENT_ID": id,
            "CLIENT_SECRET": given ?? secret, "SESSION_KEY": TestSecret.new(), "FOLDER": folder.path, "EXAMPLE": files,
            "HOME": folder.path, "PYTHONDONTWRITEBYTECODE": "1",
        ]
        let environment = Programs.inherited.merging(settings) { $1 }
            .merging(example.environment(in: folder.path)) { $1 }
        if let words = example.preparation(in: folder.path) {
            let exit = try await run(words, environment).waitForExit()
            guard exit == .code(0) else { throw ProbeFailure("\(words): \(exit) \(log.suffix(2_000))") }
        }
        let child = try run(example.command(in: folder.path, at: "\(host):\(port)"), environment)
        self.child.withLock { $0 = child }
        let probe = HTTPProbe(host: host, port: port)
        try await eventually("\(id) answers") { () -> Void? in
            if let exit = child.exit { throw ProbeFailure("\(id) ended: \(exit) \(log.suffix(2_000))") }
            return (try? await probe.get(example.signedOutPage ?? "/")) == nil ? nil : ()
        }
    }

    /// The folder of its files. Started by root, Apache serves as another user, who may not be able to read the repository: a copy
    /// that everyone may read.
    private func exampleFolder() throws -> String {
        guard example == .apache else { return example.folder }
        let copy = folder.path(of: "example")
        if !FileManager.default.fileExists(atPath: copy) {
            try FileManager.default.copyItem(atPath: example.folder, toPath: copy)
        }
        for name in ["", "/example", "/example/www"] { chmod(folder.path + name, 0o755) }
        for name in try FileManager.default.contentsOfDirectory(atPath: copy + "/www") {
            chmod("\(copy)/www/\(name)", 0o644)
        }
        return copy
    }

    func stop() async throws {
        guard let child = child.withLock({ $0 }) else { return }
        child.send(SIGTERM)
        _ = try await child.waitForExit()
    }

    func restart(issuer: String) async throws {
        try await stop()
        try await start(issuer: issuer)
    }

    var log: String { folder.text(of: "log") + folder.text(of: "apache.log") }

    private func run(_ words: [String], _ environment: [String: String]) throws -> ChildProcess {
        try ChildProcess(
            "/usr/bin/env", words, environment: environment, folder: folder.path,
            standardOutput: folder.path(of: "log"), standardError: folder.path(of: "log"))
    }
}
