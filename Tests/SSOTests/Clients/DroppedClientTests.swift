import SSOShared
import SSOWeb
import Synchronization
import Testing

@testable import IdPDirectory
@testable import IdPFlow
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// A client that is dropped between the check of its request and the transaction that decides.
@Suite("A client that is dropped during its request")
struct DroppedClientTests {
    private static func secret(_ letter: String) throws -> SharedSecret {
        try SharedSecret.parse(String(repeating: letter, count: 40), setting: "S")
    }

    private static func client(_ secrets: [SharedSecret]) -> Client {
        Client(id: "one", name: "One", redirectURIs: ["https://rp.example/cb"], secrets: secrets)
    }

    @Test("redeems nothing, and its token stays unused; one whose secret rotates meanwhile does")
    func redeem() async throws {
        try await TestDeployment.open { deployment in
            let (old, new) = (try Self.secret("o"), try Self.secret("n"))
            let next = Mutex(ClientRegistry([]))
            let directory = ClientDirectory(
                ClientSource(ClientRegistry([Self.client([old])])) {
                    .init(clients: next.withLock(\.self), problems: [], warnings: [])
                }, logger: deployment.log.logger("idp"))
            let eligibility = SignInEligibility(allowed: try AllowedEmails("*@example.com"))
            let grants = GrantStore(
                database: deployment.database, clock: deployment.clock.clock, eligibility: eligibility,
                clients: directory)
            let kind = GrantKind(
                id: "sso", secret: SSOTokenKind.self, lifetime: .minutes(5), needsReturnAddress: false)
            let token = try await deployment.signedIn().token(for: deployment.client, of: deployment)
            try await deployment.execute("UPDATE sso_token SET client_id = 'one'")
            func redeem() async throws -> GrantStore.Outcome {
                let presented = GrantStore.Presented(
                    try #require(SSOToken(wire: token)), kind, by: Self.client([old]), returnTo: nil, codeVerifier: nil
                ) { registered in registered.secrets.contains { $0.isSame(as: old) } }
                return try await grants.consume(presented, idleLimit: .hours(2))
            }
            for registered in [[], [Self.client([new])]] {
                next.withLock { $0 = ClientRegistry(registered) }
                directory.reload()
                guard case .clientDropped = try await redeem() else { throw ProbeFailure("it was let in") }
                #expect(try await deployment.rows(of: "sso_token", where: "used_at IS NOT NULL") == 0)
            }
            next.withLock { $0 = ClientRegistry([Self.client([old, new])]) }
            directory.reload()
            guard case .accepted = try await redeem() else { throw ProbeFailure("a rotation failed a sign-in") }
        }
    }
}
