import JWT
import Testing

@testable import Counterparts
@testable import IdPProviders
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// RFC 7517: what is not understood of a key set is ignored, and the rest is used.
@Suite("Key sets of providers as they are", .rules)
struct KeySetTests {
    private func jwk(_ key: StandInKey, _ change: (inout [String: JSONValue]) -> Void) -> JSONValue {
        var members = key.jwk
        change(&members)
        return .object(members)
    }

    @Test("of several keys with one kid the one counts whose type, use and algorithm fit the token")
    func oneKeyID() async throws {
        let keys = try OpenIDKeys.made.get()
        let (rsa, ec) = (JSONValue.object(keys.rs256.jwk), JSONValue.object(keys.es256.jwk))
        let rows: [(SignatureAlgorithm, [JSONValue])] = [
            (.rs256, [rsa, jwk(keys.rs256) { $0["alg"] = "PS256" }]), (.rs256, [rsa, rsa]),
            (.rs256, [jwk(keys.rs256) { $0["alg"] = nil }, rsa]),
            (.rs256, [rsa, jwk(keys.ps256) { $0["kid"] = "rsa" }]),
            (.rs256, [jwk(keys.ps256) { ($0["kid"], $0["alg"], $0["use"]) = ("rsa", nil, "enc") }, rsa]),
            (.rs256, [jwk(keys.ps256) { ($0["kid"], $0["alg"]) = ("rsa", "RS384") }, rsa]),
            (.rs256, [jwk(keys.ps256) { ($0["kid"], $0["key_ops"]) = ("rsa", ["encrypt"]) }, rsa]),
            (.rs256, [jwk(keys.rs256) { ($0["x5c"], $0["e"]) = (1, "AQAB") }, rsa]),
            (.es256, [ec, jwk(keys.rs256) { $0["kid"] = "ec" }]),
            (.es256, [ec, jwk(keys.stranger) { $0["x"] = "AA" }]),
            (.es256, [jwk(keys.stranger) { $0["d"] = "AA" }, ec]),
            (.es256, [ec, jwk(keys.stranger) { $0["kid"] = "EC" }]),
        ]
        for (index, row) in rows.enumerated() {
            let fixture = try OpenIDFixture()
            try fixture.serveKeys(row.1)
            #expect(await fixture.refusal(fixture.token(row.0)) == nil, "row \(index)")
            #expect(fixture.transport.requests(to: fixture.keysURL).count == 1)
        }
    }

    @Test("two different keys that fit one kid and algorithm are refused, whichever signed, until one of them is gone")
    func twoKeys() async throws {
        let keys = try OpenIDKeys.made.get()
        let ec = JSONValue.object(keys.es256.jwk)
        for other: JSONValue in [.object(keys.stranger.jwk), jwk(keys.stranger) { $0["alg"] = nil }] {
            for list in [[ec, other], [other, ec]] {
                let fixture = try OpenIDFixture()
                try fixture.serveKeys(list + [.object(keys.rs256.jwk)])
                #expect(await fixture.refusal(fixture.token(.es256)) == "id_token_key_ambiguous")
                var token = fixture.token()
                token.signature = .key(keys.stranger)
                #expect(await fixture.refusal(token) == "id_token_key_ambiguous")
                #expect(await fixture.refusal(fixture.token(.rs256)) == nil)
                let line = try await fixture.client.check(fixture.provider)
                #expect(line.hasSuffix("Not used: ec: 2 keys for ES256"))
                try fixture.serveKeys([ec])
                fixture.clock.advance(by: .minutes(1))
                #expect(await fixture.refusal(fixture.token(.es256)) == nil)
            }
        }
    }

    @Test("an entry that is no key is ignored, and the others are used")
    func odd() async throws {
        let fixture = try OpenIDFixture()
        let good = JSONValue.object(fixture.keys.es256.jwk)
        let rows: [JSONValue] = [
            ["kid": "x", "use": "sig"], [:], .null, 1, "key", [], true, ["kty": .null, "kid": "ec"], ["kty": 1],
            ["kty": ""], ["kty": ["EC"]], ["kty": "RSA", "kid": 1, "n": "AQAB", "e": "AQAB"],
            ["kty": "EC", "kid": ["ec"]], jwk(fixture.keys.stranger) { $0["kid"] = 1 },
            jwk(fixture.keys.stranger) { $0["use"] = 1 }, jwk(fixture.keys.stranger) { $0["use"] = ["sig"] },
            jwk(fixture.keys.stranger) { $0["alg"] = 256 }, jwk(fixture.keys.stranger) { $0["key_ops"] = "verify" },
            jwk(fixture.keys.stranger) { $0["key_ops"] = [1] }, jwk(fixture.keys.stranger) { $0["crv"] = .null },
            jwk(fixture.keys.stranger) { $0["x"] = 1 }, jwk(fixture.keys.stranger) { $0["y"] = nil },
            ["kty": "RSA", "kid": "ec"], ["kty": "OKP", "crv": "Ed448", "x": "AA", "kid": "ec"],
            ["kty": "EC", "crv": "secp256k1", "kid": "ec"], ["kty": "oct", "k": "AA", "kid": "ec"],
        ]
        for (index, row) in rows.enumerated() {
            for list in [[row, good], [good, row]] {
                let fixture = try OpenIDFixture()
                try fixture.serveKeys(list)
                #expect(await fixture.refusal(fixture.token()) == nil, "row \(index)")
                var token = fixture.token()
                token.signature = .key(fixture.keys.stranger)
                #expect(await fixture.refusal(token) == "id_token_signature_invalid", "row \(index)")
            }
        }
    }

    @Test("zero bytes before the numbers of an RSA key change nothing", arguments: [1, 3])
    func leadingZeros(count: Int) async throws {
        let fixture = try OpenIDFixture()
        let zeros = [UInt8](repeating: 0, count: count)
        let members = fixture.keys.rs256.jwk
        let padded = try ["n", "e"].map { name in
            let text = try #require(members[name]?.text)
            return JSONValue.string(Base64URL.encode(zeros + (try #require(Base64URL.decode(text)))))
        }
        try fixture.serveKeys([jwk(fixture.keys.rs256) { ($0["n"], $0["e"]) = (padded[0], padded[1]) }])
        #expect(await fixture.refusal(fixture.token(.rs256)) == nil)
        var forged = fixture.token(.rs256)
        forged.signature = .key(fixture.keys.ps256)
        #expect(await fixture.refusal(forged) == "id_token_signature_invalid")
    }

    @Test("a name that stands twice makes one key unreadable, whatever it says, and outside the keys the whole set")
    func duplicates() async throws {
        let fixture = try OpenIDFixture()
        let good = try StandInJSON.text(.object(fixture.keys.es256.jwk))
        let stranger = try StandInJSON.text(.object(fixture.keys.stranger.jwk))
        let odd = [
            String(stranger.dropLast()) + #","kid":"ec"}"#, String(stranger.dropLast()) + #","x5c":[{"a":1,"a":2}]}"#,
            #"{"kid":"ec","kid":"ec","kty":"EC"}"#,
        ]
        for key in odd {
            for list in ["\(good),\(key)", "\(key),\(good)"] {
                let fresh = try OpenIDFixture()
                fresh.transport.on(fresh.keysURL, #"{"keys":[\#(list)]}"#)
                #expect(await fresh.refusal(fresh.token()) == nil, "\(key)")
                var forged = fresh.token()
                forged.signature = .key(fresh.keys.stranger)
                #expect(await fresh.refusal(forged) == "id_token_signature_invalid", "\(key)")
            }
            let alone = try OpenIDFixture()
            alone.transport.on(alone.keysURL, #"{"keys":[\#(key)]}"#)
            #expect(await alone.refusal(alone.token()) == "jwks_no_usable_key", "\(key)")
        }
        for set in [
            #"{"keys":[\#(stranger)],"keys":[\#(good)]}"#, #"{"keys":[\#(good)],"a":{"b":1,"b":1}}"#,
            #"{"a":1,"keys":[\#(good)],"a":1}"#,
        ] {
            let whole = try OpenIDFixture()
            whole.transport.on(whole.keysURL, set)
            #expect(await whole.refusal(whole.token()) == "jwks_json", "\(set)")
        }
    }

    @Test("null counts as absent, and members that are not used may be anything")
    func lenient() async throws {
        let rows: [[String: JSONValue]] = [
            ["use": .null], ["key_ops": .null], ["alg": .null], ["key_ops": ["verify", 1]], ["d": .null, "p": .null],
            ["x5c": .null], ["x5c": ["junk"]], ["x5t": 1, "x5u": [], "x5t#S256": .null], ["exp": "never"],
            ["ext": true],
        ]
        for row in rows {
            let fixture = try OpenIDFixture()
            let key = JSONValue.object(fixture.keys.es256.jwk.merging(row) { $1 })
            fixture.transport.on(
                fixture.keysURL, try StandInJSON.text(["keys": [key], "issuer": 1, "next": .null, "Keys": []]))
            #expect(await fixture.refusal(fixture.token()) == nil, "\(row)")
        }
        let fixture = try OpenIDFixture()
        try fixture.serveKeys([jwk(fixture.keys.es256) { $0["kid"] = .null }])
        #expect(await fixture.refusal(fixture.token()) == "id_token_key_unknown")
        var token = fixture.token()
        token.header["kid"] = nil
        #expect(await fixture.refusal(token) == nil)
    }

    @Test("what is ignored of a key set is logged once, and again when it is something else")
    func logged() async throws {
        let log = CapturedLog()
        let fixture = try OpenIDFixture(logger: log.logger("test"))
        let good = JSONValue.object(fixture.keys.es256.jwk)
        try fixture.serveKeys([
            ["kid": "x", "use": "sig"], good, ["kty": "oct", "k": "AA"], jwk(fixture.keys.rs256) { $0["use"] = "enc" },
        ])
        for _ in 1...3 {
            #expect(await fixture.refusal(fixture.token()) == nil)
            fixture.clock.advance(by: .hours(2))
        }
        #expect(fixture.transport.requests(to: fixture.keysURL).count == 3)
        #expect(log.text.split(separator: "\n").count { $0.contains("provider_keys_ignored") } == 1)
        #expect(log.text.contains("x: no kty") && !log.text.contains("oct") && !log.text.contains("enc"))
        try fixture.serveKeys([1, good])
        #expect(await fixture.refusal(fixture.token()) == nil)
        #expect(log.text.contains("no kid: a number in place of a key"))
    }
}
