import Foundation
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPClients
@testable import IdPGate
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("The keys of a client behind the gate", .program)
struct GateSettingsTests {
    private static let origin = "gate_origin: \"\(GateScene.origin)\""

    private static func file(_ keys: String) -> String {
        "clients:\n  - {id: wiki, name: Wiki, access: everyone, protocols: [gate], \(keys)}\n"
    }

    private static func problems(_ keys: String) throws -> [String] {
        try ClientsFixture(file(keys), of: ClientProtocols.builtIn, in: TemporaryFolder()).problems
    }

    @Test("an origin is enough, on loopback also by http, and needs no secret and no redirect URI")
    func valid() throws {
        for keys in [
            Self.origin, "gate_origin: \"http://127.0.0.1:3000\"", "gate_origin: \"https://wiki.example.com:8443\"",
            "\(Self.origin), app_keys: true, app_key_field: X-Api-Key, upstream: \"http://127.0.0.1:3000\"",
        ] {
            let problems = try Self.problems(keys)
            #expect(problems.isEmpty, "\(keys): \(problems)")
        }
    }

    @Test(
        "what is wrong is named by its key",
        arguments: [
            ("hidden: false", "gate_origin"), ("gate_origin: wiki.example.com", "gate_origin"),
            ("gate_origin: \"https://WIKI.example.com\"", "must be written as browsers do: https://wiki.example.com"),
            ("gate_origin: \"https://wiki.example.com:443\"", "gate_origin"),
            ("gate_origin: \"https://wiki.example.com/app\"", "gate_origin"),
            ("gate_origin: \"https://a@wiki.example.com\"", "gate_origin"),
            ("gate_origin: \"http://wiki.example.com\"", "gate_origin"),
            ("\(origin), app_key_field: X-Api-Key", "has no effect without app_keys: true"),
            ("\(origin), app_keys: true, app_key_field: Cookie", "must be the name of a field for keys alone"),
            ("\(origin), app_keys: true, app_key_field: Authorization", "must be the name of a field for keys alone"),
            ("\(origin), app_keys: true, app_key_field: Remote-User", "must be the name of a field for keys alone"),
            ("\(origin), app_keys: true, app_key_field: X_Api_Key", "must be the name of a field for keys alone"),
            ("\(origin), app_keys: true, app_key_field: \"X Key\"", "must be the name of a field for keys alone"),
            ("\(origin), upstream: \"http://127.0.0.1:3000/x\"", "must be scheme, host and port"),
            (
                "\(origin), redirect_uris: [https://wiki.example.com/cb]",
                "redirect_uris of \"wiki\": a client with these protocols has none"
            ),
            ("\(origin), gate_path: /x", "unknown key \"gate_path\""),
        ])
    func invalid(keys: String, words: String) throws {
        let problems = try Self.problems(keys)
        #expect(problems.contains { $0.contains(words) }, "\(problems)")
        #expect(!problems.contains { $0.contains("secrets is missing") }, "\(problems)")
    }

    @Test("the example of the clients file and of the page about the gate is valid")
    func example() throws {
        func text(_ path: String) throws -> String {
            try String(contentsOf: TestVectors.repository.appending(path: path), encoding: .utf8)
        }
        let lines = try text("deploy/clients.example.yaml").split(separator: "\n")
            .drop { !$0.hasPrefix("  # - id: grafana") }
        let entry = lines.map { $0.replacing("  # ", with: "  ", maxReplacements: 1) }.joined(separator: "\n")
        let read = try ClientsFixture("clients:\n\(entry)\n", of: ClientProtocols.builtIn, in: TemporaryFolder())
        #expect(read.problems.isEmpty && read.clients.first?.gate?.takesAppKeys == true, "\(read.problems)")
        #expect(try text("docs/gate.md").contains(entry), "\(entry)")
    }

    @Test("without declared proxies the program does not start, and says which client needs them")
    func proxies() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Self.file(Self.origin), to: "clients.yaml")
        let words = "IDP_TRUSTED_PROXIES: is not set, and the client wiki is behind the gate"
        for (proxies, isRefused) in [("", true), ("127.0.0.1", false)] {
            let settings = ["IDP_CLIENTS_FILE": path, "IDP_TRUSTED_PROXIES": proxies]
            let problems = ClientsFixture.settings(settings, in: folder).problems
            #expect(problems.contains { $0.contains(words) } == isRefused, "\(problems)")
        }
    }
}
