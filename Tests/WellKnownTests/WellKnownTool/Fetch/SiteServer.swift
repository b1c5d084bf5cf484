import Foundation

@testable import TestKit

/// A small web server on loopback, with or without TLS, that responds from a table. It is a child process and ends with
/// the object.
///
/// The server uses Python's standard library, because openssl's s_server serves only files and cannot set types and
/// statuses.
final class SiteServer: Sendable {
    /// The response for one path.
    struct Reply: Codable, Sendable {
        var status = 200
        var headers: [String: String] = ["Content-Type": "application/json"]
        /// The body. `{port}` is replaced with the server's port.
        var body = ""
        /// The body is repeated to this many bytes.
        var size: Int?
        /// The pause after each byte of the body. The complete response takes longer than a test.
        var pauseSeconds: Double?
        /// So many first requests get no answer.
        var silent: Int?
        /// The status for user agents that contain a text.
        var byAgent: [String: Int]?
        /// The status for HEAD instead of `status`.
        var headStatus: Int?
    }

    let port: UInt16
    private let process: ChildProcess
    private let folder: TemporaryFolder

    /// - Parameters:
    ///   - routes: the responses by path, without query. All other paths return 404.
    ///   - certificate: PEM files with chain and key, or `nil` for plain http.
    init(_ routes: [String: Reply], certificate: TestAuthority.Certificate?) async throws {
        folder = try TemporaryFolder()
        let table = folder.path(of: "routes.json")
        try JSONEncoder().encode(routes).write(to: URL(fileURLWithPath: table))
        let script = try folder.write(Self.script, to: "server.py")
        let log = folder.path(of: "port.txt")
        let files = certificate.map { [$0.chain, $0.key] } ?? []
        process = try ChildProcess(
            "/usr/bin/python3", [script, table] + files, environment: ["PATH": "/usr/bin:/bin"], folder: folder.path,
            standardOutput: log, standardError: folder.path(of: "errors.txt"))
        let (folder, process) = (self.folder, self.process)
        // The server binds port 0 and prints the assigned port when it listens.
        port = try await eventually("the server listens") {
            if process.exit != nil { throw ProbeFailure("server: \(folder.text(of: "errors.txt"))") }
            return UInt16(folder.text(of: "port.txt").trimmingCharacters(in: .whitespacesAndNewlines))
        }
    }

    private static let script = #"""
        import json, ssl, sys, threading, time
        from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

        routes = json.load(open(sys.argv[1]))
        seen, lock = {}, threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            def answer(self):
                reply = routes.get(self.path.split("?")[0], {"status": 404, "headers": {"Content-Type": "text/plain"}, "body": "no"})
                with lock:
                    seen[self.path] = seen.get(self.path, 0) + 1
                    isSilent = seen[self.path] <= (reply.get("silent") or 0)
                if isSilent:
                    time.sleep(600)
                    return
                status = reply["status"]
                for agent, other in (reply.get("byAgent") or {}).items():
                    if agent in self.headers.get("User-Agent", ""): status = other
                if self.command == "HEAD": status = reply.get("headStatus") or status
                body = reply["body"].replace("{port}", str(self.server.server_address[1])).encode()
                if reply.get("size"): body = (body * (reply["size"] // max(1, len(body)) + 1))[:reply["size"]]
                self.send_response(status)
                for name, value in reply["headers"].items(): self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command == "HEAD": return
                if reply.get("pauseSeconds"):
                    for byte in body:
                        self.wfile.write(bytes([byte]))
                        self.wfile.flush()
                        time.sleep(reply["pauseSeconds"])
                else: self.wfile.write(body)
            do_GET = do_HEAD = answer
            def log_message(self, *arguments): pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            def finish_request(self, request, address):
                # The handshake belongs to the connection's own thread: a stranger who never finishes it blocks nobody.
                if len(sys.argv) > 3: request = context.wrap_socket(request, server_side=True)
                self.RequestHandlerClass(request, address, self)
            def handle_error(self, request, address): pass

        if len(sys.argv) > 3:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(sys.argv[2], sys.argv[3])
        server = Server(("127.0.0.1", 0), Handler)
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """#
}
