import Dispatch
import SQLiteStorage
import SSOShared
import Testing

@testable import Counterparts
@testable import IdPOIDC
@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// The database is locked by another process.
@Suite("Redeeming while the database is locked", .program, .alsoOnPostgres)
struct LockedDatabaseTests {
    @Test("the client gets 503 before its own timeout, nothing is used up, and the retry succeeds")
    func locked() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let complete = try await browser.signIn(at: deployment.client, of: deployment, as: "ann@example.com")
            let other = try await deployment.databases.openIdP()
            let gate = DispatchSemaphore(value: 0)
            let holder = await other.hold(gate)
            let page = try await browser.get(complete.callback())
            #expect(page.status == 503)
            // The IdP answered; this is not a conclusion from a timeout.
            #expect(deployment.log.contains("unavailable: status 503"), "\(deployment.log.text)")
            #expect(!deployment.log.contains("timed out"))
            gate.signal()
            // PostgreSQL ends what was idle for five seconds.
            _ = await holder.result
            #expect(try await deployment.verify(complete.token(), as: deployment.client).error == "invalid_token")
            let second = try await browser.follow(
                browser.click(page.page().link(containing: "/auth/sso/"), on: page))
            _ = try await browser.follow(browser.get(second.callback()))
            #expect(try await browser.isSignedIn(at: deployment.client))
        }
    }

    @Test("an introspection does not wait for the writer, and prompt=none goes back to the client with its error")
    func silent() async throws {
        try await TestDeployment.openWithOIDC(keys: ["access: everyone, introspect: true"]) { deployment in
            let browser = try await deployment.signedIn()
            let silent = deployment.oidcRequest(deployment.client, ["prompt": "none"])
            #expect(try await browser.get(silent).location().query("code") != nil)
            let other = try await deployment.databases.openIdP()
            let gate = DispatchSemaphore(value: 0)
            let holder = await other.hold(gate)
            let start = ContinuousClock.now
            let state = try await deployment.oidcPost(
                OIDCPath.introspect, [("token", "soa_x")], as: deployment.client)
            #expect(try state.json() == ["active": false])
            #expect(ContinuousClock.now - start < SQLiteDatabase.patience)
            let back = try await browser.get(silent).location()
            #expect(back.query("error") == "temporarily_unavailable" && back.query("state") == "s")
            gate.signal()
            _ = await holder.result
            #expect(try await browser.get(silent).location().query("code") != nil)
        }
    }

    @Test("the timeout for a lock is less than half of the time that a client waits for an answer")
    func lockTimeout() {
        #expect(SQLiteDatabase.patience * 2 < HTTPLimits().call)
    }
}
