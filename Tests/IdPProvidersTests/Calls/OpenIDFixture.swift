import JWT
import Logging
import Synchronization

@testable import Counterparts
@testable import IdPProviders
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// The network of a test: each URL has an answer, and nothing leaves the process.
final class ScriptedTransport: ProviderTransport {
    typealias Handler = @Sendable (HTTPClient.Request) async -> Result<HTTPClient.Response, ConnectionError>

    private let state = Mutex((handlers: [String: Handler](), requests: [HTTPClient.Request]()))

    /// Answers a URL without its query.
    func on(_ url: String, _ handler: @escaping Handler) { state.withLock { $0.handlers[url] = handler } }

    func on(
        _ url: String, _ body: String, status: Int = 200, type: String = "application/json", cache: String? = nil
    ) {
        on(url) { _ in .success(Self.response(body, status: status, type: type, cache: cache)) }
    }

    func on(_ url: String, failing error: ConnectionError) { on(url) { _ in .failure(error) } }

    static func response(
        _ body: String, status: Int = 200, type: String = "application/json", cache: String? = nil,
        headers: [(String, String)] = []
    ) -> HTTPClient.Response {
        HTTPClient.Response(
            status: status,
            headers: [("content-type", type)] + (cache.map { [("cache-control", $0)] } ?? []) + headers,
            body: Array(body.utf8))
    }

    /// Everything that was asked, in order.
    var requests: [HTTPClient.Request] { state.withLock { $0.requests } }
    func requests(to url: String) -> [HTTPClient.Request] { requests.filter { Self.address($0) == url } }

    private static func address(_ request: HTTPClient.Request) -> String { String(request.url.prefix { $0 != "?" }) }

    func send(_ request: HTTPClient.Request) async throws(ConnectionError) -> HTTPClient.Response {
        let handler = state.withLock { state in
            state.requests.append(request)
            return state.handlers[Self.address(request)]
        }
        guard let handler else { throw .notConnected("nothing answers at \(request.url)") }
        return try await handler(request).get()
    }
}

/// One key of each algorithm, made once.
struct OpenIDKeys: Sendable {
    static let made = Result { try OpenIDKeys() }

    let rs256, ps256, es256, eddsa, stranger: StandInKey

    private init() throws {
        rs256 = try StandInKey(.rs256, id: "rsa")
        ps256 = try StandInKey(.ps256, id: "pss")
        es256 = try StandInKey(.es256, id: "ec")
        eddsa = try StandInKey(.eddsa, id: "ed")
        stranger = try StandInKey(.es256, id: "ec")
    }

    subscript(algorithm: SignatureAlgorithm) -> StandInKey {
        switch algorithm {
        case .rs256: rs256
        case .ps256: ps256
        case .es256: es256
        case .eddsa: eddsa
        }
    }

    var all: [StandInKey] { [rs256, ps256, es256, eddsa] }
}

/// A provider in memory, and the client that signs in with it.
struct OpenIDFixture: Sendable {
    static let issuer = "https://op.example"
    static let nonce = "n-0S6_WzA2Mj"
    static let accessToken = "SlAV32hkKG"

    let clock = TestClock()
    let transport = ScriptedTransport()
    let keys: OpenIDKeys
    let client: ProviderClient
    var provider: Provider

    init(
        _ kind: Provider.Kind = .oidc, issuer: String = Self.issuer, logger: Logger? = nil,
        identityLimit: Duration = .minutes(1)
    ) throws {
        keys = try OpenIDKeys.made.get()
        client = ProviderClient(
            clock: clock.clock, logger: logger ?? Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            transport: transport, identityLimit: identityLimit)
        provider = Provider(
            id: "work", name: "Work", kind: kind, issuer: issuer, clientID: "client",
            credential: .secret(ProviderSecret(text: "secret")), scopes: ["openid", "email"], responseMode: .query,
            algorithms: SignatureAlgorithm.allCases)
        serveDiscovery()
        try serveKeys()
    }

    var discovery: [String: JSONValue] {
        [
            "issuer": .string(provider.issuer), "authorization_endpoint": .string("\(provider.issuer)/authorize"),
            "token_endpoint": .string("\(provider.issuer)/token"), "jwks_uri": .string("\(provider.issuer)/keys"),
        ]
    }

    var discoveryURL: String { DiscoveryDocument.url(provider.issuer) }
    var keysURL: String { "\(provider.issuer)/keys" }
    var tokenURL: String { "\(provider.issuer)/token" }

    func serveDiscovery(_ change: (inout [String: JSONValue]) -> Void = { _ in }) {
        var members = discovery
        change(&members)
        transport.on(discoveryURL, (try? StandInJSON.text(.object(members))) ?? "")
    }

    func serveKeys(_ list: [JSONValue]? = nil, cache: String? = nil) throws {
        let list = list ?? keys.all.map { .object($0.jwk) }
        transport.on(keysURL, try StandInJSON.text(["keys": .array(list)]), cache: cache)
    }

    /// An ID token that is accepted.
    func token(_ algorithm: SignatureAlgorithm = .es256) -> StandInToken {
        let now = Double(clock.now.seconds)
        let key = keys[algorithm]
        return StandInToken(
            header: ["alg": .string(algorithm.rawValue), "kid": .string(key.id), "typ": "JWT"],
            claims: [
                "iss": .string(provider.issuer), "sub": "248289761001", "aud": .string(provider.clientID),
                "iat": .number(now), "exp": .number(now + 3600), "nonce": .string(Self.nonce),
                "email": "ann@example.com", "email_verified": true, "name": "Ann Lee",
            ], signature: .key(key))
    }

    var answer: ProviderClient.Answer {
        .init(
            code: "a-code-0123", codeVerifier: "a-verifier-0123", nonce: Self.nonce,
            redirectURI: "https://idp.example/cb")
    }

    /// The identity after an answer with this ID token.
    func identity(_ token: StandInToken, user: String? = nil) async throws -> ProviderIdentity {
        try await identity(text: token.text(), user: user)
    }

    func identity(text: String, user: String? = nil) async throws -> ProviderIdentity {
        transport.on(
            tokenURL,
            try StandInJSON.text([
                "access_token": .string(Self.accessToken), "token_type": "Bearer", "id_token": .string(text),
            ]))
        var answer = answer
        answer.user = user
        return try await client.identity(provider, answer)
    }

    /// Why an answer with this ID token is not believed; nil when it is.
    func refusal(_ token: StandInToken) async -> String? {
        await OpenIDFixture.reason { _ = try await identity(token) }
    }

    /// The reason of the error that the body throws.
    static func reason(_ body: () async throws -> Void) async -> String? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? ProviderError)?.reason ?? "\(error)"
        }
    }
}
