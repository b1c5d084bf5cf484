import Foundation
import Glibc

/// HAProxy or Caddy in front of a server, with connections to it that are kept for further requests.
final class ProxyProcess: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case haproxy, caddy

        var path: String? {
            ["/usr/sbin", "/usr/bin", "/usr/local/bin"].map { "\($0)/\(rawValue)" }
                .first(where: FileManager.default.isExecutableFile)
        }

        /// Those installed here. `script/setup --test` installs both where the distribution has them.
        static let installed = allCases.filter { $0.path != nil }
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
    init(_ kind: Kind, to backends: [UInt16], readiness: String? = nil, extra: String = "") async throws {
        guard let path = kind.path else { throw ProbeFailure("\(kind) is not installed") }
        let (folder, port) = (try TemporaryFolder(), try FreePort.find())
        let arguments: [String]
        switch kind {
        case .haproxy:
            let file = try folder.write(Self.haproxy(port, backends, readiness), to: "haproxy.cfg")
            arguments = ["-db", "-f", file]
        case .caddy:
            let file = try folder.write(Self.caddy(port, backends, readiness, extra), to: "Caddyfile")
            arguments = ["run", "--adapter", "caddyfile", "--config", file]
        }
        let child = try ChildProcess(
            path, arguments, environment: ["PATH": "/usr/bin:/bin", "HOME": folder.path], folder: folder.path,
            standardOutput: folder.path(of: "proxy.out"), standardError: folder.path(of: "proxy.err"))
        let probe = HTTPProbe(port: port, timeout: .seconds(30))
        (self.folder, self.child, self.probe) = (folder, child, probe)
        try await eventually("\(kind) forwards requests") { () -> Void? in
            if let exit = child.exit { throw ProbeFailure("\(kind) ended: \(exit)\n\(folder.text(of: "proxy.err"))") }
            guard let reply = try? await probe.get("/healthz") else { return nil }
            return [200, 404].contains(reply.status) ? () : nil
        }
    }

    /// The rules for both programs in deploy/Caddyfile, in the syntax of the Caddy installed here.
    static func deliveredRules() async throws -> String {
        let lines = try DeployFiles.lines("Caddyfile")
        guard let begin = lines.firstIndex(of: "(patience) {"), let end = lines[begin...].firstIndex(of: "}"),
            let path = Kind.caddy.path
        else { throw ProbeFailure("no rules in deploy/Caddyfile, or no Caddy") }
        let rules = lines[(begin + 1)..<end].joined(separator: "\n")
        let folder = try TemporaryFolder()
        let child = try ChildProcess(
            path, ["version"], environment: ["HOME": folder.path], folder: folder.path,
            standardOutput: folder.path(of: "version"), standardError: "/dev/null")
        _ = try await child.waitForExit()
        let version = folder.text(of: "version").split { !$0.isNumber }.prefix(3).compactMap { Int($0) }
        // The older name, in Debian 12.
        return version.lexicographicallyPrecedes([2, 6, 3])
            ? rules.replacing("request_buffers 64KiB", with: "buffer_requests\nmax_buffer_size 64KiB") : rules
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
                    lb_policy round_robin
                    \(health ?? "")
                    \(extra)
                }
            }

            """
    }
}
