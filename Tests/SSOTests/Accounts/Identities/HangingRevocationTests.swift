import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Synchronization
import Testing

@testable import Counterparts
@testable import IdPAccountPages
@testable import IdPProviderSignIn
@testable import IdPProviders
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("Providers that accept a revocation and never answer", .program)
struct HangingRevocationTests {
    /// One provider whose calls end when the test says so, beside others that answer at once.
    private final class HalfHanging: ProviderRevocation {
        private let hanging: String
        private let state = Mutex(State())

        private struct State {
            var told: [String] = []
            /// How many calls of the one that hangs had begun when the first other one was told.
            var before: Int?
            var begun = 0
            var waiting: [CheckedContinuation<Void, Never>] = []
            var isOpen = false
        }

        init(hanging issuer: String) { hanging = issuer }

        /// The tokens that a provider which answers was told of.
        var told: [String] { state.withLock(\.told) }
        var before: Int? { state.withLock(\.before) }

        func revoke(_ provider: Provider, refreshToken: String) async throws(ProviderError) {
            guard provider.issuer == hanging else {
                return state.withLock { state in
                    state.told.append(refreshToken)
                    state.before = state.before ?? state.begun
                }
            }
            await withCheckedContinuation { caller in
                let goesOn = state.withLock { state in
                    state.begun += 1
                    if !state.isOpen { state.waiting.append(caller) }
                    return state.isOpen
                }
                if goesOn { caller.resume() }
            }
        }

        func letGo() {
            let callers = state.withLock { state in
                state.isOpen = true
                defer { state.waiting = [] }
                return state.waiting
            }
            for caller in callers { caller.resume() }
        }
    }

    @Test(
        "with 40 tokens that wait for one of them, a later one of another provider is told of meanwhile, in one round")
    func other() async throws {
        try await ProviderDeployment.open([.apple, .google]) { place in
            let (deployment, logger) = (place.deployment, place.deployment.log.logger("idp"))
            let box = ProviderFeature.refreshTokens(deployment.keys, SystemRandomness())
            let (apple, google) = (try place.standIn(.apple).issuer, try place.standIn(.google).issuer)
            // Later than the program's clock: its own job leaves these rows alone.
            let now = deployment.clock.now + .minutes(5)
            let rows =
                try (1...40).map { (apple, try box.seal(Array("hangs-\($0)".utf8)), now - .minutes(2)) }
                + [(google, box.seal(Array("answers".utf8)), now - .minutes(1))]
            for (issuer, token, due) in rows {
                try await deployment.stored.revocations.add(
                    token, at: issuer, provider: "p", createdAt: due, due: due)
            }
            let calls = HalfHanging(hanging: apple)
            let revocation = IdentityRevocation(
                database: deployment.database, clock: ServiceClock { now },
                providers: ProviderRegistry(deployment.idp.providers, logger: logger), refreshTokens: box,
                revocation: calls, logger: logger)
            async let settled = revocation.settle(limit: 500)
            let isTold: ()? = try? await eventually("the provider that answers is told") {
                calls.told == ["answers"] ? () : nil
            }
            calls.letGo()
            #expect(try await settled >= 1 && isTold != nil)
            // Each call that hangs takes five seconds.
            #expect(calls.before.map { $0 <= 3 } == true, "\(String(describing: calls.before))")
            #expect(try await deployment.stored.revocations.at(google).count() == 0)
        }
    }
}
