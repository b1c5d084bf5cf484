import Foundation
import JWT
import SSOShared
import SSOWeb
import Synchronization

@testable import IdPProviders
@testable import TestKit
@testable import WebTestKit

/// A sign-in provider on a port of its own, honest unless a test changes an answer.
///
/// It checks what the IdP sends, as a real provider does: client, redirect URI, PKCE, client authentication, one use of
/// each code. What it refuses is in ``problems``. Its time is the clock it was started with.
final class StandInProvider: Sendable {
    /// Who signs in there.
    struct User: Sendable {
        /// For GitHub digits.
        var subject = "10021"
        var email: String? = "ann@example.com"
        var emailVerified = true
        /// An address of Apple's private relay.
        var isPrivateEmail = false
        var name: String? = "Ann Example"
        /// When the user signed in there. Nil: never said, unless the request asks for it.
        var authTime: Timestamp?
    }

    enum Endpoint: String, Sendable, CaseIterable {
        case discovery, keys, authorize, decide, token, user, emails, revoke
    }

    /// One request to it.
    struct Request: Sendable {
        /// Nil for a path that it does not have.
        let endpoint: Endpoint?
        let method: String
        let target: String
        /// The fields of the query and of a form.
        let fields: [(String, String)]
        let message: BackChannelStub.Request

        func field(_ name: String) -> String? { fields.first { $0.0 == name }?.1 }
        func header(_ name: String) -> String? { message.header(name) }
    }

    typealias Answer = BackChannelStub.Answer

    struct State: Sendable {
        var user = User()
        var keys: [StandInKey] = []
        /// What the client has registered. Empty: any redirect URI.
        var redirectURIs: Set<String> = []
        var replaced: [Endpoint: @Sendable (Request) throws -> Answer] = [:]
        var altered: [Endpoint: @Sendable (inout [String: JSONValue]) -> Void] = [:]
        var alterToken: (@Sendable (inout StandInToken) throws -> Void)?
        /// By the value in the page's form.
        var pending: [String: StandInRequest] = [:]
        /// By code.
        var grants: [String: StandInGrant] = [:]
        /// By access token.
        var access: [String: User] = [:]
        var refreshTokens: [String] = []
        var revoked: [String] = []
        /// Apple: who has agreed before.
        var knownSubjects: Set<String> = []
        var requests: [Request] = []
        var problems: [String] = []
    }

    let kind: Provider.Kind
    let clientID: String
    let clientSecret: String
    let apple: StandInAppleClient
    let clock: ServiceClock
    let algorithm: SignatureAlgorithm
    let isPublicClient: Bool
    let folder: TemporaryFolder
    let state: Mutex<State>
    /// Set once, before the first request.
    private let server = Mutex<BackChannelStub?>(nil)

    /// Starts a provider.
    ///
    /// - Parameters:
    ///   - clock: for `iat`, `exp` and `auth_time`, and for what it checks.
    ///   - algorithm: of its ID tokens.
    ///   - isPublicClient: no client secret, only PKCE.
    static func start(
        _ kind: Provider.Kind, clock: ServiceClock, algorithm: SignatureAlgorithm = .rs256, isPublicClient: Bool = false
    ) async throws -> StandInProvider {
        try await onOwnThread {
            let provider = try StandInProvider(kind, clock, algorithm, isPublicClient)
            let server = try BackChannelStub { [weak provider] in provider?.respond(to: $0) ?? .hang }
            provider.server.withLock { $0 = server }
            return provider
        }
    }

    private init(_ kind: Provider.Kind, _ clock: ServiceClock, _ algorithm: SignatureAlgorithm, _ isPublic: Bool) throws
    {
        (self.kind, self.clock, self.algorithm, isPublicClient) = (kind, clock, algorithm, isPublic)
        clientID = kind == .apple ? "com.example.sso.web" : "client-\(StandInProvider.random(6))"
        clientSecret = StandInProvider.random(32)
        apple = try StandInAppleClient()
        folder = try TemporaryFolder()
        let prefix = StandInProvider.random(6)
        state = Mutex(State())
        let key = kind == .github ? nil : try StandInKey(algorithm, id: "\(prefix)-1")
        state.withLock { $0.keys = key.map { [$0] } ?? [] }
        try writeSecrets()
    }

    deinit { stop() }

    /// Refuses connections from now on.
    func stop() { server.withLock { $0?.stop() } }

    var port: Int { server.withLock { $0?.port } ?? 0 }
    /// The exact `iss`; for GitHub the origin of its pages.
    var issuer: String { "http://127.0.0.1:\(port)" }
    /// Everything it was asked, in order.
    var requests: [Request] { state.withLock { $0.requests } }
    func requests(at endpoint: Endpoint) -> [Request] { requests.filter { $0.endpoint == endpoint } }
    /// What it refused, each with the reason. Empty after an honest sign-in.
    var problems: [String] { state.withLock { $0.problems } }
    /// Apple's refresh tokens that have been revoked.
    var revoked: [String] { state.withLock { $0.revoked } }

    /// Who signs in next.
    var user: User {
        get { state.withLock { $0.user } }
        set { state.withLock { $0.user = newValue } }
    }

    /// Accepts only these redirect URIs from now on.
    func register(redirectURIs: Set<String>) { state.withLock { $0.redirectURIs = redirectURIs } }

    // MARK: Other answers

    /// Answers an endpoint by a closure from now on; nil: honestly again.
    func replace(_ endpoint: Endpoint, _ answer: (@Sendable (Request) throws -> Answer)?) {
        state.withLock { $0.replaced[endpoint] = answer }
    }

    /// Changes the JSON object that an endpoint answers: discovery, keys, token, user. Nil: honestly again.
    func alter(_ endpoint: Endpoint, _ change: (@Sendable (inout [String: JSONValue]) -> Void)?) {
        state.withLock { $0.altered[endpoint] = change }
    }

    /// Changes the claims of every ID token from now on; nil: honestly again.
    func claims(_ change: (@Sendable (inout [String: JSONValue]) -> Void)?) {
        guard let change else { return idToken(nil) }
        idToken { change(&$0.claims) }
    }

    /// Changes everything about every ID token from now on: header, claims, their bytes, the signature. Nil: honestly again.
    func idToken(_ change: (@Sendable (inout StandInToken) throws -> Void)?) {
        state.withLock { $0.alterToken = change }
    }

    /// The key that signs.
    var key: StandInKey {
        get throws {
            guard let key = state.withLock({ $0.keys.last }) else { throw ProbeFailure("\(kind) has no keys") }
            return key
        }
    }

    /// Signs with a new key from now on and publishes it alone, or with the earlier ones.
    func rotateKeys(keepingOld: Bool = false, algorithm: SignatureAlgorithm? = nil) throws {
        let key = try StandInKey(algorithm ?? self.algorithm, id: "\(StandInProvider.random(6))-next")
        state.withLock { $0.keys = (keepingOld ? $0.keys : []) + [key] }
    }

    // MARK: Requests

    private func respond(to message: BackChannelStub.Request) -> Answer {
        let request = read(message)
        let replaced = state.withLock { state in
            state.requests.append(request)
            return request.endpoint.flatMap { state.replaced[$0] }
        }
        do {
            return try replaced?(request) ?? honest(request)
        } catch {
            state.withLock { $0.problems.append("\(request.endpoint?.rawValue ?? request.target): \(error)") }
            return .page("Error", StandInPages.text("\(error)"), status: "400 Bad Request")
        }
    }

    /// The answer without ``replace(_:_:)``.
    func honest(_ request: Request) throws -> Answer {
        switch request.endpoint {
        case .discovery: try json(.discovery, discovery)
        case .keys: try json(.keys, keySet)
        case .authorize: try consentPage(request)
        case .decide: try decision(request)
        case .token: try tokens(request)
        case .user: try gitHubUser(request)
        case .emails: try gitHubEmails(request)
        case .revoke: try revocation(request)
        case nil: .page("Not found", "", status: "404 Not Found")
        }
    }

    /// The object, changed as ``alter(_:_:)`` wants it.
    func json(_ endpoint: Endpoint, _ members: [String: JSONValue], status: String = "200 OK") throws -> Answer {
        var members = members
        state.withLock { $0.altered[endpoint] }?(&members)
        return .json(try StandInJSON.text(.object(members)), status: status)
    }

    private func read(_ message: BackChannelStub.Request) -> Request {
        let words = message.head.prefix { $0 != "\r\n" }.split(separator: " ").map(String.init)
        let target = words.count > 1 ? words[1] : ""
        let path = String(target.prefix { $0 != "?" })
        var fields = FormCoding.fields(target.drop { $0 != "?" }.dropFirst())
        if message.header("content-type")?.hasPrefix("application/x-www-form-urlencoded") == true {
            fields += FormCoding.fields(String(decoding: message.body, as: UTF8.self))
        }
        return Request(
            endpoint: Endpoint.allCases.first { self.path(of: $0) == path }, method: words.first ?? "", target: target,
            fields: fields, message: message)
    }

    /// Random letters and digits of a hexadecimal number.
    static func random(_ bytes: Int) -> String {
        var generator = SystemRandomNumberGenerator()
        return Hex.encode((0..<bytes).map { _ in UInt8.random(in: 0...255, using: &generator) })
    }
}
