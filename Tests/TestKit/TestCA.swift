import Foundation

/// Valid and invalid certificates, made by the `openssl` command in their own folder, and servers that use them.
struct TestCA: Sendable {
    private let folder: TemporaryFolder

    func path(_ name: String) -> String { folder.path(of: name) }

    static func make() async throws -> TestCA {
        let folder = try TemporaryFolder()
        try folder.write(server, to: "server.py")
        let script = try folder.write(certificates, to: "make.sh")
        let make = try ChildProcess(
            "/bin/sh", [script], environment: ["PATH": "/usr/bin:/bin"], folder: folder.path,
            standardOutput: folder.path(of: "make.out"), standardError: folder.path(of: "make.err"))
        guard try await make.waitForExit() == .code(0) else { throw ProbeFailure(folder.text(of: "make.err")) }
        return TestCA(folder: folder)
    }

    /// A server with the named certificate. It answers verify requests as the contract states, or redirects to
    /// `location`.
    func serve(_ certificate: String, version: String = "", location: String = "") async throws -> TLSServer {
        try await TLSServer(folder: folder, arguments: [certificate, version, location, BackChannelFixture.secretText])
    }

    /// `openssl ca` is the only command that sets both ends of the validity in every release.
    private static let certificates = """
        set -e
        ext() { printf 'subjectAltName=%s' "$1" > "$2.ext"; }
        key() { openssl ecparam -name prime256v1 -genkey -noout -out "$1.key"; }
        authority() {
          key "$1"
          openssl req -x509 -new -key "$1.key" -subj "/CN=Test authority $1" -days 30 -out "$1.pem" \\
            -addext basicConstraints=critical,CA:TRUE
          mkdir "$1.d"; : > "$1.d/index.txt"; echo 1000 > "$1.d/serial"
          printf '[ca]\\ndefault_ca=a\\n[a]\\ndir=%s.d\\ndatabase=$dir/index.txt\\nserial=$dir/serial\\nnew_certs_dir=$dir\\n' \\
            "$1" > "$1.cnf"
          printf 'default_md=sha256\\npolicy=p\\nunique_subject=no\\n[p]\\ncommonName=supplied\\n' >> "$1.cnf"
        }
        issue() { # name authority alternative-names start end
          key "$1"; ext "$3" "$1"
          openssl req -new -key "$1.key" -subj "/CN=$1" -out "$1.csr"
          openssl ca -batch -config "$2.cnf" -keyfile "$2.key" -cert "$2.pem" -in "$1.csr" -out "$1.pem" -notext \\
            -startdate "$4" -enddate "$5" -extfile "$1.ext"
        }
        here=DNS:localhost,IP:127.0.0.1
        authority ca
        authority other
        issue good ca $here 20200101000000Z 20491231235959Z
        issue wrong-host ca DNS:idp.example.com 20200101000000Z 20491231235959Z
        issue expired ca $here 20200101000000Z 20200201000000Z
        issue future ca $here 20490101000000Z 20491231235959Z
        issue wrong-ca other $here 20200101000000Z 20491231235959Z
        key self-signed
        openssl req -x509 -new -key self-signed.key -subj /CN=localhost -days 30 -out self-signed.pem \\
          -addext subjectAltName=$here
        """

    private static let server = #"""
        import hashlib, hmac, http.server, json, ssl, sys
        certificate, version, location, secret = sys.argv[1:5]

        def mac(message):
            return hmac.new(secret.encode(), message, hashlib.sha256).hexdigest()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def log_message(self, *_): pass
            def do_GET(self):
                self.send_response(200 if self.path == "/healthz" else 404)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"ok")
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if location:
                    self.send_response(307)
                    self.send_header("Location", location)
                    self.send_header("Content-Length", "0")
                    return self.end_headers()
                given = self.headers["X-SSO-Signature"]
                right = hmac.compare_digest(given, "sha256=" + mac(body)) and self.path == "/auth/sso/verify"
                answer = json.dumps({
                    "user": {"id": "u1", "email": "ann@example.com", "name": "Ann"}, "client_id": "partner",
                    "session": {"id": "s1", "authenticated_at": 1790000000, "methods": ["email_code"]},
                } if right else {"error": "invalid_signature"}).encode()
                self.send_response(200 if right else 401)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.send_header("X-SSO-Signature", "sha256=" + mac(b"response." + given[7:].encode() + b"." + answer))
                self.end_headers()
                self.wfile.write(answer)

        class Server(http.server.ThreadingHTTPServer):
            def handle_error(self, *_): pass

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        if version:
            context.set_ciphers("ALL:@SECLEVEL=0")
            context.minimum_version = context.maximum_version = getattr(ssl.TLSVersion, version)
        context.load_cert_chain(certificate + ".pem", certificate + ".key")
        server = Server(("127.0.0.1", 0), Handler)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        print(server.server_address[1], flush=True)
        server.serve_forever()
        """#
}

/// One running server of a ``TestCA``; it ends with the object.
final class TLSServer: Sendable {
    let port: Int
    private let process: ChildProcess

    init(folder: TemporaryFolder, arguments: [String]) async throws {
        let name = UUID().uuidString
        process = try ChildProcess(
            "/usr/bin/python3", ["-W", "ignore", "server.py"] + arguments, environment: ["PATH": "/usr/bin:/bin"],
            folder: folder.path, standardOutput: folder.path(of: "\(name).port"),
            standardError: folder.path(of: "\(name).err"))
        let process = self.process
        // The port is printed after the socket listens, so no delay is needed.
        port = try await eventually("the TLS server listens") {
            if process.exit != nil { throw ProbeFailure(folder.text(of: "\(name).err")) }
            return Int(folder.text(of: "\(name).port").trimmingCharacters(in: .whitespacesAndNewlines))
        }
    }

    func stop() { process.send(SIGKILL) }
}
