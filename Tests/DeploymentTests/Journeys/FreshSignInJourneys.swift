import SSOShared
import Testing

@testable import IdPTestKit
@testable import TestKit

extension Journeys.Operators {
    @Suite("Fresh sign-in over a restart", .journey)
    struct FreshSignIn {
        @Test("killed and started again, the identity provider still asks for the fresh sign-in, and then goes on")
        func restart() async throws {
            try await ProcessDeployment.running(ProcessDeployment()) { pair in
                let browser = Browser()
                _ = try await browser.signIn(at: pair.client, of: pair, as: "ann@example.com")
                let before = try await browser.get(pair.authorize(pair.client, state: "before"))
                let first = try VerifyReply(body: try await pair.verify(before.token(), as: pair.client).body)

                let form = try await browser.follow(
                    browser.get(pair.authorize(pair.client, state: "kept") + "&prompt=login&login_hint=ben@example.com")
                )
                try await pair.idp.kill()
                _ = try await pair.idp.start()
                let flow = try #require(form.address.query("flow"))
                let early = try await browser.follow(browser.get("\(pair.origin)\(SSOPath.complete)?flow=\(flow)"))
                #expect(early.address.path == "/sign-in" && early.text.contains("asks you to sign in again"))
                #expect(try early.page().form(with: "email")?["email"] == "ben@example.com")

                let waiting = try await browser.ask(for: "ben@example.com", on: early)
                let complete = try await browser.enter(pair.mailbox.code(to: "ben@example.com"), on: waiting)
                #expect(try complete.callback().query("state") == "kept")
                let second = try VerifyReply(body: try await pair.verify(complete.token(), as: pair.client).body)
                #expect(second.user.email == "ben@example.com")
                let times = (try #require(first.session.authenticatedAt), try #require(second.session.authenticatedAt))
                #expect(times.1 >= times.0)
                #expect(second.session.id != first.session.id)
            }
        }
    }
}
