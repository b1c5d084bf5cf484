import ProbeKit
import SSOWeb

@testable import Counterparts
@testable import TestKit
@testable import WebTestKit

/// A browser that has asked for an email, its waiting page, and the two proofs in the email.
struct PendingLink: Sendable {
    let browser: Browser
    let waiting: Visit
    let code: String
    /// The whole address of the link.
    let link: String

    /// What stands in the link in place of the address: the last part of its path.
    var key: String { link.split(separator: "/").last.map(String.init) ?? "" }

    /// Opens the link and follows its redirect to the page.
    func open(in other: Browser? = nil) async throws -> Visit {
        let browser = other ?? browser
        return try await browser.follow(browser.get(link))
    }

    /// Presses the button of the page. Redirects are not followed.
    func press(_ page: Visit, in other: Browser? = nil) async throws -> Visit {
        try await (other ?? browser).submit(page.page().form(to: Self.path), on: page)
    }

    /// Opens the link, presses the button and follows redirects to the last page.
    func signIn() async throws -> Visit {
        try await browser.follow(press(open()))
    }

    static let path = "/sign-in/link"
}

extension Mailbox.Email {
    /// The link that signs in; nil in an email without one.
    var signInLink: String? {
        let plain = text.decodingQuotedPrintable()
        return plain.firstMatch(of: #/https?:\/\/[^\s"<>]+\/sign-in\/link\/[A-Za-z0-9_\-]+/#).map { String($0.0) }
    }
}

extension Browser {
    /// Asks for an email and reads the code and the link in it.
    ///
    /// - Parameter form: the page with the field `email`; nil for the IdP's own sign-in page.
    func askForLink(
        _ address: String = "ann@example.com", of pair: some Deployment, on form: Visit? = nil
    ) async throws -> PendingLink {
        let earlier = pair.mailbox.all(to: address)
        let start = if let form { form } else { try await get(pair.origin + "/sign-in") }
        let waiting = try await ask(for: address, on: start)
        let email = try await pair.mailbox.email(to: address, besides: earlier)
        guard let code = email.code, let link = email.signInLink else {
            throw ProbeFailure("no code or no link in:\n\(email.text)")
        }
        return PendingLink(browser: self, waiting: waiting, code: code, link: link)
    }
}

extension TestDeployment {
    /// A fresh browser that has asked for an email.
    func askingForLink(_ address: String = "ann@example.com") async throws -> PendingLink {
        try await browser().askForLink(address, of: self)
    }

    /// A browser that has asked for an email at the client.
    func askingForLinkAtClient(_ address: String = "ann@example.com") async throws -> PendingLink {
        let browser = browser()
        return try await browser.askForLink(address, of: self, on: browser.beginSignIn(at: client))
    }

    /// Waits until every email that is due has been sent, so that none of them is taken for a later one.
    func sendDueEmails() async throws {
        let now = clock.now
        let due = stored.emails.real.unsent.queued(until: now).valid(after: now)
        try await eventually("every email that is due is sent") {
            mailbox.deliver()
            return try await due.count() == 0 ? () : nil
        }
    }

    /// How many challenges have signed in.
    func usedChallenges() async throws -> Int { try await stored.challenges.used.count() }
}
