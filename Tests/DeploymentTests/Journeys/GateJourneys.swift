import Foundation
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit

extension Journeys.Users {
    /// The block that `idp client show --proxy` prints, in the proxies that are installed here. Traefik and newer ones run in
    /// `script/try-gate`.
    @Suite("The gate behind real proxies", .journey, .dependsOnMachine)
    struct Gate {
        @Test("everything of one table holds", arguments: ProxyProcess.Kind.gates)
        func table(_ kind: ProxyProcess.Kind) async throws {
            try await GatedService.running(kind) { wiki in
                let ann = try await wiki.user()
                let first = try await wiki.enter(ann)
                #expect(first.status == 200 && first.address.target == "/enter" && first.text.contains(">ann<"))
                for row in GateCase.all {
                    do { try await row.body(wiki, ann) } catch { Issue.record("\(kind): \(row.name): \(error)") }
                }
            }
        }

        /// Answers as a gate does that lets everybody pass, without a word about who it is.
        private static func silentGate() throws -> BackChannelStub {
            try BackChannelStub { _ in .bytesThenClose(BackChannelFixture.http("200 OK", ["Connection: close"], [])) }
        }

        private static let forged: HTTPProbe.Headers = GateCase.forgedNames.map { ($0, "forged") }

        @Test(
            "a forged identity does not reach the service where the gate's answer has none",
            arguments: ProxyProcess.Kind.gates)
        func withoutFields(_ kind: ProxyProcess.Kind) async throws {
            let gate = try Self.silentGate()
            try await GatedService.running(kind, asking: UInt16(gate.port)) { wiki in
                let reply = try await wiki.probe.get("/any", Self.forged)
                #expect(reply.status == 200)
                #expect(try !wiki.onlyArrived("/any").head.contains("forged\r\n"))
                #expect(gate.requests.allSatisfy { !$0.head.contains("forged\r\n") })
            }
            gate.stop()
        }

        @Test("the check of HAProxy gets the cookie that no host beside the service can set, whatever comes before it")
        func tossedCookie() async throws {
            let gate = try Self.silentGate()
            try await GatedService.running(.haproxy, asking: UInt16(gate.port)) { wiki in
                _ = try await wiki.probe.get("/any", [("Cookie", "sso_gate=tossed; __Host-sso_gate=own; a=b")])
                #expect(gate.requests.compactMap { $0.header("Cookie") } == ["__Host-sso_gate=own"])
            }
            gate.stop()
        }

        @Test("nobody passes where the gate is down", arguments: ProxyProcess.Kind.gates)
        func down(_ kind: ProxyProcess.Kind) async throws {
            let gate = try Self.silentGate()
            gate.stop()
            try await GatedService.running(kind, asking: UInt16(gate.port)) { wiki in
                for headers in [[], GatedService.page] {
                    let reply = try await wiki.probe.get("/down", headers)
                    #expect((500...503).contains(reply.status), "\(reply.status)")
                }
                #expect(wiki.arrived("/").isEmpty)
            }
        }

        /// What the tests above look for is there to be found: without these lines it arrives.
        @Test(
            "without the block's lines, forged fields and keys do reach the service", arguments: ProxyProcess.Kind.gates
        )
        func withoutLines(_ kind: ProxyProcess.Kind) async throws {
            let gate = try Self.silentGate()
            try await GatedService.running(kind, asking: UInt16(gate.port), isWhole: false) { wiki in
                let keys = [("Authorization", "Bearer forged"), (GatedService.keyField, "forged")]
                _ = try await wiki.probe.get("/any", Self.forged + keys)
                let head = try wiki.onlyArrived("/any").head
                // gate.lua sets the fields of the answer whatever the block says.
                if kind != .haproxy { #expect(head.lowercased().contains("remote-user: forged")) }
                #expect(head.lowercased().contains("authorization: bearer forged"))
                #expect(head.lowercased().contains("x-api-key: forged"))
            }
            gate.stop()
        }
    }
}
