import ProbeKit
import SSOShared
import SSOWeb
import Synchronization
import Testing

@testable import Counterparts
@testable import IdP
@testable import IdPAccounts
@testable import IdPAuthorization
@testable import IdPClients
@testable import IdPFlow
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// A client that is dropped between the check of its request and the transaction that decides.
@Suite("A client that is dropped during its request", .program)
struct DroppedClientTests {
    private static func secret(_ letter: String) throws -> SharedSecret {
        try SharedSecret.parse(String(repeating: letter, count: 40), setting: "S")
    }

    private static func client(_ secrets: [SharedSecret], _ address: String) -> Client {
        Client(id: "one", name: "One", redirectURIs: [address], secrets: secrets).ofSSO()
    }

    @Test("gets no grant, whether its request comes from the client or goes on after a sign-in, and the log says why")
    func authorize() async throws {
        let interruption = Interruption()
        let known = Mutex<ClientDirectory?>(nil)
        let added = AddedFeatures { parts, _ in
            known.withLock { $0 = parts.clients }
            return []
        }
        try await TestDeployment.open(
            clients: 2, adding: added, wrapping: { interruption.wrapping($0) }
        ) { deployment in
            let (stays, goes, browser) = (deployment.clients[0], deployment.clients[1], deployment.browser())
            let found = known.withLock { $0 }
            let directory = try #require(found)
            let (both, file) = (deployment.folder.text(of: "clients.yaml"), "clients.yaml")
            let cut = try #require(both.firstRange(of: "  - {id: \(goes.id)"))
            /// Sends an authorize request, during which the file is read again without the client.
            func send(_ address: String) async throws -> Visit {
                try deployment.folder.write(both, to: file)
                directory.reload()
                try deployment.folder.write(String(both[..<cut.lowerBound]), to: file)
                interruption.inWrite(after: "FROM session") { directory.reload() }
                let visit = try await browser.get(address)
                #expect(directory.all.map(\.id) == [stays.id])
                return visit
            }
            func refusals() -> Int {
                deployment.log.text.split(separator: "\n").count {
                    $0.contains(" authorize_refused ") && $0.contains("\"cause\": client_dropped")
                        && $0.contains("\"client\": \(goes.id)")
                }
            }
            let waiting = try await browser.get(deployment.authorize(goes, state: "waits"))
            let flow = try #require(try waiting.location().query("flow"))
            _ = try await browser.signIn(at: stays, of: deployment, as: "ann@example.com")

            let asked = try await send(deployment.authorize(goes, state: "late"))
            #expect(asked.status == 400 && refusals() == 1)
            #expect(try await send(deployment.authorize(stays, state: "s")).token().hasPrefix("sst_"))
            try deployment.folder.write(both, to: file)
            directory.reload()
            let complete = try await browser.get("\(deployment.origin)\(SSOPath.complete)?flow=\(flow)")
            let resumed = try await send(complete.location().absolute)
            #expect(resumed.status == 400 && refusals() == 2)
            #expect(try await deployment.stored.grants.of(client: goes.id).count() == 0)
        }
    }

    @Test("redeems nothing, and its token stays unused; one whose secret rotates meanwhile does")
    func redeem() async throws {
        try await TestDeployment.open { deployment in
            let (old, new) = (try Self.secret("o"), try Self.secret("n"))
            let address = deployment.client.callback
            let next = Mutex(ClientRegistry([]))
            let directory = ClientDirectory(
                ClientSource(ClientRegistry([Self.client([old], address)])) {
                    .init(clients: next.withLock(\.self), problems: [], warnings: [])
                }, logger: deployment.log.logger("idp"))
            let eligibility = SignInEligibility(
                allowed: try AllowedEmails("*@example.com"), clock: deployment.clock.clock)
            let grants = GrantStore(
                database: deployment.database, clock: deployment.clock.clock, eligibility: eligibility,
                clients: directory)
            let kind = GrantKind(
                id: "sso", secret: SSOTokenKind.self, lifetime: .minutes(5), needsReturnAddress: false)
            let token = try await deployment.signedIn().token(for: deployment.client, of: deployment)
            try await deployment.stored.grants.setClient("one")
            func redeem() async throws -> GrantStore.Outcome<Void> {
                let presented = GrantStore.Presented(
                    try #require(SSOToken(wire: token)), kind, by: Self.client([old], address), returnTo: nil,
                    codeVerifier: nil,
                    nil
                ) { registered in registered.secrets.contains { $0.isSame(as: old) } }
                return try await grants.consume(presented, SessionLifetime(absolute: .hours(12), idle: .hours(2)))
            }
            for registered in [[], [Self.client([new], address)]] {
                next.withLock { $0 = ClientRegistry(registered) }
                directory.reload()
                guard case .clientDropped = try await redeem() else { throw ProbeFailure("it was let in") }
                #expect(try await deployment.stored.grants.used.count() == 0)
            }
            next.withLock { $0 = ClientRegistry([Self.client([old, new], address)]) }
            directory.reload()
            guard case .accepted = try await redeem() else { throw ProbeFailure("a rotation failed a sign-in") }
        }
    }
}
