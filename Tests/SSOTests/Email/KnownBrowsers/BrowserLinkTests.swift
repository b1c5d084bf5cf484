import Foundation
import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import IdPOperations
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("The link that makes a browser known", .program, .alsoOnPostgres)
struct BrowserLinkTests {
    /// Attacks until the address is paused, and returns the newest link.
    private static func pressed(_ deployment: TestDeployment) async throws -> String {
        for _ in 0..<5 {
            try await deployment.attack(browsers: 1)
            deployment.clock.advance(by: .seconds(61))
        }
        // Otherwise an email of the attack could arrive later and be taken for the owner's.
        try await eventually("every email that is due is sent") {
            let waiting = deployment.stored.emails.real.unsent.dueOrTried(at: deployment.clock.now)
            return try await waiting.count() == 0 ? () : nil
        }
        return try await eventually("an email with a link") { deployment.browserLink() }
    }

    /// Waits until every email that is due has left.
    private static func settle(_ deployment: TestDeployment) async throws {
        try await eventually("every email that is due is sent") {
            let now = deployment.clock.now
            let waiting = deployment.stored.emails.unsent.valid(after: now).dueOrTried(at: now)
            return try await waiting.count() == 0 ? () : nil
        }
    }

    @Test("comes in an email of its own with the third code of a day, and no email with a code has it")
    func pressure() async throws {
        try await TestDeployment.open { deployment in
            for _ in 0..<2 {
                _ = try await deployment.asking()
                try await Self.settle(deployment)
                #expect(deployment.browserLink() == nil)
                deployment.clock.advance(by: .seconds(61))
            }
            let asking = try await deployment.asking()
            let link = try await eventually("an email with a link") { deployment.browserLink() }
            let emails = deployment.mailbox.everything(to: "ann@example.com")
            #expect(emails.count { $0.browserLink != nil } == 1)
            for email in emails { #expect((email.code == nil) == (email.browserLink != nil), "one of the two") }
            let email = try #require(emails.first { $0.browserLink == link })
            #expect(email.header("subject") == "Remember your browser for Main App")
            #expect(email.header("content-language") == "en")
            #expect(email.text.decodingQuotedPrintable().contains("It does not sign you in."))
            #expect(try await asking.guess(asking.code).status == 303, "the code works beside it")
        }
    }

    @Test("comes once in six hours, however many codes are asked for, and for all tags of a mailbox together")
    func onceInAWhile() async throws {
        try await TestDeployment.open { deployment in
            func ask(_ address: String, times: Int) async throws {
                for _ in 0..<times {
                    _ = try await deployment.waiting(for: address, by: deployment.browser())
                    deployment.clock.advance(by: .seconds(61))
                }
                try await Self.settle(deployment)
            }
            func links(_ address: String) -> Int { deployment.mailbox.browserLinks(to: address).count }
            try await ask("ann@example.com", times: 8)
            #expect(links("ann@example.com") == 1)
            for tag in ["ann+1@example.com", "ann+2@example.com", "ann+3@example.com", "ann+4@example.com"] {
                try await ask(tag, times: 1)
            }
            #expect(["1", "2", "3", "4"].map { links("ann+\($0)@example.com") } == [0, 0, 1, 0])
            deployment.clock.advance(by: .hours(5))
            try await ask("ann@example.com", times: 1)
            #expect(links("ann@example.com") == 1)
            deployment.clock.advance(by: .hours(1))
            try await ask("ann@example.com", times: 1)
            #expect(links("ann@example.com") == 2)
        }
    }

    @Test("a known browser that asks for many codes causes no such email: it has a budget of its own")
    func knownBrowser() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.knownBrowser()
            for _ in 0..<5 {
                deployment.clock.advance(by: .seconds(61))
                _ = try await deployment.waiting(for: "ann@example.com", by: browser)
            }
            try await Self.settle(deployment)
            #expect(deployment.browserLink() == nil)
        }
    }

    @Test("an address that may not sign in gets none: its row in the queue is a decoy, and keeps no real one away")
    func decoy() async throws {
        try await TestDeployment.open(settings: ["IDP_ALLOWED_EMAILS": "ann@example.com"]) { deployment in
            for address in ["ann+x@example.com", "ann@example.com"] {
                for _ in 0..<3 {
                    _ = try await deployment.waiting(for: address, by: deployment.browser())
                    deployment.clock.advance(by: .seconds(61))
                }
            }
            try await Self.settle(deployment)
            #expect(deployment.mailbox.everything(to: "ann+x@example.com").isEmpty)
            #expect(deployment.mailbox.browserLinks(to: "ann@example.com").count == 1)
            #expect(try await deployment.stored.emails.ofKind("browser_link").count() == 2)
        }
    }

    @Test("while codes are guessed on many accounts the first code of a day brings the link as well")
    func alarm() async throws {
        try await TestDeployment.open { deployment in
            try await deployment.stored.guessAlarms.add(at: deployment.clock.now)
            _ = try await deployment.asking()
            _ = try await eventually("an email with a link") { deployment.browserLink() }
        }
    }

    @Test("the email is deleted with the account that it is for")
    func erased() async throws {
        try await TestDeployment.open { deployment in
            _ = try await deployment.signedIn(as: "ann@example.com")
            for _ in 0..<3 {
                deployment.clock.advance(by: .seconds(61))
                _ = try await deployment.waiting(for: "ann@example.com", by: deployment.browser())
            }
            #expect(try await deployment.stored.emails.ofKind("browser_link").count() == 1)
            try await deployment.change(EraseUser("ann@example.com", .now))
            #expect(try await deployment.stored.emails.ofKind("browser_link").count() == 0)
        }
    }

    @Test(
        "makes the owner's new browser known: it gets a code immediately, and the attack stays without effect")
    func wayAround() async throws {
        try await TestDeployment.open { deployment in
            let link = try await Self.pressed(deployment)
            let owner = deployment.browser()
            let form = try await owner.beginSignIn(at: deployment.client)
            let waiting = try await owner.ask(for: "ann@example.com", on: form)
            #expect(waiting.text.contains("Too many wrong codes"))
            #expect(waiting.text.contains("has a link for your own browser"))

            let page = try await owner.follow(owner.get(link))
            #expect(page.status == 200)
            #expect(page.text.contains("a…@example.com"), "the link of another user's email names another address")
            #expect(!page.text.contains("ann@example.com"))
            let back = try await owner.submit(page.page().form(to: "/sign-in/browser"), on: page)
            #expect(try back.location().target.hasPrefix("/sign-in/code?flow="), "the pending flow is not lost")
            let free = try await owner.follow(back)
            // No email had its code. The browser now has its own budget of emails as well.
            #expect(try free.page().form(with: "code") == nil)
            #expect(free.text.contains("sent a code to"))
            // The last email of the attack may still be on its way.
            let now = deployment.clock.now
            let due = deployment.stored.emails.real.unsent.queued(until: now).valid(after: now)
            _ = try await eventually("every email that is due has arrived") {
                try await due.count() == 0 ? true : nil
            }
            // The clock stands still, so the newest email is not always the last one by name.
            let earlier = deployment.mailbox.all(to: "ann@example.com")
            let again = try await deployment.resend(free, owner)
            let code = try await deployment.mailbox.code(to: "ann@example.com", besides: earlier)
            let complete = try await owner.enter(code, on: again)
            #expect(try complete.token().hasPrefix("sst_"), "\(complete.text)")
        }
    }

    @Test("leads on with the sign-in that the email was sent for: an app's, beside newer requests of two clients")
    func leadsOn() async throws {
        try await TestDeployment.open(clients: 2, settings: HandoffApp.settings) { deployment in
            _ = try await Self.pressed(deployment)
            let owner = deployment.browser()
            let waiting = try await owner.ask(for: "ann@example.com", on: deployment.app().begin(in: owner))
            let flow = try #require(waiting.address.query("flow"))
            for client in deployment.clients {
                _ = try await owner.follow(owner.get(deployment.authorize(client, state: "later")))
            }
            let link = try #require(deployment.browserLink())
            let page = try await owner.follow(owner.get(link))
            let back = try await owner.submit(page.page().form(to: "/sign-in/browser"), on: page)
            #expect(back.reply.all("location") == ["/sign-in/code?flow=\(flow)"])
            let end = try await deployment.enterCode(owner.follow(back), in: owner, as: "ann@example.com")
            #expect(try end.address.path == "/auth/native/complete" && !end.handoffCode().isEmpty)
        }
    }

    @Test("signs no user in and changes nothing by itself, however often a scanner fetches it")
    func scanner() async throws {
        try await TestDeployment.open { deployment in
            let link = try await Self.pressed(deployment)
            for method in ["GET", "HEAD", "GET"] {
                let browser = deployment.browser()
                let moved = try await browser.send(method, WebAddress(link))
                #expect(moved.status == 303)
                let page = try await browser.send(method, moved.address.resolving("/sign-in/browser"))
                #expect(page.status == (method == "HEAD" ? 410 : 200), "a HEAD sets no cookie")
                for visit in [moved, page] {
                    #expect(!visit.reply.all("set-cookie").contains { $0.hasPrefix("idp_device") })
                }
            }
            #expect(try await deployment.rows(of: "device") == 0)
            let scanner = deployment.browser()
            let page = try await scanner.follow(scanner.get(link))
            _ = try await scanner.submit(page.page().form(to: "/sign-in/browser"), on: page)
            #expect(try await !scanner.isSignedInOnHomePage(of: deployment))
            let owner = deployment.browser()
            #expect(try await owner.post(page.address, [("browser", "x")]).status == 410, "the page without its link")
            #expect(try await owner.follow(owner.get(link)).status == 200, "the scanner has not used it up")
        }
    }

    @Test("opened in a second browser it moves there: one email gives one browser a budget, never two")
    func moves() async throws {
        try await TestDeployment.open { deployment in
            let link = try await Self.pressed(deployment)
            func open() async throws -> Browser {
                let browser = deployment.browser()
                let page = try await browser.follow(browser.get(link))
                _ = try await browser.submit(page.page().form(to: "/sign-in/browser"), on: page)
                return browser
            }
            let (first, second) = (try await open(), try await open())
            #expect(try await deployment.rows(of: "device") == 1)
            #expect(
                try await deployment.waiting(for: "ann@example.com", by: first).text.contains("Too many wrong codes"))
            #expect(
                try await !deployment.waiting(for: "ann@example.com", by: second).text.contains("Too many wrong codes"))
        }
    }

    @Test("works for two days; an expired, truncated or changed link gets one page that says so")
    func expiry() async throws {
        try await TestDeployment.open { deployment in
            let link = try await Self.pressed(deployment)
            func open(_ link: String) async throws -> Visit {
                let browser = deployment.browser()
                return try await browser.follow(browser.get(link))
            }
            let key = "/sign-in/browser/"
            for wrong in [String(link.dropLast()), link + "A", link.replacing(key, with: key + "A")] {
                #expect(try await open(wrong).status == 410)
            }
            deployment.clock.advance(by: .hours(47))
            #expect(try await open(link).status == 200)
            deployment.clock.advance(by: .hours(2))
            let late = try await open(link)
            #expect(late.status == 410)
            #expect(try late.page().links.contains("/sign-in"))
        }
    }

    @Test("without the form's token nothing changes")
    func forged() async throws {
        try await TestDeployment.open { deployment in
            let link = try await Self.pressed(deployment)
            let browser = deployment.browser()
            let page = try await browser.follow(browser.get(link))
            let form = try #require(try page.page().form(to: "/sign-in/browser"))
            let name = try #require(form["browser"])
            #expect(try await browser.post(page.address, [("browser", name)]).status == 403)
            #expect(try await deployment.rows(of: "device") == 0)
        }
    }

    @Test("its key leaves the address at once, and no page has it")
    func cleanAddress() async throws {
        try await TestDeployment.open { deployment in
            let link = try await Self.pressed(deployment)
            let key = try #require(link.split(separator: "/").last)
            let browser = deployment.browser()
            let moved = try await browser.get(link)
            #expect(moved.status == 303 && moved.reply.all("location") == ["/sign-in/browser"])
            #expect(moved.reply.header("referrer-policy") == "no-referrer")
            #expect(
                moved.reply.all("set-cookie") == [
                    "idp_browser=\(key); Path=/; HttpOnly; SameSite=Lax; Max-Age=600"
                ])
            let page = try await browser.follow(moved)
            #expect(page.status == 200 && page.address.target == "/sign-in/browser")
            #expect(!page.text.contains(key))
            #expect(page.text.contains("href=\"/sign-in/browser?set_language=de\""))
            // A damaged link does not bring the earlier one back.
            let damaged = try await browser.follow(browser.get(deployment.origin + "/sign-in/browser/x"))
            #expect(damaged.status == 410 && !damaged.text.contains("set_language"))
        }
    }

    @Test("the button makes the browser known for the address of its own page, not for that of a link opened since")
    func twoTabs() async throws {
        try await TestDeployment.open { deployment in
            var links: [String] = []
            for address in ["ann@example.com", "max@example.com"] {
                for _ in 1...3 {
                    deployment.clock.advance(by: .seconds(61))
                    _ = try await deployment.waiting(for: address, by: deployment.browser())
                }
                links.append(
                    try await eventually("an email with a link") { deployment.browserLink(to: address) })
            }
            let (first, second) = (links[0], links[1])
            let browser = deployment.browser()
            let page = try await browser.follow(browser.get(first))
            _ = try await browser.follow(browser.get(second))
            let pressed = try await browser.submit(page.page().form(to: "/sign-in/browser"), on: page)
            #expect(pressed.status == 303 && pressed.reply.all("location") == ["/sign-in/browser"])
            #expect(try await deployment.rows(of: "device") == 0)
            #expect(try await browser.follow(pressed).text.contains("m…@example.com"))
        }
    }
}
