import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// An invitation leads to a passkey, before what it was for.
@Suite("Invitations and passkeys", .program)
struct InvitedPasskeyTests {
    private static let guest = "guest@elsewhere.org"

    /// From the email to the page after the code.
    private static func accept(
        _ deployment: TestDeployment, in browser: Browser, platform: Bool = true
    ) async throws -> Visit {
        try await deployment.invite(guest, client: deployment.client.id)
        let page = try await browser.follow(browser.get(deployment.invitationLink(to: guest)))
        let earlier = deployment.mailbox.all(to: guest)
        let form = try #require(try page.page().form(with: "email"))
        // The script of the page adds this field.
        let found = platform ? [("platform", "1")] : []
        let sent = try await browser.post(page.address.resolving(form.action), form.filled([:]) + found)
        let waiting = try await browser.follow(sent)
        return try await browser.follow(
            browser.enter(deployment.mailbox.code(to: guest, besides: earlier), on: waiting))
    }

    @Test(
        "after the press and the code the offer comes first, with its own words, and either answer leads to the client",
        arguments: [true, false])
    func offered(accepts: Bool) async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let offer = try await Self.accept(deployment, in: browser)
            #expect(offer.address.path == "/passkeys/offer", "\(offer.text)")
            #expect(offer.text.contains("Welcome. Set up how you sign in from now on"))
            let answered =
                accepts
                ? try await browser.addPasskey(SoftwareAuthenticator(), on: offer)
                : try await browser.submit(offer.page().form(to: "/passkeys/offer"), on: offer)
            let end = try await browser.follow(answered)
            #expect(end.text.contains("href=\"\(deployment.client.origin)/\""), "\(end.text)")
            #expect(try await deployment.rows(of: "passkey") == (accepts ? 1 : 0))
        }
    }

    @Test("a user who came for no client reads that the passkey was added")
    func added() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn(as: "ann@example.com")
            let offer = try await browser.get(deployment.origin + "/passkeys/offer")
            let home = try await browser.follow(browser.addPasskey(SoftwareAuthenticator(), on: offer))
            #expect(home.address.path == "/" && home.text.contains("Your passkey was added."), "\(home.text)")
        }
    }

    @Test("the page that adds a passkey names the service that waits for it, and leads back there")
    func waiting() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn(as: "ann@example.com")
            let add = deployment.origin + "/passkeys/add"
            #expect(try await !browser.get(add).text.contains("to continue to"))
            let ask = deployment.authorize(deployment.client, state: "s") + "&acr_values=phr"
            _ = try await browser.follow(browser.get(ask))
            let page = try await browser.get(add)
            #expect(page.text.contains("to continue to <bdi>\(deployment.client.name)</bdi>"), "\(page.text)")
            #expect(try page.page().link(containing: "/sign-in/cancel?flow=") != nil)
        }
    }

    @Test("of two sessions with one name each button is told apart by its time")
    func sessions() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn(as: "ann@example.com")
            _ = try await deployment.furtherBrowser(of: "ann@example.com")
            for path in ["/", "/sessions"] {
                let tags = try await browser.get(deployment.origin + path).page().tags
                let buttons = tags.filter { $0["aria-label"]?.hasPrefix("Sign out ") == true }
                let places = buttons.map { button in tags.first { $0["id"] == button["aria-describedby"] }?["id"] }
                #expect(!places.isEmpty && !places.contains(nil) && Set(places).count == places.count, "\(path)")
            }
        }
    }

    @Test("a device that keeps no passkey goes on to the client at once")
    func notOffered() async throws {
        try await TestDeployment.open { deployment in
            let end = try await Self.accept(deployment, in: deployment.browser(), platform: false)
            #expect(end.text.contains("href=\"\(deployment.client.origin)/\""), "\(end.text)")
        }
    }

    @Test("an offer that was declined in this browser comes again after an invitation")
    func again() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn(as: "ann@example.com")
            let declined = try await browser.get(deployment.origin + "/passkeys/offer")
            #expect(declined.status == 200)
            try await browser.signOut(of: deployment)
            let offer = try await Self.accept(deployment, in: browser)
            #expect(offer.address.path == "/passkeys/offer", "\(offer.text)")
        }
    }
}
