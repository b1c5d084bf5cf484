import Foundation
import JWT
import Testing

@testable import Counterparts
@testable import IdPProviders
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

@Suite("Apple's client secret and revocation", .rules)
struct AppleClientSecretTests {
    private let key: PrivateKey

    init() throws { key = try PrivateKey(new: .es256) }

    private func fixture(_ other: PrivateKey? = nil) throws -> OpenIDFixture {
        var fixture = try OpenIDFixture(.apple)
        fixture.provider = fixture.provider.with(
            .apple(AppleKey(teamID: "TEAM123456", keyID: "KEY7890123", key: other ?? key)))
        return fixture
    }

    private func fields(_ request: HTTPClient.Request) throws -> [String: String] {
        guard case .post(let body) = request.method else { throw ProbeFailure("not a POST") }
        return Dictionary(uniqueKeysWithValues: FormCoding.fields(String(decoding: body, as: UTF8.self)))
    }

    @Test("each call has a secret of five minutes, signed with the key and addressed to Apple")
    func secret() async throws {
        let fixture = try fixture()
        #expect(await fixture.refusal(fixture.token()) == nil)
        fixture.clock.advance(by: .minutes(1))
        #expect(await fixture.refusal(fixture.token()) == nil)
        let secrets = try fixture.transport.requests(to: fixture.tokenURL).map { try fields($0)["client_secret"] ?? "" }
        #expect(secrets.count == 2 && secrets[0] != secrets[1])
        let parts = secrets[1].split(separator: ".").map(String.init)
        let header = try JSONDecoding.value(Base64URL.decode(parts[0]) ?? [])
        #expect(header == ["alg": "ES256", "kid": "KEY7890123", "typ": "JWT"])
        let now = Double(fixture.clock.now.seconds)
        let claims = try JSONDecoding.value(Base64URL.decode(parts[1]) ?? [])
        #expect(
            claims == [
                "iss": "TEAM123456", "sub": "client", "aud": .string(OpenIDFixture.issuer), "iat": .number(now),
                "exp": .number(now + 300),
            ])
        let signature = try #require(Base64URL.decode(parts[2]))
        #expect(try key.publicKey().isValid(signature, for: Array("\(parts[0]).\(parts[1])".utf8), .es256))
    }

    @Test("the secret is in the form and nowhere else")
    func place() async throws {
        let fixture = try fixture()
        #expect(await fixture.refusal(fixture.token()) == nil)
        let request = try #require(fixture.transport.requests(to: fixture.tokenURL).first)
        #expect(try fields(request)["client_id"] == "client")
        #expect(!request.headers.contains { $0.hasPrefix("Authorization") })
    }

    @Test("a key that cannot sign is reported without a word of it")
    func brokenKey() async throws {
        let fixture = try fixture(PrivateKey(new: .eddsa))
        do {
            _ = try await fixture.identity(fixture.token())
            Issue.record("accepted")
        } catch let error as ProviderError {
            #expect(error == .document(.appleKey) && error.detail.isEmpty && error.isUnavailable)
        }
    }

    @Test("revocation sends the refresh token to the document's endpoint, or to Apple's")
    func revocation() async throws {
        for endpoint in ["https://op.example/auth/revoke", "https://op.example/other"] {
            let fixture = try fixture()
            if endpoint.hasSuffix("other") { fixture.serveDiscovery { $0["revocation_endpoint"] = .string(endpoint) } }
            fixture.transport.on(endpoint, "", type: "")
            try await fixture.client.revoke(fixture.provider, refreshToken: "r1")
            let form = try fields(try #require(fixture.transport.requests(to: endpoint).first))
            #expect(form["token"] == "r1" && form["token_type_hint"] == "refresh_token")
            #expect(form["client_id"] == "client" && form["client_secret"]?.isEmpty == false)
        }
    }

    @Test("a revocation that fails is reported")
    func failedRevocation() async throws {
        let fixture = try fixture()
        fixture.transport.on("https://op.example/auth/revoke", #"{"error":"invalid_client"}"#, status: 400)
        #expect(
            await OpenIDFixture.reason { try await fixture.client.revoke(fixture.provider, refreshToken: "r1") }
                == "revocation_endpoint_status")
        let other = try OpenIDFixture()
        #expect(
            await OpenIDFixture.reason { try await other.client.revoke(other.provider, refreshToken: "r1") }
                == "revocation_unsupported")
    }
}
