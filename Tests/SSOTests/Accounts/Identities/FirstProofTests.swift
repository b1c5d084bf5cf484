import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import IdPAccounts
@testable import IdPProviders
@testable import IdPTestKit
@testable import TestKit

@Suite("The first proof of an account's address", .program)
struct FirstProofTests {
    @Test("it ends the name that the provider or its user has chosen, with the identities of that time")
    func name() async throws {
        try await ProviderDeployment.open([.oidc]) { place in
            _ = try await place.signIn(.oidc, in: place.deployment.browser())
            try await place.deployment.stored.accounts.rename("Your Bank")
            _ = try await place.deployment.signedIn()
            #expect(try await place.externalIdentities() == 0)
            let initial = DisplayName.initial(for: "ann@example.com")
            #expect(try await place.deployment.stored.accounts.named(initial).count() == 1)
        }
    }
}
