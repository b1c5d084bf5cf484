import SSOShared
import Testing

@testable import TestSupport

@Suite("GET changes nothing")
struct SideEffectTests {
    private static let everything = ["session", "account", "sso_token", "challenge", "code_guess", "mail_queue"]

    private static func rows(_ deployment: TestDeployment) async throws -> [Int] {
        var counts: [Int] = []
        for table in everything { counts.append(try await deployment.count("SELECT COUNT(*) FROM \(table)")) }
        return counts + [try await deployment.count("SELECT COALESCE(SUM(tries), 0) FROM challenge")]
    }

    @Test("ten GETs of any page sign no user in or out, send no email and count no guess")
    func get() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.asking()
            let before = try await Self.rows(deployment)
            for path in [
                "/", "/sign-in", "/sign-in/code", "/sign-in?email=ann@example.com", "/sign-in/code?code=\(asking.code)",
            ] {
                for _ in 0..<10 { #expect(try await asking.browser.get(deployment.origin + path).status < 400) }
            }
            for path in ["/name?name=Mallory", "/sign-out"] {
                #expect(try await asking.browser.get(deployment.origin + path).status == 405)
            }
            #expect(try await Self.rows(deployment) == before)
            #expect(try await !asking.browser.isSignedInOnHomePage(of: deployment))
            #expect(try await asking.guess(asking.code).status == 303)
        }
    }

    /// RFC 9700 4.12: a 307 or 308 would send the code to the next host.
    @Test("every POST that succeeds ends in a 303")
    func seeOther() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let form = try await browser.beginSignIn(at: deployment.client)
            let asked = try await browser.submit(
                form.page().form(with: "email"), on: form, ["email": "ann@example.com"])
            let waiting = try await browser.follow(asked)
            let code = try await deployment.mailbox.code(to: "ann@example.com")
            let signedIn = try await browser.submit(waiting.page().form(with: "code"), on: waiting, ["code": code])
            let renamed = try await HomePageTests.rename(browser, of: deployment, to: "Ann")
            let home = try await browser.get(deployment.origin + "/")
            let out = try await browser.submit(home.page().form(to: "/sign-out"), on: home)
            for visit in [asked, signedIn, renamed, out] {
                #expect(visit.status == 303)
                #expect(visit.reply.header("location")?.hasPrefix("/") == true, "never directly to a client")
                #expect(visit.reply.header("location")?.hasPrefix("//") == false)
            }
        }
    }
}
