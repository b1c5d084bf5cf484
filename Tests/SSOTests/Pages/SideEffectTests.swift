import SSOShared
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit

@Suite("GET changes nothing")
struct SideEffectTests {
    private static func rows(_ deployment: TestDeployment) async throws -> [String: Int64] {
        var rows = try await deployment.database.rowsOfEveryTable()
        rows["guesses"] = Int64(try await deployment.count("SELECT COALESCE(SUM(tries), 0) FROM challenge"))
        return rows
    }

    @Test("ten GETs of any page in the middle of a sign-in add and remove no row of any table")
    func get() async throws {
        try await TestDeployment.open(settings: ProgramPaths.everyFeature) { deployment in
            let asking = try await deployment.asking()
            let served = try await deployment.servedByIdP()
            let before = try await Self.rows(deployment)
            let pages = try await served.pages()
            #expect(pages.count > 20 && pages.contains("/sign-in/code"))
            let queries = ["/sign-in?email=ann@example.com", "/sign-in/code?code=\(asking.code)"]
            for page in pages + queries {
                for _ in 0..<10 {
                    #expect(try await asking.browser.get(deployment.origin + page).status < 500, "\(page)")
                }
                #expect(try await Self.rows(deployment) == before, "\(page)")
            }
            for path in ["/name?name=Mallory", "/sign-out"] {
                #expect(try await asking.browser.get(deployment.origin + path).status == 405)
            }
            #expect(try await Self.rows(deployment) == before)
            #expect(try await !asking.browser.isSignedInOnHomePage(of: deployment))
            #expect(try await asking.guess(asking.code).status == 303)
        }
    }

    /// Link checkers send HEAD.
    @Test("every page accepts HEAD: only what changes something, streams or answers programs does not")
    func withoutHead() async throws {
        try await TestDeployment.open(settings: ProgramPaths.everyFeature) { deployment in
            var found: [String] = []
            for served in [try await deployment.servedByIdP(), try await deployment.servedByClient()] {
                for path in served.paths {
                    let allowed = try #require(try await served.allowed(at: path), "\(path)")
                    if allowed.contains("GET"), !allowed.contains("HEAD") { found.append(path) }
                }
            }
            #expect(
                found.sorted()
                    == [
                        "/api/v1/devices", "/api/v1/identities", "/api/v1/me", "/api/v1/session",
                        "/api/v1/session/check",
                        "/auth/a-b_C.1/callback", "/auth/native/complete", SSOPath.authorize, SSOPath.callback,
                        SSOPath.complete, SSOPath.start, "/hotwire_native/sign_in", "/sign-in/cancel",
                        "/sign-in/events",
                        "/sign-in/reply",
                    ].sorted())
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
