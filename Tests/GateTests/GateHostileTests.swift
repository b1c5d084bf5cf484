import SSOShared
import SSOWeb
import Testing

@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("The gate: hostile requests", .program)
struct GateHostileTests {
    @Test("a check that is not honest never passes, and the log says why")
    func checks() async throws {
        #expect(HostileCheck.all.count >= 90)
        try await GateScene.open { scene in
            let id = try await scene.enter(try await scene.deployment.signedIn())
            for row in HostileCheck.all {
                let before = scene.deployment.log.count
                let cookies = row.cookie.map { [("Cookie", $0(id))] } ?? (row.hasCookie ? scene.cookie(id) : [])
                let reply = try await scene.probe(from: row.source).send(
                    row.method, row.path, row.proxy + row.further + cookies)
                #expect(reply.status == row.status, "\(row.name): \(reply.text)")
                #expect(reply.header("location") == nil && reply.header("remote-user") == nil, "\(row.name)")
                if let event = row.event {
                    #expect(scene.deployment.log.text(after: before).contains(event), "\(row.name)")
                }
            }
            #expect(try await scene.check(id).status == 200, "the session goes on")
        }
    }

    @Test("a forged field is an error once in an hour and client, so that no visitor fills the log with errors")
    func alarm() async throws {
        try await GateScene.open(clients: 2) { scene in
            func levels(_ forged: [GateScene]) async throws -> [String] {
                let before = scene.deployment.log.count
                for scene in forged {
                    let fields = GateScene.proxy(origin: scene.site) + [("Remote.User", "x")]
                    #expect(try await scene.probe().get("/gate/\(scene.client)/check", fields).status == 403)
                }
                let lines = scene.deployment.log.text(after: before).split(separator: "\n")
                return lines.filter { $0.contains(" gate_identity_forged ") }.map { String($0.prefix { $0 != " " }) }
            }
            let other = GateScene(deployment: scene.deployment, number: 2)
            let first = try await levels([scene, scene, other, scene, other])
            #expect(first == ["error", "info", "error", "info", "info"])
            scene.deployment.clock.advance(by: .hours(2))
            let later = try await levels([scene])
            #expect(later == ["error"])
        }
    }

    @Test("the check of a service takes 32 KiB and 128 fields, and what is outside keeps 16 KiB and 64 with 431")
    func sizes() async throws {
        try await GateScene.open { scene in
            let id = try await scene.enter(try await scene.deployment.signedIn())
            let probe = scene.probe()
            /// A head of so many bytes with the session's cookie.
            func head(_ path: String, _ bytes: Int) -> [UInt8] {
                let fields = GateScene.proxy() + scene.cookie(id) + [("X-Big", "")]
                let missing = bytes - probe.request("GET", path, fields).count
                return probe.request(
                    "GET", path, Array(fields.dropLast()) + [("X-Big", String(repeating: "a", count: missing))])
            }
            let check = "/gate/partner-1/check"
            let long = "/gate-sign-in?to=/" + String(repeating: "a", count: 9 << 10)
            let rows: [(String, [UInt8], Int)] = [
                ("32 KiB", head(check, 32 << 10), 200), ("one byte more", head(check, 1 + 32 << 10), 401),
                ("60 KiB", head(check, 60 << 10), 401), ("66 KiB", head(check, 66 << 10), 400),
                ("16 KiB elsewhere", head("/healthz", 16 << 10), 200),
                ("one byte more elsewhere", head("/healthz", 1 + 16 << 10), 431),
                ("a path that begins like it", head("/gateway", 1 + 16 << 10), 431),
                ("the sign-in here", head("/gate-sign-in", 1 + 16 << 10), 431),
                ("its long address", probe.request("GET", long, []), 400),
                ("its too long address", probe.request("GET", long + String(repeating: "a", count: 6 << 10), []), 414),
                ("a long address elsewhere", probe.request("GET", "/sign-in?\(long.dropFirst(15))", []), 414),
            ]
            for (name, request, status) in rows {
                let answer = String(decoding: try await probe.raw(request), as: UTF8.self)
                #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(name): \(answer.prefix(40))")
                #expect(!answer.lowercased().contains("\r\nlocation:"), "\(name)")
            }
            let fields = GateScene.proxy() + scene.cookie(id)
            for (count, status) in [(128, 200), (129, 401), (256, 401), (257, 400)] {
                // Host and Connection are two of them.
                let more = (0..<count - 2 - fields.count).map { ("X-\($0)", "a") }
                #expect(try await scene.probe().get(check, fields + more).status == status, "\(count)")
            }
        }
    }

    @Test("what is unusual and honest passes: wss, a whole address, long cookies, other methods of the same origin")
    func honest() async throws {
        try await GateScene.open { scene in
            let id = try await scene.enter(try await scene.deployment.signedIn())
            let rows: [HTTPProbe.Headers] = [
                [("X-Forwarded-Proto", "wss"), ("X-Forwarded-Host", "wiki.example.com"), ("X-Forwarded-Uri", "/ws")],
                [("X-Original-URL", "https://wiki.example.com/page?x")],
                [("X-Original-URL", "https://wiki.example.com")],
                GateScene.proxy("//evil.example/"), GateScene.proxy("https://evil.example/"), GateScene.proxy("%00\\"),
                GateScene.proxy(method: "POST") + [("Sec-Fetch-Site", "same-origin")],
                GateScene.proxy(method: "PROPFIND"),
                GateScene.proxy() + [("Cookie", "a=\(String(repeating: "x", count: 28_000))")],
                GateScene.proxy() + (1...100).map { ("X-Field-\($0)", "x") },
                GateScene.proxy() + [("Sec-Fetch-Site", "cross-site")], GateScene.proxy() + [("Upgrade", "websocket")],
                GateScene.proxy() + [("Authorization", "Basic dTpw")],
            ]
            for row in rows {
                let reply = try await scene.probe().get("/gate/partner-1/check", row + scene.cookie(id))
                #expect(reply.status == 200, "\(row.prefix(5)): \(reply.text)")
            }
            for method in ["POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"] {
                let reply = try await scene.probe().send(
                    method, "/gate/partner-1/check", GateScene.proxy(method: method) + scene.cookie(id))
                #expect(reply.status == 200, "\(method)")
            }
        }
    }

    @Test("wherever a request says it came from, the browser goes to the origin of the service")
    func returnAddresses() async throws {
        try await GateScene.open { scene in
            let browser = try await scene.deployment.signedIn()
            for path in [
                "https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)", "", "evil",
                "/.sso/start?to=/", "/" + String(repeating: "a", count: 5000), "/a b", "/\u{e4}", "@evil.example/",
            ] {
                let (address, state) = try await scene.start(to: path)
                let reply = try await scene.finish(try await scene.callback(browser, address), state: state)
                #expect(reply.header("location")?.hasPrefix("https://wiki.example.com/") == true, "\(path.prefix(40))")
            }
        }
    }

    @Test("an address of 8 KiB is come back to, and what is longer or broken leads to the root of the service")
    func longAddresses() async throws {
        try await GateScene.open { scene in
            let browser = try await scene.deployment.signedIn()
            let longest = "/page?" + String(repeating: "a=1&", count: 600) + String(repeating: "b", count: 5786)
            let escaped = "/" + String(repeating: "%41", count: 1700)
            let rows = [
                (longest, longest), (escaped, escaped), (longest + "b", "/"),
                ("/" + String(repeating: "%41", count: 2700), "/"), ("//other.example/", "//other.example/"),
                ("https://wiki.example.com/page", "/"), ("*", "/"), ("/\u{e9}", "/"), ("?a", "/"),
                ("/.sso/sign-out", "/"),
            ]
            for (path, expected) in rows {
                let reply = try await scene.check(path: path)
                #expect(reply.status == 302, "\(path.prefix(30))")
                let location = try #require(reply.header("location"))
                let start = try #require(location.split(separator: "/.sso/start?to=", maxSplits: 1).last)
                #expect(location.hasPrefix("https://wiki.example.com/.sso/start?to="), "\(path.prefix(30))")
                let to = FormCoding.decode(start)
                #expect(to == expected, "\(path.prefix(30))")
                let (address, state) = try await scene.start(to: to)
                let back = try await scene.finish(try await scene.callback(browser, address), state: state)
                #expect(back.header("location") == "https://wiki.example.com\(expected)", "\(path.prefix(30))")
            }
        }
    }
}
