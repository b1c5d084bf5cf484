import Foundation
import Testing

@testable import Counterparts
@testable import IdPProviders
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

@Suite("The token endpoint of providers", .rules)
struct TokenEndpointTests {
    /// The form and the headers of the one call.
    private func call(_ fixture: OpenIDFixture) throws -> (form: [String: String], headers: [String]) {
        let request = try #require(fixture.transport.requests(to: fixture.tokenURL).first)
        guard case .post(let body) = request.method else { throw ProbeFailure("not a POST") }
        let fields = FormCoding.fields(String(decoding: body, as: UTF8.self))
        #expect(Set(fields.map(\.0)).count == fields.count)
        return (Dictionary(uniqueKeysWithValues: fields), request.headers)
    }

    @Test("the client proves itself by Basic, with both parts encoded as in a form")
    func basic() async throws {
        var fixture = try OpenIDFixture()
        fixture.provider = fixture.provider.with(.secret(ProviderSecret(text: "a:b %+ü")))
        #expect(await fixture.refusal(fixture.token()) == nil)
        let (form, headers) = try call(fixture)
        #expect(
            form == [
                "grant_type": "authorization_code", "code": "a-code-0123", "redirect_uri": "https://idp.example/cb",
                "code_verifier": "a-verifier-0123",
            ])
        let pair = Data("client:a%3Ab%20%25%2B%C3%BC".utf8).base64EncodedString()
        #expect(headers.contains("Authorization: Basic \(pair)"))
        #expect(headers.contains("Content-Type: application/x-www-form-urlencoded"))
    }

    @Test("where the provider takes only the form, the secret is in the form")
    func post() async throws {
        let fixture = try OpenIDFixture()
        fixture.serveDiscovery {
            $0["token_endpoint_auth_methods_supported"] = ["private_key_jwt", "client_secret_post"]
        }
        #expect(await fixture.refusal(fixture.token()) == nil)
        let (form, headers) = try call(fixture)
        #expect(form["client_id"] == "client" && form["client_secret"] == "secret")
        #expect(!headers.contains { $0.hasPrefix("Authorization") })
    }

    @Test("a public client sends its id and the PKCE verifier, and no secret")
    func publicClient() async throws {
        var fixture = try OpenIDFixture()
        fixture.provider = fixture.provider.with(Provider.Credential.none)
        #expect(await fixture.refusal(fixture.token()) == nil)
        let (form, headers) = try call(fixture)
        #expect(
            form["client_id"] == "client" && form["client_secret"] == nil && form["code_verifier"] == "a-verifier-0123")
        #expect(!headers.contains { $0.hasPrefix("Authorization") })
    }

    @Test(
        "an OAuth error is reported with its own words, cut and printable; only an invalid code is the answer's fault",
        arguments: [
            (400, #"{"error":"invalid_grant","error_description":"used"}"#, "invalid_grant: used", false),
            (401, #"{"error":"invalid_client"}"#, "invalid_client", true),
            (400, #"{"error":"server_error","error_description":"a\nb\u00e9"}"#, "server_error: a?b?", true),
            (200, #"{"error":"bad_verification_code"}"#, "bad_verification_code", false),
        ])
    func refused(_ status: Int, _ body: String, _ detail: String, _ isUnavailable: Bool) async throws {
        let fixture = try OpenIDFixture()
        fixture.transport.on(fixture.tokenURL, body, status: status)
        let error = try await error(fixture)
        #expect(error.reason == "token_endpoint_refused" && error.detail == detail)
        #expect(error.isUnavailable == isUnavailable)
    }

    private func error(_ fixture: OpenIDFixture) async throws -> ProviderError {
        do {
            _ = try await fixture.client.identity(fixture.provider, fixture.answer)
        } catch {
            return error
        }
        throw ProbeFailure("no error")
    }

    @Test("a code or verifier that the provider repeats in its error does not reach the log")
    func repeated() async throws {
        let fixture = try OpenIDFixture()
        let body = #"{"error":"c-1","error_description":"unknown c-1 with v-1, c-1"}"#
        fixture.transport.on(fixture.tokenURL, body, status: 400)
        let answer = ProviderClient.Answer(
            code: "c-1", codeVerifier: "v-1", nonce: "n", redirectURI: "https://idp.example/cb")
        do {
            _ = try await fixture.client.identity(fixture.provider, answer)
            Issue.record("an identity without a token")
        } catch {
            #expect(error.reason == "token_endpoint_refused" && error.detail == "...: unknown ... with ..., ...")
        }
    }

    @Test(
        "an error has a code: null, an empty text and another type are none, and what is not used may be anything",
        arguments: [
            ["error": .null], ["error": "", "error_description": ""], ["error": false], ["error": ["a"]],
            ["error": .null, "error_description": .null, "error_uri": 1],
            ["expires_in": "3600"], ["expires_in": .null], ["expires_in": .number(-1.5)], ["token_type": "bearer"],
            ["token_type": "N_A"], ["token_type": .null], ["scope": ["openid"]], ["refresh_token": .null],
            ["refresh_token": 1], ["access_token": .null], ["access_token": ""], ["not-before-policy": 0],
        ] as [[String: JSONValue]])
    func lenient(_ changes: [String: JSONValue]) async throws {
        let fixture = try OpenIDFixture()
        let members: [String: JSONValue] = [
            "id_token": .string(try fixture.token().text()), "access_token": .string(OpenIDFixture.accessToken),
            "token_type": "Bearer", "expires_in": 3600,
        ]
        fixture.transport.on(fixture.tokenURL, try StandInJSON.text(.object(members.merging(changes) { $1 })))
        #expect(try await fixture.client.identity(fixture.provider, fixture.answer).subject == "248289761001")
    }

    @Test(
        "a status for errors whose error has no code is a status",
        arguments: [#"{"error":null}"#, #"{"error":""}"#, #"{"error":{}}"#, "[]", "null"])
    func errorWithoutCode(_ body: String) async throws {
        let fixture = try OpenIDFixture()
        fixture.transport.on(fixture.tokenURL, body, status: 400)
        let error = try await error(fixture)
        #expect(error.reason == "token_endpoint_status" && error.detail == "status 400")
    }

    @Test(
        "a redirect is not followed, and the log says where it leads, without what was sent",
        arguments: [
            ("https://new.example/a?code=1#b", "status 301, leads to https://new.example/a"),
            ("/elsewhere", "status 301, leads to /elsewhere"),
            ("https://u:pa55@new.example/a", "status 301, leads to https://...@new.example/a"),
            ("https://new.example/a-code-0123/x\u{e9}\n", "status 301, leads to https://new.example/.../x??"),
            (String(repeating: "x", count: 300), "status 301, leads to " + String(repeating: "x", count: 179)),
            (nil, "status 301"),
        ] as [(String?, String)])
    func redirect(_ location: String?, _ detail: String) async throws {
        for url in [\OpenIDFixture.discoveryURL, \.keysURL, \.tokenURL] {
            let fixture = try OpenIDFixture()
            if url != \.tokenURL, location?.contains("a-code") == true { continue }
            let headers = location.map { [("location", $0)] } ?? []
            fixture.transport.on(fixture.tokenURL, try StandInJSON.text(["id_token": .string(fixture.token().text())]))
            fixture.transport.on(fixture[keyPath: url]) { _ in
                .success(ScriptedTransport.response("", status: 301, type: "text/html", headers: headers))
            }
            let error = try await error(fixture)
            #expect(error.reason.hasSuffix("_status") && error.detail == detail && error.meaning == .fault)
        }
    }

    @Test("a request asks for the types that it takes")
    func accept() async throws {
        let fixture = try OpenIDFixture()
        #expect(await fixture.refusal(fixture.token()) == nil)
        func lines(_ url: String) -> [String] {
            fixture.transport.requests(to: url).flatMap(\.headers).filter { $0.hasPrefix("Accept:") }
        }
        #expect(lines(fixture.discoveryURL) == ["Accept: application/json"])
        #expect(lines(fixture.keysURL) == ["Accept: application/jwk-set+json, application/json"])
        #expect(lines(fixture.tokenURL) == ["Accept: application/json"])
    }

    @Test("a long text of the provider is cut to 200 bytes")
    func cut() {
        let error = ProviderError.refused(by: .token, error: String(repeating: "é", count: 999), description: nil)
        #expect(error.detail == String(repeating: "?", count: 200))
    }

    @Test(
        "anything but strict JSON with status 200 is the provider's outage",
        arguments: [
            (200, "text/html", "<html>", "token_endpoint_content_type"), (200, "", "{}", "token_endpoint_content_type"),
            (200, "application/jsonx", "{}", "token_endpoint_content_type"),
            (200, "text/plain", "{}", "token_endpoint_content_type"),
            (200, "json", "{}", "token_endpoint_content_type"), (200, "+json", "{}", "token_endpoint_content_type"),
            (302, "application/json", "{}", "token_endpoint_status"),
            (201, "application/json", "{}", "token_endpoint_status"),
            (500, "application/json", "{}", "token_endpoint_status"),
            (404, "application/json", "{}", "token_endpoint_status"),
            (400, "application/json", "{}", "token_endpoint_status"),
            (200, "application/json", "{", "token_endpoint_json"), (200, "application/json", "", "token_endpoint_json"),
            (200, "application/json", #"{"id_token":"a","id_token":"b"}"#, "token_endpoint_json"),
            (200, "application/json", "{}" + String(repeating: " ", count: 65536), "token_endpoint_too_large"),
        ])
    func malformed(_ status: Int, _ type: String, _ body: String, _ reason: String) async throws {
        let fixture = try OpenIDFixture()
        fixture.transport.on(fixture.tokenURL, body, status: status, type: type)
        let error = try await error(fixture)
        #expect(error.reason == reason && error.isUnavailable)
    }

    @Test("a parameter of the content type, its case and every type of JSON are taken")
    func contentTypes() async throws {
        for type in [
            "application/json; charset=utf-8", "Application/JSON", "application/token+json", "text/json;charset=UTF-8",
            "application/json ;", "application/vnd.example.v1+JSON; profile=\"a\"",
        ] {
            let fixture = try OpenIDFixture()
            fixture.transport.on(
                fixture.tokenURL, try StandInJSON.text(["id_token": .string(fixture.token().text())]), type: type)
            #expect(try await fixture.client.identity(fixture.provider, fixture.answer).subject == "248289761001")
        }
    }

    @Test(
        "each failure of a connection has its reason",
        arguments: [
            (ConnectionError.timedOut, "token_endpoint_timed_out"), (.tooLarge, "token_endpoint_too_large"),
            (.addressRefused(["10.0.0.1 (private)"]), "token_endpoint_address_refused"),
            (.certificate("x"), "token_endpoint_certificate"), (.notConnected(""), "token_endpoint_unreachable"),
            (.nameNotFound(""), "token_endpoint_unreachable"), (.busy, "token_endpoint_busy"),
        ])
    func connection(_ failure: ConnectionError, _ reason: String) async throws {
        let fixture = try OpenIDFixture()
        fixture.transport.on(fixture.tokenURL, failing: failure)
        let error = try await error(fixture)
        #expect(error.reason == reason && error.isUnavailable)
    }

    @Test("private addresses are refused, unless the settings permit them or issuer and address are this machine")
    func addresses() async throws {
        func refusals(_ issuer: String, allowsPrivate: Bool = false) async throws -> [String?] {
            var fixture = try OpenIDFixture(issuer: issuer)
            fixture.provider.allowsPrivateAddresses = allowsPrivate
            _ = try await fixture.client.check(fixture.provider)
            let request = try #require(fixture.transport.requests.first)
            return [[8, 8, 8, 8], [10, 0, 0, 1], [127, 0, 0, 1], [169, 254, 169, 254]].map {
                request.addressError?($0)
            }
        }
        #expect(try await refusals("https://op.example") == [nil, "private", "loopback", "link-local"])
        #expect(try await refusals("https://op.example", allowsPrivate: true) == [nil, nil, nil, nil])
        #expect(try await refusals("http://localhost:80") == [nil, "private", nil, "link-local"])
    }

    @Test("a connection to a private address is never shared with other providers")
    func reuse() async throws {
        var fixture = try OpenIDFixture()
        _ = try await fixture.client.check(fixture.provider)
        #expect(fixture.transport.requests.allSatisfy { $0.reusesConnection })
        fixture = try OpenIDFixture()
        fixture.provider.allowsPrivateAddresses = true
        _ = try await fixture.client.check(fixture.provider)
        #expect(!fixture.transport.requests.contains { $0.reusesConnection })
    }
}
