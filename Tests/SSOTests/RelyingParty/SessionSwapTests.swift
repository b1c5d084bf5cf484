import Foundation
import Synchronization
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit

/// Session fixation and mixed-up users (ASVS 7.2.4): a sign-in begins a new session, for its own user only.
@Suite("The relying party's session at a sign-in", .program)
struct SessionSwapTests {
    @Test("the session id is replaced, and an id that was planted or seen before is invalid")
    func fixation() async throws {
        let idp = try FakeIdP()
        try await idp.open { deployment in
            let victim = deployment.browser()
            let state = try await victim.state(at: deployment.client)
            let before = victim.twin()
            _ = try await victim.comeBack(to: deployment.client, state: state)
            #expect(victim.cookies != before.cookies)
            #expect(try await before.userID(at: deployment.client) == nil)
            #expect(try await victim.userID(at: deployment.client) == "u1")
        }
    }

    @Test("a session that ends while the identity provider is asked takes no new sign-in with it")
    func endedMeanwhile() async throws {
        let meanwhile = Mutex<(@Sendable () -> Void)?>(nil)
        let idp = try FakeIdP { request in
            meanwhile.withLock { $0 }?()
            return .bytes(FakeIdP.signed(request))
        }
        try await idp.open { deployment in
            let browser = deployment.browser()
            _ = try await browser.comeBack(to: deployment.client, state: browser.state(at: deployment.client))
            let token = try await browser.get(deployment.client.origin + "/").formToken()
            let probe = deployment.clientProbe()
            let headers = [
                ("Content-Type", "application/x-www-form-urlencoded"), ("Origin", deployment.client.origin),
                ("Cookie", "rp_session=\(browser.cookie("rp_session", at: "127.0.0.2") ?? "")"),
            ]
            let signOut = probe.request(
                "POST", "/sign-out", headers, body: Array(FormCoding.encode([("form_token", token)]).utf8))
            let status = Mutex(0)
            let state = try await browser.state(at: deployment.client, returnTo: "/account")
            meanwhile.withLock {
                $0 = {
                    let reply = try? probe.connect()
                    try? reply?.send(signOut)
                    let answer = try? reply?.reply()
                    status.withLock { $0 = answer?.status ?? 0 }
                }
            }
            let back = try await browser.comeBack(to: deployment.client, state: state)
            #expect(status.withLock { $0 } == 303, "signed out in another tab")
            #expect(back.status == 303 && back.reply.header("location") == "/account")
            #expect(try await browser.userID(at: deployment.client) == "u1")
        }
    }

    @Test("an id that the server did not issue is never adopted", arguments: ["rp_session", "__Host-rp_session"])
    func planted(name: String) async throws {
        let idp = try FakeIdP()
        try await idp.open { deployment in
            let browser = deployment.browser()
            let planted = String(repeating: "A", count: 43)
            browser.setCookie(name, to: planted, at: "127.0.0.2")
            let state = try await browser.state(at: deployment.client)
            _ = try await browser.comeBack(to: deployment.client, state: state)
            #expect(browser.cookie("rp_session", at: "127.0.0.2") != planted)
            #expect(try await browser.userID(at: deployment.client) == "u1")
        }
    }

    @Test("a user who signs in over another user's session gets a new one, and the other one ends")
    func swap() async throws {
        let idp = try FakeIdP { request in
            let isFirst = String(decoding: request.body, as: UTF8.self).contains("sst_AAAA")
            let reply = FakeIdP.reply(user: isFirst ? "ann" : "bob", email: isFirst ? "ann@x.example" : "bob@x.example")
            return .bytes(FakeIdP.signed(request, reply))
        }
        try await idp.open { deployment in
            let browser = deployment.browser()
            let states = [
                try await browser.state(at: deployment.client), try await browser.state(at: deployment.client),
            ]
            let ann = "sst_" + String(repeating: "A", count: 43)
            _ = try await browser.comeBack(to: deployment.client, [("token", ann), ("state", states[0])])
            #expect(try await browser.userID(at: deployment.client) == "ann")
            let asAnn = browser.twin()
            _ = try await browser.comeBack(to: deployment.client, state: states[1])
            #expect(try await browser.userID(at: deployment.client) == "bob")
            let account = try await browser.get(deployment.client.origin + "/account")
            #expect(account.text.contains("bob@x.example") && !account.text.contains("ann"))
            #expect(try await asAnn.userID(at: deployment.client) == nil)
        }
    }

    @Test("users are identified by the IdP's id: an address that now belongs to another user opens no account")
    func byID() async throws {
        let idp = try FakeIdP { request in
            let isFirst = String(decoding: request.body, as: UTF8.self).contains("sst_AAAA")
            return .bytes(FakeIdP.signed(request, FakeIdP.reply(user: isFirst ? "old-owner" : "new-owner")))
        }
        try await idp.open { deployment in
            let (old, new) = (deployment.browser(), deployment.browser())
            let first = "sst_" + String(repeating: "A", count: 43)
            _ = try await old.comeBack(
                to: deployment.client, [("token", first), ("state", old.state(at: deployment.client))])
            _ = try await new.comeBack(to: deployment.client, state: new.state(at: deployment.client))
            #expect(try await old.userID(at: deployment.client) == "old-owner")
            #expect(try await new.userID(at: deployment.client) == "new-owner")
        }
    }

    @Test("twenty users who sign in at the same time each get their own session")
    func noMixUp() async throws {
        let idp = try FakeIdP { request in
            // The token names the user: any other answer belongs to another user.
            let body = String(decoding: request.body, as: UTF8.self)
            let number = body.components(separatedBy: "sst_").dropFirst().first?.prefix(2) ?? "?"
            return .bytes(FakeIdP.signed(request, FakeIdP.reply(user: "user-\(number)")))
        }
        try await idp.open { deployment in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 10..<30 {
                    let browser = deployment.browser()
                    group.addTask {
                        let token = "sst_\(number)" + String(repeating: "A", count: 41)
                        let state = try await browser.state(at: deployment.client)
                        _ = try await browser.comeBack(to: deployment.client, [("token", token), ("state", state)])
                        #expect(try await browser.userID(at: deployment.client) == "user-\(number)")
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("signing out ends the session itself and not just the cookie, and only by a form of this session")
    func signOut() async throws {
        let idp = try FakeIdP()
        try await idp.open { deployment in
            let browser = deployment.browser()
            let home = try await browser.follow(
                browser.comeBack(to: deployment.client, state: browser.state(at: deployment.client)))
            let address = try home.address.resolving("/sign-out")
            #expect(try await browser.post(address, []).status == 403)
            #expect(try await browser.post(address, [("form_token", String(repeating: "A", count: 43))]).status == 403)
            #expect(try await browser.get(address).status == 405)
            #expect(try await browser.userID(at: deployment.client) == "u1")
            let attacker = browser.twin()
            _ = try await browser.submit(home.page().form(to: "/sign-out"), on: home)
            #expect(try await browser.userID(at: deployment.client) == nil)
            #expect(try await attacker.userID(at: deployment.client) == nil)
        }
    }
}
