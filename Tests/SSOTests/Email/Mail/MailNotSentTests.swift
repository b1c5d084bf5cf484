import ProbeKit
import SSOShared
import Testing

@testable import Counterparts
@testable import IdPFlow
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// The log answers "why did Ann get no code", without her whole address.
@Suite("What the log says of emails with codes", .program, .alsoOnPostgres)
struct MailNotSentTests {
    private static func lines(_ event: String, _ deployment: TestDeployment) -> [Substring] {
        deployment.log.text.split(separator: "\n").filter { $0.contains(" \(event) ") }
    }

    @Test("each reason why no email was sent is logged with the flow and the masked address")
    func reasons() async throws {
        try await TestDeployment.open(settings: ["IDP_LIMIT_EMAIL_POSTS": "6", "IDP_TRUSTED_PROXIES": "127.0.0.0/8"]) {
            deployment in
            let from: HTTPProbe.Headers = [("X-Forwarded-For", "203.0.113.7")]
            func ask(_ address: String) async throws -> String {
                let browser = deployment.browser()
                let form = try await browser.follow(
                    browser.get(deployment.authorize(deployment.client, state: "state of \(address)"), from))
                let fields = try #require(try form.page().form(with: "email"))
                    .fields.map { ($0.name, $0.name == "email" ? address : $0.value) }
                _ = try await browser.post(WebAddress(deployment.origin + "/sign-in"), fields, from)
                return FlowLogID.name(digest: SHA256.hash(Array("state of \(address)".utf8)))
            }
            func expect(_ reason: String, _ address: String, _ flow: String) {
                let line = Self.lines("mail_not_sent", deployment).last ?? ""
                #expect(line.hasPrefix("info "), "\(line)")
                for part in ["\"reason\": \(reason)", "\"address\": \(address)", "\"flow\": \(flow)"] {
                    #expect(line.contains(part), "\(part) in \(line)")
                }
            }
            expect("address_not_allowed", "z…@nowhere.org", try await ask("zoe@nowhere.org"))
            let flow = try await ask("ann@example.com")
            let queued = try #require(Self.lines("mail_queued", deployment).last)
            #expect(queued.contains("\"address\": a…@example.com") && queued.contains("\"flow\": \(flow)"))
            #expect(Self.lines("mail_not_sent", deployment).count == 1)
            let email = try #require(queued.firstMatch(of: #/"email": ([\w-]+)/#)).1
            try await eventually("the email was sent") {
                Self.lines("mail_sent", deployment).contains {
                    $0.contains("\"email\": \(email)") && $0.contains("\"address\": a…@example.com")
                } ? () : nil
            }
            try await deployment.stored.accounts.add(
                AddedAccount("usr_1", "max@example.com", name: "max", isDisabled: true))
            expect("account_disabled", "m…@example.com", try await ask("max@example.com"))
            // One network gets three emails per hour for a mailbox.
            for _ in 0..<3 { _ = try await ask("ann@example.com") }
            expect("address_limit", "a…@example.com", flow)
            expect("network_limit", "b…@example.com", try await ask("ben@example.com"))
            #expect(!deployment.log.contains("ann@example.com") && !deployment.log.contains("zoe@nowhere.org"))
        }
    }

    /// The line is written for every submitted address, at one level: its cost is no hint.
    @Test("an address that may sign in and an unknown one get one line each, of the same level")
    func sameNumberOfLines() async throws {
        try await TestDeployment.open { deployment in
            for (address, event) in [("ann@example.com", "mail_queued"), ("zoe@nowhere.org", "mail_not_sent")] {
                let before = Self.lines("mail_queued", deployment).count + Self.lines("mail_not_sent", deployment).count
                _ = try await deployment.waiting(for: address, by: deployment.browser())
                let after = Self.lines("mail_queued", deployment).count + Self.lines("mail_not_sent", deployment).count
                #expect(after == before + 1)
                #expect(Self.lines(event, deployment).last?.hasPrefix("info ") == true)
            }
        }
    }

    @Test("a failed delivery names server, address and cause; the last one of an email says that it expires")
    func failed() async throws {
        try await TestDeployment.open { deployment in
            try deployment.mailbox.block()
            _ = try await deployment.waiting(for: "ann@example.com", by: deployment.browser())
            try await eventually("a failed attempt") {
                Self.lines("mail_delivery_failed", deployment).isEmpty ? nil : ()
            }
            let line = try #require(Self.lines("mail_delivery_failed", deployment).last)
            for part in ["\"address\": a…@example.com", "\"server\": outbox:", "\"attempts\": 1", "\"cause\": "] {
                #expect(line.contains(part), "\(line)")
            }
            deployment.clock.advance(by: .seconds(599))
            try await eventually("the email is given up") {
                Self.lines("mail_not_sent", deployment).contains { $0.contains("\"reason\": expired") } ? () : nil
            }
        }
    }

    @Test(
        "an address shows its first character and its domain",
        arguments: [("ann@example.com", "a…@example.com"), ("a@b.org", "a…@b.org")])
    func masked(text: String, shown: String) throws {
        #expect(try EmailAddress(text).masked == shown)
    }
}
