import ProbeKit
import SSOWeb
import Testing

@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// The page's statement about the email is true, and is the same whether or not the address may sign in.
@Suite("The code page reports the email's status", .program, .alsoOnPostgres)
struct MailStatusTests {
    private static let addresses = ["known@example.com", "stray@nowhere.org"]
    private static let none = "send a code to"

    /// The seconds that the page counts down, nil without a wait.
    private static func wait(_ visit: Visit) throws -> Int? {
        let waits = try visit.page().tags.compactMap { $0["data-countdown"] }
        #expect(waits.count <= 1, "the wait is said once")
        return waits.first.flatMap { Int($0) }
    }

    @Test(
        "after five in the hour the page says that no email is sent and how long to wait, without a field, and then the next one is sent",
        arguments: addresses)
    func share(address: String) async throws {
        try await TestDeployment.open { deployment in
            for _ in 0..<5 {
                let page = try await deployment.waiting(for: address, by: deployment.browser())
                #expect(page.text.contains("sent a six-digit code to it."))
                deployment.clock.advance(by: .seconds(60))
            }
            let browser = deployment.browser()
            let sixth = try await deployment.waiting(for: address, by: browser)
            #expect(sixth.text.contains(Self.none))
            #expect(try Self.wait(sixth) == 55 * 60)
            #expect(sixth.text.ranges(of: "55 minutes").count == 1)
            #expect(sixth.text.ranges(of: "One address gets at most five emails per hour and ten per day.").count == 1)
            #expect(try sixth.page().form(with: "code") == nil, "no code can be right")
            #expect(try sixth.page().tags.allSatisfy { $0["autofocus"] == nil })
            // A code that is typed in an old tab: one sentence, not two.
            let typed = try await browser.post(
                sixth.address, browser.formToken(of: sixth) + [("code", "123456")])
            #expect(typed.status == 422)
            #expect(typed.text.ranges(of: Self.none).count == 1)
            #expect(try await deployment.failures(of: address) == 0)

            deployment.clock.advance(by: .seconds(55 * 60 - 1))
            let early = try await deployment.waiting(for: address, by: browser)
            // The remaining wait is shorter than a code's lifetime: the email is queued, and the page says when it is
            // sent.
            #expect(
                early.text.contains(
                    "send the code in <span class=\"unit\"><bdi>1 second</bdi>,</span> because one was asked for a moment ago."
                ))
            deployment.clock.advance(by: .seconds(1))
            let page = try await browser.get(early.address)
            #expect(page.text.contains("sent a six-digit code to it."))
            #expect(try await deployment.stored.emails.to(address).count() == 6)
        }
    }

    @Test("after ten in the day the page says that no email is sent, and shows the wait", arguments: addresses)
    func day(address: String) async throws {
        try await TestDeployment.open { deployment in
            for _ in 0..<10 {
                _ = try await deployment.waiting(for: address, by: deployment.browser())
                deployment.clock.advance(by: .minutes(20))
            }
            let page = try await deployment.waiting(for: address, by: deployment.browser())
            #expect(page.text.contains(Self.none))
            #expect(try Self.wait(page) == 24 * 3600 - 200 * 60)
        }
    }

    @Test(
        "asking again is confirmed when another email is sent, and not when none is; a minute later the page says how old it is",
        arguments: addresses)
    func again(address: String) async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let confirmation =
                "<bdi translate=\"no\">\(address)</bdi> can sign in here, we&#39;ve sent another email to it."
            let first = try await deployment.waiting(for: address, by: browser)
            #expect(!first.text.contains(confirmation))
            #expect(try await !deployment.resend(first, browser).text.contains(confirmation), "within the minute")
            deployment.clock.advance(by: .minutes(4))
            #expect(try await browser.get(first.address).text.contains("about <bdi>4 minutes</bdi> ago"))
            let second = try await deployment.resend(first, browser)
            #expect(second.text.contains(confirmation))
            #expect(second.text.contains("role=\"status\""))
            #expect(!second.text.contains("sent a six-digit code to it"), "one sentence for one thing")
            #expect(try await deployment.rows(of: "mail_queue") == 2)
            deployment.clock.advance(by: .seconds(61))
            let later = try await browser.get(first.address)
            #expect(!later.text.contains(confirmation))
            #expect(later.text.contains("about <bdi>1 minute</bdi> ago"))
        }
    }

    @Test("the page shows when a waiting email will be sent, once, and leaves the focus alone", arguments: addresses)
    func deferred(address: String) async throws {
        try await TestDeployment.open { deployment in
            _ = try await deployment.waiting(for: address, by: deployment.browser())
            deployment.clock.advance(by: .seconds(15))
            let browser = deployment.browser()
            let second = try await deployment.waiting(for: address, by: browser)
            #expect(try Self.wait(second) == 45)
            #expect(second.text.contains("<bdi>45 seconds</bdi>,</span>"))
            #expect(try second.page().form(with: "code") != nil, "it works as soon as the email arrives")
            #expect(try second.page().tags.allSatisfy { $0["autofocus"] == nil })
            let early = try await browser.submit(second.page().form(with: "code"), on: second, ["code": "000000"])
            #expect(early.text.contains("been sent yet"))
            #expect(!early.text.contains("can sign in here"))
            #expect(try await deployment.failures(of: address) == 0)
        }
    }

    @Test("who gets no email is told that there may be no account, and where to ask if there is such a place")
    func help() async throws {
        try await TestDeployment.open { deployment in
            for address in Self.addresses {
                let page = try await deployment.waiting(for: address, by: deployment.browser())
                #expect(page.text.contains("This address may also have no account here.</p>"))
            }
        }
        let url = "https://help.example/sign-in?from=idp&lang=en"
        try await TestDeployment.open(settings: ["IDP_SUPPORT_URL": url]) { deployment in
            for address in Self.addresses {
                let page = try await deployment.waiting(for: address, by: deployment.browser())
                #expect(page.text.contains("This address may also have no account here. <a class=\"link\" href="))
                #expect(try page.page().links.contains(url))
            }
        }
    }

    @Test("an email without a client names the identity provider, and its page links to a clean address")
    func withoutService() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.asking()
            let email = try await deployment.mailbox.email(to: "ann@example.com")
            #expect(
                email.header("subject")?.wholeMatch(of: /Your code of \d\d:\d\d:\d\d UTC to sign in to Main App/) != nil
            )
            #expect(email.text.contains("Your code to sign in to Main App:"))
            #expect(try asking.waiting.page().links.contains("/sign-in"))
            let browser = deployment.browser()
            let form = try await browser.beginSignIn(at: deployment.client)
            let waiting = try await browser.ask(for: "ben@example.com", on: form)
            let flow = try #require(form.address.query("flow"))
            #expect(try waiting.page().links.contains("/sign-in?flow=\(flow)"))
        }
    }
}
