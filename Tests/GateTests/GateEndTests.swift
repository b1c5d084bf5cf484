import SSOShared
import SSOWeb
import Storage
import Testing

@testable import IdP
@testable import IdPClients
@testable import IdPOperations
@testable import IdPSignOut
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// A change of what a session and a key hang on, and what the next check of each answers.
struct GateEnd: Sendable, CustomTestStringConvertible {
    let name: String
    /// Of a request of a browser for a page, and of one with the key.
    let session, key: Int
    let change: @Sendable (GateScene, Browser) async throws -> Void
    var testDescription: String { name }

    private static let user = "ann@example.com"

    init(
        _ name: String, session: Int, key: Int, _ change: @escaping @Sendable (GateScene, Browser) async throws -> Void
    ) {
        (self.name, self.session, self.key, self.change) = (name, session, key, change)
    }

    private static func endOthers(_ scene: GateScene, _ values: [String: String]) async throws {
        let other = try await scene.deployment.furtherBrowser()
        let page = try await other.get(scene.deployment.origin + "/sessions")
        let ended = try await other.submit(page.page().form(to: "/sessions/end-others"), on: page, values)
        #expect(ended.status == 303)
    }

    private static func set(_ scene: GateScene, _ values: [String: ClientEntry.Value?]) async throws {
        try await scene.deployment.make(SetClient(scene.client, values, logo: nil, scene.deployment.registrar))
    }

    static let ofAccount: [GateEnd] = [
        GateEnd("nothing", session: 200, key: 200) { _, _ in },
        GateEnd("disabled", session: 302, key: 401) { scene, _ in
            try await scene.deployment.change(DisableUser(user))
        },
        GateEnd("disabled and enabled again", session: 302, key: 401) { scene, _ in
            try await scene.deployment.change(DisableUser(user))
            try await scene.deployment.change(EnableUser(user))
        },
        GateEnd("erased", session: 302, key: 401) { scene, _ in
            try await scene.deployment.change(EraseUser(user, .now))
        },
        GateEnd("to be erased in seven days", session: 302, key: 401) { scene, _ in
            try await scene.deployment.change(EraseUser(user))
        },
        GateEnd("the end date is over", session: 302, key: 401) { scene, _ in
            try await scene.deployment.change(SetEndDate(user, to: scene.deployment.clock.now + .hours(1)))
            scene.deployment.clock.advance(by: .hours(1))
        },
        GateEnd("the end date is not over", session: 200, key: 200) { scene, _ in
            try await scene.deployment.change(SetEndDate(user, to: scene.deployment.clock.now + .hours(1)))
            scene.deployment.clock.advance(by: .minutes(59))
        },
        GateEnd("the group lost", session: 403, key: 403) { scene, _ in
            try await scene.deployment.change(LeaveGroup("staff", [user], file: ClientRegistry([])))
        },
        GateEnd("another group lost", session: 200, key: 200) { scene, _ in
            try await scene.deployment.change(LeaveGroup("finance", [user], file: ClientRegistry([])))
        },
    ]

    static let ofSession: [GateEnd] = [
        GateEnd("signed out", session: 302, key: 200) { scene, browser in
            try await browser.signOut(of: scene.deployment)
        },
        GateEnd("signed out everywhere else", session: 302, key: 200) { scene, _ in try await endOthers(scene, [:]) },
        GateEnd("signed out everywhere else, keys ticked", session: 302, key: 401) { scene, _ in
            try await endOthers(scene, ["keys": "yes"])
        },
        GateEnd("two hours without a request", session: 302, key: 200) { scene, _ in
            scene.deployment.clock.advance(by: .hours(2))
        },
        GateEnd("a year", session: 302, key: 401) { scene, _ in scene.deployment.clock.advance(by: .days(366)) },
    ]

    static let ofClient: [GateEnd] = [
        GateEnd("narrower access", session: 403, key: 403) { scene, _ in
            try await scene.deployment.makeGroups(["board"])
            try await set(scene, ["groups": .list(["board"])])
        },
        GateEnd("a passkey required", session: 302, key: 403) { scene, _ in
            try await set(scene, ["require": .text("phr")])
        },
        GateEnd("another origin", session: 403, key: 403) { scene, _ in
            try await set(scene, ["gate_origin": .text("https://other.example.com")])
        },
        GateEnd("no keys any more", session: 200, key: 401) { scene, _ in
            try await set(scene, ["app_keys": nil, "app_key_field": nil])
        },
        GateEnd("the client disabled", session: 403, key: 403) { scene, _ in
            try await scene.deployment.make(EnableClient(scene.client, false, scene.deployment.registrar))
        },
        GateEnd("the client removed", session: 403, key: 403) { scene, _ in
            try await scene.deployment.make(EnableClient(scene.client, false, scene.deployment.registrar))
            try await scene.deployment.make(RemoveClient(scene.client, scene.deployment.registrar))
        },
        GateEnd("removed, and another one of this name added", session: 302, key: 401) { scene, _ in
            try await scene.deployment.make(EnableClient(scene.client, false, scene.deployment.registrar))
            try await scene.deployment.make(RemoveClient(scene.client, scene.deployment.registrar))
            try await scene.deployment.add(AddedClient(scene.client), GateScene.stored)
        },
    ]
}

@Suite("The gate: what ends a session and a key", .program, .alsoOnPostgres)
struct GateEndTests {
    @Test(
        "holds at the next request of a browser and of an app, in every process",
        arguments: [GateEnd.ofAccount, GateEnd.ofSession, GateEnd.ofClient])
    func ends(rows: [GateEnd]) async throws {
        for row in rows {
            try await GateScene.openStored { scene, browser in
                try await scene.deployment.withSecondIdP { second in
                    let key = try await scene.key(of: browser)
                    let id = try await scene.enter(browser)
                    let scenes = [scene, GateScene(deployment: second, client: scene.client)]
                    for scene in scenes {
                        #expect(try await scene.check(id).status == 200, "\(row.name)")
                        #expect(try await scene.check(nil, [GateScene.bearer(key)]).status == 200, "\(row.name)")
                    }
                    try await row.change(scene, browser)
                    for scene in scenes {
                        let page = try await scene.check(id)
                        #expect(page.status == row.session, "\(row.name)")
                        let app = try await scene.check(nil, [GateScene.bearer(key)])
                        #expect(app.status == row.key, "\(row.name), by key")
                        for reply in [page, app] {
                            #expect((reply.header("remote-user") != nil) == (reply.status == 200), "\(row.name)")
                        }
                    }
                }
            }
        }
    }

    @Test("a leaver is refused by every service at the next request, by browser and by key")
    func leaver() async throws {
        try await GateScene.open(clients: 3, keys: "app_keys: true") { scene in
            let browser = try await scene.deployment.signedIn()
            let services = (1...3).map { GateScene(deployment: scene.deployment, number: $0) }
            var ways: [(GateScene, id: String, key: String)] = []
            for service in services {
                ways.append((service, try await service.enter(browser), try await service.key(of: browser)))
            }
            func statuses() async throws -> [Int] {
                var found: [Int] = []
                for (service, id, key) in ways {
                    found.append(try await service.check(id).status)
                    found.append(try await service.check(nil, [GateScene.bearer(key)]).status)
                }
                return found
            }
            #expect(try await statuses() == [200, 200, 200, 200, 200, 200])
            try await scene.deployment.change(DisableUser("ann@example.com"))
            #expect(try await statuses() == [302, 401, 302, 401, 302, 401])
        }
    }

    @Test("a user who has lost a group is told so on a page, and comes back once the group is given again")
    func lostGroup() async throws {
        try await GateScene.openStored { scene, browser in
            let id = try await scene.enter(browser)
            try await scene.deployment.change(LeaveGroup("staff", ["ann@example.com"], file: ClientRegistry([])))
            let refused = try await scene.check(id)
            #expect(refused.status == 403 && refused.text.contains("/.sso/start"))
            try await scene.deployment.change(JoinGroup("staff", ["ann@example.com"]))
            #expect(try await scene.check(id).status == 302, "what ended stays ended")
            #expect(try await scene.check(scene.enter(browser)).status == 200)
            try await scene.deployment.change(LeaveGroup("staff", ["ann@example.com"], file: ClientRegistry([])))
            try await browser.signOut(of: scene.deployment)
            #expect(try await scene.check(id).status == 302, "nobody is signed in")
        }
    }

    @Test("a user whose sign-in has become too weak proves more, and comes back to the page")
    func stepUp() async throws {
        try await GateScene.openStored { scene, browser in
            let id = try await scene.enter(browser)
            let authenticator = try await scene.deployment.givePasskey(to: "ann@example.com")
            try await scene.deployment.make(
                SetClient(scene.client, ["require": .text("phr")], logo: nil, scene.deployment.registrar))
            #expect(try await scene.check(id).status == 302)
            let (address, state) = try await scene.start()
            let page = try await browser.follow(browser.get(address))
            #expect(page.address.path == "/sign-in")
            let complete = try await browser.follow(browser.usePasskey(authenticator, on: page))
            let link = try #require(try complete.page().link(containing: "grant=sgc_"))
            let reply = try await scene.finish(scene.below(link), state: state)
            let stronger = try #require(GateScene.value(of: GateScene.session, in: reply))
            #expect(try await scene.check(stronger).status == 200)
            // A key is made with at least the strength that the client requires.
            let key = try await scene.key(of: browser)
            #expect(try await scene.check(nil, [GateScene.bearer(key)]).status == 200)
        }
    }

    @Test("of 100 uses of one grant at once over three processes one succeeds")
    func once() async throws {
        try await GateScene.open { scene in
            try await scene.deployment.withSecondIdP { second in
                try await scene.deployment.withSecondIdP { third in
                    let browser = try await scene.deployment.signedIn()
                    let (address, state) = try await scene.start()
                    let callback = try await scene.callback(browser, address)
                    let scenes = [scene, GateScene(deployment: second), GateScene(deployment: third)]
                    let replies = try await withThrowingTaskGroup(of: ProbeReply.self) { group in
                        for number in 0..<100 {
                            group.addTask { try await scenes[number % 3].finish(callback, state: state) }
                        }
                        return try await group.reduce(into: [ProbeReply]()) { $0.append($1) }
                    }
                    let statuses = replies.map(\.status)
                    #expect(statuses.count { $0 == 303 } == 1 && statuses.count { $0 == 400 } == 99, "\(statuses)")
                    #expect(try await scene.deployment.rows(of: "gate_session") == 1)
                    let id = replies.lazy.compactMap { GateScene.value(of: GateScene.session, in: $0) }.first
                    for scene in scenes { #expect(try await scene.check(id).status == 200) }
                }
            }
        }
    }

    private static func set(_ scene: GateScene, _ values: [String: ClientEntry.Value?]) async throws {
        try await scene.deployment.make(SetClient(scene.client, values, logo: nil, scene.deployment.registrar))
    }

    @Test("a command holds at the first request after it, also of a visitor without anything to look up")
    func visitors() async throws {
        try await GateScene.openStored { scene, _ in
            let moved = GateScene(deployment: scene.deployment, client: scene.client, site: "https://other.example.com")
            #expect(try await scene.check().status == 302)
            try await Self.set(scene, ["gate_origin": .text(moved.site)])
            let page = try await moved.check()
            #expect(page.status == 302 && page.header("location")?.hasPrefix(moved.site) == true)
            try await Self.set(scene, ["gate_origin": .text(scene.site)])
            #expect(try await moved.check().status == 403, "the origin of before")
            try await Self.set(scene, ["gate_origin": .text(moved.site)])
            _ = try await moved.start()
            try await Self.set(scene, ["gate_origin": .text(scene.site)])
            #expect(try await scene.check().status == 302)
            let (probe, fields) = (scene.probe(), GateScene.proxy() + GateScene.page)
            for path in ["check", "start", "callback", "sign-out"] {
                func send() async throws -> Int {
                    try await probe.send(path == "sign-out" ? "POST" : "GET", "/gate/\(scene.client)/\(path)", fields)
                        .status
                }
                for isEnabled in [false, true] {
                    try await scene.deployment.make(
                        EnableClient(scene.client, isEnabled, scene.deployment.registrar))
                    #expect(try await (send() == 403) == !isEnabled, "\(path), enabled: \(isEnabled)")
                }
            }
        }
    }

    @Test("a key works at the first request after the command that lets the service take it, in each form")
    func keys() async throws {
        try await GateScene.openStored { scene, browser in
            let key = try Secret<AppKeyKind>()
            try await scene.deployment.change(MakeMachineKey(key, client: scene.client, name: "backup", groups: []))
            try await Self.set(scene, ["app_keys": nil])
            #expect(try await scene.check().status == 302)
            for shown in [GateScene.bearer(key.wire), ("X-Api-Key", key.wire)] {
                let field: ClientEntry.Value? = shown.0 == "X-Api-Key" ? .text(shown.0) : nil
                try await Self.set(scene, ["app_keys": .text("true"), "app_key_field": field])
                #expect(try await scene.check(nil, [shown]).header("remote-user") == "key:backup", "\(shown.0)")
                try await Self.set(scene, ["app_keys": nil, "app_key_field": nil])
                #expect(try await scene.check(nil, [shown]).status == 401, "\(shown.0)")
            }
            try await Self.set(scene, ["app_keys": .text("true")])
            let home = try await browser.get(scene.deployment.origin + "/")
            #expect(try home.page().link(containing: "/app-keys") != nil, "the home page leads to them")
            #expect(try await scene.check(nil, [GateScene.bearer("sgk_short")]).header("www-authenticate") == nil)
            try await Self.set(scene, ["app_keys": nil])
            // The field is the service's own.
            #expect(try await scene.check(nil, GateScene.page + [GateScene.bearer("sgk_short")]).status == 302)
        }
    }
}
