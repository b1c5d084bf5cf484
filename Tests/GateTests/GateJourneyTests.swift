import Foundation
import JWT
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import IdPClients
@testable import IdPOIDC
@testable import IdPOperations
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("The gate: a service whose proxy asks about each request", .program, .alsoOnPostgres)
struct GateJourneyTests {
    @Test("a page without a session leads to the sign-in and back to the page, and the next request passes as its user")
    func journey() async throws {
        try await GateScene.open { scene in
            let path = "/page?a=1&b=%20x"
            let first = try await scene.check(path: path)
            #expect(first.status == 302)
            let location = try #require(first.header("location"))
            #expect(location.hasPrefix("https://wiki.example.com/.sso/start?to=/page?a=1%26b=%2520x"))
            let started = try await scene.probe().get(
                "/gate/partner-1/" + location.dropFirst("https://wiki.example.com/.sso/".count),
                GateScene.proxy() + GateScene.page)
            let cookie = try #require(started.all("set-cookie").first)
            #expect(cookie.hasPrefix("__Host-sso_gate_state=") && cookie.contains("Max-Age=600"))
            #expect(cookie.contains("; Secure") && cookie.contains("SameSite=Lax") && !cookie.contains("Domain"))
            let state = try #require(GateScene.value(of: GateScene.state, in: started))
            let browser = try await scene.deployment.signedIn()
            let callback = try await scene.callback(browser, try #require(started.header("location")))
            let back = try await scene.finish(callback, state: state)
            #expect(back.status == 303 && back.header("location") == "https://wiki.example.com" + path)
            let set = try #require(back.all("set-cookie").first { $0.hasPrefix("__Host-sso_gate=") })
            #expect(set.contains("; Secure") && set.contains("HttpOnly") && !set.contains("Domain"))
            let id = try #require(GateScene.value(of: GateScene.session, in: back))
            let passed = try await scene.check(id)
            #expect(passed.status == 200 && passed.body.isEmpty && passed.header("cache-control") == "no-store")
            #expect(passed.header("remote-user") == "ann" && passed.header("remote-email") == "ann@example.com")
            #expect(passed.header("remote-name") == "ann" && passed.header("remote-groups") == "")
            #expect(passed.header("remote-id")?.hasPrefix("usr_") == true)
        }
    }

    @Test("the page on the service's host brings its style along, and its policy lets in that one alone")
    func style() async throws {
        try await GateScene.open { scene in
            let reply = try await scene.probe().get(
                "/gate/partner-1/callback?grant=x&to=/", GateScene.proxy() + GateScene.page)
            #expect(reply.status == 400)
            let style = try #require(reply.text.firstMatch(of: /<style>(.*?)<\/style>/.dotMatchesNewlines())?.1)
            let hash = Data(SHA256.hash(Array(style.utf8))).base64EncodedString()
            let policy = try #require(reply.header("content-security-policy"))
            #expect(policy.contains("default-src 'none'; style-src 'sha256-\(hash)';"), "\(policy)")
            #expect(!reply.text.contains("style=") && !reply.text.contains("<link"))
        }
    }

    @Test("the identity is signed for this client with a published key, once for each minute")
    func token() async throws {
        try await GateScene.open(keys: "expose_groups: [finance]") { scene in
            let browser = try await scene.deployment.signedIn()
            try await scene.deployment.makeGroups(["finance", "board"], members: ["ann@example.com"])
            let id = try await scene.enter(browser)
            let reply = try await scene.check(id)
            #expect(reply.header("remote-groups") == "finance")
            let text = try #require(reply.header("x-sso-identity"))
            #expect(try await scene.check(id).header("x-sso-identity") == text)
            let parts = try JWTParts(text)
            #expect(parts.header["alg"]?.text == "ES256" && parts.header["typ"]?.text == "sso-gate+jwt")
            let jwks = try await scene.probe().get(OIDCPath.keys)
            let keys = try JSONReader.readStrictly(Array(jwks.body))
            let kid = parts.header["kid"]?.text
            let key = try #require(keys["keys"]?.array?.first { $0["kid"]?.string == kid })
            #expect(try PublicKey(key).isValid(parts.signature, for: parts.signed, .es256))
            let claims = parts.claims
            #expect(claims["iss"]?.text == "http://localhost:4000" && claims["aud"]?.text == "partner-1")
            #expect(claims["email"]?.text == "ann@example.com" && claims["preferred_username"]?.text == "ann")
            #expect(claims["groups"]?.items.compactMap(\.text) == ["finance"])
            #expect(claims["sid"]?.text?.hasPrefix("ses_") == true && claims["sub"]?.text == reply.header("remote-id"))
            scene.deployment.clock.advance(by: .minutes(1))
            #expect(try await scene.check(id).header("x-sso-identity") != text)
        }
    }

    @Test("a check counts as use of the session here")
    func use() async throws {
        try await GateScene.open { scene in
            let browser = try await scene.deployment.signedIn()
            let id = try await scene.enter(browser)
            // Two hours without a request would end the session.
            for _ in 1...6 {
                scene.deployment.clock.advance(by: .minutes(90))
                #expect(try await scene.check(id).status == 200)
            }
        }
    }

    @Test(
        "nginx gets 401 with the address, scripts get JSON, and a form that was sent too late gets a page that says so")
    func withoutSession() async throws {
        try await GateScene.open { scene in
            let nginx = try await scene.check(query: "?unauthorized=401")
            #expect(nginx.status == 401 && nginx.header("location")?.contains("/.sso/start?to=/page") == true)
            let script: HTTPProbe.Headers = [
                ("Accept", "*/*"), ("Sec-Fetch-Mode", "cors"), ("Sec-Fetch-Dest", "empty"),
            ]
            for (headers, method) in [
                (script, "GET"), ([("Accept", "application/json")], "GET"), ([], "GET"), (GateScene.page, "HEAD"),
                (GateScene.page + [("Upgrade", "websocket")], "GET"),
                (GateScene.page + [("Sec-Purpose", "prefetch")], "GET"),
                ([("Sec-Fetch-Mode", "navigate")], "GET"), ([("Sec-Fetch-Dest", "document")], "GET"),
                (script + [("Sec-Fetch-Mode", "navigate")], "GET"),
                ([("Sec-Fetch-Mode", "navigate"), ("Sec-Fetch-Dest", "iframe")], "GET"),
            ] {
                let reply = try await scene.check(nil, headers, method: method)
                #expect(reply.status == 401 && reply.header("location") == nil, "\(headers) \(method)")
                #expect(reply.text.contains(#"{"error":"unauthenticated"}"#), "\(headers) \(method)")
            }
            let form = try await scene.check(
                nil, GateScene.page.filter { $0.0 != "Sec-Fetch-Site" } + [("Sec-Fetch-Site", "same-origin")],
                method: "POST")
            #expect(form.status == 401 && form.header("location") == nil)
            #expect(form.header("content-type")?.hasPrefix("text/html") == true)
            #expect(form.text.contains("https://wiki.example.com/.sso/start"))
            // A navigation that says so is one, whatever it accepts.
            for accept in [[], [("Accept", "*/*")]] {
                let headers = GateScene.page.filter { $0.0 != "Accept" } + accept
                #expect(try await scene.check(nil, headers).status == 302, "\(accept)")
                let form = try await scene.check(nil, headers, method: "POST")
                #expect(form.status == 401 && form.header("content-type")?.hasPrefix("text/html") == true)
            }
        }
    }

    @Test("a sign-out at the service ends that session alone, clears its cookie and leads to the one here")
    func signOut() async throws {
        try await GateScene.open { scene in
            let browser = try await scene.deployment.signedIn()
            let (id, other) = (try await scene.enter(browser), try await scene.enter(browser))
            let reply = try await scene.probe().post(
                "/gate/partner-1/sign-out",
                GateScene.proxy("/.sso/sign-out", method: "POST") + [("Sec-Fetch-Site", "same-origin")]
                    + scene.cookie(id),
                body: [])
            #expect(reply.status == 200 && reply.text.contains("http://localhost:4000/"))
            #expect(reply.text.contains("<title>You have signed out of "))
            #expect(reply.all("set-cookie").contains { $0.hasPrefix("__Host-sso_gate=;") && $0.contains("Max-Age=0") })
            #expect(try await scene.check(id).status == 302)
            #expect(try await scene.check(other).status == 200)
            #expect(try await browser.isSignedIn(at: scene.deployment))
            try await eventually("the row") { () -> Void? in
                let activity = try await browser.get(scene.deployment.origin + "/activity").text
                let words = activity.replacing("\u{2068}", with: "")
                return words.contains("You signed out of \(scene.deployment.client.name)") ? () : nil
            }
        }
    }

    @Test("a callback that is loaded again goes to the page, and one that cannot be finished says so")
    func again() async throws {
        try await GateScene.open { scene in
            let browser = try await scene.deployment.signedIn()
            let (address, state) = try await scene.start(to: "/deep/page")
            let callback = try await scene.callback(browser, address)
            let first = try await scene.finish(callback, state: state)
            let id = try #require(GateScene.value(of: GateScene.session, in: first))
            let both = [("Cookie", "\(GateScene.state)=\(state); \(GateScene.session)=\(id)")]
            let second = try await scene.finish(callback, state: nil, both)
            #expect(second.status == 303 && second.header("location") == "https://wiki.example.com/deep/page")
            let without = try await scene.finish(callback, state: state)
            #expect(without.status == 400 && without.header("set-cookie") == nil)
            #expect(without.text.contains("https://wiki.example.com/.sso/start?to=/deep/page"))
            let given = try await scene.finish("callback?error=access_denied&to=/x", state: state)
            #expect(given.status == 400)
        }
    }

    @Test("two tabs that begin at the same time both come to their pages, and none goes in circles")
    func tabs() async throws {
        try await GateScene.open { scene in
            let browser = try await scene.deployment.signedIn()
            let first = try await scene.start(to: "/one").address
            // The browser keeps the cookie of the second.
            let (second, state) = try await scene.start(to: "/two")
            let refused = try await scene.finish(try await scene.callback(browser, first), state: state)
            #expect(refused.status == 303)
            let started = try await scene.probe().get(
                "/gate/partner-1/\(try scene.below(try #require(refused.header("location"))))",
                GateScene.proxy() + GateScene.page + [("Cookie", "\(GateScene.state)=\(state)")])
            let callback = try await scene.callback(browser, try #require(started.header("location")))
            let circle = try await scene.finish(callback, state: try await scene.start().state)
            #expect(circle.status == 400)
            for (callback, page) in [(callback, "/one"), (try await scene.callback(browser, second), "/two")] {
                let back = try await scene.finish(callback, state: state)
                #expect(back.status == 303 && back.header("location") == "https://wiki.example.com\(page)")
                let id = try #require(GateScene.value(of: GateScene.session, in: back))
                #expect(try await scene.check(id).header("remote-user") == "ann")
            }
        }
    }

    @Test("a storage that does not answer is 503 with Retry-After, never a pass")
    func storage() async throws {
        try await GateScene.open { scene in
            let id = try await scene.enter(try await scene.deployment.signedIn())
            await scene.deployment.database.close()
            let reply = try await scene.check(id)
            #expect(reply.status == 503 && reply.header("retry-after") == "1")
            #expect(reply.header("remote-user") == nil)
        }
    }

    @Test("what holds for the hosts below this one does not for those below a service, in any answer on its host")
    func transportSecurity() async throws {
        let settings = [
            "IDP_PUBLIC_URL": "https://id.example.com", "HSTS_INCLUDE_SUBDOMAINS": "true",
            "IDP_MAIL_URL": "smtps://mail.example.com:465",
        ]
        try await GateScene.open(settings: settings) { scene in
            let own = try await scene.probe().get("/sign-in")
            #expect(own.header("strict-transport-security")?.contains("includeSubDomains") == true)
            let fields = GateScene.proxy() + GateScene.page
            let answers = [
                (302, try await scene.check()), (401, try await scene.check(nil, [])),
                (401, try await scene.check(method: "POST")),
                (403, try await scene.check(nil, [("Remote-User", "ann")])),
                (302, try await scene.probe().get("/gate/partner-1/start?to=/", fields)),
                (400, try await scene.probe().get("/gate/partner-1/callback?grant=x", fields)),
                (404, try await scene.probe().get("/gate/partner-1/nothing", fields)),
                (405, try await scene.probe().get("/gate/partner-1/sign-out", fields)),
                (400, try await scene.probe().get("/gate/partner-1/start", fields + [("Sec-Fetch-Dest", "iframe")])),
                (401, try await scene.check(nil, [("X-Big", String(repeating: "a", count: 33 << 10))])),
            ]
            for (status, reply) in answers {
                #expect(reply.status == status)
                #expect(reply.all("strict-transport-security") == ["max-age=31536000"], "\(status)")
            }
            await scene.deployment.database.close()
            let unavailable = try await scene.check("sgs_\(String(repeating: "A", count: 43))")
            #expect(unavailable.status == 503)
            #expect(unavailable.all("strict-transport-security") == ["max-age=31536000"])
        }
    }
}
