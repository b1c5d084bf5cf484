import Testing

@testable import Counterparts
@testable import IdPProviders
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit

@Suite("How long a sign-in waits for a provider", .rules)
struct TimeLimitTests {
    @Test("an answer whose calls take too long together ends as an outage of the provider", .timeLimit(.minutes(1)))
    func bounded() async throws {
        let fixture = try OpenIDFixture(identityLimit: .milliseconds(50))
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        defer { open.finish() }
        fixture.transport.on(fixture.tokenURL) { _ in
            for await _ in gate {}
            return .failure(.timedOut)
        }
        do {
            _ = try await fixture.client.identity(fixture.provider, fixture.answer)
            Issue.record("an identity without an answer")
        } catch {
            #expect(error.reason == "timed_out" && error.isUnavailable)
        }
    }

    @Test("the limit is shorter than the ten seconds in which the service stops")
    func limit() { #expect(ProviderClient.identityLimit < .seconds(10)) }

    @Test("the keys are fetched while the code is exchanged", .timeLimit(.minutes(1)))
    func beside() async throws {
        let fixture = try OpenIDFixture()
        let (transport, keysURL) = (fixture.transport, fixture.keysURL)
        let body = try StandInJSON.text(["id_token": .string(fixture.token().text())])
        // The token endpoint answers only after the keys have been asked for.
        transport.on(fixture.tokenURL) { _ in
            while transport.requests(to: keysURL).isEmpty { await Task.yield() }
            return .success(ScriptedTransport.response(body))
        }
        let identity = try await fixture.client.identity(fixture.provider, fixture.answer)
        #expect(identity.subject == "248289761001" && transport.requests(to: keysURL).count == 1)
    }
}
