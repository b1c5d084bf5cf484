import ProbeKit
import SSOShared
import SSOWeb
import Storage

@testable import Counterparts
@testable import TestKit

/// A browser that has asked for a code, its code page, and the code in its email.
struct PendingCode: Sendable {
    let browser: Browser
    let waiting: Visit
    let code: String

    /// Six digits that are not the code.
    var wrong: String { code == "000000" ? "000001" : "000000" }

    /// Sends the code form, once; redirects are not followed.
    ///
    /// - Parameter remembering: whether the user ticks the box to stay signed in.
    @discardableResult
    func guess(_ typed: String, remembering: Bool = false) async throws -> Visit {
        try await browser.submit(
            waiting.page().form(with: "code"), on: waiting,
            remembering ? ["code": typed, "remember": "1"] : ["code": typed])
    }
}

extension TestDeployment {
    /// Asks for a code on the IdP's own sign-in page and reads it in the email.
    func asking(_ address: String = "ann@example.com", by browser: Browser? = nil) async throws -> PendingCode {
        let browser = browser ?? self.browser()
        let earlier = mailbox.all(to: address)
        let waiting = try await browser.ask(for: address, on: browser.get(origin + "/sign-in"))
        let code = try await mailbox.code(to: address, besides: earlier)
        return PendingCode(browser: browser, waiting: waiting, code: code)
    }

    /// The code page, with or without an email.
    func waiting(for address: String, by browser: Browser) async throws -> Visit {
        try await browser.ask(for: address, on: browser.get(origin + "/sign-in"))
    }

    /// Presses the button of the code page that sends another email, and returns the page that follows.
    func resend(_ page: Visit, _ browser: Browser) async throws -> Visit {
        try await browser.follow(browser.submit(page.page().form(with: "email"), on: page))
    }

    /// Types this many wrong codes for an address, five in each browser. Each code's email is sent immediately.
    func typeWrongCodes(_ count: Int, for address: String = "ann@example.com") async throws {
        for start in stride(from: 0, to: count, by: 5) {
            try await forgetEmails(to: address)
            let browser = browser()
            let waiting = try await waiting(for: address, by: browser)
            for _ in start..<min(start + 5, count) {
                _ = try await browser.submit(waiting.page().form(with: "code"), on: waiting, ["code": "000000"])
            }
        }
        try await sendDueEmails()
    }

    /// Takes earlier emails to an address out of its budget, so that the budget is full again. Their rows stay: a guess
    /// counts only while the email with the code is known.
    func forgetEmails(to address: String) async throws {
        try await stored.emails.to(address).forget()
    }

    /// A browser that has signed in with an address and signed out again: it is a known browser then.
    func knownBrowser(of address: String = "ann@example.com") async throws -> Browser {
        let asking = try await asking(address)
        guard try await asking.guess(asking.code).status == 303 else { throw ProbeFailure("not signed in") }
        try await asking.browser.signOut(of: self)
        try await forgetEmails(to: address)
        return asking.browser
    }

    /// Asks for codes from fresh browsers until the budget of the address is used up, and types five wrong codes in each.
    func attack(_ address: String = "ann@example.com", browsers: Int = 5) async throws {
        for _ in 0..<browsers {
            let browser = browser()
            let waiting = try await waiting(for: address, by: browser)
            for _ in 0..<5 {
                let form = try waiting.page().form(with: "code")
                guard form != nil else { break }
                _ = try await browser.submit(form, on: waiting, ["code": "000000"])
            }
        }
    }

    /// How many emails to an address were queued.
    func emailsQueued(to address: String = "ann@example.com") async throws -> Int {
        try await stored.emails.to(address).real.count()
    }

    /// How many wrong codes count against an address.
    func failures(of address: String = "ann@example.com") async throws -> Int {
        try await stored.guesses.at(address).count()
    }
}

extension Browser {
    /// Whether the IdP's home page shows this browser as signed in.
    func isSignedInOnHomePage(of deployment: TestDeployment) async throws -> Bool {
        try await get(deployment.origin + "/").page().form(to: "/sign-out") != nil
    }

    /// Signs out at the IdP with the button of its home page. Redirects are not followed.
    @discardableResult
    func signOut(of deployment: TestDeployment) async throws -> Visit {
        let home = try await get(deployment.origin + "/")
        return try await submit(home.page().form(to: "/sign-out"), on: home)
    }

    /// The cookie of a known browser at the IdP.
    var device: String? { cookie("idp_device", at: "localhost") }

    /// The session cookie at the IdP.
    var session: String? { cookie("idp_session", at: "localhost") }
}

extension TestDeployment {
    /// The link in the newest email that has one, nil without one.
    func browserLink(to address: String = "ann@example.com") -> String? {
        mailbox.browserLinks(to: address).last { $0.hasPrefix("\(origin)/") }
    }
}
