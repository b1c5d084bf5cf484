import Foundation
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import IdPClients
@testable import IdPOperations
@testable import IdPSignOut
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// Keys of every kind, made by their users and by an operator.
struct HostileKeys: Sendable {
    /// Holds at `partner-1`.
    let key: String
    /// Holds at `partner-2`.
    let ofAnotherService: String
    let ended, expired, ofLeaver, ofErased, ofMachineElsewhere, ofEndedMachine: String
    /// A session at `partner-1`.
    let session: String

    static let unknown = AppKeyKind.prefix + String(repeating: "A", count: 43)

    init(_ scene: GateScene) async throws {
        let deployment = scene.deployment
        let browser = try await deployment.signedIn()
        expired = try await scene.key(of: browser, days: "1")
        deployment.clock.advance(by: .hours(25))
        try await deployment.forgetEmails(to: "ann@example.com")
        let again = try await deployment.furtherBrowser()
        ended = try await scene.key(of: again)
        let list = try await again.get(deployment.origin + "/app-keys")
        #expect(try await again.submit(list.page().form(to: "/app-keys/remove"), on: list).status == 303)
        key = try await scene.key(of: again)
        ofAnotherService = try await GateScene(deployment: deployment, number: 2).key(of: again)
        session = try await scene.enter(again)
        ofLeaver = try await scene.key(of: deployment.furtherBrowser(of: "ben@example.com"))
        ofErased = try await scene.key(of: deployment.furtherBrowser(of: "eve@example.com"))
        try await deployment.change(DisableUser("ben@example.com"))
        try await deployment.change(EraseUser("eve@example.com", .now))
        let machines = try (0..<2).map { _ in try Secret<AppKeyKind>() }
        try await deployment.change(MakeMachineKey(machines[0], client: "partner-2", name: "backup", groups: []))
        let made = try await deployment.change(
            MakeMachineKey(machines[1], client: "partner-1", name: "backup", groups: []))
        try await deployment.change(EndAppKey(made.result.id, of: "partner-1"))
        (ofMachineElsewhere, ofEndedMachine) = (machines[0].wire, machines[1].wire)
    }

    /// What an app sends that must not pass, each without a session.
    var rows: [(name: String, headers: HTTPProbe.Headers)] {
        ends + places + forms
    }

    private var ends: [(name: String, headers: HTTPProbe.Headers)] {
        [
            ("unknown", Self.unknown), ("of another service", ofAnotherService), ("ended", ended), ("expired", expired),
            ("of a leaver", ofLeaver), ("of an erased user", ofErased), ("of a machine elsewhere", ofMachineElsewhere),
            ("of an ended machine", ofEndedMachine),
        ].flatMap { name, key in
            [
                (name, [GateScene.bearer(key)]), ("\(name), by Basic", [Self.basic("ann", key)]),
                ("\(name), by the field", [("X-Api-Key", key)]),
            ]
        }
    }

    private var places: [(name: String, headers: HTTPProbe.Headers)] {
        [
            ("as the cookie", [("Cookie", "\(GateScene.session)=\(key)")]),
            ("as a cookie of its own", [("Cookie", "sgk=\(key)")]), ("as the user of Basic", [Self.basic(key, "")]),
            ("in another field", [("X-Auth-Token", key)]), ("in the field with _", [("X_Api_Key", key)]),
            ("in the proxy's field", [("Proxy-Authorization", "Bearer \(key)")]),
            ("a session in its place", [GateScene.bearer(session)]),
            ("a session in the field", [("X-Api-Key", session)]),
        ]
    }

    private var forms: [(name: String, headers: HTTPProbe.Headers)] {
        [
            ("no key in the field", [("X-Api-Key", "admin")]), ("an empty field", [("X-Api-Key", "")]),
            ("twice", [GateScene.bearer(key), GateScene.bearer(key)]),
            ("in two places", [GateScene.bearer(key), ("X-Api-Key", key)]),
            ("the field twice", [("X-Api-Key", key), ("X-Api-Key", key)]),
            ("another one first", [GateScene.bearer(Self.unknown), GateScene.bearer(key)]),
            ("another one last", [GateScene.bearer(key), GateScene.bearer(Self.unknown)]),
            ("Bearer and Basic", [GateScene.bearer(key), Self.basic("ann", key)]),
            ("longer", [GateScene.bearer(key + "A")]), ("shorter", [GateScene.bearer(String(key.dropLast()))]),
            ("two with a comma", [("X-Api-Key", "\(key), \(key)")]),
            ("a scheme in the field", [("X-Api-Key", "Bearer \(key)")]),
            ("another kind", [("X-Api-Key", "sst_\(key.dropFirst(4))")]),
            ("upper case", [("X-Api-Key", key.uppercased())]), ("a colon in the user", [Self.basic("a:b", key)]),
            ("a colon after the key", [Self.basic("ann", "\(key):")]),
            ("a space after the key", [Self.basic("ann", key + " ")]),
            ("a zero after the key", [Self.basic("ann", key + "\u{0}")]),
            ("another scheme", [("Authorization", "Token \(key)")]),
            ("as Digest", [("Authorization", "Digest \(key)")]),
            ("base64 that is none", [("Authorization", "Basic ***")]),
            ("Basic without a colon", [("Authorization", "Basic \(Data(key.utf8).base64EncodedString())")]),
            ("the key as it is by Basic", [("Authorization", "Basic \(key)")]),
            ("4 KiB of Basic", [Self.basic(String(repeating: "a", count: 4096), key)]),
            ("no scheme", [("Authorization", key)]), ("an empty one", [("Authorization", "")]),
            ("the scheme alone", [("Authorization", "Bearer")]),
            ("a second word", [("Authorization", "Bearer \(key) x")]),
            ("a JWT", [("Authorization", "Bearer eyJhbGciOiJub25lIn0.e30.")]),
        ]
    }

    static func basic(_ user: String, _ password: String) -> (String, String) {
        ("Authorization", "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())")
    }
}

@Suite("Keys for apps behind the gate: hostile requests", .program)
struct AppKeyHostileTests {
    private static let keys = "app_keys: true, app_key_field: X-Api-Key"

    @Test("what stands in the place of a key and is none, or not one, is 401 without a way to sign in")
    func hostile() async throws {
        try await GateScene.open(clients: 2, keys: Self.keys) { scene in
            let keys = try await HostileKeys(scene)
            #expect(keys.rows.count >= 30)
            for (name, headers) in keys.rows {
                let reply = try await scene.check(nil, headers)
                #expect(reply.status == 401 && reply.header("location") == nil, "\(name): \(reply.status)")
                #expect(reply.header("remote-user") == nil, "\(name)")
            }
            let check = "/gate/partner-1/check"
            for query in ["key", "access_token", "api_key", "X-Api-Key", "Authorization"] {
                for reply in [
                    try await scene.check(nil, [], query: "?\(query)=\(keys.key)"),
                    try await scene.check(nil, [], path: "/page?\(query)=\(keys.key)"),
                ] { #expect(reply.status == 401, "\(query)") }
            }
            #expect(!scene.deployment.log.contains(keys.key))
            let inPath = try await scene.probe().get("\(check)/\(keys.key)", GateScene.proxy())
            #expect(inPath.status == 404)
            let user = try await scene.probe().get(
                check, GateScene.proxy(origin: "https://\(keys.key)@wiki.example.com") + [GateScene.bearer(keys.key)])
            #expect(user.status == 403)
            // A key that does not hold is not helped by a session.
            let both = GateScene.page + [GateScene.bearer(HostileKeys.unknown)]
            #expect(try await scene.check(keys.session, both).status == 401)
            // Other fields are the service's own, and the recipe removes them.
            let own = GateScene.page + [HostileKeys.basic("u", "p")]
            #expect(try await scene.check(keys.session, own).status == 200)
            #expect(try await scene.check(nil, [GateScene.bearer(keys.key)]).status == 200)
        }
    }

    @Test(
        "10,000 wrong keys are answered with 401, are counted, and keep neither right keys nor sessions of the network out"
    )
    func flood() async throws {
        try await GateScene.open(keys: Self.keys) { scene in
            let browser = try await scene.deployment.signedIn()
            let key = try await scene.key(of: browser)
            let id = try await scene.enter(browser)
            let (before, probe) = (scene.deployment.log.count, scene.probe())
            for connection in 0..<100 {
                let requests = (0..<100).flatMap { number -> [UInt8] in
                    let wrong =
                        "sgk_" + String("\(connection)-\(number)-\(String(repeating: "A", count: 43))".prefix(43))
                    return probe.request(
                        "GET", "/gate/partner-1/check", GateScene.proxy() + [GateScene.bearer(wrong)],
                        close: number == 99)
                }
                let answers = String(decoding: try await probe.raw(requests, halfClose: false), as: UTF8.self)
                let statuses = answers.matches(of: #/HTTP\/1\.1 (\d+)/#).map { String($0.1) }
                #expect(statuses.count == 100 && Set(statuses) == ["401"], "\(Set(statuses))")
                guard connection.isMultiple(of: 25) else { continue }
                #expect(try await scene.check(nil, [GateScene.bearer(key)]).status == 200)
                #expect(try await scene.check(id).status == 200)
            }
            let lines = scene.deployment.log.text(after: before).split(separator: "\n").count {
                $0.contains("app_key_refused")
            }
            #expect(lines == 20, "beyond the limit of a network and minute nothing is recorded")
            scene.deployment.clock.advance(by: .minutes(2))
            #expect(try await scene.check(nil, [GateScene.bearer(HostileKeys.unknown)]).status == 401)
            let later = scene.deployment.log.text(after: before).split(separator: "\n").count {
                $0.contains("app_key_refused")
            }
            #expect(later == 21)
        }
    }
}
