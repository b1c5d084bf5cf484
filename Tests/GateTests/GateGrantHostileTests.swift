import SSOShared
import SSOWeb
import Testing

@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("The gate: hostile returns from a sign-in", .program)
struct GateGrantHostileTests {
    @Test("a grant works once, for one client, in the browser that began, and for a minute")
    func grants() async throws {
        try await GateScene.open(clients: 2) { scene in
            let browser = try await scene.deployment.signedIn()
            let other = GateScene(deployment: scene.deployment, client: "partner-2")
            for row in [
                "no cookie", "another browser", "two cookies", "another client", "expired", "changed", "a token of SSO",
                "an empty cookie", "a session in place of it", "twice", "without its name", "a key", "signed out",
            ] {
                let (address, state) = try await scene.start()
                var callback = try await scene.callback(browser, address)
                let stranger = try await scene.start().state
                let reply: ProbeReply
                switch row {
                case "no cookie": reply = try await scene.finish(callback, state: nil)
                case "another browser": reply = try await scene.finish(callback, state: stranger)
                case "two cookies":
                    reply = try await scene.finish(
                        callback, state: state, [("Cookie", "\(GateScene.state)=\(stranger)")])
                case "another client":
                    reply = try await other.probe().get(
                        "/gate/partner-2/\(callback)",
                        GateScene.proxy(origin: "https://wiki2.example.com") + GateScene.page
                            + [("Cookie", "\(GateScene.state)=\(state)")])
                case "expired":
                    scene.deployment.clock.advance(by: .seconds(61))
                    reply = try await scene.finish(callback, state: state)
                case "an empty cookie": reply = try await scene.finish(callback, state: "")
                case "a session in place of it":
                    let id = try await scene.enter(browser)
                    reply = try await other.probe().get(
                        "/gate/partner-1/callback?grant=\(id)",
                        GateScene.proxy() + GateScene.page
                            + [("Cookie", "\(GateScene.state)=\(state)")])
                case "twice":
                    let grant = callback.firstMatch(of: #/grant=[^&]+/#).map { String($0.0) } ?? ""
                    reply = try await scene.finish("\(callback)&\(grant)", state: state)
                case "without its name":
                    reply = try await scene.finish(callback.replacing("grant=", with: "code="), state: state)
                case "a key":
                    reply = try await scene.finish(callback.replacing("grant=sgc_", with: "grant=sgk_"), state: state)
                case "signed out":
                    let leaving = try await scene.deployment.furtherBrowser(of: "leaver@example.com")
                    callback = try await scene.callback(leaving, address)
                    try await leaving.signOut(of: scene.deployment)
                    reply = try await scene.finish(callback, state: state)
                case "changed":
                    callback = callback.replacing("grant=sgc_", with: "grant=sgc_A")
                    reply = try await scene.finish(callback, state: state)
                default:
                    let token = try await browser.token(for: scene.deployment.client, of: scene.deployment)
                    reply = try await scene.finish("callback?grant=\(token)&to=/", state: state)
                }
                #expect(reply.header("set-cookie") == nil, "\(row)")
                guard row != "another browser" else {
                    #expect(reply.header("location") == "https://wiki.example.com/.sso/start?to=/page&again=1")
                    let second = try await scene.finish("\(callback)&again=1", state: stranger)
                    #expect(second.status == 400 && second.header("set-cookie") == nil, "the second time")
                    continue
                }
                #expect(reply.status == 400, "\(row): \(reply.status)")
                if row == "another client" {
                    #expect(try await scene.finish(callback, state: state).status == 400, "it is void")
                }
            }
            let id = try await scene.enter(browser)
            #expect(try await scene.check(id).status == 200)
            let foreign = try await scene.probe().get(
                "/gate/partner-2/check", GateScene.proxy(origin: "https://wiki2.example.com") + scene.cookie(id))
            #expect(foreign.status == 401, "the session is that of one service")
        }
    }

    @Test("start, callback and sign-out are for declared proxies, and a form of another site does not sign out")
    func steps() async throws {
        try await GateScene.open { scene in
            let id = try await scene.enter(try await scene.deployment.signedIn())
            for path in ["start?to=/", "callback?grant=x"] {
                let foreign = try await scene.probe(from: "127.0.0.7").get("/gate/partner-1/\(path)", GateScene.proxy())
                #expect(foreign.status == 403, "\(path)")
                let other = try await scene.probe().get(
                    "/gate/partner-1/\(path)", GateScene.proxy(origin: "https://evil.example"))
                #expect(other.status == 403, "\(path)")
                let frame = try await scene.probe().get(
                    "/gate/partner-1/\(path)", GateScene.proxy() + [("Sec-Fetch-Dest", "iframe")])
                #expect(frame.status == 400 && frame.header("set-cookie") == nil, "\(path)")
            }
            for further in [
                [("Sec-Fetch-Site", "cross-site")], [("Sec-Fetch-Site", "same-site")],
                [("Origin", "https://evil.example")],
                [("Origin", "null")],
            ] {
                let reply = try await scene.probe().post(
                    "/gate/partner-1/sign-out", GateScene.proxy() + further + scene.cookie(id), body: [])
                #expect(reply.status == 403, "\(further)")
            }
            #expect(try await scene.probe().get("/gate/partner-1/sign-out", GateScene.proxy()).status == 405)
            #expect(try await scene.check(id).status == 200)
        }
    }

    @Test("a login that an attacker has begun in its own browser is worth nothing in another one")
    func loginCSRF() async throws {
        try await GateScene.open { scene in
            let (address, _) = try await scene.start()
            // The victim follows the attacker's link to the sign-in, and the attacker's challenge is not that of its browser.
            let victim = try await scene.deployment.signedIn(as: "victim@example.com")
            let callback = try await scene.callback(victim, address)
            #expect(try await scene.finish(callback, state: nil).status == 400)
            // A victim that has begun as well begins once more, as itself.
            let reply = try await scene.finish(callback, state: try await scene.start().state)
            #expect(reply.status == 303 && reply.header("set-cookie") == nil)
            #expect(reply.header("location") == "https://wiki.example.com/.sso/start?to=/page&again=1")
        }
    }
}
