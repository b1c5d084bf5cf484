import Foundation
import Glibc

@testable import TestKit

/// HAProxy, Caddy or nginx in front of a server, with connections to it that are kept for further requests.
final class ProxyProcess: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case haproxy, caddy
        /// Only with a file of its own.
        case nginx

        var path: String? {
            [Self.unpacked, "/usr/sbin", "/usr/bin", "/usr/local/bin"].map { "\($0)/\(rawValue)" }
                .first(where: FileManager.default.isExecutableFile)
        }

        /// Where `script/setup --test-all` puts nginx.
        private static let unpacked = TestVectors.repository.path + "/.build/nginx/usr/sbin"

        /// Those installed here that can spread requests. `script/setup --test` installs both where the distribution has them.
        static let installed = [haproxy, caddy].filter { $0.path != nil }
        /// Those installed here that have a recipe for the gate.
        static let gates = allCases.filter { $0.path != nil }
    }

    let probe: HTTPProbe
    private let folder: TemporaryFolder
    private let child: ChildProcess

    /// Starts it and waits until it forwards requests.
    ///
    /// - Parameters:
    ///   - backends: the servers on loopback, each in turn.
    ///   - readiness: the path that the proxy requests from each server every quarter of a second, to know which to
    /// use. Nil: no
    ///      checks.
    ///   - extra: further lines for Caddy's `reverse_proxy`.
    convenience init(_ kind: Kind, to backends: [UInt16], readiness: String? = nil, extra: String = "") async throws {
        let port = try FreePort.find()
        let file =
            switch kind {
            case .haproxy: Self.haproxy(port, backends, readiness)
            case .caddy: Self.caddy(port, backends, readiness, extra)
            case .nginx: throw ProbeFailure("nginx needs a file of its own")
            }
        try await self.init(kind, file: file, port: port)
    }

    /// Starts it with a file of its own and waits until it answers at `port`.
    ///
    /// - Parameters:
    ///   - text: `FOLDER` stands for a folder that the proxy may write to.
    ///   - statuses: of the answer to `/healthz`, once it forwards requests.
    init(_ kind: Kind, file text: String, port: UInt16, answering statuses: Set<Int> = [200, 404]) async throws {
        guard let path = kind.path else { throw ProbeFailure("\(kind) is not installed") }
        let folder = try TemporaryFolder()
        let file = try folder.write(text.replacing("FOLDER", with: folder.path), to: "configuration")
        let arguments =
            switch kind {
            case .haproxy: ["-db", "-f", file]
            case .caddy: ["run", "--adapter", "caddyfile", "--config", file]
            case .nginx: ["-p", folder.path, "-c", file, "-e", folder.path(of: "proxy.err")]
            }
        let child = try ChildProcess(
            path, arguments, environment: ["PATH": "/usr/bin:/bin", "HOME": folder.path], folder: folder.path,
            standardOutput: folder.path(of: "proxy.out"), standardError: folder.path(of: "proxy.err"))
        let probe = HTTPProbe(port: port, timeout: .seconds(30))
        (self.folder, self.child, self.probe) = (folder, child, probe)
        try await eventually("\(kind) forwards requests") { () -> Void? in
            if let exit = child.exit { throw ProbeFailure("\(kind) ended: \(exit)\n\(folder.text(of: "proxy.err"))") }
            guard let reply = try? await probe.get("/healthz") else { return nil }
            return statuses.contains(reply.status) ? () : nil
        }
    }

    /// The rules for both programs in deploy/Caddyfile, in the syntax of the Caddy installed here.
    static func deliveredRules() async throws -> String {
        let lines = try DeployFiles.lines("Caddyfile")
        guard let begin = lines.firstIndex(of: "(patience) {"), let end = lines[begin...].firstIndex(of: "}") else {
            throw ProbeFailure("no rules in deploy/Caddyfile")
        }
        return try await adapted(lines[(begin + 1)..<end].joined(separator: "\n"))
    }

    /// Lines for Caddy in the syntax of the one installed here.
    static func adapted(_ text: String) async throws -> String {
        guard let path = Kind.caddy.path else { throw ProbeFailure("no Caddy") }
        let folder = try TemporaryFolder()
        let child = try ChildProcess(
            path, ["version"], environment: ["HOME": folder.path], folder: folder.path,
            standardOutput: folder.path(of: "version"), standardError: "/dev/null")
        _ = try await child.waitForExit()
        let version = folder.text(of: "version").split { !$0.isNumber }.prefix(3).compactMap { Int($0) }
        // The older name, in Debian 12.
        return version.lexicographicallyPrecedes([2, 6, 3])
            ? text.replacing("request_buffers 64KiB", with: "buffer_requests\nmax_buffer_size 64KiB") : text
    }

    private static func haproxy(_ port: UInt16, _ backends: [UInt16], _ readiness: String?) -> String {
        let servers = backends.enumerated().map { index, backend in
            // "fall 1": one failed check is enough. The default, three, takes longer than the grace.
            "    server s\(index) 127.0.0.1:\(backend)" + (readiness == nil ? "" : " check inter 250ms fall 1 rise 1")
        }
        return """
            global
                maxconn 2000
            defaults
                mode http
                timeout connect 2s
                # Otherwise a check is over after its interval, and on a busy machine a live server counts as dead.
                timeout check 5s
                timeout client 30s
                timeout server 30s
                retries 0
            frontend front
                bind 127.0.0.1:\(port)
                default_backend back
            backend back
                balance roundrobin
                # The next browser's request goes into any kept connection.
                http-reuse always
            \(readiness.map { "    option httpchk GET \($0)" } ?? "")
            \(servers.joined(separator: "\n"))

            """
    }

    private static func caddy(_ port: UInt16, _ backends: [UInt16], _ readiness: String?, _ extra: String) -> String {
        let health = readiness.map { "health_uri \($0)\n        health_interval 250ms\n        health_timeout 5s" }
        return """
            {
                admin off
                auto_https off
            }
            http://127.0.0.1:\(port) {
                reverse_proxy \(backends.map { "127.0.0.1:\($0)" }.joined(separator: " ")) {
                    # Not round_robin: of two servers, one of them down, its counter can meet the dead one twice when
                    # requests cross, and Caddy then answers 503 although the other is there.
                    lb_policy random
                    \(health ?? "")
                    \(extra)
                }
            }

            """
    }
}
