import Storage
import Testing

@testable import IdPAccountPages
@testable import IdPAccounts
@testable import IdPFlow
@testable import IdPProviders
@testable import IdPTestKit
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// Whatever an attacker's form does, nothing about how another user signs in changes. `WaitingChangeAttackTests` attack the
/// confirmation.
@Suite("A forged change of the ways to sign in", .program)
struct IdentityChangeAttackTests {
    @Test("the name of another account's identity removes nothing")
    func otherIdentity() async throws {
        try await ProviderDeployment.open([.oidc]) { place in
            _ = try await place.owner(adding: .oidc)
            let ben = try await place.deployment.signedIn(as: "ben@example.com")
            let name = try await IdentityListTests.name(of: "external", in: place.deployment)
            let home = try await ben.home(of: place.deployment)
            let token = try home.page().form(to: "/sign-out")?["form_token"] ?? ""
            let sent = try await ben.post(
                home.address.resolving("/identities/unlink"), [("form_token", token), ("identity", name)])
            #expect(sent.status == 303)
            #expect(try await place.externalIdentities() == 1)
        }
    }

    @Test("the email identity cannot be removed, and an unknown provider cannot be added")
    func unknownNames() async throws {
        try await ProviderDeployment.open([.oidc]) { place in
            let browser = try await place.owner(adding: .oidc)
            let name = try await IdentityListTests.name(of: "email", in: place.deployment)
            let home = try await browser.home(of: place.deployment)
            let token = try home.page().form(to: "/sign-out")?["form_token"] ?? ""
            let sent = try await browser.post(
                home.address.resolving("/identities/unlink"), [("form_token", token), ("identity", name)])
            #expect(sent.status == 303)
            #expect(try await place.deployment.rows(of: "account_identity") == 2)
            let unknown = try await browser.post(
                home.address.resolving("/identities/link"), [("form_token", token), ("provider", "nobody")])
            #expect(unknown.status == 404)
        }
    }

    @Test("a user who is not signed in is sent to the start page")
    func signedOut() async throws {
        try await ProviderDeployment.open([.oidc]) { place in
            let browser = try await place.owner(adding: .oidc)
            let home = try await browser.home(of: place.deployment)
            try await browser.signOut(of: place.deployment)
            let removed = try await browser.pressRemove(on: home)
            #expect(try removed.status == 303 && removed.location().target == "/")
            #expect(try await place.externalIdentities() == 1)
        }
    }

    @Test("of two removals that a browser sends at once, the second sees the sign-in that the first has left")
    func twoRemovals() async throws {
        try await ProviderDeployment.open([.oidc, .github]) { place in
            let browser = try await place.owner(adding: .oidc)
            _ = try await place.add(.github, in: browser)
            let home = try await browser.home(of: place.deployment)
            let token = try home.page().form(to: "/sign-out")?["form_token"] ?? ""
            let names = try await place.deployment.database.read { connection in
                try connection.query(
                    "SELECT \(AccountIdentity.columns) FROM account_identity WHERE kind = 'external'"
                ).map { try AccountIdentity($0).name }
            }
            let address = try home.address.resolving("/identities/unlink")
            await withTaskGroup(of: Void.self) { group in
                for name in names {
                    group.addTask {
                        _ = try? await browser.post(address, [("form_token", token), ("identity", name)])
                    }
                }
            }
            #expect(try await place.externalIdentities() == 0)
            #expect(try await browser.isSignedInOnHomePage(of: place.deployment))
        }
    }

    @Test(
        "a removal goes on with the sign-in that another one has left in its session, and not with one that has ended")
    func meanwhile() async throws {
        let interruption = Interruption()
        try await ProviderDeployment.open([.oidc], wrapping: { interruption.wrapping($0) }) { place in
            let (deployment, browser) = (place.deployment, try await place.owner(adding: .oidc))
            /// Presses the button. Other requests execute these statements after its session was read.
            func remove(during statements: [String]) async throws -> String {
                let home = try await browser.home(of: deployment)
                interruption.afterRead(of: "form_seed") {
                    for statement in statements { try await deployment.execute(statement) }
                }
                return try await browser.pressRemove(on: home).location().target
            }
            // The same statement again brings the session back.
            let expiry = "UPDATE session SET expires_at = -expires_at"
            #expect(try await remove(during: [expiry]) == "/")
            try await deployment.execute(expiry)
            #expect(try await place.externalIdentities() == 1)

            let signOut = "UPDATE account SET sign_outs = sign_outs + 1"
            let renewal = """
                UPDATE session SET slots = json_set(slots, '$.signIn.signOuts', (SELECT sign_outs FROM account))
                 WHERE slots LIKE '%accountID%'
                """
            #expect(try await remove(during: [signOut, renewal]) == "/?removed=work")
            #expect(try await place.externalIdentities() == 0)
            #expect(try await browser.isSignedInOnHomePage(of: deployment))

            _ = try await place.add(.oidc, in: browser)
            #expect(try await remove(during: [signOut]) == "/")
            #expect(try await place.externalIdentities() == 1)
            #expect(try await !browser.isSignedInOnHomePage(of: deployment))
        }
    }
}
