import Synchronization
import Testing

@testable import Counterparts
@testable import IdPProviders
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

@Suite("Discovery documents of providers", .rules)
struct DiscoveryTests {
    private func check(_ fixture: OpenIDFixture) async -> String? {
        await OpenIDFixture.reason { _ = try await fixture.client.check(fixture.provider) }
    }

    @Test(
        "the document is below the issuer, whose last slash is removed first",
        arguments: [
            ("https://op.example", "https://op.example/.well-known/openid-configuration"),
            ("https://op.example/", "https://op.example/.well-known/openid-configuration"),
            ("https://op.example/realms/x", "https://op.example/realms/x/.well-known/openid-configuration"),
        ])
    func url(_ issuer: String, _ url: String) {
        #expect(DiscoveryDocument.url(issuer) == url)
    }

    @Test("an honest provider is reported as ready, with its keys and algorithms")
    func ready() async throws {
        let fixture = try OpenIDFixture()
        #expect(try await fixture.client.check(fixture.provider) == "ready: 4 signing keys, RS256, ES256, PS256, EdDSA")
    }

    @Test(
        "the issuer must be equal byte for byte",
        arguments: [
            "https://op.example/", "https://OP.example", "http://op.example", "https://op.example:443",
            "https://other.example", "",
        ])
    func issuer(_ issuer: String) async throws {
        let fixture = try OpenIDFixture()
        fixture.serveDiscovery { $0["issuer"] = .string(issuer) }
        #expect(await check(fixture) == "discovery_issuer_mismatch")
    }

    @Test(
        "a document with a member that is missing or of another type is refused",
        arguments: [
            ("issuer", nil, "discovery_issuer_mismatch"),
            ("issuer", ["https://op.example"], "discovery_issuer_mismatch"),
            ("authorization_endpoint", nil, "discovery_endpoint_missing"),
            ("token_endpoint", nil, "discovery_endpoint_missing"), ("jwks_uri", nil, "discovery_endpoint_missing"),
            ("token_endpoint", 1, "discovery_endpoint_refused"),
            ("id_token_signing_alg_values_supported", "RS256", "discovery_member_invalid"),
            ("id_token_signing_alg_values_supported", [1], "discovery_no_common_algorithm"),
            ("authorization_endpoint", .null, "discovery_endpoint_missing"),
            ("token_endpoint", .null, "discovery_endpoint_missing"), ("jwks_uri", .null, "discovery_endpoint_missing"),
            ("issuer", .null, "discovery_issuer_mismatch"),
            ("token_endpoint_auth_methods_supported", "client_secret_post", "discovery_member_invalid"),
            ("token_endpoint_auth_methods_supported", ["private_key_jwt"], "discovery_no_auth_method"),
        ] as [(String, JSONValue?, String)])
    func members(_ name: String, _ value: JSONValue?, _ reason: String) async throws {
        let fixture = try OpenIDFixture()
        fixture.serveDiscovery { $0[name] = value }
        #expect(await check(fixture) == reason)
    }

    @Test(
        "an endpoint must be https and public, without user name or fragment",
        arguments: [
            "http://op.example/x", "https://user@op.example/x", "https://op.example/x#a", "//op.example/x", "/x", "",
            "ftp://op.example/x", "javascript:alert(1)", "https://op.example/ x", "https://op.example\\@evil.example/",
            "https://127.0.0.1/x", "http://127.0.0.1/x", "https://localhost/x", "https://[::1]/x",
            "https://2130706433/",
            "https://öp.example/x", "https://op.example/" + String(repeating: "x", count: 2048),
        ])
    func endpoints(_ url: String) async throws {
        for name in ["authorization_endpoint", "token_endpoint", "jwks_uri", "revocation_endpoint"] {
            let isOfEvery = name != "revocation_endpoint"
            let fixture = try OpenIDFixture(isOfEvery ? .oidc : .apple)
            fixture.serveDiscovery { $0[name] = .string(url) }
            #expect(await check(fixture) == "discovery_endpoint_refused", "\(name)")
            #expect(
                await OpenIDFixture.reason { try await fixture.client.revoke(fixture.provider, refreshToken: "r") }
                    == "discovery_endpoint_refused", "\(name)")
            #expect(!fixture.transport.requests.contains { $0.url == url })
        }
    }

    @Test(
        "a member that is null, or that the sign-in does not use, stops no sign-in",
        arguments: [
            ("revocation_endpoint", .null), ("revocation_endpoint", "http://op.example/x"), ("revocation_endpoint", 1),
            ("revocation_endpoint", ""), ("userinfo_endpoint", .null), ("userinfo_endpoint", 7),
            ("end_session_endpoint", ""), ("registration_endpoint", ["a"]), ("scopes_supported", "openid"),
            ("response_modes_supported", .null), ("claims_supported", [1, .null]), ("mtls_endpoint_aliases", ["a": 1]),
            ("authorization_response_iss_parameter_supported", .null),
            ("authorization_response_iss_parameter_supported", "yes"),
            ("id_token_signing_alg_values_supported", .null), ("id_token_signing_alg_values_supported", []),
            ("id_token_signing_alg_values_supported", ["ES256", 1, .null]),
            ("token_endpoint_auth_methods_supported", .null), ("token_endpoint_auth_methods_supported", []),
            ("token_endpoint_auth_methods_supported", [.null, "client_secret_post"]),
        ] as [(String, JSONValue)])
    func unused(_ name: String, _ value: JSONValue) async throws {
        let fixture = try OpenIDFixture()
        fixture.serveDiscovery { $0[name] = value }
        #expect(await check(fixture) == nil)
        #expect(await fixture.refusal(fixture.token()) == nil)
    }

    @Test("a byte order mark before a document is ignored, two are not")
    func byteOrderMark() async throws {
        let fixture = try OpenIDFixture()
        let text = try StandInJSON.text(.object(fixture.discovery))
        fixture.transport.on(fixture.discoveryURL, "\u{feff}" + text)
        #expect(await check(fixture) == nil)
        let other = try OpenIDFixture()
        other.transport.on(other.discoveryURL, "\u{feff}\u{feff}" + text)
        #expect(await check(other) == "discovery_json")
    }

    @Test(
        "how a secret is sent is of no interest to a client without one",
        arguments: [.null, 1, ["tls_client_auth"]] as [JSONValue])
    func publicClient(_ value: JSONValue) async throws {
        var fixture = try OpenIDFixture()
        fixture.provider = fixture.provider.with(Provider.Credential.none)
        fixture.serveDiscovery { $0["token_endpoint_auth_methods_supported"] = value }
        #expect(await check(fixture) == nil)
        #expect(await fixture.refusal(fixture.token()) == nil)
    }

    @Test("a document with which no sign-in can work is reported before the user leaves for the provider")
    func beforeLeaving() async throws {
        for (name, value, reason) in [
            ("id_token_signing_alg_values_supported", ["HS256"], "discovery_no_common_algorithm"),
            ("token_endpoint_auth_methods_supported", ["private_key_jwt"], "discovery_no_auth_method"),
        ] as [(String, JSONValue, String)] {
            let fixture = try OpenIDFixture()
            fixture.serveDiscovery { $0[name] = value }
            let request = ProviderClient.AuthorizationRequest(
                state: "s", nonce: "n", codeChallenge: "c", redirectURI: "https://idp.example/cb")
            #expect(
                await OpenIDFixture.reason {
                    _ = try await fixture.client.authorizationURL(fixture.provider, request)
                } == reason)
        }
    }

    @Test("an endpoint may be at another host than the issuer, and have a query")
    func otherHost() async throws {
        let fixture = try OpenIDFixture()
        fixture.serveDiscovery { $0["authorization_endpoint"] = "https://login.example/a?p=1" }
        #expect(await check(fixture) == nil)
    }

    @Test("http is for issuers on this machine")
    func loopback() async throws {
        let fixture = try OpenIDFixture(issuer: "http://127.0.0.1:8080")
        #expect(await check(fixture) == nil)
        fixture.serveDiscovery { $0["token_endpoint"] = "http://op.example/token" }
        fixture.clock.advance(by: .hours(25))
        #expect(await check(fixture) == "discovery_endpoint_refused")
    }

    @Test("an answer whose iss is another one is refused before its code is sent anywhere")
    func answerIssuer() async throws {
        let fixture = try OpenIDFixture()
        for (issuer, reason) in [
            ("https://other.example", "answer_issuer_mismatch"), ("https://op.example/", "answer_issuer_mismatch"),
            ("", "answer_issuer_mismatch"),
        ] {
            var answer = fixture.answer
            answer.issuer = issuer
            #expect(
                await OpenIDFixture.reason { _ = try await fixture.client.identity(fixture.provider, answer) } == reason
            )
        }
        #expect(fixture.transport.requests(to: fixture.tokenURL).isEmpty)
    }

    @Test("an answer without iss is refused when the provider says that it sends one")
    func answerIssuerMissing() async throws {
        let fixture = try OpenIDFixture()
        fixture.serveDiscovery { $0["authorization_response_iss_parameter_supported"] = true }
        #expect(await fixture.refusal(fixture.token()) == "answer_issuer_missing")
        var answer = fixture.answer
        answer.issuer = OpenIDFixture.issuer
        fixture.transport.on(fixture.tokenURL, try StandInJSON.text(["id_token": .string(fixture.token().text())]))
        #expect(try await fixture.client.identity(fixture.provider, answer).subject == "248289761001")
    }

    @Test(
        "a document is kept as long as Cache-Control says, from 5 minutes to 24 hours, by default one hour",
        arguments: [
            (nil, 3600), ("max-age=600", 600), ("public, max-age=7200", 7200), ("max-age=0", 300), ("no-store", 300),
            ("no-cache, max-age=7200", 300), ("max-age=99999999999999999999", 86400), ("MAX-AGE=700", 700),
            ("max-age=700, max-age=800", 700), ("max-age=-1", 3600), ("max-age=abc", 3600), ("s-maxage=5", 3600),
        ] as [(String?, Int)])
    func lifetime(_ value: String?, _ seconds: Int) {
        #expect(ProviderHTTP.lifetime(value.map { [$0] } ?? []) == .seconds(seconds))
    }

    @Test("a document is fetched once while it is fresh, and again afterwards")
    func cached() async throws {
        let fixture = try OpenIDFixture()
        _ = try await fixture.client.check(fixture.provider)
        fixture.clock.advance(by: .minutes(59))
        _ = try await fixture.client.check(fixture.provider)
        #expect(fixture.transport.requests(to: fixture.discoveryURL).count == 1)
        fixture.clock.advance(by: .minutes(1))
        _ = try await fixture.client.check(fixture.provider)
        #expect(fixture.transport.requests(to: fixture.discoveryURL).count == 2)
    }

    @Test("a failure is remembered for ten seconds")
    func failure() async throws {
        let fixture = try OpenIDFixture()
        fixture.transport.on(fixture.discoveryURL, failing: .timedOut)
        #expect(await check(fixture) == "discovery_timed_out")
        #expect(await check(fixture) == "discovery_timed_out")
        fixture.clock.advance(by: .seconds(9))
        #expect(await check(fixture) == "discovery_timed_out")
        #expect(fixture.transport.requests.count == 1)
        fixture.serveDiscovery()
        fixture.clock.advance(by: .seconds(1))
        #expect(await check(fixture) == nil)
    }

    @Test("while the provider is out of service its last document is used, for 24 hours")
    func outage() async throws {
        let fixture = try OpenIDFixture()
        _ = try await fixture.client.check(fixture.provider)
        fixture.transport.on(fixture.discoveryURL, "<html>", status: 503, type: "text/html")
        fixture.clock.advance(by: .hours(23))
        #expect(await check(fixture) == nil)
        fixture.clock.advance(by: .hours(1))
        #expect(await check(fixture) == "discovery_status")
    }

    @Test("a document that names another issuer now is not replaced by the last one")
    func changed() async throws {
        let fixture = try OpenIDFixture()
        _ = try await fixture.client.check(fixture.provider)
        fixture.serveDiscovery { $0["issuer"] = "https://other.example" }
        fixture.clock.advance(by: .hours(2))
        #expect(await check(fixture) == "discovery_issuer_mismatch")
    }
}
