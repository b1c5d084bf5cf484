import ProbeKit
import Testing

@testable import IdPTestKit
@testable import TestKit

@Suite("A hundred codes of handoffs at the same instant", .program, .alsoOnPostgres)
struct HandoffRaceTests {
    /// ASVS 15.4.2.
    @Test(
        "of 100 web views with one code one is signed in, and there is one session of an app",
        arguments: ["GET", "POST"])
    func oneWinner(method: String) async throws {
        try await TestDeployment.withApps { deployment in
            let app = try deployment.app()
            let code = try await deployment.handOff(app, in: deployment.browser()).handoffCode()
            let views = (0..<100).map { _ in deployment.webView() }
            let replies = try await atOnce(100) { index in
                let view = views[index]
                return try await method == "GET" ? app.present(code, in: view) : app.post(code, in: view)
            }
            #expect(replies.count { $0.status == 303 } == 1 && replies.count { $0.status == 400 } == 99)
            #expect(replies.count { !$0.reply.all("set-cookie").isEmpty } == 1)
            #expect(try await deployment.stored.sessions.ofApps.count() == 1)
            #expect(deployment.events("handoff_signed_in") == 1)
            #expect(deployment.events("handoff_code_rejected", reason: "used") == 99)
            var signedIn = 0
            for view in views where try await view.isSignedInOnHomePage(of: deployment) { signedIn += 1 }
            #expect(signedIn == 1)
        }
    }

    @Test("of 100 requests of one web view one is signed in, also when its session ends meanwhile")
    func oneWebView() async throws {
        try await TestDeployment.withApps { deployment in
            let app = try deployment.app()
            let code = try await deployment.handOff(app, in: deployment.browser()).handoffCode()
            let webView = deployment.webView()
            _ = try await webView.get(deployment.authorize(deployment.client, state: "s"))
            let twins = (0..<100).map { _ in webView.twin() }
            let replies = try await atOnce(100) { try await app.present(code, in: twins[$0]) }
            #expect(replies.count { $0.status == 303 } == 1)
            #expect(replies.allSatisfy { $0.status == 303 || $0.status == 400 })
            #expect(try await deployment.stored.sessions.ofApps.count() == 1)
        }
    }

    @Test("of the thief's wrong verifiers and the app's right one, all at once, at most one decides")
    func mixed() async throws {
        try await TestDeployment.withApps { deployment in
            let (app, thief) = (try deployment.app(), try deployment.app())
            let code = try await deployment.handOff(app, in: deployment.browser()).handoffCode()
            let views = (0..<40).map { _ in deployment.webView() }
            let statuses = try await atOnce(40) { index in
                try await (index % 2 == 0 ? app : thief).present(code, in: views[index]).status
            }
            let sessions = try await deployment.stored.sessions.ofApps.count()
            #expect(statuses.count { $0 == 303 } == sessions && sessions <= 1)
            #expect(deployment.events("handoff_code_rejected", reason: "wrong_verifier") == 1 - sessions)
            for (index, view) in views.enumerated() where index % 2 == 1 {
                #expect(try await !view.isSignedInOnHomePage(of: deployment), "the thief")
            }
        }
    }
}
