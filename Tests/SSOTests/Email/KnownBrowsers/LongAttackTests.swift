import Foundation
import ProbeKit
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdPMail
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// A long attack on one address every thirty minutes, with the clock set by the test. `SSO_ATTACK=full` makes it a
/// fortnight from 1, 10 and 100 networks with 100 sign-ins each; otherwise it lasts twenty hours.
@Suite("The owner can sign in during an attack that lasts for days", .program, .alsoOnPostgres)
struct LongAttackTests {
    private static let networks = AttackReport.isFull ? [1, 10, 100] : [10]
    private static let signIns = AttackReport.isFull ? 100 : 4
    private static let steps = AttackReport.isFull ? 14 * 48 : 40

    @Test("in a known browser every time", arguments: networks)
    func known(networks: Int) async throws {
        try await run(networks, "a known browser") { deployment, owner in
            let waiting = try await deployment.waiting(for: "ann@example.com", by: owner)
            let form = try waiting.page().form(with: "code")
            let code = try await deployment.codeOfNewestEmail()
            // A code may have to be typed a second time, as users do.
            _ = try await owner.submit(form, on: waiting, ["code": code == "000000" ? "000001" : "000000"])
            guard try await owner.submit(form, on: waiting, ["code": code]).status == 303 else { return nil }
            try await owner.signOut(of: deployment)
            return .zero
        }
    }

    @Test(
        "in an unknown browser as well: by an email, or by the link in the newest one", arguments: networks)
    func unknown(networks: Int) async throws {
        try await run(networks, "a new browser") { deployment, _ in
            let owner = deployment.browser()
            let begun = deployment.clock.now
            var waiting = try await deployment.waiting(for: "ann@example.com", by: owner)
            if try waiting.page().form(with: "code") == nil {
                guard let link = deployment.browserLink() else { return nil }
                let page = try await owner.follow(owner.get(link))
                _ = try await owner.submit(page.page().form(to: "/sign-in/browser"), on: page)
                waiting = try await deployment.waiting(for: "ann@example.com", by: owner)
            }
            let wait = try waiting.page().tags.lazy.compactMap { $0["data-countdown"] }.first.flatMap { Int($0) }
            if waiting.text.contains("send the code in") { deployment.clock.advance(by: .seconds(wait ?? 0)) }
            let code = try await deployment.codeOfNewestEmail()
            let form = try waiting.page().form(with: "code")
            let done = try await owner.submit(form, on: waiting, ["code": code])
            return done.status == 303 ? deployment.clock.now - begun : nil
        }
    }

    /// A mail server that is down.
    private struct DeadMailer: Mailer {
        func send(_ email: EmailMessage) async throws(MailError) { throw .unreachable("down") }
    }

    @Test("by a passkey in a browser that was never seen, while the mail server is down, 100 of 100 times")
    func passkey() async throws {
        try await TestDeployment.open(
            settings: ["IDP_TRUSTED_PROXIES": "127.0.0.1/32"], mailer: { _ in DeadMailer() }
        ) { deployment in
            let authenticator = try await deployment.givePasskey(to: "ann@example.com")
            var succeeded = 0
            for step in 0..<100 {
                try await Self.attack(deployment, from: "198.51.100.\(step % 10)")
                if step == 10 { #expect(try await deployment.emailsQueued() == 10, "as many as a day has") }
                deployment.clock.advance(by: .minutes(30))
                let owner = deployment.browser()
                let done = try await owner.usePasskey(authenticator, on: deployment.signInPage(owner))
                if done.status == 303, try await owner.isSignedInOnHomePage(of: deployment) { succeeded += 1 }
            }
            #expect(succeeded == 100)
            #expect(try await deployment.rows(of: "mail_outage") == 1)
        }
    }

    /// - Parameter signIn: one attempt of the owner. It returns its duration by the clock, or nil after a failure.
    private func run(
        _ networks: Int, _ browser: String,
        signIn: @escaping @Sendable (TestDeployment, Browser) async throws -> Duration?
    ) async throws {
        try await TestDeployment.open(settings: ["IDP_TRUSTED_PROXIES": "127.0.0.1/32"]) { deployment in
            let owner = try await deployment.knownBrowser()
            var (step, succeeded, longest) = (0, 0, Duration.zero)
            let stepsBetween = Self.steps / Self.signIns
            for _ in 0..<Self.signIns {
                for _ in 0..<stepsBetween {
                    try await Self.attack(deployment, from: "198.51.100.\(step % networks)")
                    deployment.clock.advance(by: .minutes(30))
                    step += 1
                }
                if let time = try await signIn(deployment, owner) {
                    succeeded += 1
                    longest = max(longest, time)
                }
            }
            AttackReport.line(
                "codes and guesses for one address, \(networks) networks, a fortnight",
                "\(browser) signed in \(succeeded) of \(Self.signIns) times, longest \(longest.milliseconds / 1000) s")
            #expect(succeeded == Self.signIns)
            #expect(longest <= .minutes(10))
        }
    }

    /// Asks for a code in a fresh browser, and types five wrong codes where the page accepts them.
    private static func attack(_ deployment: TestDeployment, from network: String) async throws {
        let browser = deployment.browser()
        let from: HTTPProbe.Headers = [("X-Forwarded-For", network)]
        let form = try await browser.get(deployment.origin + "/sign-in", from)
        guard form.status == 200 else { return }
        let sent = try await browser.post(
            form.address, [("form_token", try form.formToken()), ("email", "ann@example.com")], from)
        guard sent.status == 303 else { return }
        let page = try await browser.get(sent.location(), from)
        for _ in 0..<5 where try page.page().form(with: "code") != nil {
            _ = try await browser.post(
                page.address, [("form_token", try page.formToken()), ("code", "000000")], from)
        }
    }
}

extension TestDeployment {
    /// The code in the email of the newest challenge: during an attack the owner recognises it by its time.
    fileprivate func codeOfNewestEmail() async throws -> String {
        let id = try #require(try await stored.challenges.newestEmail())
        return try await eventually("the owner's own email") {
            mailbox.all(to: "ann@example.com").last { $0.name.contains(id) }?.code
        }
    }
}
