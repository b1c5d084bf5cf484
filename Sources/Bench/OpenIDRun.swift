import Foundation
import SSOShared

/// Measures what a sign-in by OpenID Connect costs: code, tokens and userinfo, for each algorithm, beside a login.
struct OpenIDRun {
    /// The options of the command line that count here.
    static let options: Set<String> = ["--rounds", "--program", "--parent"]

    /// How many sign-ins are measured together. The kernel counts processor time in steps of 10 ms.
    private static let batch = 500

    let options: BenchOptions

    func run() throws {
        let folder = "\(options.parent)/swift-sso-bench.\(getpid())"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = "\(folder)/clients.yaml"
        let idp = try IdPUnderTest(
            options.program, folder: "\(folder)/this", label: "this build", settings: ["IDP_CLIENTS_FILE": file])
        let clients = try ["RS256", "ES256", "EdDSA"].map { try OpenIDClient(algorithm: $0) }
        try "clients:\n\(clients.map(\.entry).joined())".write(toFile: file, atomically: true, encoding: .utf8)
        try idp.start()
        try idp.signIn(1)
        // Keys, connections, caches and statements are warm afterwards.
        _ = try idp.logIn(concurrency: 1, seconds: 1)
        for client in clients { _ = try idp.signInByOpenID(client, count: 50) }

        var (logins, signIns) = ([Double](), clients.map { _ in [Double]() })
        for round in 0..<options.rounds {
            // The first of a round may have an advantage, so rounds go forth and back.
            let order = Array(0...clients.count)
            for index in round.isMultiple(of: 2) ? order : order.reversed() {
                if index == clients.count {
                    let login = try idp.logIn(concurrency: 1, seconds: 1)
                    guard login.errors.isEmpty else { throw BenchError("logins failed: \(login.errors)") }
                    logins.append(login.processorTime)
                } else {
                    signIns[index].append(try idp.signInByOpenID(clients[index], count: Self.batch))
                }
            }
        }
        try idp.stop()
        Report.title(
            "OpenID Connect: code, tokens and userinfo, \(options.rounds * Self.batch) of each kind, one at a time")
        Report.line("processor time per login by /auth/sso", "\(Report.range(logins.map { $0 * 1_000 }, 2)) ms")
        for (client, times) in zip(clients, signIns) {
            Report.line("\(client.algorithm), processor time", "\(Report.range(times.map { $0 * 1_000 }, 2)) ms")
            Report.line("\(client.algorithm), to a login", Report.range(zip(times, logins).map(/), 2))
        }
    }
}

/// A client of OpenID Connect that the bench plays.
struct OpenIDClient {
    let algorithm: String
    let secret: String

    var id: String { "bench-\(algorithm.lowercased())" }
    private static let callback = "http://127.0.0.1:9/callback"

    init(algorithm: String) throws { (self.algorithm, secret) = (algorithm, Hex.encode(try RandomBytes.generate(32))) }

    /// Its entry in the clients file.
    var entry: String {
        "  - {id: \(id), name: Bench, protocols: [oidc], redirect_uris: [\"\(Self.callback)\"], secrets: [\"\(secret)\"], "
            + "id_token_alg: \(algorithm), access: everyone}\n"
    }

    func authorizeRequest(state: Int, cookie: String, authority: String) -> [UInt8] {
        let query = """
            client_id=\(id)&redirect_uri=http%3A%2F%2F127.0.0.1%3A9%2Fcallback&response_type=code&scope=openid%20email&\
            state=bench-\(state)&nonce=bench-\(state)
            """
        return Array("GET /oidc/authorize?\(query) HTTP/1.1\r\nHost: \(authority)\r\nCookie: \(cookie)\r\n\r\n".utf8)
    }

    func tokenRequest(code: String, authority: String) -> [UInt8] {
        let basic = Data("\(id):\(secret)".utf8).base64EncodedString()
        let body =
            "grant_type=authorization_code&code=\(code)&redirect_uri=http%3A%2F%2F127.0.0.1%3A9%2Fcallback"
        return Array(
            """
            POST /oidc/token HTTP/1.1\r\nHost: \(authority)\r\nAuthorization: Basic \(basic)\r
            Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)
            """.utf8)
    }

    func userInfoRequest(token: String, authority: String) -> [UInt8] {
        Array("GET /oidc/userinfo HTTP/1.1\r\nHost: \(authority)\r\nAuthorization: Bearer \(token)\r\n\r\n".utf8)
    }
}

extension IdPUnderTest {
    /// Signs the first browser in at a client, again and again.
    ///
    /// - Returns: processor time of the IdP for each, in seconds.
    /// - Throws: ``BenchError`` when one does not end with the user's claims.
    func signInByOpenID(_ client: OpenIDClient, count: Int) throws -> Double {
        let connection = try WireConnection(port: port, index: 0)
        let before = processorTime
        for _ in 0..<count {
            let asked = try connection.exchange(
                client.authorizeRequest(state: newState(), cookie: firstCookie, authority: authority))
            guard asked.status == 302, let code = ByteSearch.text(after: "code=", until: "&\r", in: asked.head) else {
                throw BenchError("authorize answered \(asked.status)\n\(logEnd)")
            }
            let redeemed = try connection.exchange(client.tokenRequest(code: code, authority: authority))
            guard redeemed.status == 200,
                let token = ByteSearch.text(after: "\"access_token\":\"", until: "\"", in: redeemed.body)
            else { throw BenchError("token answered \(redeemed.status)\n\(logEnd)") }
            let told = try connection.exchange(client.userInfoRequest(token: token, authority: authority))
            guard told.status == 200, ByteSearch.find("\"email\":\"bench0@example.com\"", in: told.body) != nil else {
                throw BenchError("userinfo answered \(told.status)\n\(logEnd)")
            }
        }
        return (processorTime - before) / Double(count)
    }
}
