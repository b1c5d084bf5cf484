import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPAccountPages
@testable import IdPAccounts
@testable import IdPAuthorization
@testable import IdPClients
@testable import IdPFlow
@testable import IdPOperations
@testable import IdPProviders
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// Each fact once, and a way on from each page.
@Suite("What a user reads", .program)
struct WordsOnPagesTests {
    @Test("one visit of a service is one row of the activity: the token goes where its use is")
    func visit() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn(as: "ann@example.com")
            let token = try await browser.token(for: deployment.client, of: deployment)
            deployment.clock.advance(by: .seconds(1))
            #expect(try await deployment.verify(token, as: deployment.client).status == 200)
            let rows = try await eventually("the row of the use") {
                let rows = try await deployment.auditRows(.tokenIssued, .tokenRedeemed)
                return rows.contains { $0.event == EventKind.tokenRedeemed.id } ? rows : nil
            }
            let shown = UserActivity.visits(rows)
            #expect(shown.count == rows.count - 1 && shown.contains { $0.event == EventKind.tokenRedeemed.id })
            #expect(UserActivity.visits(rows.filter { $0.event == EventKind.tokenIssued.id }).count == rows.count - 1)
            let page = try await browser.get(deployment.origin + "/activity")
            #expect(page.text.contains("<bdi>Opened "), "\(page.text)")
        }
    }

    @Test("the completion page says once who is signed in: by the address, and by the name if the user has set one")
    func completion() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn(as: "ann@example.com")
            let first = try await browser.get(deployment.authorize(deployment.client, state: "a"))
            let ann = "<bdi translate=\"no\">ann@example.com</bdi>"
            #expect(first.text.contains("Signed in as <span class=\"unit\">\(ann).</span>"))
            #expect(first.text.ranges(of: "igned in").count == 2, "the headline, and who")
            _ = try await browser.rename(at: deployment, to: "Ann Lee")
            let second = try await browser.get(deployment.authorize(deployment.client, state: "b"))
            #expect(
                second.text.contains("Signed in as <bdi>Ann Lee</bdi> <span class=\"unit\">(\(ann)).</span>"))
        }
    }

    @Test("a visitor of the start page is at the sign-in page")
    func start() async throws {
        try await TestDeployment.open { deployment in
            let visit = try await deployment.browser().get(deployment.origin + "/")
            #expect(visit.status == 303 && visit.reply.header("location") == "/sign-in")
        }
    }

    @Test("an invitation says who invites, also when it is sent again, and a new account has the name that was given")
    func invitation() async throws {
        try await TestDeployment.open { deployment in
            let guest = try EmailAddress("guest@elsewhere.org")
            try await deployment.isChanged(
                by: InviteUser(
                    guest, name: "Gus Lee", from: "Team IT", client: deployment.client.id,
                    mail: deployment.invitationMail))
            _ = try await deployment.invitationLink(to: guest.text)
            let first = deployment.mailbox.all(to: guest.text)
            let words = "Team IT invites you to Partner number 1. You sign in there with"
            #expect(first.allSatisfy { $0.plain.contains(words) }, "\(first[0].plain)")
            try await deployment.isChanged(by: ResendInvitation(guest.text, mail: deployment.invitationMail))
            _ = try await deployment.invitationLink(to: guest.text, besides: Set(first.map(\.name)))
            #expect(deployment.mailbox.all(to: guest.text).allSatisfy { $0.plain.contains(words) })
            #expect(try await deployment.listed(guest.text)?.account.name == "Gus Lee")
        }
    }

    @Test("who cancels at a provider reads so on the sign-in page, once: not after a reload of the way back")
    func cancel() async throws {
        try await ProviderDeployment.open { place in
            let (deployment, browser) = (place.deployment, place.deployment.browser())
            let answer = try await place.standIn(.oidc).visit(
                from: deployment.signInPage(browser), in: browser, isAllowed: false)
            let back = try await browser.follow(browser.bring(answer))
            #expect(back.status == 200 && back.address.path == "/sign-in")
            let name = "Provider \(Provider.Kind.oidc.testID)"
            #expect(
                back.text.contains("You didn&#39;t sign in with <span class=\"unit\"><bdi>\(name)</bdi>.</span>"),
                "\(back.text)")
            for id in ["nobody", "<b>"] {
                let page = try await browser.get(deployment.origin + "/sign-in?cancelled=" + PercentCoding.encode(id))
                #expect(page.status == 200 && !page.text.contains("sign in with <bdi>"))
            }
        }
    }

    @Test("who may not enter a service asks by one press: an email with a subject that says who asks for what")
    func access() async throws {
        let keys = "groups: [board], contact: \"mailto:desk@example.com\""
        try await TestDeployment.open(clients: 2, keys: ["access: everyone", keys]) { deployment in
            try await deployment.makeGroups(["board"])
            let browser = try await deployment.signedIn(as: "ann@example.com")
            let page = try await browser.get(deployment.authorize(deployment.clients[1], state: "a"))
            #expect(page.status == 403)
            let link = try #require(try page.page().link(containing: "mailto:"))
            #expect(
                link == "mailto:desk@example.com?subject=Access%20to%20Partner%20number%202%20for%20ann%40example.com")
        }
    }
}

extension Mailbox.Email {
    /// Its text without the marks around names.
    fileprivate var plain: String {
        text.decodingQuotedPrintable().filter {
            !$0.unicodeScalars.contains { $0.properties.isDefaultIgnorableCodePoint }
        }
    }
}
