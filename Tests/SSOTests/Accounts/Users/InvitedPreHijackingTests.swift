import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdPAccounts
@testable import IdPOperations
@testable import IdPProviders
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// The five forms of Sudhodanan and Paverd, "Pre-hijacked accounts" (2022), against an account that was invited: it exists
/// before its user does anything.
@Suite("Pre-hijacking of an invited account", .program)
struct InvitedPreHijackingTests {
    private static let victim = "ann@example.com"

    private static func accept(_ deployment: TestDeployment) async throws -> Browser {
        let browser = deployment.browser()
        let link = try await deployment.invitationLink(to: victim)
        let earlier = deployment.mailbox.all(to: victim)
        let waiting = try await browser.accept(link)
        _ = try await browser.enter(deployment.mailbox.code(to: victim, besides: earlier), on: waiting)
        #expect(try await browser.isSignedInOnHomePage(of: deployment))
        return browser
    }

    /// Classic-federated merge, and the non-verifying provider: its word alone opens nothing, whatever it claims, also where it
    /// owns the domain.
    @Test(
        "a provider's word alone does not open it, whether or not the provider owns the domain",
        arguments: [false, true])
    func provider(owns: Bool) async throws {
        try await ProviderDeployment.open(owning: owns ? ["example.com"] : []) { place in
            let deployment = place.deployment
            try await deployment.invite(Self.victim)
            try place.standIn(.oidc).user.email = Self.victim
            let attacker = deployment.browser()
            let page = try await place.signIn(.oidc, in: attacker)
            #expect(page.address.path == "/sign-in/known-address")
            #expect(try await deployment.signedInSessions() == 0)
            #expect(try await deployment.rows(of: "account_identity") == 0)
            _ = try await Self.accept(deployment)
            // Still not: the identity was never linked.
            #expect(try await place.signIn(.oidc, in: deployment.browser()).address.path == "/sign-in/known-address")
            #expect(try await deployment.rows(of: "account_identity") == 1)
        }
    }

    /// Unexpired session: the attacker has none, and none that began before holds afterwards.
    @Test("no session begun before the first proof belongs to it")
    func session() async throws {
        try await TestDeployment.open { deployment in
            try await deployment.invite(Self.victim)
            let attacker = deployment.browser()
            let link = try await deployment.invitationLink(to: Self.victim)
            let earlier = deployment.mailbox.all(to: Self.victim)
            let waiting = try await attacker.accept(link)
            _ = try await deployment.mailbox.code(to: Self.victim, besides: earlier)
            for code in ["000000", "111111"] {
                _ = try await attacker.submit(waiting.page().form(with: "code"), on: waiting, ["code": code])
            }
            deployment.clock.advance(by: .minutes(2))
            _ = try await Self.accept(deployment)
            #expect(try await !attacker.isSignedInOnHomePage(of: deployment))
            #expect(try await deployment.signedInSessions() == 1)
        }
    }

    /// Trojan identifier: an identity that waits in the attacker's session is not linked by the victim's proof.
    @Test("an identity of the attacker that waits for the proof is not linked by the victim's own")
    func trojan() async throws {
        try await ProviderDeployment.open(owning: []) { place in
            let deployment = place.deployment
            try await deployment.invite(Self.victim)
            try place.standIn(.oidc).user.email = Self.victim
            let attacker = deployment.browser()
            let page = try await place.signIn(.oidc, in: attacker)
            _ = try await deployment.invitationLink(to: Self.victim)
            let earlier = deployment.mailbox.all(to: Self.victim)
            _ = try await attacker.submit(page.page().form(to: "/sign-in"), on: page)
            _ = try await deployment.mailbox.code(to: Self.victim, besides: earlier)
            deployment.clock.advance(by: .minutes(2))
            _ = try await Self.accept(deployment)
            #expect(try await deployment.stored.identities.external.count() == 0)
        }
    }

    /// Unexpired email change: the address of an account is changed by a command alone, and that ends the invitation.
    @Test("an account whose address was changed to the victim's keeps no way in of its user before")
    func emailChange() async throws {
        try await TestDeployment.open { deployment in
            try await deployment.invite("attacker@example.com")
            let link = try await deployment.invitationLink(to: "attacker@example.com")
            try await deployment.change(
                SetAddress("attacker@example.com", to: try EmailAddress(Self.victim), reporting: NoReports()))
            let attacker = deployment.browser()
            #expect(try await attacker.follow(attacker.get(link)).status == 410)
            let victim = try await deployment.signedIn(as: Self.victim)
            #expect(try await victim.isSignedInOnHomePage(of: deployment))
            #expect(try await deployment.rows(of: "account_identity") == 1)
        }
    }

    private struct NoReports: AccountChangeReporter {
        func report(
            _ change: AccountChange, of account: Account, by origin: ChangeOrigin, _ connection: any SQLConnection
        ) throws {}
    }
}
