import Foundation
import SSOShared
import SSOWeb
import Storage
import Synchronization
import Testing

@testable import Counterparts
@testable import IdPAccountPages
@testable import IdPOperations
@testable import IdPProviderSignIn
@testable import IdPProviders
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("Refresh tokens of identities that are gone", .program)
struct TokenRevocationTests {
    /// A provider that answers as the test says, and keeps what it was told.
    private final class Told: ProviderRevocation {
        private let state = Mutex<(tokens: [String], fails: Bool)>(([], false))
        var tokens: [String] { state.withLock(\.tokens) }
        func fail(_ fails: Bool) { state.withLock { $0.fails = fails } }

        func revoke(_ provider: Provider, refreshToken: String) async throws(ProviderError) {
            let fails = state.withLock { state in
                state.tokens.append(refreshToken)
                return state.fails
            }
            if fails { throw .call(.revocation, status: 500) }
        }
    }

    private static func revocation(_ place: ProviderDeployment, _ told: Told) -> IdentityRevocation {
        let (deployment, logger) = (place.deployment, place.deployment.log.logger("idp"))
        return IdentityRevocation(
            database: deployment.database, clock: deployment.clock.clock,
            providers: ProviderRegistry(deployment.idp.providers, logger: logger),
            refreshTokens: ProviderFeature.refreshTokens(deployment.keys, SystemRandomness()),
            revocation: told, logger: logger)
    }

    @Test("those of an identity that the first proof of the address ends are revoked at Apple, once")
    func firstProof() async throws {
        try await ProviderDeployment.open([.apple]) { place in
            _ = try await place.signIn(.apple, in: place.deployment.browser())
            let issued = try place.standIn(.apple).state.withLock { Array($0.refreshTokens) }
            _ = try await place.deployment.signedIn()
            #expect(try await place.externalIdentities() == 0)
            let (told, revocation) = { ($0, Self.revocation(place, $0)) }(Told())
            #expect(try await revocation.settle(limit: 100) == 1)
            #expect(try await revocation.settle(limit: 100) == 0)
            #expect(issued.count == 1 && told.tokens == issued)
            #expect(try await place.deployment.rows(of: "token_revocation") == 0)
        }
    }

    @Test("those of a user who was erased are revoked at Apple")
    func erased() async throws {
        try await ProviderDeployment.open([.apple]) { place in
            _ = try await place.owner(adding: .apple)
            try await place.deployment.make(EraseUser("ann@example.com", .now))
            #expect(try await place.deployment.rows(of: "account_identity") == 0)
            let told = Told()
            #expect(try await Self.revocation(place, told).settle(limit: 100) == 1)
            #expect(try place.standIn(.apple).state.withLock { Array($0.refreshTokens) } == told.tokens)
        }
    }

    @Test("a provider that fails is asked again after ten minutes, by one process, and given up after a day")
    func retries() async throws {
        try await ProviderDeployment.open([.apple]) { place in
            _ = try await place.owner(adding: .apple)
            try await place.deployment.make(EraseUser("ann@example.com", .now))
            let (one, two, clock) = (Told(), Told(), place.deployment.clock)
            one.fail(true)
            #expect(try await Self.revocation(place, one).settle(limit: 100) == 0)
            #expect(try await Self.revocation(place, two).settle(limit: 100) == 0)
            #expect(one.tokens.count == 1 && two.tokens.isEmpty)
            clock.advance(by: .minutes(10))
            #expect(try await Self.revocation(place, one).settle(limit: 100) == 0)
            #expect(one.tokens.count == 2)
            clock.advance(by: .days(1))
            #expect(try await Self.revocation(place, one).settle(limit: 100) == 1)
            #expect(try await place.deployment.rows(of: "token_revocation") == 0)
            let failures = place.deployment.log.text.split(separator: "\n")
                .filter { $0.contains(" provider_revocation_failed ") }
            #expect(failures.map { $0.contains(#""retries": yes"#) } == [true, true, false])
            #expect(one.tokens.allSatisfy { !place.deployment.log.text.contains($0) })
        }
    }
}
