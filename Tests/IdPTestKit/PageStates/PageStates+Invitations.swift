import SSOShared
import SSOWeb

@testable import Counterparts
@testable import IdPOperations
@testable import TestKit
@testable import WebTestKit

extension PageStates {
    // MARK: The link of an invitation

    private static let form = "form[action='/invitation'] input[name=email][value]"
    private static let next = "main a.button[href='/sign-in']"

    static let invitations: [PageState] = [
        PageState("invitation", mark: form) { studio in try await studio.openInvitation() },
        PageState("invitation-client", mark: form) { studio in
            try await studio.openInvitation(client: studio.client.id)
        },
        PageState("invitation-other", mark: "main:has(.notice) " + form) { studio in
            try await studio.openInvitation(in: studio.signedIn())
        },
        PageState("invitation-error", 422, mark: "[aria-invalid=true]") { studio in
            let browser = studio.browser()
            let page = try await studio.openInvitation(in: browser)
            return try await browser.submit(page.page().form(with: "email"), on: page, ["email": "nonsense"])
        },
        PageState("invitation-done", mark: "#continue") { studio in
            let browser = studio.browser()
            let page = try await studio.openInvitation(client: studio.client.id, in: browser)
            let earlier = studio.deployment.mailbox.all(to: studio.guest)
            let waiting = try await browser.follow(browser.submit(page.page().form(with: "email"), on: page))
            let code = try await studio.deployment.mailbox.code(to: studio.guest, besides: earlier)
            return try await browser.follow(browser.enter(code, on: waiting))
        },
        PageState("invitation-withdrawn", 410, mark: next) { studio in
            let link = try await studio.invite()
            try await studio.deployment.change(WithdrawInvitation(studio.guest))
            let browser = studio.browser()
            return try await browser.follow(browser.get(link))
        },
        PageState("invitation-expired", 410, mark: next) { studio in
            let link = try await studio.invite()
            studio.deployment.clock.advance(by: .days(7))
            let browser = studio.browser()
            return try await browser.follow(browser.get(link))
        },
        PageState("invitation-used", 410, mark: next) { studio in
            let link = try await studio.invite()
            let asking = try await studio.deployment.asking(studio.guest)
            _ = try await asking.guess(asking.code)
            let browser = studio.browser()
            return try await browser.follow(browser.get(link))
        },
        PageState("invitation-unknown", 410, mark: next) { studio in
            let browser = studio.browser()
            return try await browser.follow(browser.get(studio.origin + "/invitation/x"))
        },
    ]
}

extension PageStudio {
    /// An address of this state that `IDP_ALLOWED_EMAILS` does not name.
    var guest: String { "\(state)-\(language)@elsewhere.org" }

    /// Invites the guest, and returns the link.
    func invite(client: String? = nil) async throws -> String {
        try await deployment.invite(guest, client: client)
        return try await deployment.invitationLink(to: guest)
    }

    func openInvitation(client: String? = nil, in browser: Browser? = nil) async throws -> Visit {
        let link = try await invite(client: client)
        let browser = browser ?? self.browser()
        return try await browser.follow(browser.get(link))
    }
}
