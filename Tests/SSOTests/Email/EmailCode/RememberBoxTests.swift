import SSOShared
import SSOWeb
import Testing

@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// The box "Keep me signed in on this device" on its way from the sign-in page to the proof.
@Suite("The box to stay signed in", .program)
struct RememberBoxTests {
    private static func isTicked(_ visit: Visit) throws -> Bool? {
        try visit.page().form(with: "remember")?.fields.first { $0.name == "remember" }?.isSent
    }

    /// Where each of these stands in the page.
    private static func order(of parts: [String], in visit: Visit) -> [String] {
        let places = parts.compactMap { part in visit.text.firstRange(of: part).map { (part, $0.lowerBound) } }
        return places.sorted { $0.1 < $1.1 }.map(\.0)
    }

    @Test("comes before what sends its form: the button of the email, and the field of the code")
    func order() async throws {
        try await TestDeployment.open { deployment in
            let form = try await deployment.browser().get(deployment.origin + "/sign-in")
            let onForm = ["id=\"email\"", "name=\"remember\"", "Email me a code</button>"]
            #expect(Self.order(of: onForm.reversed(), in: form) == onForm)
            let waiting = try await deployment.asking().waiting
            let onCode = ["name=\"remember\"", "name=\"code\"", "Sign in</button>"]
            #expect(Self.order(of: onCode.reversed(), in: waiting) == onCode)
        }
    }

    @Test("is there once on the sign-in page, in the first form that it counts for, and says for what it does not")
    func once() async throws {
        let folder = try TemporaryFolder()
        try await TestDeployment.open(settings: UnvisitedProviders.settings(in: folder)) { deployment in
            for (last, path) in [("email", "/sign-in"), ("google", "/sign-in"), ("passkey", "/sign-in/passkey")] {
                let browser = deployment.browser()
                browser.setCookie("idp_last_method", to: last, at: "localhost")
                let form = try await browser.get(deployment.origin + "/sign-in")
                #expect(try form.page().form(with: "remember")?.action == path, "\(last)")
                #expect(form.text.matches(of: #/name="remember"/#).count == 1)
                #expect(form.text.contains("unless you sign in with another service."))
            }
        }
        withExtendedLifetime(folder) {}
        try await TestDeployment.open { deployment in
            let form = try await deployment.browser().get(deployment.origin + "/sign-in")
            #expect(!form.text.contains("unless you sign in"))
        }
    }

    @Test("stays as the user has left it, until the code, the link and a new email; the last form decides")
    func carried() async throws {
        try await TestDeployment.open { deployment in
            for remembers in [true, false] {
                let (browser, address) = (deployment.browser(), remembers ? "ann@example.com" : "bob@example.com")
                let form = try await browser.get(deployment.origin + "/sign-in")
                let values = ["email": address].merging(remembers ? ["remember": "1"] : [:]) { $1 }
                let refused = try await browser.submit(
                    form.page().form(with: "email"), on: form, values.merging(["email": "ann"]) { $1 })
                #expect(try Self.isTicked(refused) == remembers)
                let asked = try await browser.submit(refused.page().form(with: "email"), on: refused, values)
                let waiting = try await browser.get(asked.location())
                #expect(try Self.isTicked(waiting) == remembers)
                let link = try #require(
                    try await deployment.mailbox.email(to: address).signInLink)
                #expect(try await Self.isTicked(browser.follow(browser.get(link))) == remembers)
                deployment.clock.advance(by: .seconds(61))
                #expect(try await Self.isTicked(deployment.resend(waiting, browser)) == remembers)
                // Another browser has not ticked it.
                try await deployment.forgetEmails(to: "eve@example.com")
                #expect(try await Self.isTicked(deployment.asking("eve@example.com").waiting) == false)

                let code = try await deployment.mailbox.code(to: address)
                let last = try #require(waiting.page().form(with: "code"))
                let fields = last.filled(["code": code]).filter { $0.0 != "remember" }
                let done = try await browser.post(
                    waiting.address.resolving(last.action), fields + (remembers ? [] : [("remember", "1")]))
                #expect(done.status == 303)
                deployment.clock.advance(by: .hours(3))
                #expect(try await browser.isSignedInOnHomePage(of: deployment) == !remembers)
            }
        }
    }
}
