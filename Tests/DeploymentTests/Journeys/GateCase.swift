import Foundation
import Testing

@testable import IdPTestKit
@testable import TestKit

/// What holds at a service behind the gate, whatever the proxy. Ann is signed in at the identity provider and at the service.
struct GateCase: Sendable {
    let name: String
    let body: @Sendable (GatedService, _ ann: Browser) async throws -> Void

    init(_ name: String, _ body: @escaping @Sendable (GatedService, _ ann: Browser) async throws -> Void) {
        (self.name, self.body) = (name, body)
    }

    static let all = identities + requests + ends

    // MARK: Who it is

    private static let identities = [
        GateCase("the service is told who it is, once in each field") { wiki, ann in
            let reply = try await wiki.probe.get("/told?a=1&b=%20", GatedService.page + GatedService.cookie(ann))
            #expect(reply.status == 200)
            let request = try wiki.onlyArrived("/told?a=1&b=%20 ")
            for (field, value) in [("Remote-User", "ann"), ("Remote-Email", "ann@example.com"), ("Remote-Name", "ann")]
            {
                #expect(request.all(field) == [value], "\(field)")
            }
            #expect(request.header("Remote-Id")?.hasPrefix("usr_") == true)
            #expect(request.all("X-SSO-Identity").count == 1)
            #expect(request.header("X-SSO-Identity")?.hasPrefix("eyJ") == true)
        },
        GateCase("a forged identity does not reach the service, in any case, with any byte for -") { wiki, ann in
            for (number, name) in (forgedNames + oddNames).enumerated() {
                let reply = try await wiki.probe.get(
                    "/forged-\(number)-", [(name, "forged")] + GatedService.page + GatedService.cookie(ann))
                #expect([200, 403].contains(reply.status), "\(name)")
                #expect(!wiki.arrived("/forged-\(number)-").contains { $0.head.contains("forged\r\n") }, "\(name)")
                let doubled = try await wiki.probe.get(
                    "/doubled-\(number)-",
                    [(name, "forged")] + GatedService.page + GatedService.cookie(ann) + [(name, "forged")])
                #expect([200, 403].contains(doubled.status), "\(name)")
                #expect(!wiki.arrived("/doubled-\(number)-").contains { $0.head.contains("forged\r\n") }, "\(name)")
            }
        },
        GateCase("no script of the service reads the signed identity: its proxy has three addresses below /.sso/") {
            wiki, ann in
            for path in ["check", "check?to=/", "app-keys", "", "start/", "x/../check"] {
                let reply = try await wiki.probe.get("/.sso/\(path)", GatedService.cookie(ann))
                #expect(reply.status == 404 && reply.header("remote-user") == nil, "\(path): \(reply.status)")
                #expect(reply.header("x-sso-identity") == nil, "\(path)")
            }
            #expect(wiki.arrived("/.sso").isEmpty)
        },
        GateCase("a client takes no field off what the service is told") { wiki, ann in
            let names = GatedService.identity.joined(separator: ", ")
            for (number, word) in ["close", "keep-alive, Upgrade"].enumerated() {
                let reply = try await wiki.probe.get(
                    "/fields-\(number)-", GatedService.cookie(ann) + [("Connection", "\(word), \(names)")])
                #expect(reply.status == 200, "\(word)")
                let request = try wiki.onlyArrived("/fields-\(number)-")
                #expect(request.header("Remote-User") == "ann" && request.header("Remote-Id")?.isEmpty == false)
                #expect(request.header("X-SSO-Identity")?.hasPrefix("eyJ") == true, "\(word)")
            }
        },
        GateCase("a key passes in each of three places, and does not reach the service") { wiki, ann in
            let key = try await wiki.key(ann)
            for (number, (field, value)) in places(of: key).enumerated() {
                let reply = try await wiki.probe.get("/key-\(number)-", [(field, value)])
                #expect(reply.status == 200, "\(field)")
                let request = try wiki.onlyArrived("/key-\(number)-")
                #expect(request.header("Remote-User") == "ann", "\(field)")
                #expect(request.header("Authorization") == nil && request.header(GatedService.keyField) == nil)
                #expect(!request.head.contains(value) && !request.head.contains(key), "\(field)")
            }
            for (field, value) in places(of: key.dropLast() + (key.hasSuffix("A") ? "E" : "A")) {
                let reply = try await wiki.probe.get("/wrong-key", [(field, value)])
                #expect(reply.status == 401 && reply.header("location") == nil, "\(field)")
            }
            #expect(wiki.arrived("/wrong-key").isEmpty)
        },
    ]

    /// Names that some server reads as one of the identity fields.
    static let forgedNames =
        GatedService.identity
        + GatedService.identity.flatMap { [$0.replacing("-", with: "_"), $0.uppercased(), $0.lowercased()] }
        + ["rEmOtE_uSeR", "REMOTE_USER", "X_SSO-Identity", "X-SSO_Identity", "x-sso_IDENTITY"]

    /// Names that few servers read as one of them. The check refuses what the proxy lets pass.
    private static let oddNames = ["Remote.User", "remote+id", "X.SSO.Identity", "X-SSO~Identity"]

    /// Every way in which an app sends a key: field and value.
    private static func places(of key: String) -> [(String, String)] {
        let basic = Data("phone:\(key)".utf8).base64EncodedString()
        return [
            ("Authorization", "Bearer \(key)"), ("authorization", "Basic \(basic)"), (GatedService.keyField, key),
            (GatedService.keyField.lowercased(), key),
        ]
    }

    // MARK: What passes

    private static let requests = [
        GateCase("a long address is kept over the sign-in") { wiki, ann in
            // A proxy has limits of its own above that: docs/gate.md.
            let long = "/" + String(repeating: "a", count: 6_000) + "?b=%20&c=/../d"
            let visit = try await wiki.enter(newTab(of: ann), at: long)
            #expect(visit.status == 200 && visit.address.target == long)
            #expect(try wiki.onlyArrived("/aaaa").head.contains(" HTTP/1.1"))
        },
        GateCase("a WebSocket reaches the service with a session, and without one it does not") { wiki, ann in
            let upgrade: HTTPProbe.Headers = [
                ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Version", "13"),
                ("Sec-WebSocket-Key", GatedService.socketKey), ("Sec-Fetch-Mode", "websocket"),
            ]
            let request = try wiki.probe.request("GET", "/socket", upgrade + GatedService.cookie(ann), close: false)
            let answer = try await onOwnThread { [probe = wiki.probe] in
                let connection = try probe.connect()
                try connection.send(request)
                var text = ""
                while !text.contains("\r\n\r\n") { text += String(decoding: try connection.receive(), as: UTF8.self) }
                try connection.send(Array("ping\r\n\r\n".utf8))
                return text + String(decoding: try connection.everything(), as: UTF8.self)
            }
            #expect(answer.hasPrefix("HTTP/1.1 101") && answer.hasSuffix("pong"), "\(answer)")
            #expect(try wiki.onlyArrived("/socket").header("Remote-User") == "ann")
            let refused = try await wiki.probe.get("/no-socket", upgrade.filter { $0.0 != "Connection" })
            #expect(refused.status == 401 && wiki.arrived("/no-socket").isEmpty)
        },
        GateCase("cookies of the service reach it, and 40 KiB of them are no error of a server") { wiki, ann in
            let session = "sso_gate=\(try GatedService.session(ann))"
            for (number, sizes) in [[7_000], [4_000, 4_000, 4_000], [10_240, 10_240, 10_240, 10_240], [40_960]]
                .enumerated()
            {
                let own = sizes.enumerated().map { "c\($0)=\(String(repeating: "x", count: $1))" }
                for (place, cookies) in [own + [session], [session] + own].enumerated() {
                    let path = "/cookies-\(number)-\(place)-"
                    let reply = try await wiki.probe.get(
                        path, GatedService.page + [("Cookie", cookies.joined(separator: "; "))])
                    #expect(reply.status < 500, "\(sizes) \(reply.status)")
                    guard sizes.reduce(0, +) < 15_000 else { continue }
                    #expect(reply.status == 200 && wiki.arrived(path).first?.header("Cookie")?.contains(own[0]) == true)
                }
            }
        },
        GateCase("a form of the service reaches it with its body, and one of another site does not") { wiki, ann in
            let body = Array("note=a+b".utf8)
            let own = try await wiki.probe.post(
                "/note-own", GatedService.form(from: "same-origin") + GatedService.cookie(ann), body: body)
            #expect(own.status == 200)
            #expect(try wiki.onlyArrived("POST /note-own").body == body)
            for site in ["cross-site", "same-site"] {
                for method in ["POST", "PUT", "DELETE", "PATCH"] {
                    let reply = try await wiki.probe.send(
                        method, "/note-foreign", GatedService.form(from: site) + GatedService.cookie(ann), body: body)
                    #expect(reply.status == 403, "\(site) \(method)")
                }
            }
            #expect(wiki.arrived("/note-foreign").isEmpty)
        },
        GateCase("nobody passes without a session: pages, scripts, odd paths, other hosts") { wiki, _ in
            let page = try await wiki.probe.get("/secret", GatedService.page)
            #expect(page.status == 302)
            #expect(page.header("location")?.hasPrefix("\(wiki.origin)/.sso/start?to=/secret") == true)
            let asked = try await wiki.probe.get("/secret?unauthorized=401", GatedService.page)
            #expect(asked.status == 302, "the query is the page's own")
            let script = try await wiki.probe.get("/secret", [("Accept", "application/json")])
            #expect(script.status == 401 && script.header("location") == nil)
            for path in [
                "/.sso/../secret", "/.sso/%2e%2e/secret", "//.sso/../secret", "/.SSO/secret", "/%2esso/secret",
                "/.sso/..%2fsecret", "/.sso-check?secret", "/secret/.sso/", "/.ssosecret", "\(wiki.origin)/secret",
                "http://127.0.0.1/.sso/../secret",
            ] {
                let reply = try await wiki.probe.get(path)
                #expect(reply.status != 200, "\(path)")
            }
            var other = wiki.probe
            other.authority = "wiki.example.com"
            _ = try await other.get("/secret", GatedService.page)
            #expect(wiki.arrived("secret").isEmpty)
        },
    ]

    /// A browser that is signed in at the identity provider as that of ann is, without its session at the service.
    private static func newTab(of ann: Browser) -> Browser {
        let browser = ann.twin()
        browser.setCookie("sso_gate", to: nil, at: "127.0.0.1")
        return browser
    }

    // MARK: How it ends

    private static let ends = [
        GateCase("a sign-out at the service ends the session there, and one that another site sends does not") {
            wiki, ann in
            let browser = newTab(of: ann)
            try await wiki.enter(browser)
            let session = try GatedService.cookie(browser)
            let out = "/.sso/sign-out"
            let foreign = try await wiki.probe.post(out, GatedService.form(from: "cross-site") + session, body: [])
            #expect(foreign.status == 403)
            #expect(try await wiki.probe.get("/still", GatedService.page + session).status == 200)
            let own = try await wiki.probe.post(out, GatedService.form(from: "same-origin") + session, body: [])
            #expect(own.status == 200 && own.text.contains(wiki.pair.origin))
            #expect(try await wiki.probe.get("/over", GatedService.page + session).status == 302)
            #expect(wiki.arrived("/over").isEmpty)

            let late = try await wiki.probe.post(
                "/late", GatedService.form(from: "same-origin") + session, body: Array("note=long".utf8))
            #expect(late.status == 401 && late.header("location") == nil)
            #expect(late.header("content-type")?.hasPrefix("text/html") == true)
            #expect(late.text.contains("\(wiki.origin)/.sso/start") && wiki.arrived("/late").isEmpty)
        },
        GateCase("a user who is disabled is refused at the next request, by browser and by key") { wiki, _ in
            let ben = try await wiki.user("ben@example.com")
            let key = try await wiki.key(ben)
            try await wiki.enter(ben)
            let credentials = [try GatedService.cookie(ben), [("Authorization", "Bearer \(key)")]]
            for credential in credentials {
                #expect(try await wiki.probe.get("/before", GatedService.page + credential).status == 200)
            }
            try await wiki.pair.idp(["user", "disable", "ben@example.com"])
            for credential in credentials {
                let reply = try await wiki.probe.get("/leaver", GatedService.page + credential)
                #expect([302, 401].contains(reply.status))
            }
            #expect(wiki.arrived("/leaver").isEmpty)
        },
    ]
}

extension BackChannelStub.Request {
    /// All values of a field.
    fileprivate func all(_ name: String) -> [String] {
        head.split(separator: "\r\n").dropFirst().filter { $0.lowercased().hasPrefix(name.lowercased() + ":") }
            .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
    }
}
