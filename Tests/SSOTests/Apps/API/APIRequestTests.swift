import Foundation
import ProbeKit
import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("Requests to the JSON API", .program, .alsoOnPostgres)
struct APIRequestTests {
    @Test("a request with a token reads no cookie and sets none, whatever the cookie")
    func bearerAlone() async throws {
        try await TestDeployment.open { deployment in
            let ann = try await deployment.signedInApp()
            let bob = try await deployment.signedInApp(as: "bob@example.com")
            let cookie = ("Cookie", "idp_session=\(bob.cookies["idp_session"] ?? "")")
            let token = try #require(ann.token)
            deployment.clock.advance(by: .minutes(5))
            for path in ["/session", "/session/check", "/me", "/devices"] {
                let reply = try await ann.send("GET", path, token: token, headers: [cookie])
                #expect(reply.status == 200 && reply.all("set-cookie").isEmpty && !reply.text.contains("bob@"))
                let refused = try await ann.send("GET", path, token: "sat_stale", headers: [cookie])
                #expect(refused.status == 401 && refused.all("set-cookie").isEmpty, "\(path)")
            }
            let seen = try await deployment.stored.sessions.momentsSeen()
            #expect(seen == 1, "no session was touched")
            let ended = try await ann.send("DELETE", "/session", token: token, headers: [cookie])
            #expect(ended.status == 204 && ended.all("set-cookie").isEmpty)
            #expect(try await bob.send("GET", "/session").status == 200)
        }
    }

    @Test("a sign-in ignores every Authorization, and the cookies beside it")
    func signInWithAuthorization() async throws {
        try await TestDeployment.open { deployment in
            let bob = try await deployment.signedInApp(as: "bob@example.com")
            let token = try #require(bob.token)
            let type = ("Content-Type", "application/json")
            let cookies = ("Cookie", bob.cookies.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: "; "))
            #expect(cookies.1.contains("idp_session=") && bob.cookies.count > 1)
            let values = [
                ["Bearer \(token)"], ["Bearer sat_stale"], ["Basic YTpi"], [""],
                ["Bearer \(token)", "Bearer \(token)"],
            ]
            for (number, values) in values.enumerated() {
                let headers = [type, cookies] + values.map { ("Authorization", $0) }
                let app = deployment.jsonApp()
                let address = "user-\(number)@example.com"
                let begun = try await app.raw(
                    "POST", "/sign-in", headers, body: Array(#"{"email":"\#(address)"}"#.utf8))
                #expect(begun.status == 202, "\(values): \(begun.text)")
                let challenge = try begun.json()["challenge"]?.text ?? ""
                let code = try await deployment.mailbox.code(to: address)
                let done = try await app.raw(
                    "POST", "/sign-in/code", headers,
                    body: Array(#"{"challenge":"\#(challenge)","code":"\#(code)"}"#.utf8))
                #expect(try done.status == 200 && done.json()["user"]?["email"] == .string(address), "\(values)")
                // A session of its own, in place of nobody's.
                #expect(app.cookies["idp_session"] != nil && app.cookies["idp_session"] != bob.cookies["idp_session"])
                #expect(try await bob.send("GET", "/session").json()["user"]?["email"] == "bob@example.com")
                #expect(try await bob.authorized("GET", "/me").status == 200, "\(values)")
                #expect(try await app.send("GET", "/session").json()["user"]?["email"] == .string(address))
            }
            // Without Authorization the cookies count, and bob's session is replaced.
            let (challenge, code) = try await deployment.asking(by: bob, as: "eve@example.com")
            let old = bob.cookies["idp_session"]
            #expect(try await bob.finish(challenge, code).status == 200 && bob.cookies["idp_session"] != old)
            #expect(try await bob.raw("GET", "/me", [("Authorization", "Bearer \(token)")]).status == 401)
        }
    }

    @Test("a session counts where a web view asks, and nowhere else")
    func cookieRoutes() async throws {
        try await TestDeployment.open { deployment in
            let app = try await deployment.signedInApp()
            let shown = try await app.send("GET", "/session")
            #expect(try shown.status == 200 && shown.json()["user"]?["email"] == "ann@example.com")
            #expect(try shown.json()["expires_in"] == nil)
            let checked = try await app.send("GET", "/session/check")
            #expect(checked.status == 200 && checked.text == "{}")
            #expect(try await app.send("HEAD", "/session/check").status == 200)
            for (method, path) in [("GET", "/me"), ("GET", "/devices"), ("DELETE", "/devices")] {
                let reply = try await app.send(method, path)
                #expect(reply.status == 401 && reply.apiError == "unauthenticated", "\(method) \(path)")
            }
            let visitor = deployment.browser()
            _ = try await visitor.get(deployment.origin + "/sign-in")
            app.setCookie("idp_session", to: visitor.session)
            #expect(try await app.send("GET", "/session/check").apiError == "unauthenticated")
        }
    }

    @Test("the scheme is read in any case; another scheme, a list, a second header or an empty token is refused")
    func authorization() async throws {
        try await TestDeployment.open { deployment in
            let app = try await deployment.signedInApp()
            let token = try #require(app.token)
            for scheme in ["Bearer", "bearer", "BEARER"] {
                let reply = try await app.raw("GET", "/me", [("Authorization", "\(scheme) \(token)")])
                #expect(reply.status == 200, "\(scheme)")
            }
            let values = [
                token, "Basic \(token)", "Bearer", "Bearer ", "Bearer \(token), Bearer \(token)",
                "Bearer \(token) x", "Bearer\t\(token)", "Bearer \(token)=", "Bearer \(token.uppercased())", "",
            ]
            for value in values {
                let reply = try await app.raw("GET", "/me", [("Authorization", value)])
                #expect(reply.status == 401 && reply.apiError == "invalid_token", "\(value)")
                #expect(reply.header("www-authenticate") == "Bearer realm=\"api\", error=\"invalid_token\"")
            }
            let twice = [("Authorization", "Bearer \(token)"), ("Authorization", "Bearer \(token)")]
            #expect(try await app.raw("GET", "/me", twice).apiError == "invalid_token")
            let none = try await app.raw("GET", "/me")
            #expect(none.status == 401 && none.header("www-authenticate") == "Bearer realm=\"api\"")
        }
    }

    @Test(
        "a body that is not one strict JSON object is refused, and no email leaves",
        .oneDeployment,
        arguments: [
            "", "{", "[]", "null", "\"ann@example.com\"", #"{"email":"ann@example.com","email":"ann@example.com"}"#,
            #"{"email":"ann@example.com",}"#, #"{"email":["ann@example.com"]}"#, #"{"email":null}"#, "{}",
            "\u{feff}{\"email\":\"ann@example.com\"}", #"{"email":"ann@example.com\u0000"}"#,
            #"{"email":"ann@example.com","challenge":1}"#, #"{"email":"ann@example.com, bob@example.com"}"#,
            #"{"email[]":"ann@example.com"}"#,
        ])
    func bodies(body: String) async throws {
        let deployment = try TestDeployment.shared()
        let app = deployment.jsonApp()
        let reply = try await app.raw(
            "POST", "/sign-in", [("Content-Type", "application/json")], body: Array(body.utf8))
        #expect(reply.status == 400 && reply.apiError == "invalid_request")
        #expect(try reply.json()["error_description"]?.text?.isEmpty == false)
        #expect(try await deployment.rows(of: "mail_queue") == 0)
    }

    @Test("another type is 415, 8,193 bytes are 413, and unknown members are ignored")
    func typesAndSizes() async throws {
        try await TestDeployment.open { deployment in
            let app = deployment.jsonApp()
            let body = Array(#"{"email":"ann@example.com","new":1}"#.utf8)
            for type in ["text/plain", "application/x-www-form-urlencoded", "application/jsonp"] {
                let reply = try await app.raw("POST", "/sign-in", [("Content-Type", type)], body: body)
                #expect(reply.status == 415 && reply.apiError == "invalid_request", "\(type)")
            }
            #expect(try await app.raw("POST", "/sign-in", [], body: body).status == 415)
            for (count, status) in [(8_192, 202), (8_193, 413)] {
                let padded = body + [UInt8](repeating: 32, count: count - body.count)
                let reply = try await app.raw(
                    "POST", "/sign-in", [("Content-Type", "application/json; charset=utf-8")], body: padded)
                #expect(reply.status == status)
            }
        }
    }

    @Test("pages of other sites are refused before anything is read, and no answer has a CORS header")
    func otherSites() async throws {
        try await TestDeployment.open { deployment in
            let app = try await deployment.signedInApp()
            let session = app.cookies["idp_session"]
            let senders = [
                ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Site", "same-site"), ("Origin", "null"),
                ("Origin", "https://evil.example"),
            ]
            for sender in senders {
                for (method, path) in [("DELETE", "/session"), ("GET", "/session"), ("POST", "/sign-in")] {
                    let reply = try await app.send(
                        method, path, method == "POST" ? ["email": "eve@example.com"] : nil, headers: [sender])
                    #expect(reply.status == 403 && reply.apiError == "cross_site", "\(sender) \(method)")
                    #expect(reply.headers.allSatisfy { !$0.name.lowercased().hasPrefix("access-control") })
                }
            }
            #expect(app.cookies["idp_session"] == session)
            let own = [("Sec-Fetch-Site", "same-origin"), ("Origin", deployment.origin)]
            let allowed = try await app.send("GET", "/session", headers: own)
            #expect(allowed.status == 200)
            #expect(allowed.headers.allSatisfy { !$0.name.lowercased().hasPrefix("access-control") })
            let preflight = try await app.send(
                "OPTIONS", "/session", headers: [("Access-Control-Request-Method", "DELETE")])
            #expect(preflight.status == 405)
        }
    }

    @Test("every refusal has both members, is JSON and is not stored")
    func refusals() async throws {
        try await TestDeployment.open { deployment in
            let app = deployment.jsonApp()
            let requests = [
                ("GET", "/sign-in"), ("PUT", "/session"), ("HEAD", "/me"), ("GET", "/nothing"), ("GET", "/me/"),
                ("GET", "/me"), ("DELETE", "/devices/dev_x"), ("POST", "/sign-in"), ("POST", "/sign-in/code"),
            ]
            for (method, path) in requests {
                let reply = try await app.send(method, path)
                #expect((400..<500).contains(reply.status), "\(method) \(path)")
                #expect(
                    reply.header("content-type") == "application/json" && reply.header("cache-control") == "no-store")
                guard method != "HEAD" else { continue }
                let json = try reply.json()
                #expect(json["error"]?.text?.isEmpty == false && json["error_description"]?.text?.isEmpty == false)
            }
            #expect(try await app.send("PUT", "/session").header("allow") == "GET, DELETE")
            #expect(try await app.send("HEAD", "/session").header("allow") == "GET, DELETE")
            for path in ["/nothing", "/me/"] {
                let unknown = try await app.send("GET", path)
                #expect(unknown.status == 404 && unknown.apiError == "not_found")
                #expect(try unknown.json()["error_description"] == "There is nothing at this path.")
            }
        }
    }

    @Test(
        "the name of a device is one of up to 80 visible characters",
        arguments: ["", " ", "\u{3164}", "\u{202e}enohPi", String(repeating: "x", count: 81)])
    func deviceNames(name: String) async throws {
        try await TestDeployment.open { deployment in
            let app = deployment.jsonApp()
            let (challenge, code) = try await deployment.asking(by: app)
            let refused = try await app.finish(challenge, code, device: name)
            #expect(refused.status == 400 && refused.apiError == "invalid_request")
            #expect(try await deployment.failures() == 0)
            let status = try await app.finish(challenge, code, device: String(repeating: "x", count: 80)).status
            #expect(status == 200)
        }
    }
}
