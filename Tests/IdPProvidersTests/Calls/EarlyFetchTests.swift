import JWT
import Testing

@testable import Counterparts
@testable import IdPProviders
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

@Suite("Signing keys that are fetched early, and a clock that was wrong", .rules)
struct EarlyFetchTests {
    /// Why a notification with a made-up key is refused.
    private func madeUp(_ fixture: OpenIDFixture, _ index: Int = 0) async throws -> String? {
        var token = fixture.token()
        token.header["kid"] = .string("made-up-\(index)")
        let text = try token.text()
        return await OpenIDFixture.reason {
            _ = try await fixture.client.notification(fixture.provider, payload: text)
        }
    }

    @Test("notifications with made-up keys do not keep sign-ins from a new key")
    func callers() async throws {
        let fixture = try OpenIDFixture(.apple)
        try fixture.serveKeys([.object(fixture.keys.rs256.jwk)])
        for index in 1...20 { #expect(try await madeUp(fixture, index) == "id_token_key_unknown") }
        #expect(fixture.transport.requests(to: fixture.keysURL).count == 2)
        try fixture.serveKeys([.object(fixture.keys.es256.jwk)])
        #expect(await fixture.refusal(fixture.token(.es256)) == nil)
        #expect(fixture.transport.requests(to: fixture.keysURL).count == 3)
    }

    @Test("an early fetch that failed is repeated after ten seconds, not after five minutes")
    func failed() async throws {
        let fixture = try OpenIDFixture()
        try fixture.serveKeys([.object(fixture.keys.rs256.jwk)])
        #expect(await fixture.refusal(fixture.token(.rs256)) == nil)
        fixture.transport.on(fixture.keysURL, failing: .timedOut)
        for _ in 1...5 { #expect(await fixture.refusal(fixture.token(.es256)) == "id_token_key_unknown") }
        #expect(fixture.transport.requests(to: fixture.keysURL).count == 2)
        try fixture.serveKeys([.object(fixture.keys.es256.jwk)])
        fixture.clock.advance(by: .seconds(10))
        #expect(await fixture.refusal(fixture.token(.es256)) == nil)
    }

    @Test("keys that were fetched while the clock was ahead are fetched again")
    func ahead() async throws {
        let fixture = try OpenIDFixture()
        fixture.clock.advance(by: .days(30))
        #expect(await fixture.refusal(fixture.token()) == nil)
        fixture.clock.advance(by: .days(-30))
        try fixture.serveKeys([.object(fixture.keys.rs256.jwk)])
        #expect(await fixture.refusal(fixture.token(.rs256)) == nil)
        #expect(await fixture.refusal(fixture.token(.es256)) == "id_token_key_unknown")
    }

    @Test("keys that were fetched while the clock was ahead do not replace those of a provider that is down")
    func aheadAndDown() async throws {
        let fixture = try OpenIDFixture()
        fixture.clock.advance(by: .days(30))
        #expect(await fixture.refusal(fixture.token()) == nil)
        fixture.clock.advance(by: .days(-30))
        fixture.transport.on(fixture.keysURL, failing: .notConnected(""))
        #expect(await fixture.refusal(fixture.token()) == "jwks_unreachable")
    }

    @Test("a failure that was noted while the clock was ahead is forgotten when the clock is right")
    func failureAhead() async throws {
        let fixture = try OpenIDFixture()
        fixture.transport.on(fixture.keysURL, failing: .timedOut)
        fixture.clock.advance(by: .days(30))
        #expect(await fixture.refusal(fixture.token()) == "jwks_timed_out")
        fixture.clock.advance(by: .days(-30))
        try fixture.serveKeys()
        #expect(await fixture.refusal(fixture.token()) == nil)
    }

    @Test("an early fetch that was made while the clock was ahead does not delay the next one")
    func earlyAhead() async throws {
        let fixture = try OpenIDFixture()
        try fixture.serveKeys([.object(fixture.keys.rs256.jwk)])
        fixture.clock.advance(by: .days(30))
        #expect(await fixture.refusal(fixture.token(.es256)) == "id_token_key_unknown")
        fixture.clock.advance(by: .days(-30))
        #expect(await fixture.refusal(fixture.token(.rs256)) == nil)
        try fixture.serveKeys([.object(fixture.keys.es256.jwk)])
        #expect(await fixture.refusal(fixture.token(.es256)) == nil)
    }

    @Test("a new key under an old kid signs in after one fetch; forged tokens cause at most one a minute, and no more")
    func sameKeyID() async throws {
        let fixture = try OpenIDFixture()
        func fetches() -> Int { fixture.transport.requests(to: fixture.keysURL).count }
        try fixture.serveKeys([.object(fixture.keys.es256.jwk)])
        #expect(await fixture.refusal(fixture.token()) == nil)
        try fixture.serveKeys([.object(fixture.keys.stranger.jwk)])
        var rotated = fixture.token()
        rotated.signature = .key(fixture.keys.stranger)
        #expect(await fixture.refusal(rotated) == nil)
        #expect(fetches() == 2)

        let forged = fixture.token()
        for _ in 1...20 { #expect(await fixture.refusal(forged) == "id_token_signature_invalid") }
        #expect(fetches() == 2, "within the minute")
        // They do not use up the fetch that a new kid needs.
        try fixture.serveKeys([.object(fixture.keys.rs256.jwk), .object(fixture.keys.stranger.jwk)])
        #expect(await fixture.refusal(fixture.token(.rs256)) == nil)
        #expect(fetches() == 3)

        fixture.clock.advance(by: .minutes(1))
        let again = fixture.token()
        for _ in 1...20 { #expect(await fixture.refusal(again) == "id_token_signature_invalid") }
        #expect(fetches() == 4)
        // A fetch that failed counts as well.
        fixture.clock.advance(by: .minutes(1))
        fixture.transport.on(fixture.keysURL, failing: .timedOut)
        for _ in 1...3 {
            #expect(await fixture.refusal(fixture.token()) == "id_token_signature_invalid")
            fixture.clock.advance(by: .seconds(11))
        }
        #expect(fetches() == 5)
    }

    @Test("a key of another type under an old kid signs in after one fetch")
    func otherType() async throws {
        let fixture = try OpenIDFixture()
        try fixture.serveKeys([.object(fixture.keys.es256.jwk)])
        #expect(await fixture.refusal(fixture.token()) == nil)
        var renamed = fixture.keys.rs256.jwk
        renamed["kid"] = "ec"
        try fixture.serveKeys([.object(renamed)])
        var token = fixture.token(.rs256)
        token.header["kid"] = "ec"
        #expect(await fixture.refusal(token) == nil)
        #expect(fixture.transport.requests(to: fixture.keysURL).count == 2)
    }

    @Test("a notification with a wrong signature has nothing fetched: anybody may send one")
    func forgedNotification() async throws {
        let fixture = try OpenIDFixture(.apple)
        #expect(await fixture.refusal(fixture.token()) == nil)
        var token = fixture.token()
        token.signature = .key(fixture.keys.stranger)
        let text = try token.text()
        for _ in 1...5 {
            let reason = await OpenIDFixture.reason {
                _ = try await fixture.client.notification(fixture.provider, payload: text)
            }
            #expect(reason == "id_token_signature_invalid")
        }
        #expect(fixture.transport.requests(to: fixture.keysURL).count == 1)
    }
}
