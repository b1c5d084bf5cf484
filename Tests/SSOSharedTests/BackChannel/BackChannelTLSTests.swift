import Foundation
import Testing

@testable import SSOShared
@testable import TestKit

/// Real TLS against Python's server: another implementation of the handshake, and of the contract.
@Suite("TLS on the back channel", .rules)
struct BackChannelTLSTests {
    typealias Fixture = BackChannelFixture

    @Test("a certificate of the trusted authority, for the right name and time, is accepted")
    func good() async throws {
        let deployment = try await TestCA.make()
        let server = try await deployment.serve("good")
        defer { server.stop() }
        let client = try Fixture.client("https://localhost:\(server.port)", caFile: deployment.path("ca.pem"))
        #expect(try await client.verify(token: Fixture.token) == Fixture.reply())
        let byAddress = try Fixture.client("https://127.0.0.1:\(server.port)", caFile: deployment.path("ca.pem"))
        #expect(try await byAddress.verify(token: Fixture.token) == Fixture.reply())
    }

    @Test(
        "self-signed, expired, not yet valid, for another host or by another authority: refused",
        arguments: [
            "self-signed", "expired", "future", "wrong-host", "wrong-ca",
        ])
    func badCertificate(_ name: String) async throws {
        let deployment = try await TestCA.make()
        let server = try await deployment.serve(name)
        defer { server.stop() }
        let client = try Fixture.client("https://localhost:\(server.port)", caFile: deployment.path("ca.pem"))
        guard case .failure(.untrusted) = await Fixture.outcome(client) else {
            Issue.record("\(name) was not refused")
            return
        }
    }

    @Test("without the authority's file its certificates are refused")
    func unknownAuthority() async throws {
        let deployment = try await TestCA.make()
        let server = try await deployment.serve("good")
        defer { server.stop() }
        guard case .failure(.untrusted) = await Fixture.outcome(try Fixture.client("https://localhost:\(server.port)"))
        else {
            Issue.record("was not refused")
            return
        }
    }

    @Test("TLS 1.1 is refused, TLS 1.2 is not")
    func versions() async throws {
        let deployment = try await TestCA.make()
        for (version, isAccepted) in [("TLSv1_1", false), ("TLSv1_2", true), ("TLSv1_3", true)] {
            let server = try await deployment.serve("good", version: version)
            defer { server.stop() }
            let client = try Fixture.client("https://localhost:\(server.port)", caFile: deployment.path("ca.pem"))
            #expect(((try? await Fixture.outcome(client).get()) != nil) == isAccepted, "\(version)")
        }
    }

    @Test("a server that speaks plain HTTP on the https port is refused, and receives nothing")
    func plaintextServer() async throws {
        let server = try BackChannelStub { .bytes(Fixture.signed($0)) }
        defer { server.stop() }
        let outcome = await Fixture.outcome(
            try Fixture.client(
                "https://localhost:\(server.port)", limits: HTTPLimits(call: .milliseconds(800))))
        #expect((try? outcome.get()) == nil)
        #expect(server.requests.isEmpty)
    }

    @Test("a redirect from https to http is not followed")
    func downgrade() async throws {
        let target = try BackChannelStub { .bytes(Fixture.signed($0)) }
        defer { target.stop() }
        let deployment = try await TestCA.make()
        let server = try await deployment.serve("good", location: "\(target.origin)/auth/sso/verify")
        defer { server.stop() }
        let client = try Fixture.client("https://localhost:\(server.port)", caFile: deployment.path("ca.pem"))
        #expect(await Fixture.outcome(client) == .failure(.untrusted("status 307")))
        #expect(target.connections == 0)
    }
}
