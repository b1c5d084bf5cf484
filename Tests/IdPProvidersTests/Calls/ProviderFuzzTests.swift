import Foundation
import JWT
import Testing

@testable import Counterparts
@testable import IdPProviders
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// Mutated documents and answers of a provider. What our readers take is compared with Foundation's reader, and, where it
/// is installed, with PyJWT, neither of which is ours.
@Suite("Documents of providers: fuzz", .program)
struct ProviderFuzzTests {
    /// Of each of the four kinds: 100,000 documents and answers in all at night.
    private static let rounds = TestLength.of(short: 1500, nightly: 25_000)

    private static let hasPyJWT = FileManager.default.fileExists(
        atPath: "/usr/lib/python3/dist-packages/jwt/__init__.py")

    private static func object(_ bytes: [UInt8]) -> [String: Any]? {
        (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any]
    }

    @Test("a mutated discovery document is read only with its issuer, and with endpoints that are permitted")
    func discovery() throws {
        let fixture = try OpenIDFixture()
        let rule = try #require(ProviderURL(fixture.provider))
        var members = fixture.discovery
        members["id_token_signing_alg_values_supported"] = ["RS256", "ES256"]
        members["token_endpoint_auth_methods_supported"] = ["client_secret_basic", "client_secret_post"]
        members["revocation_endpoint"] = "https://op.example/revoke"
        var (fuzz, counts) = (ProviderFuzz(seed: 1), (read: 0, refused: 0))
        for _ in 0..<Self.rounds {
            let bytes = try fuzz.damaged(members)
            guard let document = try? DiscoveryDocument(JSONReader.readStrictly(bytes), for: fixture.provider) else {
                counts.refused += 1
                continue
            }
            counts.read += 1
            let object = try #require(Self.object(bytes))
            try #require(object["issuer"] as? String == fixture.provider.issuer)
            for (name, url) in [
                ("authorization_endpoint", document.authorizationEndpoint), ("token_endpoint", document.tokenEndpoint),
                ("jwks_uri", document.keysURL),
            ] { try #require(object[name] as? String == url && rule.permits(url)) }
            if let algorithms = try? document.allowedAlgorithms(fixture.provider), document.algorithms != nil {
                let names = object["id_token_signing_alg_values_supported"] as? [Any] ?? []
                try #require(
                    algorithms.allSatisfy { one in names.contains { ($0 as? String).map(one.isNamed) ?? false } })
            }
            try #require((try? document.authMethods(fixture.provider))?.isEmpty != true)
        }
        #expect(counts.read > Self.rounds / 20 && counts.refused > Self.rounds / 20, "\(counts)")
    }

    @Test("a mutated token answer gives only texts that are in it, and no tokens beside an error")
    func tokenAnswers() throws {
        let members: [String: JSONValue] = [
            "access_token": "a", "id_token": "i", "token_type": "Bearer", "expires_in": 3600, "scope": "openid",
            "refresh_token": "r", "error": .null, "error_description": "",
        ]
        var (fuzz, counts) = (ProviderFuzz(seed: 2), (read: 0, errors: 0))
        for _ in 0..<Self.rounds {
            let bytes = try fuzz.damaged(members)
            guard let json = try? JSONReader.readStrictly(bytes) else { continue }
            let (answer, object) = (TokenAnswer(json), Self.object(bytes) ?? [:])
            for (name, text) in [
                ("id_token", answer.idToken), ("access_token", answer.accessToken), ("error", answer.error),
                ("refresh_token", answer.refreshToken),
            ] {
                let other = object[name] as? String
                try #require(text == (other == "" && name != "id_token" ? nil : other))
            }
            if answer.error == nil { counts.read += 1 } else { counts.errors += 1 }
        }
        #expect(counts.read > Self.rounds / 20 && counts.errors > Self.rounds / 100, "\(counts)")
    }

    @Test("of a mutated key set only a key of the set checks a token, and never one that is not there")
    func keySets() async throws {
        let fixture = try OpenIDFixture()
        let algorithms = SignatureAlgorithm.allCases
        let tokens = try algorithms.map { try SignedToken(fixture.token($0).text(), allowed: algorithms) }
        let texts = try algorithms.map { try fixture.token($0).text() }
        var forged = fixture.token()
        forged.signature = .key(fixture.keys.stranger)
        let forgery = try SignedToken(forged.text(), allowed: algorithms)
        let members: [String: JSONValue] = ["keys": .array(fixture.keys.all.map { .object($0.jwk) })]
        var fuzz = ProviderFuzz(seed: 3)
        var (taken, refused, unread): ([String], Int, Int) = ([], 0, 0)
        for round in 0..<Self.rounds {
            let bytes = try fuzz.damaged(members)
            guard let keys = try? SigningKeys(JSONReader.readStrictly(bytes)) else {
                unread += 1
                continue
            }
            #expect(throws: ProviderError.self) { try forgery.claims(keys) }
            let index = round % tokens.count
            guard (try? tokens[index].claims(keys)) != nil else {
                refused += 1
                continue
            }
            let set = try JSONDecoding.value(bytes)
            taken.append(
                try StandInJSON.text([
                    "set": set, "token": .string(texts[index]), "alg": .string(algorithms[index].rawValue),
                ]))
        }
        #expect(taken.count > Self.rounds / 10 && refused > 0 && unread > 0, "\(taken.count) \(refused) \(unread)")
        if Self.hasPyJWT { try await expectTaken(taken, Self.checkKeySets) }
    }

    @Test("mutated claims are believed only where another reader believes them, and always of this sign-in")
    func claims() async throws {
        let fixture = try OpenIDFixture()
        let (key, now) = (fixture.keys.es256, fixture.clock.now)
        let keys = try SigningKeys(JSONReader.readStrictly(Array(StandInJSON.text(["keys": [.object(key.jwk)]]).utf8)))
        var members = fixture.token().claims
        members["azp"] = "client"
        members["auth_time"] = .number(Double(now.seconds))
        members["aud"] = ["client"]
        var (fuzz, taken, refused): (ProviderFuzz, [String], Int) = (ProviderFuzz(seed: 4), [], 0)
        for _ in 0..<Self.rounds {
            var token = fixture.token()
            let bytes = try fuzz.damaged(members)
            token.claimsText = String(decoding: bytes, as: UTF8.self)
            let text = try token.text()
            guard let signed = try? SignedToken(text, allowed: [.es256]),
                let believed = try? IDToken(
                    signed, claims: signed.claims(keys), provider: fixture.provider, nonce: OpenIDFixture.nonce,
                    accessToken: OpenIDFixture.accessToken, now: now)
            else {
                refused += 1
                continue
            }
            let object = try #require(Self.object(bytes))
            try #require(object["iss"] as? String == OpenIDFixture.issuer)
            try #require(object["nonce"] as? String == OpenIDFixture.nonce)
            try #require(object["sub"] as? String == believed.subject)
            try #require(
                object["aud"] as? String == "client" || (object["aud"] as? [String])?.contains("client") == true)
            taken.append(try StandInJSON.text(["key": .object(key.jwk), "token": .string(text)]))
        }
        #expect(taken.count > Self.rounds / 20 && refused > Self.rounds / 20, "\(taken.count) \(refused)")
        if Self.hasPyJWT { try await expectTaken(taken, Self.checkClaims.replacing("NOW", with: "\(now.seconds)")) }
    }

    /// Runs PyJWT over the cases, one in each line. It prints those that it does not take.
    private func expectTaken(_ cases: [String], _ script: String) async throws {
        let folder = try TemporaryFolder()
        try folder.write(cases.joined(separator: "\n"), to: "cases")
        try await folder.run("/usr/bin/python3", ["-W", "ignore", "-c", script], named: "jwt")
        #expect(folder.text(of: "jwt.out") == "\(cases.count)\n")
    }

    /// Null counts as absent, which PyJWT does not know.
    private static let checkKeySets = """
        import json, jwt
        count = 0
        only = {"verify_signature": True, "verify_exp": False, "verify_iat": False, "verify_nbf": False,
            "verify_aud": False, "verify_iss": False}
        for line in open("cases"):
            case = json.loads(line)
            def takes(key):
                try:
                    key = jwt.PyJWK({k: v for k, v in key.items() if v is not None and k != "alg"}).key
                    jwt.decode(case["token"], key, algorithms=[case["alg"]], options=only)
                    return True
                except Exception:
                    return False
            if any(takes(key) for key in case["set"]["keys"]):
                count += 1
            else:
                print(line)
        print(count)
        """

    private static let checkClaims = """
        import datetime, json, jwt, jwt.api_jwt
        class Clock(datetime.datetime):
            @classmethod
            def now(cls, tz=None):
                return cls.fromtimestamp(NOW, tz)
        jwt.api_jwt.datetime = Clock
        count = 0
        for line in open("cases"):
            case = json.loads(line)
            key = jwt.PyJWK(case["key"]).key
            plain = jwt.decode(case["token"], options={"verify_signature": False})
            try:
                jwt.decode(case["token"], key, algorithms=["ES256"], audience="client", issuer="https://op.example", leeway=60,
                    options={"require": ["exp", "iat", "sub", "nonce"], "verify_nbf": plain.get("nbf") is not None})
                count += 1
            except Exception as error:
                print(repr(error), plain)
        print(count)
        """
}
