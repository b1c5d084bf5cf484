import ProbeKit
import SSOShared
import SSOWeb
import Testing

@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("The user's apps", .program, .alsoOnPostgres)
struct AppDevicesTests {
    private static func devices(_ app: JSONApp) async throws -> [JSONValue] {
        try await app.authorized("GET", "/devices").json()["devices"]?.items ?? []
    }

    @Test("each app sees all of the user's apps, newest first, and which one it is itself")
    func list() async throws {
        try await TestDeployment.open { deployment in
            let first = try await deployment.signedInApp(device: "Kitchen <tablet>")
            deployment.clock.advance(by: .minutes(10))
            let second = try await deployment.signedInApp(by: deployment.jsonApp(userAgent: "okhttp/5.0"))
            _ = try await deployment.signedInApp(as: "bob@example.com")
            deployment.clock.advance(by: .minutes(10))
            let seen = try await Self.devices(first)
            #expect(seen.map { $0["name"] } == ["Unknown device", "Kitchen <tablet>"])
            #expect(seen.map { $0["current"]?.bool } == [false, true])
            #expect(seen[1]["last_used_at"]?.number == Double(deployment.clock.now.seconds))
            #expect(seen[1]["created_at"]?.number == Double(deployment.clock.now.seconds - 1200))
            #expect(try await Self.devices(second).map { $0["current"]?.bool } == [true, false])
        }
    }

    @Test("one is signed out by its id, all others at once, and only the user's own")
    func end() async throws {
        try await TestDeployment.open { deployment in
            let (first, second) = (try await deployment.signedInApp(), try await deployment.signedInApp())
            let third = try await deployment.signedInApp()
            let bob = try await deployment.signedInApp(as: "bob@example.com")
            let id = try #require(try await Self.devices(second).first { $0["current"] == true }?["id"]?.text)
            for path in ["/devices/\(id)", "/devices/dev_unknown"] {
                let foreign = try await bob.authorized("DELETE", path)
                #expect(foreign.status == 404 && foreign.apiError == "not_found")
            }
            #expect(try await first.authorized("DELETE", "/devices/\(id)").status == 204)
            #expect(try await second.authorized("GET", "/me").status == 401)
            #expect(try await !deployment.webView(of: second).isSignedInOnHomePage(of: deployment))
            #expect(deployment.log.contains("app_signed_out"))
            #expect(try await first.authorized("DELETE", "/devices/\(id)").status == 404)

            #expect(try await first.authorized("DELETE", "/devices").status == 204)
            #expect(try await third.authorized("GET", "/me").status == 401)
            for app in [first, bob] { #expect(try await app.authorized("GET", "/me").status == 200) }
            #expect(try await Self.devices(first).count == 1)
        }
    }

    @Test("the home page lists them with a button each; without apps it says nothing of them")
    func homePage() async throws {
        try await TestDeployment.open { deployment in
            let browser = try await deployment.signedIn()
            let empty = try await browser.get(deployment.origin + "/")
            #expect(try empty.page().form(to: "/devices/end") == nil && !empty.text.contains("Apps"))
            let app = try await deployment.signedInApp(device: "Kitchen <tablet>")
            let other = try await deployment.signedInApp(device: "Phone")
            let home = try await browser.get(deployment.origin + "/")
            #expect(home.text.contains("Kitchen &lt;tablet&gt;") && home.text.ranges(of: "this device").count == 1)
            #expect(try home.page().forms.count { $0.action == "/devices/end" } == 2)
            let view = deployment.webView(of: app)
            #expect(try await view.get(deployment.origin + "/").text.contains("this device"))

            let row = try #require(try await Self.devices(app).first { $0["name"] == "Phone" }?["id"]?.text)
            let forged = try await browser.post(
                WebAddress(deployment.origin + "/devices/end"), [("form_token", "x"), ("device", row)])
            #expect(forged.status == 403)
            let token = try home.formToken()
            let fields = [("form_token", token), ("device", row)]
            for _ in 0..<2 {
                let ended = try await browser.post(WebAddress(deployment.origin + "/devices/end"), fields)
                #expect(ended.status == 303 && ended.reply.header("location") == "/")
            }
            #expect(try await other.authorized("GET", "/me").status == 401)
            #expect(try await app.authorized("GET", "/me").status == 200)
            #expect(try await browser.isSignedInOnHomePage(of: deployment))
        }
    }

    @Test("the button of the app that shows the page signs that web view out as well")
    func ownApp() async throws {
        try await TestDeployment.open { deployment in
            let app = try await deployment.signedInApp()
            let view = deployment.webView(of: app)
            let home = try await view.get(deployment.origin + "/")
            _ = try await view.submit(home.page().form(to: "/devices/end"), on: home)
            #expect(view.session == nil)
            #expect(try await app.authorized("GET", "/me").status == 401)
        }
    }

    @Test("a session of a web view without a token is an app too")
    func sessionOnly() async throws {
        try await TestDeployment.open { deployment in
            let app = try await deployment.signedInApp()
            let other = try await deployment.signedInApp(
                by: deployment.jsonApp(userAgent: "Mozilla/5.0 (Linux; Android 16)"))
            try await deployment.stored.accessTokens.device(from: "Android").delete()
            let all = try await Self.devices(app)
            #expect(Set(all.compactMap { $0["name"]?.text }) == ["iPhone", "Android device"])
            let id = try #require(all.first { $0["name"] == "Android device" }?["id"]?.text)
            #expect(try await app.authorized("DELETE", "/devices/\(id)").status == 204)
            #expect(try await !deployment.webView(of: other).isSignedInOnHomePage(of: deployment))
        }
    }
}
