import Foundation
import Glibc
import SSOShared
import Synchronization

/// An OpenID provider on loopback. Takes one call at a time, and measures its own time. Its users agree at once.
final class BenchProvider: Sendable {
    /// What it has done so far.
    struct Work {
        var calls = 0
        /// From the complete requests to the answers, with the waiting that ``setDelay(milliseconds:)`` orders.
        var seconds = 0.0
    }

    /// What a code stands for.
    private struct Grant {
        let user, nonce, challenge: String
    }

    private struct State {
        var delay: UInt32 = 0
        var work = Work()
        var users = 0
        var grants: [String: Grant] = [:]
    }

    /// The IdP's client id there.
    private static let clientID = "bench"

    let key: ProviderKey
    private let listener: Int32
    private let issuer: String
    private let state = Mutex(State())

    /// Starts it. It ends with this program.
    init(_ key: ProviderKey) throws {
        let socket = try WireConnection.boundSocket()
        guard listen(socket.descriptor, 16) == 0 else { throw BenchError("cannot listen: errno \(errno)") }
        (self.key, listener, issuer) = (key, socket.descriptor, "http://127.0.0.1:\(socket.port)")
        Thread.detachNewThread { [self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { continue }
                answer(connection)
                close(connection)
            }
        }
    }

    var id: String { key.algorithm.lowercased() }

    /// Its entry in `IDP_PROVIDERS_FILE`: a public client.
    var entry: String {
        """
          - id: \(id)
            name: \(key.algorithm)
            kind: oidc
            issuer: "\(issuer)"
            client_id: \(Self.clientID)
            algorithms: [\(key.algorithm)]
            owns_addresses: [example.com]

        """
    }

    var work: Work { state.withLock { $0.work } }

    /// How long it waits before each answer, as one that is far away.
    func setDelay(milliseconds: UInt32) { state.withLock { $0.delay = milliseconds * 1_000 } }

    /// A user whom the IdP has not seen signs in and agrees.
    ///
    /// - Returns: the path and query that bring the answer back to the IdP.
    func agree(to authorizationURL: String) throws -> String {
        let asked = Self.fields(of: authorizationURL)
        guard authorizationURL.hasPrefix("\(issuer)/authorize?"), let state = asked["state"],
            let nonce = asked["nonce"],
            let challenge = asked["code_challenge"],
            let callback = asked["redirect_uri"].flatMap({ URLComponents(string: $0)?.path })
        else { throw BenchError("not an authorization request: \(authorizationURL)") }
        let code = Base64URL.encode(try RandomBytes.generate(16))
        self.state.withLock { state in
            state.users += 1
            state.grants[code] = Grant(user: "\(id)-\(state.users)", nonce: nonce, challenge: challenge)
        }
        return "\(callback)?code=\(code)&state=\(state)"
    }

    // MARK: - Calls

    private func answer(_ connection: Int32) {
        guard let request = Self.request(connection) else { return }
        let begin = LoadLoop.now()
        usleep(state.withLock { $0.delay })
        let json = try? json(request)
        let body = json ?? JSONText.object([.init("error", "invalid_grant")])
        let answer = Array(
            """
            HTTP/1.1 \(json == nil ? "400 Bad Request" : "200 OK")\r\nContent-Type: application/json\r
            Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)
            """.utf8)
        // Before the answer leaves: the callback reads it when it has ended.
        state.withLock {
            $0.work.calls += 1
            $0.work.seconds += Double(LoadLoop.now() - begin) / 1e9
        }
        _ = send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
    }

    private func json(_ request: (path: String, body: String)) throws -> String {
        switch request.path {
        case "/.well-known/openid-configuration":
            JSONText.object([
                .init("issuer", issuer), .init("authorization_endpoint", "\(issuer)/authorize"),
                .init("token_endpoint", "\(issuer)/token"), .init("jwks_uri", "\(issuer)/keys"),
                .init("id_token_signing_alg_values_supported", [key.algorithm]),
            ])
        case "/keys": key.keySet
        case "/token": try tokens(Self.fields(of: "?\(request.body)"))
        default: throw BenchError("no such path: \(request.path)")
        }
    }

    private func tokens(_ fields: [String: String]) throws -> String {
        guard let grant = state.withLock({ $0.grants.removeValue(forKey: fields["code"] ?? "") }),
            CodeChallenge.s256(fields["code_verifier"] ?? "") == grant.challenge
        else { throw BenchError("an unknown code, or another verifier") }
        let access = Base64URL.encode(try RandomBytes.generate(32))
        let now = Int(Date().timeIntervalSince1970)
        let header = JSONText.object([.init("alg", key.algorithm), .init("kid", ProviderKey.id), .init("typ", "JWT")])
        let claims = JSONText.object([
            .init("iss", issuer), .init("sub", grant.user), .init("aud", Self.clientID), .init("exp", now + 3_600),
            .init("iat", now), .init("auth_time", now), .init("nonce", grant.nonce),
            .init("at_hash", Base64URL.encode(Array(SHA256.hash(Array(access.utf8)).prefix(16)))),
            .init("email", "\(grant.user)@example.com"), .init("email_verified", true), .init("name", grant.user),
        ])
        let signed = [header, claims].map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")
        let token = "\(signed).\(Base64URL.encode(try key.sign(Data(signed.utf8))))"
        return JSONText.object([
            .init("access_token", access), .init("token_type", "Bearer"), .init("expires_in", 3_600),
            .init("id_token", token),
        ])
    }

    /// Reads one request; nil when the connection ends before.
    private static func request(_ connection: Int32) -> (path: String, body: String)? {
        var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 1 << 14))
        while true {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            bytes += buffer[..<count]
            let body = bytes.withUnsafeBytes { bytes -> Int? in
                guard let end = ByteSearch.find("\r\n\r\n", in: bytes) else { return nil }
                let length = ByteSearch.number(after: "content-length: ", in: bytes) ?? 0
                return bytes.count >= end + 4 + length ? end + 4 : nil
            }
            guard let body else { continue }
            let words = bytes.split(separator: UInt8(ascii: " "), maxSplits: 2)
            guard words.count == 3 else { return nil }
            return (String(decoding: words[1], as: UTF8.self), String(decoding: bytes[body...], as: UTF8.self))
        }
    }

    private static func fields(of url: String) -> [String: String] {
        let items = URLComponents(string: url)?.queryItems ?? []
        return Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
    }
}
