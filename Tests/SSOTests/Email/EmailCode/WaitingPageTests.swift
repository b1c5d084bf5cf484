import SSOShared
import SSOWeb
import Testing

@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// The page between the email and the proof. It is the same for an address that may sign in and for one that may not.
@Suite("The waiting page", .program, .alsoOnPostgres)
struct WaitingPageTests {
    private static let addresses = ["known@example.com", "stray@nowhere.org"]
    private static let linkHint = "Open the link in our email, in this browser."
    private static let linkStill = "The link in our latest email still works, in this browser."
    private static let replyHint = "Reply to our email with this number:"

    /// The waiting page of a sign-in that a client has asked for.
    private static func waiting(
        for address: String, by browser: Browser, _ deployment: TestDeployment
    ) async throws -> Visit {
        let page = try await browser.follow(browser.get(deployment.authorize(deployment.client, state: "the-state")))
        return try await browser.ask(for: address, on: page)
    }

    /// Types this many wrong codes into a waiting page and returns the last answer.
    private static func typeWrong(_ count: Int, on page: Visit, _ browser: Browser, _ wrong: String) async throws
        -> Visit
    {
        var last = page
        for _ in 0..<count {
            last = try await browser.submit(page.page().form(with: "code"), on: page, ["code": wrong])
        }
        return last
    }

    @Test("it says what was sent and when, and offers every way at once with the ways out", arguments: addresses)
    func everyWay(address: String) async throws {
        try await TestDeployment.withEveryMethod { deployment in
            let browser = deployment.browser()
            let page = try await Self.waiting(for: address, by: browser, deployment)
            let flow = try #require(page.address.query("flow"))
            #expect(
                page.text.contains(
                    "If <bdi translate=\"no\">\(address)</bdi> can sign in here, we&#39;ve sent a six-digit code to it."
                ))
            #expect(page.text.contains("in <bdi>60 seconds</bdi></span>"))
            #expect(try page.page().tags.contains { $0["data-countdown"] == "60" })
            #expect(try page.page().form(with: "code")?["flow"] == flow)
            #expect(page.text.contains(Self.linkHint))
            #expect(page.text.contains(Self.replyHint) && page.shownNumber != nil)
            #expect(try page.page().form(with: "email")?["email"] == address)
            let links = try page.page().links
            #expect(links.contains("/sign-in?flow=\(flow)"), "use another address")
            #expect(links.contains("/sign-in/cancel?flow=\(flow)"), "back to the client")
            #expect(page.text.contains("Back to <bdi>\(deployment.client.name)</bdi>"))

            deployment.clock.advance(by: .minutes(3))
            let later = try await browser.get(page.address)
            #expect(later.text.contains("we sent a six-digit code to it about <bdi>3 minutes</bdi> ago."))
            #expect(!later.text.contains("data-countdown"))
            #expect(later.shownNumber == page.shownNumber)
        }
    }

    @Test("\"Change address\" keeps the request of the client")
    func otherAddress() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let page = try await Self.waiting(for: "stray@nowhere.org", by: browser, deployment)
            let flow = try #require(page.address.query("flow"))
            let form = try await browser.click(
                page.page().links.first { $0.hasPrefix("/sign-in?flow=") }, on: page)
            #expect(form.status == 200)
            #expect(form.text.contains("to continue to <bdi>\(deployment.client.name)</bdi>"))
            let waiting = try await browser.ask(for: "ann@example.com", on: form)
            #expect(waiting.address.query("flow") == flow)
            let complete = try await browser.enter(deployment.mailbox.code(to: "ann@example.com"), on: waiting)
            #expect(try complete.callback().query("state") == "the-state")
        }
    }

    @Test(
        "\"Back to\" the client leads to its callback with access_denied and its state, once, and signs nobody in",
        arguments: addresses)
    func cancel(address: String) async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let page = try await Self.waiting(for: address, by: browser, deployment)
            let link = try page.page().link(containing: "/sign-in/cancel")
            let back = try await browser.click(link, on: page)
            #expect(back.status == 302)
            let callback = try back.location()
            #expect(callback.absolute.hasPrefix(deployment.client.callback + "?"))
            #expect(callback.query("error") == "access_denied")
            #expect(callback.query("state") == "the-state")
            #expect(callback.query("token") == nil)

            let again = try await browser.click(link, on: page)
            #expect(again.status == 410)
            #expect(try again.page().links.contains(deployment.client.origin + "/"))
            #expect(try await !browser.isSignedInOnHomePage(of: deployment))
            #expect(try await deployment.rows(of: "sso_token") == 0)
        }
    }

    @Test("without a client's request there is no way back to one")
    func noClient() async throws {
        try await TestDeployment.open { deployment in
            let page = try await deployment.waiting(for: "ann@example.com", by: deployment.browser())
            #expect(page.status == 200)
            #expect(try page.page().link(containing: "/sign-in/cancel") == nil)
            #expect(!page.text.contains("Back to"))
        }
    }

    @Test(
        "without inbound mail there is no number, the page opens no connection, and the email asks for no answer",
        arguments: [true, false])
    func inboundMail(isOn: Bool) async throws {
        try await TestDeployment.open(settings: isOn ? ReplySettings.all : [:]) { deployment in
            let browser = deployment.browser()
            let page = try await Self.waiting(for: "ann@example.com", by: browser, deployment)
            let email = try await deployment.mailbox.email(to: "ann@example.com")
            let plain = email.text.decodingQuotedPrintable()
            #expect((page.shownNumber != nil) == isOn)
            #expect(page.text.contains(Self.replyHint) == isOn)
            #expect(try page.page().tags.contains { $0["data-events"] != nil } == isOn)
            #expect(!page.text.contains("http-equiv=\"refresh\""))
            let policy = try #require(page.reply.header("content-security-policy"))
            #expect(policy.contains("connect-src 'self'") == isOn)
            #expect((email.header("reply-to") != nil) == isOn)
            #expect(plain.contains("Or reply to this email") == isOn)
            #expect(email.signInLink != nil)
            #expect(try page.page().form(with: "code") != nil)
        }
    }

    /// The number proves that the screen of the browser that asked was seen. So it is nowhere else.
    @Test("the number is not in the email, and another browser that asks for the address has another one")
    func number() async throws {
        try await TestDeployment.withEveryMethod { deployment in
            let proof = try await deployment.begin(.emailReply, in: deployment.browser())
            let plain = try #require(proof.email?.text.decodingQuotedPrintable())
            let number = try proof.number
            #expect(number.utf8.count == 4 && number.utf8.allSatisfy { (48...57).contains($0) })
            let others = plain.split { !$0.isASCII || !$0.isNumber }.filter { $0.utf8.count == 4 && $0 != "2026" }
            #expect(!others.contains { $0 == number })

            var numbers = Set([number])
            for _ in 0..<3 {
                // An email of its own for each: before it has left there is nothing to reply to.
                try await deployment.forgetEmails(to: "ann@example.com")
                let page = try await deployment.waiting(for: "ann@example.com", by: deployment.browser())
                numbers.insert(try #require(page.shownNumber))
            }
            #expect(numbers.count > 1)
        }
    }

    @Test("no page reloads itself: what is typed stays")
    func refresh() async throws {
        try await TestDeployment.withEveryMethod { deployment in
            let browser = deployment.browser()
            let proof = try await deployment.begin(.emailReply, in: browser)
            let wrong = try await proof.type(proof.wrong(proof.code), in: browser)
            #expect(wrong.status == 422)
            for page in [proof.waiting, wrong] {
                #expect(!page.text.contains("http-equiv=\"refresh\""))
                #expect(page.shownNumber == proof.waiting.shownNumber)
                #expect(try page.page().form(with: "code") != nil)
            }
        }
    }

    @Test(
        "a code that wrong tries have used up leaves the link, and the page says so instead of the number",
        arguments: addresses)
    func usedUp(address: String) async throws {
        try await TestDeployment.withEveryMethod { deployment in
            let browser = deployment.browser()
            let page = try await Self.waiting(for: address, by: browser, deployment)
            let wrong = deployment.mailbox.all(to: address).contains { $0.code == "000000" } ? "000001" : "000000"
            #expect(!page.text.contains(Self.linkStill))
            let fifth = try await Self.typeWrong(5, on: page, browser, wrong)
            for page in [fifth, try await browser.get(page.address)] {
                #expect(page.text.contains("That code is used up."))
                #expect(page.text.contains("<title>Error: Get a new code"))
                #expect(page.text.contains(Self.linkStill))
                #expect(!page.text.contains(Self.linkHint) && page.shownNumber == nil)
                #expect(try page.page().link(containing: "/sign-in/cancel") != nil)
            }
            // After ten minutes the link has ended as well.
            deployment.clock.advance(by: .minutes(10))
            #expect(try await !browser.get(page.address).text.contains(Self.linkStill))
        }
    }

    @Test("while typing is paused it says that the link still works, once an email was sent", arguments: addresses)
    func paused(address: String) async throws {
        try await TestDeployment.withEveryMethod { deployment in
            let owner = deployment.browser()
            let page = try await Self.waiting(for: address, by: owner, deployment)
            try await deployment.typeWrongCodes(20, for: address)
            let paused = try await owner.get(page.address)
            #expect(paused.text.contains("Too many wrong codes"))
            #expect(paused.text.contains("<title>Error: Wait before you enter a code"))
            #expect(paused.text.contains("<h1>Wait before you enter a code</h1>"))
            #expect(paused.text.contains(Self.linkStill))
            #expect(paused.shownNumber == nil)
            #expect(try paused.page().form(with: "code") == nil)
            #expect(try paused.page().link(containing: "/sign-in/cancel") != nil)

            // The budget of emails is used up, too: no email carries a link for this browser.
            for _ in 0..<5 { _ = try await deployment.waiting(for: address, by: deployment.browser()) }
            let late = try await Self.waiting(for: address, by: deployment.browser(), deployment)
            #expect(late.text.contains("Too many wrong codes"))
            #expect(!late.text.contains(Self.linkStill))
        }
    }

    @Test("every hint is there in German")
    func german() async throws {
        try await TestDeployment.withEveryMethod { deployment in
            let browser = deployment.browser(language: "de")
            let page = try await Self.waiting(for: "ann@example.com", by: browser, deployment)
            #expect(page.text.contains("Öffnen Sie den Link aus unserer E\u{2011}Mail in diesem Browser."))
            #expect(page.text.contains("Antworten Sie auf unsere E\u{2011}Mail mit dieser Zahl:"))
            #expect(page.text.contains("Zurück zu <bdi>\(deployment.client.name)</bdi>"))
            let fifth = try await Self.typeWrong(5, on: page, browser, "000000")
            #expect(
                fifth.text.contains(
                    "Der Link in unserer letzten E\u{2011}Mail funktioniert in diesem Browser weiterhin."))
            for word in ["Or ", "Back", "link"] { #expect(!fifth.text.contains(">\(word)"), "\(word)") }
        }
    }
}
