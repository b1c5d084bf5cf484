import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdPFlow
@testable import IdPProviderSignIn
@testable import IdPProviders
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("The purpose of an attempt at a provider", .program, .alsoOnPostgres)
struct AttemptPurposeTests {
    @Test("is stored as every version has stored it, and comes back as it was")
    func stored() async throws {
        try await TestDeployment.open { deployment in
            let store = ProviderAttemptStore(database: deployment.database, clock: deployment.clock.clock)
            let provider = try #require(
                try ProvidersFileTests.read(ProvidersFixture.entry(.oidc)).providers.first { $0.id == "work" })
            let id = FlowID.example(1)
            for (name, purpose, flow, columns) in [
                ("a", .signIn(id), id, ["sign_in", id.text, nil]), ("b", .signIn(nil), nil, ["sign_in", nil, nil]),
                ("c", .link(accountID: "usr_1"), nil, ["link", nil, "usr_1"]),
                ("d", .init("app_link", flow: id), nil, ["app_link", id.text, nil]),
            ] as [(String, ProviderAttempt.Purpose, FlowID?, [String?])] {
                let attempt = ProviderAttempt(
                    id: name, provider: "work", registration: provider.registration, purpose: purpose)
                try await deployment.database.write { try store.begin(attempt, $0) }
                let row = try await deployment.stored.providerAttempts.id(name).purposes()
                #expect(row == [columns])
                guard case .pending(let read) = try await store.state(of: name, provider: provider) else {
                    Issue.record("\(name) is not pending")
                    continue
                }
                #expect(read.flow == flow && read.signsIn == (columns[0] == "sign_in"))
                #expect([read.purpose.id, read.purpose.flow?.text, read.purpose.accountID] == columns)
            }
        }
    }
}
