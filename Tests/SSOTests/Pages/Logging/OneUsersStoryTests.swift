import SSOShared
import Testing

@testable import IdPAccounts
@testable import IdPOperations
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// An operator follows one user by `account` or `address_id`, and one sign-in by `flow` (ASVS 16.2.1, 16.3.1).
@Suite("One user's story in the log", .program)
struct OneUsersStoryTests {
    private static func lines(_ deployment: TestDeployment, _ parts: String...) -> [Substring] {
        deployment.log.text.split(separator: "\n").filter { line in parts.allSatisfy { line.contains($0) } }
    }

    private static func account(_ address: String, of deployment: TestDeployment) async throws -> String {
        try #require(try await deployment.listed(address)).account.id
    }

    @Test("a code that is guessed at: each line names the account, the address, the flow, and the tries that are left")
    func guesses() async throws {
        try await TestDeployment.open { deployment in
            _ = try await deployment.signedIn()
            let account = try await Self.account("ann@example.com", of: deployment)
            try await deployment.forgetEmails(to: "ann@example.com")
            let browser = deployment.browser()
            let form = try await browser.beginSignIn(at: deployment.client)
            let waiting = try await browser.ask(for: "ann@example.com", on: form)
            for _ in 1...6 {
                _ = try await browser.submit(waiting.page().form(with: "code"), on: waiting, ["code": "000000"])
            }
            let begun = try #require(Self.lines(deployment, "sign_in_requested").last)
            let flow = try #require(begun.firstMatch(of: #/"flow": ([A-Za-z0-9_\-]{12})/#)).1
            let story = Self.lines(deployment, "\"account\": \(account)", "\"flow\": \(flow)", "\"address_id\": adr_")
            #expect(story.contains { $0.contains("mail_queued") })
            let rejected = story.filter { $0.contains("code_rejected") }
            let seen = rejected.map { line in
                let left = line.firstMatch(of: #/"tries_left": (\d)/#).map { String($0.1) } ?? "-"
                let reason = line.firstMatch(of: #/"reason": ([a-z_]+)/#).map { String($0.1) } ?? "-"
                return "\(reason) \(left)"
            }
            #expect(seen == ["wrong 4", "wrong 3", "wrong 2", "wrong 1", "used_up 0", "used_up 0"])
        }
    }

    @Test("an address without an account has its id in the log, the same for each line, and never itself")
    func unknown() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let waiting = try await deployment.waiting(for: "nobody@elsewhere.example", by: browser)
            _ = try await browser.submit(waiting.page().form(with: "code"), on: waiting, ["code": "000000"])
            let about = Self.lines(deployment, "address_id").filter { $0.contains("n…@elsewhere.example") }
            let ids = Set(about.compactMap { $0.firstMatch(of: #/adr_[A-Za-z0-9_\-]{22}/#).map { String($0.0) } })
            #expect(about.contains { $0.contains("mail_not_sent") } && about.contains { $0.contains("code_rejected") })
            #expect(ids.count == 1 && about.allSatisfy { !$0.contains("\"account\"") })
            #expect(!deployment.log.contains("nobody@elsewhere.example"))
        }
    }

    @Test("an address that one user types in the session of another one is not told as that user's")
    func other() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let account = try await Self.account("ann@example.com", of: deployment)
            let form = try await browser.follow(
                browser.get(deployment.authorize(deployment.client, state: "x") + "&prompt=login"))
            _ = try await browser.ask(for: "bob@example.com", on: form)
            let queued = Self.lines(deployment, "mail_queued", "b…@example.com")
            #expect(queued.count == 1 && queued.allSatisfy { !$0.contains(account) })
        }
    }

    @Test("a link that is used already names the address, the account and the flow")
    func link() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.askingForLinkAtClient()
            _ = try await asking.signIn()
            let account = try await Self.account("ann@example.com", of: deployment)
            _ = try await asking.open()
            let rejected = Self.lines(
                deployment, "link_rejected", "\"account\": \(account)", "address_id", "\"reason\": used")
            #expect(rejected.count == 1)
            #expect(rejected.first?.contains(#/"flow": [A-Za-z0-9_\-]{12}/#) == true)
        }
    }

    @Test("the line of an email that was sent names the account, the address and the flow of its sign-in")
    func sent() async throws {
        try await TestDeployment.open { deployment in
            _ = try await deployment.signedIn()
            let account = try await Self.account("ann@example.com", of: deployment)
            try await deployment.forgetEmails(to: "ann@example.com")
            let browser = deployment.browser()
            let form = try await browser.beginSignIn(at: deployment.client)
            _ = try await browser.ask(for: "ann@example.com", on: form)
            let begun = try #require(Self.lines(deployment, "sign_in_requested").last)
            let flow = try #require(begun.firstMatch(of: #/"flow": ([A-Za-z0-9_\-]{12})/#)).1
            let sent = try await eventually("the email was sent") {
                Self.lines(deployment, "mail_sent", "\"flow\": \(flow)").first
            }
            #expect(sent.contains("\"account\": \(account)") && sent.contains("\"address_id\": adr_"))
        }
    }

    @Test("the line of a reply names the account, the address and the flow that it answers, whatever its sender")
    func replies() async throws {
        try await TestDeployment.receivingReplies { deployment in
            _ = try await deployment.signedIn()
            let account = try await Self.account("ann@example.com", of: deployment)
            try await deployment.forgetEmails(to: "ann@example.com")
            let browser = deployment.browser()
            let form = try await browser.beginSignIn(at: deployment.client)
            let pending = try await deployment.awaitingReply(by: browser, on: form)
            let begun = try #require(Self.lines(deployment, "sign_in_requested").last)
            let flow = try #require(begun.firstMatch(of: #/"flow": ([A-Za-z0-9_\-]{12})/#)).1
            #expect(try await deployment.deliver(pending.message(from: "bob@example.com")) == "other_sender")
            #expect(try await deployment.deliver(pending.message(pending.wrong)) == "wrong_number")
            #expect(try await deployment.deliver(pending.message()) == "accepted")
            let story = Self.lines(deployment, "\"account\": \(account)", "\"flow\": \(flow)", "a…@example.com")
            #expect(story.filter { $0.contains("reply_ignored") && $0.contains("address_id") }.count == 2)
            #expect(story.filter { $0.contains("reply_accepted") && $0.contains("address_id") }.count == 1)
        }
    }

    @Test("a path that does not exist is in its line, without the query and without what could be a token")
    func paths() async throws {
        try await TestDeployment.open { deployment in
            let key = String(repeating: "aB3", count: 14)
            for (path, shown) in [
                ("/wp-login.php?token=x", "/wp-login.php"), ("/a/\(key)/b", "/a/…/b"),
                ("/.well-known/apple-app-site", "/.well-known/apple-app-site"),
            ] {
                _ = try await deployment.probe().get(path)
                #expect(Self.lines(deployment, "request_refused", "\"path\": \(shown)").count == 1, "\(shown)")
            }
            #expect(!deployment.log.contains(key) && !deployment.log.contains("token=x"))
        }
    }
}
