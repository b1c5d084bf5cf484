import JWT
import Testing

@testable import Counterparts
@testable import IdPProviders
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

@Suite("ID tokens", .rules)
struct IDTokenTests {
    @Test("a forged ID token is refused with its reason, and the log holds nothing of it", arguments: ForgedIDToken.all)
    func forged(_ row: ForgedIDToken) async throws {
        let fixture = try OpenIDFixture()
        var token = fixture.token()
        try row.change(&token, fixture)
        let text = try token.text()
        do {
            _ = try await fixture.identity(text: text)
            Issue.record("accepted: \(row)")
        } catch let error as ProviderError {
            #expect(error.reason == row.reason && !error.isUnavailable, "\(row)")
            let parts = text.split(separator: ".").filter { $0.count > 20 }
            #expect(!parts.contains { error.description.contains($0) }, "\(row)")
            #expect(!error.description.contains(OpenIDFixture.accessToken) && error.detail.utf8.count <= 200, "\(row)")
        }
    }

    @Test("the table has more than 50 rows, and each has a name of its own")
    func size() {
        #expect(ForgedIDToken.all.count > 50)
        #expect(Set(ForgedIDToken.all.map(\.description)).count == ForgedIDToken.all.count)
    }

    @Test("an honest ID token of each algorithm is accepted", arguments: SignatureAlgorithm.allCases)
    func honest(_ algorithm: SignatureAlgorithm) async throws {
        let fixture = try OpenIDFixture()
        let identity = try await fixture.identity(fixture.token(algorithm))
        #expect(identity.issuer == OpenIDFixture.issuer && identity.subject == "248289761001")
        #expect(identity.email?.text == "ann@example.com" && identity.name == "Ann Lee")
        #expect(identity.tokenDigest?.count == 32 && identity.refreshToken == nil && identity.authenticatedAt == nil)
        #expect(identity.tokenExpiresAt == fixture.clock.now + .minutes(10))
    }

    @Test("an algorithm that the settings do not name is refused, whatever the provider offers")
    func allowlist() async throws {
        var fixture = try OpenIDFixture()
        fixture.provider = fixture.provider.with(algorithms: [.rs256])
        #expect(await fixture.refusal(fixture.token(.es256)) == "id_token_alg_not_allowed")
        #expect(await fixture.refusal(fixture.token(.rs256)) == nil)
    }

    @Test("the provider's own list narrows the settings' list and adds nothing to it")
    func narrowed() async throws {
        var fixture = try OpenIDFixture()
        fixture.serveDiscovery { $0["id_token_signing_alg_values_supported"] = ["RS256", "none", "HS256"] }
        #expect(await fixture.refusal(fixture.token(.es256)) == "id_token_alg_not_allowed")
        #expect(await fixture.refusal(fixture.token(.rs256)) == nil)
        fixture = try OpenIDFixture()
        fixture.serveDiscovery { $0["id_token_signing_alg_values_supported"] = ["HS256", "none"] }
        #expect(await fixture.refusal(fixture.token(.rs256)) == "discovery_no_common_algorithm")
    }

    @Test(
        "a token at the edge of what is permitted is accepted",
        arguments: [
            ("exp", -59.0), ("iat", 60), ("iat", -600), ("nbf", 60), ("auth_time", 60), ("exp", 259_200),
            ("exp", 3600.5), ("iat", 0.25), ("exp", 315_360_000),
        ])
    func edges(_ claim: String, _ seconds: Double) async throws {
        let fixture = try OpenIDFixture()
        var token = fixture.token()
        token.claims[claim] = .number(Double(fixture.clock.now.seconds) + seconds)
        if claim == "iat" { token.claims["exp"] = .number(Double(fixture.clock.now.seconds) + 300) }
        #expect(await fixture.refusal(token) == nil)
    }

    @Test("what may be left out or spelled in two ways is accepted in both")
    func permitted() async throws {
        let changes: [@Sendable (inout StandInToken) -> Void] = [
            { $0.header["typ"] = nil }, { $0.header["typ"] = "jwt" }, { $0.header["kid"] = nil },
            { $0.claims["aud"] = ["client"] }, { $0.claims["aud"] = ["client", "client"] },
            { $0.claims["azp"] = "client" },
            {
                $0.claims["aud"] = ["other", "client"]
                $0.claims["azp"] = "client"
            },
            { $0.claims["at_hash"] = .string(Self.atHash) },
            { $0.claims["sub"] = .string(String(repeating: "s", count: 255)) },
            { $0.claims["sub"] = "uid=ann, ou=people" }, { $0.header["jku"] = "https://evil.example/keys" },
            { $0.claims["email"] = nil }, { $0.claims["unknown"] = ["a": [1, .null]] },
            { $0.header["typ"] = .null }, { $0.header["kid"] = .null }, { $0.header["typ"] = "application/JWT" },
            { $0.claims["azp"] = .null }, { $0.claims["nbf"] = .null }, { $0.claims["auth_time"] = .null },
            { $0.claims["at_hash"] = .null }, { $0.claims["c_hash"] = 1 }, { $0.claims["acr"] = .null },
            { $0.claims["amr"] = "pwd" }, { $0.claims["name"] = .null }, { $0.claims["name"] = ["Ann"] },
            { $0.claims["email"] = .null }, { $0.claims["email"] = 1 }, { $0.claims["email_verified"] = .null },
            { $0.claims["email_verified"] = "yes" },
            { $0.claims["iat"] = .number(($0.claims["iat"]?.number ?? 0) + 0.7) },
        ]
        for (index, change) in changes.enumerated() {
            let fixture = try OpenIDFixture()
            var token = fixture.token()
            change(&token)
            #expect(await fixture.refusal(token) == nil, "row \(index)")
        }
    }

    private static let atHash = Base64URL.encode(
        Array(SHA256.hash(Array(OpenIDFixture.accessToken.utf8)).prefix(16)))

    @Test("at_hash of Ed25519 may be half of SHA-512 or of SHA-256, of the other algorithms only of SHA-256")
    func edwardsHash() async throws {
        let fixture = try OpenIDFixture()
        let long = Base64URL.encode(Array(SHA512.hash(Array(OpenIDFixture.accessToken.utf8)).prefix(32)))
        for (algorithm, hash, reason) in [
            (SignatureAlgorithm.eddsa, long, nil), (.eddsa, Self.atHash, nil), (.es256, long, "at_hash_mismatch"),
        ] as [(SignatureAlgorithm, String, String?)] {
            var token = fixture.token(algorithm)
            token.claims["at_hash"] = .string(hash)
            #expect(await fixture.refusal(token) == reason)
        }
    }

    @Test("auth_time becomes the time of the sign-in, and never one in the future")
    func authTime() async throws {
        let fixture = try OpenIDFixture()
        let now = fixture.clock.now
        for (seconds, expected) in [(-100.0, now - .seconds(100)), (30.0, now)] {
            var token = fixture.token()
            token.claims["auth_time"] = .number(Double(now.seconds) + seconds)
            #expect(try await fixture.identity(token).authenticatedAt == expected)
        }
    }

    @Test("two signatures of one token have the same digest, other claims another one")
    func digest() async throws {
        let fixture = try OpenIDFixture()
        let (first, second) = (fixture.token(), fixture.token())
        // ECDSA signs with fresh randomness.
        #expect(try first.text() != second.text())
        let digest = try await fixture.identity(first).tokenDigest
        #expect(try await fixture.identity(second).tokenDigest == digest)
        var other = fixture.token()
        other.claims["jti"] = "2"
        #expect(try await fixture.identity(other).tokenDigest != digest)
    }

    @Test("an answer without an ID token is refused")
    func missing() async throws {
        let fixture = try OpenIDFixture()
        for body in [#"{"access_token":"a"}"#, #"{"id_token":null}"#, #"{"id_token":{}}"#] {
            fixture.transport.on(fixture.tokenURL, body)
            #expect(
                await OpenIDFixture.reason { _ = try await fixture.client.identity(fixture.provider, fixture.answer) }
                    == "id_token_missing")
        }
    }
}

extension Provider {
    /// The provider with other algorithms.
    func with(algorithms: [SignatureAlgorithm]) -> Provider {
        Provider(
            id: id, name: name, kind: kind, issuer: issuer, clientID: clientID, credential: credential, scopes: scopes,
            responseMode: responseMode, allowedDomains: allowedDomains, prompt: prompt, emailTrust: emailTrust,
            allowsNewAccounts: allowsNewAccounts, allowsPrivateAddresses: allowsPrivateAddresses,
            algorithms: algorithms)
    }

    /// The provider with another credential.
    func with(_ credential: Credential) -> Provider {
        Provider(
            id: id, name: name, kind: kind, issuer: issuer, clientID: clientID, credential: credential, scopes: scopes,
            responseMode: responseMode, allowedDomains: allowedDomains, prompt: prompt, emailTrust: emailTrust,
            allowsNewAccounts: allowsNewAccounts, allowsPrivateAddresses: allowsPrivateAddresses,
            algorithms: algorithms)
    }
}
