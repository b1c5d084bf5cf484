import Foundation
import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdPAccounts
@testable import IdPProviders
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("Ways to sign in on the home page", .program)
struct IdentityListTests {
    @Test("a user who signs in by email sees the address, no button beside it, and one for each provider")
    func byEmail() async throws {
        try await ProviderDeployment.open([.oidc, .apple]) { place in
            let home = try await place.owner().home(of: place.deployment)
            #expect(home.text.contains("<h2>Ways to sign in</h2>"))
            #expect(home.words.contains("<bdi>Email</bdi>, <bdi>ann@example.com</bdi>"))
            #expect(try home.removeForms().isEmpty)
            #expect(try home.offeredProviders() == ["work", "apple"])
            #expect(home.text.contains("Add <bdi>Provider work</bdi></button>"))
        }
    }

    @Test("an added provider is listed with its address and a button, and is not offered again")
    func added() async throws {
        try await ProviderDeployment.open([.oidc]) { place in
            try place.standIn(.oidc).user.email = "ann@elsewhere.example"
            let browser = try await place.deployment.signedIn()
            let home = try await place.add(.oidc, in: browser)
            #expect(home.address.path == "/")
            #expect(home.text.contains("<bdi>Provider work</bdi> was added."))
            #expect(home.words.contains("<bdi>Provider work</bdi>, <bdi>ann@elsewhere.example</bdi>"))
            #expect(try home.removeForms().count == 1)
            #expect(try home.offeredProviders().isEmpty)
            let later = try await browser.home(of: place.deployment)
            #expect(!later.text.contains("<bdi>Provider work</bdi> was added"))
            let activity = try await browser.get(place.deployment.origin + "/activity")
            #expect(activity.words.contains("Provider work was added as a way to sign in"), "\(activity.words)")
            #expect(activity.words.contains("Signed in with an email code"))
            #expect(later.words.contains("Provider work was added as a way to sign in"))
        }
    }

    @Test("it says when an identity was last used")
    func used() async throws {
        try await ProviderDeployment.open([.oidc]) { place in
            let browser = try await place.owner(adding: .oidc)
            #expect(
                try await browser.home(of: place.deployment).text.components(separatedBy: "\"about\">last used").count
                    == 1)
            place.deployment.clock.advance(by: .minutes(3))
            let other = place.deployment.browser()
            _ = try await place.signIn(.oidc, in: other)
            let home = try await other.home(of: place.deployment)
            let used = "\"about\">last used <time class=\"ago\" datetime=\"2026-11-21T12:03:00.000Z\""
            #expect(home.text.components(separatedBy: used).count == 2)
            #expect(home.words.contains("Signed in with Provider work"), "the activity has its name: \(home.words)")
        }
    }

    @Test("an account that a provider has made shows that one, without a button, and a sent form removes nothing")
    func madeByProvider() async throws {
        try await ProviderDeployment.open([.oidc, .google]) { place in
            let browser = place.deployment.browser()
            try place.standIn(.oidc).user.authTime = place.deployment.clock.now
            _ = try await place.signIn(.oidc, in: browser)
            let home = try await browser.home(of: place.deployment)
            #expect(home.words.contains("<bdi>Provider work</bdi>, <bdi>ann@example.com</bdi>"))
            #expect(!home.text.contains("<bdi>Email</bdi>"))
            #expect(try home.removeForms().isEmpty)
            #expect(try home.offeredProviders() == ["google"])

            let name = try await Self.name(of: "external", in: place.deployment)
            let token = try home.page().form(to: "/sign-out")?["form_token"] ?? ""
            let sent = try await browser.post(
                home.address.resolving("/identities/unlink"), [("form_token", token), ("identity", name)])
            #expect(sent.status == 409)
            #expect(sent.text.contains("This is your only way to sign in"))
            #expect(try await place.externalIdentities() == 1)
        }
    }

    @Test("a provider that is not in the file any more is named by its host, and can be removed")
    func providerGone() async throws {
        try await ProviderDeployment.open([.oidc]) { place in
            let browser = try await place.owner()
            let account = try #require(try await place.deployment.stored.accounts.ids().first)
            try await place.deployment.stored.identities.add(
                AddedIdentity(
                    account, at: "https://gone.example.org/realms/x", "s", provider: "gone", address: "a@b.example"))
            let home = try await browser.home(of: place.deployment)
            #expect(home.words.contains("<bdi>gone.example.org</bdi>, <bdi>a@b.example</bdi>"))
            let removed = try await browser.follow(browser.pressRemove(on: home))
            #expect(removed.status == 200)
            #expect(try await place.externalIdentities() == 0)
        }
    }

    @Test("a private address of Apple is marked as such, and one that does not forward emails any more too")
    func privateRelay() async throws {
        try await ProviderDeployment.open([.apple]) { place in
            let standIn = try place.standIn(.apple)
            standIn.user.email = "x7@privaterelay.appleid.example"
            standIn.user.isPrivateEmail = true
            let browser = try await place.deployment.signedIn()
            let home = try await place.add(.apple, in: browser)
            #expect(home.words.contains("<bdi>x7@privaterelay.appleid.example</bdi>"))
            #expect(home.text.contains("<p class=\"about\">private address from Apple, added <time"))
            #expect(!home.text.contains("not forwarded any more"))
            try await place.deployment.stored.identities.external.endForwarding()
            let later = try await browser.home(of: place.deployment)
            #expect(later.text.contains("emails are not forwarded any more"))
        }
    }

    @Test("an address with the word of a change that did not happen shows nothing of it")
    func forgedWord() async throws {
        try await ProviderDeployment.open([.oidc]) { place in
            let browser = try await place.owner()
            let added = try await browser.get(place.origin + "/?added=work")
            #expect(!added.text.contains("was added"))
            #expect(try await !browser.get(place.origin + "/?added=%3Cb%3E&removed=x").text.contains("role=\"status\""))
            _ = try await place.add(.oidc, in: browser)
            let removed = try await browser.get(place.origin + "/?removed=work")
            #expect(!removed.text.contains("was removed"))
        }
    }

    @Test("in the web view of an app nothing is offered: a provider is shown in the system browser only")
    func inApp() async throws {
        try await ProviderDeployment.open([.oidc]) { place in
            let browser = try await place.owner()
            let shell = browser.twin(userAgent: Browser.shellUserAgent)
            let home = try await shell.home(of: place.deployment)
            #expect(home.text.contains("Ways to sign in"))
            #expect(try home.offeredProviders().isEmpty)
        }
    }

    /// The name of an identity of this kind in forms.
    static func name(of kind: String, in deployment: TestDeployment) async throws -> String {
        let names = try await deployment.stored.identities.ofKind(kind)
            .read(AccountIdentity.columns) { try AccountIdentity($0).name }
        return try #require(names.first)
    }
}

extension Visit {
    /// The page without the ids by which its buttons name an address.
    fileprivate var words: String { text.replacing(#/ id="address-[^"]*"| translate="no"/#, with: "") }
}
