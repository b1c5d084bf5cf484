import Logging
import Synchronization
import Testing

@testable import Counterparts
@testable import IdPProviders
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// A provider that is slow or hostile delays its own users and nobody else's.
@Suite("The places for calls to one provider", .rules)
struct ProviderPlacesTests {
    private static let most = ProviderHTTP.callsPerIssuer

    /// Serves the documents of a second provider, whose token endpoint answers at once.
    private func serve(_ other: OpenIDFixture, on transport: ScriptedTransport) throws {
        let keys = try StandInJSON.text(["keys": .array(other.keys.all.map { .object($0.jwk) })])
        transport.on(other.discoveryURL, try StandInJSON.text(.object(other.discovery)))
        transport.on(other.keysURL, keys)
        transport.on(other.tokenURL, try StandInJSON.text(["id_token": .string(other.token().text())]))
    }

    @Test(
        "64 sign-ins with one that hangs: 16 wait, 48 fail at once with their reason, and another one signs in meanwhile"
    )
    func one() async throws {
        let (fixture, gate) = (try OpenIDFixture(), Gate())
        let (client, provider, answer) = (fixture.client, fixture.provider, fixture.answer)
        #expect(await fixture.refusal(fixture.token()) == nil)
        let body = try StandInJSON.text([
            "access_token": .string(OpenIDFixture.accessToken), "id_token": .string(fixture.token().text()),
        ])
        fixture.transport.on(fixture.tokenURL) { _ in
            await gate.wait()
            return .success(ScriptedTransport.response(body))
        }
        let other = try OpenIDFixture(issuer: "https://other.example")
        try serve(other, on: fixture.transport)
        await withTaskGroup(of: String?.self) { group in
            for _ in 1...64 {
                group.addTask { await OpenIDFixture.reason { _ = try await client.identity(provider, answer) } }
            }
            for _ in Self.most..<64 { #expect(await group.next() == "token_endpoint_busy") }
            while gate.waiting < Self.most { await Task.yield() }
            let reason = await OpenIDFixture.reason { _ = try await client.identity(other.provider, other.answer) }
            #expect(reason == nil, "the other provider")
            // Its own documents are calls to it as well.
            fixture.clock.advance(by: .hours(25))
            #expect(await OpenIDFixture.reason { _ = try await client.check(provider) } == "discovery_busy")
            fixture.clock.advance(by: .hours(-25))
            gate.open()
            for _ in 1...Self.most { #expect(await group.next() == .some(nil)) }
        }
        fixture.clock.advance(by: .seconds(11))
        #expect(await fixture.refusal(fixture.token()) == nil, "its places are free again")
    }

    @Test("the calls of GitHub's API and of revocations have a place each")
    func otherCalls() async throws {
        let gate = Gate()
        let (hub, apple) = (try OpenIDFixture(.github), try OpenIDFixture(.apple))
        hub.transport.on("\(hub.provider.issuer)/login/oauth/access_token", #"{"access_token":"gho_1"}"#)
        hub.transport.on("\(hub.provider.issuer)/api/v3/user") { _ in await gate.answer() }
        apple.serveDiscovery { $0["revocation_endpoint"] = .string("\(OpenIDFixture.issuer)/revoke") }
        apple.transport.on("\(OpenIDFixture.issuer)/revoke") { _ in await gate.answer() }
        _ = try await apple.client.check(apple.provider)
        let calls: [(reason: String, call: @Sendable () async throws -> Void)] = [
            ("token_endpoint_busy", { _ = try await hub.client.identity(hub.provider, hub.answer) }),
            (
                "revocation_endpoint_busy",
                { try await apple.client.revoke(apple.provider, refreshToken: "refresh") }
            ),
        ]
        for (reason, call) in calls {
            await withTaskGroup(of: String?.self) { group in
                for _ in 1...Self.most { group.addTask { await OpenIDFixture.reason { try await call() } } }
                while gate.waiting < Self.most { await Task.yield() }
                #expect(await OpenIDFixture.reason { try await call() } == reason)
                gate.open()
                await group.waitForAll()
            }
        }
    }

    @Test("over HTTP: while four providers hang with all their places, another one signs in")
    func several() async throws {
        let clock = TestClock()
        let client = try ProviderClient(
            clock: clock.clock, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        var slow: [StandInProvider] = []
        for _ in 1...4 {
            let standIn = try await StandInProvider.start(.oidc, clock: clock.clock)
            standIn.replace(.token) { _ in .hang }
            _ = try await client.check(standIn.provider())
            slow.append(standIn)
        }
        let honest = try await StandInProvider.start(.google, clock: clock.clock)
        let answer = ProviderClient.Answer(
            code: "code", codeVerifier: "verifier", nonce: "nonce", redirectURI: "https://idp.example/cb")
        try await withThrowingTaskGroup(of: Void.self) { group in
            let ended = EndedCalls()
            for standIn in slow {
                let provider = standIn.provider()
                for _ in 1...Self.most {
                    group.addTask {
                        _ = try? await client.identity(provider, answer)
                        ended.add()
                    }
                }
            }
            // A call waits five seconds at most. On a machine that is slower than that, some have ended before others begin.
            _ = try await eventually("the slow providers hold their places") {
                let asked = slow.reduce(0) { $0 + $1.requests(at: .token).count }
                return asked + ended.count >= slow.count * Self.most ? true : nil
            }
            #expect(try await client.check(honest.provider()).hasPrefix("ready"))
            for standIn in slow { standIn.stop() }
        }
    }
}

private final class EndedCalls: Sendable {
    private let value = Mutex(0)
    var count: Int { value.withLock { $0 } }
    func add() { value.withLock { $0 += 1 } }
}

/// Holds callers until it is opened.
private final class Gate: Sendable {
    private let state = Mutex<[CheckedContinuation<Void, Never>]>([])

    /// How many callers it holds.
    var waiting: Int { state.withLock { $0.count } }

    func wait() async { await withCheckedContinuation { caller in state.withLock { $0.append(caller) } } }

    func answer() async -> Result<HTTPClient.Response, ConnectionError> {
        await wait()
        return .success(ScriptedTransport.response("{}"))
    }

    /// Lets all go that it holds.
    func open() {
        let callers = state.withLock { state in
            defer { state = [] }
            return state
        }
        for caller in callers { caller.resume() }
    }
}
