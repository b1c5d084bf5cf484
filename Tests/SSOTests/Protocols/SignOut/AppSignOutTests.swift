import SSOShared
import Storage
import Testing

@testable import Counterparts
@testable import IdPSchema
@testable import IdPTestKit
@testable import SQLiteStorage
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

@Suite("Sign-out of apps, and what follows a user from session to session", .program)
struct AppSignOutTests {
    @Test("an app that signs out, or is signed out by another one, reaches the clients of its web view")
    func apps() async throws {
        let stub = try StandInClient()
        try await TestDeployment.open(clientKeys: "logout_uri: \"\(stub.logoutURI)\"") { deployment in
            var told: [String] = []
            var apps: [JSONApp] = []
            for name in ["first", "second", "third"] {
                let app = try await deployment.signedInApp(device: name)
                let view = deployment.webView(of: app)
                told.append(try await deployment.enter(deployment.client, in: view).session.id)
                apps.append(app)
            }
            #expect(try await apps[0].authorized("DELETE", "/session").status == 204)
            #expect(try await stub.received(1).map(\.message.session) == [told[0]])
            #expect(try await apps[1].authorized("DELETE", "/devices").status == 204)
            #expect(try await stub.received(2).map(\.message.session) == [told[0], told[2]])
            let view = deployment.webView(of: apps[1])
            let home = try await view.home(of: deployment)
            #expect(try await view.submit(home.page().form(to: "/devices/end"), on: home).status == 303)
            #expect(try await stub.received(3).map(\.message.session) == [told[0], told[2], told[1]])
        }
    }

    @Test(
        "while a second proof is missing nobody is told, and with it the client's id goes on; another account ends it")
    func secondFactor() async throws {
        let stub = try StandInClient()
        try await TestDeployment.open(
            clientKeys: "logout_uri: \"\(stub.logoutURI)\"", adding: PinFactor.added
        ) { deployment in
            let browser = deployment.browser()
            func signIn() async throws {
                let asking = try await deployment.askingAgain(by: browser)
                let page = try await browser.follow(asking.guess(asking.code))
                _ = try await browser.follow(browser.typePin(on: page))
            }
            try await signIn()
            let told = try await deployment.enter(deployment.client, in: browser)
            // The first proof alone, and another first step while the second one is missing.
            #expect(try await deployment.signInOnceMore(browser).address.path == PinFactor.pagePath)
            try await signIn()
            #expect(try await deployment.enter(deployment.client, in: browser).session.id == told.session.id)
            #expect(try await deployment.rows(of: "sign_out_message") == 0)
            let half = try await deployment.signInOnceMore(browser, as: "bob@example.com")
            #expect(half.address.path == PinFactor.pagePath)
            #expect(try await stub.received(1).map(\.message.session) == [told.session.id])
            #expect(try stub.received.map(\.message.user) == [told.user.id])
        }
    }
}
