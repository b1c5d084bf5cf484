import ProbeKit
import SSOShared
import SSOWeb
import Testing

@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// What the page says is the same for an address that may sign in and for one that may not.
@Suite("The code page says what to do next", .program, .alsoOnPostgres)
struct CodePageTests {
    private static let addresses = ["known@example.com", "stray@nowhere.org"]

    private static func guess(_ typed: String, _ browser: Browser, on page: Visit) async throws -> Visit {
        try await browser.submit(page.page().form(with: "code"), on: page, ["code": typed])
    }

    /// Six digits that are not the code of the newest challenge.
    private static func wrong(_ deployment: TestDeployment, _ address: String) -> String {
        deployment.mailbox.all(to: address).contains { $0.code == "000000" } ? "000001" : "000000"
    }

    /// The button that stands first on the page: its text, and whether it is a strong one.
    private static func firstButton(_ visit: Visit) -> (text: String, isStrong: Bool)? {
        guard let found = visit.text.firstMatch(of: #/<button([^>]*)>([^<]*)</#) else { return nil }
        return (String(found.2), !found.1.contains("quiet"))
    }

    @Test("from the third wrong code on it says how many tries are left", arguments: addresses)
    func triesLeft(address: String) async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let page = try await deployment.waiting(for: address, by: browser)
            let wrong = Self.wrong(deployment, address)
            var texts: [String] = []
            for _ in 0..<4 { texts.append(try await Self.guess(wrong, browser, on: page).text) }
            #expect(texts.allSatisfy { $0.contains("work. Use the code from the latest email, or get a new one.") })
            #expect(texts.prefix(2).allSatisfy { !$0.contains("left.") })
            #expect(texts[2].contains(" 2 tries left."))
            #expect(texts[3].contains(" 1 try left."))
        }
    }

    @Test(
        "after the fifth wrong code it says that the code is used up, has no field, and offers a new code first",
        arguments: addresses)
    func usedUp(address: String) async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let page = try await deployment.waiting(for: address, by: browser)
            let wrong = Self.wrong(deployment, address)
            for _ in 0..<4 { _ = try await Self.guess(wrong, browser, on: page) }
            let fifth = try await Self.guess(wrong, browser, on: page)
            #expect(fifth.status == 422)
            for visit in [fifth, try await browser.get(page.address), try await Self.guess(wrong, browser, on: page)] {
                #expect(visit.text.contains("That code is used up."))
                #expect(visit.text.contains("The new code goes to ") && visit.text.contains("\(address)</bdi>.</span>"))
                #expect(try visit.page().form(with: "code") == nil)
                #expect(try visit.page().tags.allSatisfy { $0["autofocus"] == nil && $0["data-wait"] == nil })
                let button = Self.firstButton(visit)
                #expect(button?.text == "Send a new code" && button?.isStrong == true)
            }
            // Within the minute of the first email the button works all the same: the email waits.
            let next = try await deployment.resend(fifth, browser)
            #expect(try next.page().form(with: "code") != nil)
            #expect(next.text.contains("<bdi>60 seconds</bdi>,</span>"))
            #expect(next.text.contains("<h1>Enter the code</h1>"), "no email has left yet")
        }
    }

    @Test("the right code after five wrong ones signs nobody in and gets the same page as a wrong one")
    func rightAfterFive() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.asking()
            for _ in 0..<5 { try await asking.guess(asking.wrong) }
            let (right, wrong) = (try await asking.guess(asking.code), try await asking.guess(asking.wrong))
            #expect((right.status, right.text) == (wrong.status, wrong.text))
            #expect(try await !asking.browser.isSignedInOnHomePage(of: deployment))
        }
    }

    @Test("after ten minutes it says that the code has expired, and a new one can be sent", arguments: addresses)
    func expired(address: String) async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let page = try await deployment.waiting(for: address, by: browser)
            deployment.clock.advance(by: .minutes(10))
            let typed = try await Self.guess(Self.wrong(deployment, address), browser, on: page)
            #expect(typed.status == 422)
            for visit in [typed, try await browser.get(page.address)] {
                #expect(visit.text.contains("That code has expired."))
                #expect(try visit.page().form(with: "code") == nil)
                let button = Self.firstButton(visit)
                #expect(button?.text == "Send a new code" && button?.isStrong == true)
            }
            let next = try await deployment.resend(typed, browser)
            #expect(try next.page().form(with: "code") != nil)
            #expect(
                next.text.contains(
                    "If <bdi translate=\"no\">\(address)</bdi> can sign in here, we&#39;ve sent another email to it."))
        }
    }

    /// As after a failover to a standby that had not received the newest commits.
    @Test("a code that the database has lost is no longer valid, says the sign-in page", arguments: [true, false])
    func lost(hasSession: Bool) async throws {
        try await TestDeployment.open { deployment in
            let words = "This code is no longer valid. Ask for a new one."
            let asking = try await deployment.asking()
            try await deployment.stored.challenges.delete()
            if !hasSession { try await deployment.stored.sessions.delete() }
            let typed = try await asking.browser.follow(asking.guess(asking.code))
            #expect(typed.status == 200 && typed.address.path == "/sign-in" && typed.text.contains(words))
            #expect(try typed.page().form(with: "email") != nil)
            let loaded = try await asking.browser.follow(asking.browser.get(asking.waiting.address))
            #expect(loaded.address.path == "/sign-in" && loaded.text.contains(words) == hasSession)
        }
    }

    @Test("while typing is paused it has no field, moves no focus and says the wait once", arguments: addresses)
    func paused(address: String) async throws {
        try await TestDeployment.open { deployment in
            try await deployment.typeWrongCodes(20, for: address)
            try await deployment.forgetEmails(to: address)
            let page = try await deployment.waiting(for: address, by: deployment.browser())
            #expect(try page.page().form(with: "code") == nil)
            #expect(try page.page().tags.allSatisfy { $0["autofocus"] == nil })
            #expect(page.text.ranges(of: "60 minutes").count == 1)
            #expect(!page.text.contains("can sign in here"))
            #expect(page.text.contains("has a link for your own browser"))
        }
    }

    @Test("it says for how long the code works, in time that passes the same everywhere")
    func relativeTimes() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.asking()
            #expect(
                asking.waiting.text.contains(
                    "Works for <span class=\"unit\"><bdi>10 minutes</bdi>,</span> in this browser only."))
            deployment.clock.advance(by: .minutes(4))
            let later = try await asking.browser.get(asking.waiting.address)
            #expect(
                later.text.contains("Works for <span class=\"unit\"><bdi>6 minutes</bdi>,</span> in this browser only.")
            )
            #expect(!later.text.contains("UTC"))
        }
    }

    /// The script of the page cuts a pasted line down to its code, so the line must fit into the field.
    @Test(
        "the field takes the line of the email; the line is a wrong form and not a guess, and the code counts in full-width digits"
    )
    func pastedLine() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.asking()
            let line = "Your code to sign in to Partner number 1: \(asking.code)"
            let field = try #require(try asking.waiting.page().tags.first { $0["name"] == "code" })
            let longest = try #require(field["maxlength"].flatMap { Int($0) })
            #expect(line.count <= longest && longest >= 24 + 80 + 8, "a client's name has up to 80 characters")
            let wide = String(
                String.UnicodeScalarView(asking.code.unicodeScalars.compactMap { Unicode.Scalar($0.value + 0xfee0) }))
            for typed in [line, "code: \(asking.code)"] {
                let reply = try await asking.guess(typed)
                #expect(reply.status == 422 && reply.text.contains("The code has six digits"), "\(typed)")
            }
            #expect(try await deployment.stored.challenges.tries() == 0)
            #expect(try await asking.guess(wide).status == 303)
        }
    }

    @Test("every state speaks German to a browser that asks for it")
    func german() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.asking()
            let (browser, address) = (asking.browser, asking.waiting.address)
            let german: HTTPProbe.Headers = [("Accept-Language", "de")]
            func guess() async throws -> Visit {
                try await browser.post(
                    address, browser.formToken(of: asking.waiting) + [("code", asking.wrong)], german)
            }
            let page = try await browser.get(address, german)
            #expect(page.text.contains("<html lang=\"de\">"))
            #expect(page.text.contains("Gilt <bdi>10 Minuten</bdi> lang, nur in diesem Browser."))
            #expect(page.text.contains("in <bdi>60 Sekunden</bdi></span>"))
            var last = try await guess()
            #expect(last.text.contains("Dieser Code stimmt nicht."))
            last = try await guess()
            last = try await guess()
            #expect(last.text.contains("Noch 2 Versuche."))
            last = try await guess()
            #expect(last.text.contains("Noch 1 Versuch."))
            last = try await guess()
            #expect(last.text.contains("Dieser Code gilt nicht mehr."))
            #expect(last.text.contains("Neuen Code senden"))
            for word in ["code", "email", "Send", "Use another"] {
                #expect(!last.text.contains(">\(word)"), "\(word)")
            }
        }
    }
}
