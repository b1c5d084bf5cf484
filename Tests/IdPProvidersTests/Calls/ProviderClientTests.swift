import JWT
import Logging
import Testing

@testable import Counterparts
@testable import IdPProviders
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// Over real HTTP, with a provider that checks what it is sent.
@Suite("A provider on a port of its own", .rules)
struct ProviderClientTests {
    private static let redirectURI = "https://idp.example/auth/work/callback"

    private let clock = TestClock()

    private func client() throws -> ProviderClient {
        try ProviderClient(
            clock: clock.clock, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    private func start(
        _ kind: Provider.Kind, _ algorithm: SignatureAlgorithm = .rs256, isPublicClient: Bool = false
    ) async throws -> StandInProvider {
        try await StandInProvider.start(
            kind, clock: clock.clock, algorithm: algorithm, isPublicClient: isPublicClient)
    }

    /// A whole sign-in, as the browser would do it.
    private func signIn(
        _ standIn: StandInProvider, _ client: ProviderClient, nonce: String = "nonce-1"
    ) async throws -> ProviderIdentity {
        let verifier = Base64URL.encode([UInt8](repeating: 7, count: 32))
        let provider = standIn.provider()
        let url = try await client.authorizationURL(
            provider,
            .init(
                state: "state-1", nonce: "nonce-1", codeChallenge: Base64URL.encode(SHA256.hash(Array(verifier.utf8))),
                redirectURI: Self.redirectURI))
        let answer = try standIn.answer(to: url)
        #expect(answer.state == "state-1" && answer.isFormPost == (standIn.kind == .apple))
        return try await client.identity(
            provider,
            .init(
                code: answer.code, codeVerifier: verifier, nonce: nonce, redirectURI: Self.redirectURI,
                issuer: answer.iss, user: answer.field("user")))
    }

    @Test("a sign-in with each algorithm, with a secret and without", arguments: SignatureAlgorithm.allCases)
    func algorithms(_ algorithm: SignatureAlgorithm) async throws {
        for isPublicClient in [false, true] {
            let standIn = try await start(.oidc, algorithm, isPublicClient: isPublicClient)
            let identity = try await signIn(standIn, try client())
            #expect(identity.issuer == standIn.issuer && identity.subject == standIn.user.subject)
            #expect(identity.email?.text == "ann@example.com" && identity.name == "Ann Example")
            #expect(standIn.problems.isEmpty)
        }
    }

    @Test("Apple takes the client secret, gives the name once, and has its refresh token revoked")
    func apple() async throws {
        let standIn = try await start(.apple)
        standIn.user.isPrivateEmail = true
        let client = try client()
        let first = try await signIn(standIn, client)
        let second = try await signIn(standIn, client)
        #expect(first.name == "Ann Example" && second.name == nil && first.isPrivateEmail)
        let token = try #require(first.refreshToken)
        try await client.revoke(standIn.provider(), refreshToken: token)
        #expect(standIn.revoked == [token] && standIn.problems.isEmpty)
    }

    @Test("Apple's notification is checked with Apple's keys")
    func notification() async throws {
        let standIn = try await start(.apple)
        let body = try JSONDecoding.value(Array(standIn.notification("account-deleted", subject: "s-1").utf8))
        let payload = try #require(body["payload"]?.text)
        let notification = try await client().notification(standIn.provider(), payload: payload)
        #expect(notification.event == .accountDeleted && notification.subject == "s-1")
    }

    @Test("GitHub's user and address come from its API")
    func gitHub() async throws {
        let standIn = try await start(.github)
        let identity = try await signIn(standIn, try client())
        #expect(identity.subject == standIn.user.subject && identity.email?.text == "ann@example.com")
        #expect(standIn.problems.isEmpty)
    }

    @Test("a second sign-in fetches neither the document nor the keys, and new keys are fetched once")
    func caches() async throws {
        let standIn = try await start(.oidc)
        let client = try client()
        for _ in 1...3 { _ = try await signIn(standIn, client) }
        #expect(standIn.requests(at: .discovery).count == 1 && standIn.requests(at: .keys).count == 1)
        try standIn.rotateKeys()
        for _ in 1...3 { _ = try await signIn(standIn, client) }
        #expect(standIn.requests(at: .discovery).count == 1 && standIn.requests(at: .keys).count == 2)
    }

    @Test("a redirect is not followed, and a provider that is gone is reported as unreachable")
    func outages() async throws {
        let standIn = try await start(.oidc)
        standIn.replace(.discovery) { _ in .redirect(to: "/elsewhere", status: "302 Found") }
        let first = try client()
        let redirected = await OpenIDFixture.reason { _ = try await first.check(standIn.provider()) }
        #expect(redirected == "discovery_status" && standIn.requests.count == 1)
        standIn.stop()
        let second = try client()
        let gone = await OpenIDFixture.reason { _ = try await second.check(standIn.provider()) }
        #expect(gone == "discovery_unreachable")
    }

    @Test("the answer of another flow is refused by its nonce")
    func otherFlow() async throws {
        let standIn = try await start(.oidc)
        let client = try client()
        let reason = await OpenIDFixture.reason { _ = try await signIn(standIn, client, nonce: "nonce-2") }
        #expect(reason == "nonce_mismatch")
    }
}
