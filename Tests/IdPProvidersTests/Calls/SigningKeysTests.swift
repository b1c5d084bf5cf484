import JWT
import Synchronization
import Testing

@testable import Counterparts
@testable import IdPProviders
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

@Suite("Signing keys of providers", .rules)
struct SigningKeysTests {
    private func check(_ fixture: OpenIDFixture) async -> String? {
        await OpenIDFixture.reason { _ = try await fixture.client.check(fixture.provider) }
    }

    private func jwk(_ key: StandInKey, _ change: (inout [String: JSONValue]) -> Void) -> JSONValue {
        var members = key.jwk
        change(&members)
        return .object(members)
    }

    @Test("keys of unknown types, for encryption and for other algorithms are skipped")
    func skipped() async throws {
        let fixture = try OpenIDFixture()
        let keys = fixture.keys
        try fixture.serveKeys([
            ["kty": "oct", "k": "c2VjcmV0", "kid": "ec"], ["kty": "AKP", "alg": "ML-DSA-44", "pub": "x"],
            jwk(keys.es256) { $0["use"] = "enc" }, jwk(keys.es256) { $0["key_ops"] = ["deriveKey"] },
            jwk(keys.rs256) { $0["alg"] = "RS512" }, .object(keys.rs256.jwk),
            jwk(keys.rs256) { $0["use"] = "enc" },
        ])
        #expect(await fixture.refusal(fixture.token(.rs256)) == nil)
        #expect(await fixture.refusal(fixture.token(.es256)) == "id_token_key_unknown")
    }

    @Test(
        "a key that is too weak, too long or not a key is never used, and the log says why",
        arguments: [
            (
                SignatureAlgorithm.rs256, "n",
                JSONValue.string(Base64URL.encode([0xc1] + [UInt8](repeating: 0xff, count: 127)))
            ),
            (.rs256, "n", .string(Base64URL.encode([0x7f] + [UInt8](repeating: 0xff, count: 255)))),
            (.rs256, "n", .string(Base64URL.encode([1] + [UInt8](repeating: 0xff, count: 1024)))),
            (.rs256, "n", .string(Base64URL.encode([UInt8](repeating: 0xfe, count: 256)))),
            (.rs256, "n", .string(Base64URL.encode([0] + [UInt8](repeating: 0xff, count: 255)))),
            (.rs256, "n", .string(Base64URL.encode([UInt8](repeating: 0, count: 257)))),
            (.rs256, "n", "not base64url!"), (.rs256, "n", 1), (.rs256, "n", ""), (.rs256, "e", "AQ"),
            (.rs256, "e", "AA"),
            (.rs256, "e", "Ag"), (.rs256, "e", "AQAAAAE"), (.rs256, "e", "AAAB"),
            (.es256, "crv", "P-384"), (.es256, "x", .string(Base64URL.encode([UInt8](repeating: 1, count: 31)))),
            (.es256, "x", .string(Base64URL.encode([UInt8](repeating: 1, count: 32)))),
            (.es256, "y", .string(Base64URL.encode([UInt8](repeating: 0, count: 32)))), (.es256, "y", .null),
            (.eddsa, "crv", "Ed448"), (.eddsa, "x", .string(Base64URL.encode([UInt8](repeating: 1, count: 33)))),
        ])
    func unusable(_ algorithm: SignatureAlgorithm, _ name: String, _ value: JSONValue) async throws {
        let fixture = try OpenIDFixture()
        let other = fixture.keys[algorithm == .es256 ? .eddsa : .es256]
        try fixture.serveKeys([jwk(fixture.keys[algorithm]) { $0[name] = value }, .object(other.jwk)])
        #expect(await fixture.refusal(fixture.token(algorithm)) == "id_token_key_unusable")
        // The fault is known, so nothing is fetched again.
        #expect(fixture.transport.requests(to: fixture.keysURL).count == 1)
    }

    @Test(
        "a set without a usable key says of each key why, and a check names the faults of keys beside a usable one",
        arguments: [
            ("d", JSONValue.string("AQAB"), "rsa: a private key that is published"),
            (
                "n", .string(Base64URL.encode([0xc1] + [UInt8](repeating: 0xff, count: 127))),
                "rsa: RSA of 1024 bits"
            ),
            ("use", "enc", "rsa: use is enc"), ("key_ops", .array(["encrypt"]), "rsa: key_ops has no verify"),
            ("alg", "RS512", "rsa: alg is RS512"), ("kty", "oct", "rsa: a key of type oct"),
            ("kty", .null, "rsa: no kty"), ("use", 1, "rsa: use is a number"),
        ])
    func details(_ name: String, _ value: JSONValue, _ detail: String) async throws {
        let fixture = try OpenIDFixture()
        let faulty = jwk(fixture.keys.rs256) { $0[name] = value }
        try fixture.serveKeys([faulty])
        do {
            _ = try await fixture.client.check(fixture.provider)
            Issue.record("a set without a usable key")
        } catch {
            #expect(error.reason == "jwks_no_usable_key" && error.detail == detail)
        }
        let other = try OpenIDFixture()
        try other.serveKeys([faulty, .object(other.keys.es256.jwk)])
        let line = try await other.client.check(other.provider)
        let isFault = ["d", "n"].contains(name) || value == .null || value == 1
        #expect(line.hasSuffix(isFault ? ". Not used: \(detail)" : "EdDSA"), "\(line)")
    }

    @Test("Ed25519 is another name of EdDSA in the document, the key and the token; no other spelling is")
    func ed25519() async throws {
        for names in [
            ["Ed25519", "EdDSA", "EdDSA"], ["EdDSA", "Ed25519", "Ed25519"], ["Ed25519", "Ed25519", "Ed25519"],
        ] {
            let fixture = try OpenIDFixture()
            fixture.serveDiscovery { $0["id_token_signing_alg_values_supported"] = [.string(names[0])] }
            try fixture.serveKeys([jwk(fixture.keys.eddsa) { $0["alg"] = .string(names[1]) }])
            var token = fixture.token(.eddsa)
            token.header["alg"] = .string(names[2])
            #expect(await fixture.refusal(token) == nil, "\(names)")
            for other in ["ed25519", "Ed448", "EDDSA"] {
                token.header["alg"] = .string(other)
                #expect(await fixture.refusal(token) == "id_token_alg_not_allowed", "\(other)")
            }
        }
        let fixture = try OpenIDFixture()
        fixture.serveDiscovery { $0["id_token_signing_alg_values_supported"] = ["Ed448", "ed25519"] }
        #expect(await fixture.refusal(fixture.token(.eddsa)) == "discovery_no_common_algorithm")
    }

    @Test("a token without kid is accepted only when exactly one key fits its algorithm")
    func noKeyID() async throws {
        let fixture = try OpenIDFixture()
        let keys = fixture.keys
        var token = fixture.token()
        token.header["kid"] = nil
        try fixture.serveKeys([.object(keys.rs256.jwk), jwk(keys.es256) { $0["kid"] = nil }])
        #expect(await fixture.refusal(token) == nil)
        let two = try OpenIDFixture()
        try two.serveKeys([.object(keys.es256.jwk), jwk(keys.stranger) { $0["kid"] = "ec2" }])
        #expect(await two.refusal(token) == "id_token_key_ambiguous")
        let none = try OpenIDFixture()
        try none.serveKeys([.object(keys.rs256.jwk)])
        #expect(await none.refusal(token) == "id_token_key_unknown")
    }

    @Test(
        "a set that is not one is refused",
        arguments: [
            (#"{"keys":{}}"#, "jwks_malformed"), (#"{}"#, "jwks_malformed"),
            (#"{"keys":null}"#, "jwks_malformed"), (#"{"keys":[1]}"#, "jwks_no_usable_key"),
            (#"{"keys":[{}]}"#, "jwks_no_usable_key"), (#"{"keys":[]}"#, "jwks_no_usable_key"),
            (#"{"keys":[{"kty":"oct","k":"AA"}]}"#, "jwks_no_usable_key"),
            (#"{"keys":[{"kty":"RSA","kid":1}]}"#, "jwks_no_usable_key"),
            (#"{"keys":[],"keys":[]}"#, "jwks_json"), (#"{"keys":[]"#, "jwks_json"), ("<html>", "jwks_json"),
            ("", "jwks_json"),
            (#"[]"#, "jwks_malformed"),
        ])
    func malformed(_ body: String, _ reason: String) async throws {
        let fixture = try OpenIDFixture()
        fixture.transport.on(fixture.keysURL, body)
        #expect(await check(fixture) == reason)
    }

    @Test("a set of more than 100 keys or 256 KiB is refused")
    func huge() async throws {
        let fixture = try OpenIDFixture()
        try fixture.serveKeys([JSONValue](repeating: ["kty": "oct"], count: 101))
        #expect(await check(fixture) == "jwks_too_many_keys")
        let long = try OpenIDFixture()
        long.transport.on(long.keysURL, #"{"keys":[]}"# + String(repeating: " ", count: 256 << 10))
        #expect(await check(long) == "jwks_too_large")
    }

    @Test("keys are fetched once for many sign-ins, and again when Cache-Control says so")
    func cached() async throws {
        let fixture = try OpenIDFixture()
        try fixture.serveKeys(cache: "max-age=1200")
        for _ in 1...5 { #expect(await fixture.refusal(fixture.token()) == nil) }
        #expect(fixture.transport.requests(to: fixture.keysURL).count == 1)
        fixture.clock.advance(by: .minutes(20))
        #expect(await fixture.refusal(fixture.token()) == nil)
        #expect(fixture.transport.requests(to: fixture.keysURL).count == 2)
    }

    @Test("a new key works at once, and unknown ones cost at most one fetch in five minutes")
    func rotation() async throws {
        let fixture = try OpenIDFixture()
        let keys = fixture.keys
        try fixture.serveKeys([.object(keys.rs256.jwk)])
        #expect(await fixture.refusal(fixture.token(.rs256)) == nil)
        try fixture.serveKeys([.object(keys.es256.jwk)])
        #expect(await fixture.refusal(fixture.token(.es256)) == nil)
        #expect(fixture.transport.requests(to: fixture.keysURL).count == 2)
        // The old key has been withdrawn.
        #expect(await fixture.refusal(fixture.token(.rs256)) == "id_token_key_unknown")
        for second in 0..<30 {
            var token = fixture.token()
            token.header["kid"] = .string("unknown-\(second)")
            #expect(await fixture.refusal(token) == "id_token_key_unknown")
            fixture.clock.advance(by: .seconds(9))
        }
        #expect(fixture.transport.requests(to: fixture.keysURL).count == 2)
        fixture.clock.advance(by: .seconds(30))
        try fixture.serveKeys([.object(keys.eddsa.jwk)])
        #expect(await fixture.refusal(fixture.token(.eddsa)) == nil)
        #expect(fixture.transport.requests(to: fixture.keysURL).count == 3)
    }

    @Test("while the provider's keys cannot be fetched the old ones work, for 24 hours")
    func outage() async throws {
        let fixture = try OpenIDFixture()
        #expect(await fixture.refusal(fixture.token()) == nil)
        fixture.transport.on(fixture.keysURL, failing: .notConnected(""))
        fixture.clock.advance(by: .hours(23))
        #expect(await fixture.refusal(fixture.token()) == nil)
        fixture.clock.advance(by: .hours(1))
        #expect(await fixture.refusal(fixture.token()) == "jwks_unreachable")
    }

    @Test("a set of keys that is wrong now is not replaced by the old one")
    func withdrawn() async throws {
        let fixture = try OpenIDFixture()
        #expect(await fixture.refusal(fixture.token()) == nil)
        try fixture.serveKeys([])
        fixture.clock.advance(by: .hours(2))
        #expect(await fixture.refusal(fixture.token()) == "jwks_no_usable_key")
    }

    @Test("an unknown key while the provider is down leaves the known ones usable")
    func failedEarlyFetch() async throws {
        let fixture = try OpenIDFixture()
        #expect(await fixture.refusal(fixture.token()) == nil)
        fixture.transport.on(fixture.keysURL, failing: .timedOut)
        var token = fixture.token()
        token.header["kid"] = "unknown"
        #expect(await fixture.refusal(token) == "id_token_key_unknown")
        #expect(await fixture.refusal(fixture.token()) == nil)
    }

    @Test("callers at the same time share one fetch")
    func shared() async throws {
        let fixture = try OpenIDFixture()
        let body = try StandInJSON.text(["keys": .array(fixture.keys.all.map { .object($0.jwk) })])
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        fixture.transport.on(fixture.keysURL) { _ in
            for await _ in gate {}
            return .success(ScriptedTransport.response(body))
        }
        let (client, provider) = (fixture.client, fixture.provider)
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 1...50 { group.addTask { try await client.check(provider) } }
            group.addTask {
                while fixture.transport.requests(to: fixture.keysURL).isEmpty { await Task.yield() }
                open.finish()
                return ""
            }
            for try await _ in group {}
        }
        #expect(fixture.transport.requests(to: fixture.discoveryURL).count == 1)
        #expect(fixture.transport.requests(to: fixture.keysURL).count == 1)
    }

    @Test("keys of one provider are never used for another")
    func separate() async throws {
        let fixture = try OpenIDFixture()
        #expect(await fixture.refusal(fixture.token()) == nil)
        let other = try OpenIDFixture(issuer: "https://other.example")
        for url in [other.discoveryURL, other.keysURL] {
            let request = HTTPClient.Request(url: url)
            let response = try await other.transport.send(request)
            fixture.transport.on(url) { _ in .success(response) }
        }
        let stranger = try StandInJSON.text(["keys": [.object(fixture.keys.stranger.jwk)]])
        fixture.transport.on(other.keysURL, stranger)
        var token = fixture.token()
        token.claims["iss"] = "https://other.example"
        fixture.transport.on(other.tokenURL, try StandInJSON.text(["id_token": .string(token.text())]))
        #expect(
            await OpenIDFixture.reason { _ = try await fixture.client.identity(other.provider, other.answer) }
                == "id_token_signature_invalid")
    }
}
