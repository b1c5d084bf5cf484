import Testing

@testable import IdPProviders
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit

@Suite("Sign-in with GitHub", .rules)
struct GitHubClientTests {
    private static let token = #"{"access_token":"gho_1","token_type":"bearer","scope":"user:email"}"#
    private static let emails =
        #"[{"email":"old@example.com","primary":false,"verified":true},"#
        + #"{"email":"Ann@Example.com","primary":true,"verified":true,"visibility":null}]"#

    private func fixture(
        user: String = #"{"id":583231,"login":"ann","name":"Ann Lee","email":"public@example.com"}"#,
        emails: String = Self.emails, emailStatus: Int = 200, token: String = Self.token
    ) throws -> OpenIDFixture {
        let fixture = try OpenIDFixture(.github, issuer: "https://github.com")
        fixture.transport.on("https://github.com/login/oauth/access_token", token)
        fixture.transport.on("https://api.github.com/user", user, type: "application/json; charset=utf-8")
        fixture.transport.on("https://api.github.com/user/emails", emails, status: emailStatus)
        return fixture
    }

    private func refusal(_ fixture: OpenIDFixture) async -> String? {
        await OpenIDFixture.reason { _ = try await fixture.client.identity(fixture.provider, fixture.answer) }
    }

    @Test("the user is the account's number, the address the verified primary one")
    func honest() async throws {
        let fixture = try fixture()
        let identity = try await fixture.client.identity(fixture.provider, fixture.answer)
        #expect(identity.issuer == "https://github.com" && identity.subject == "583231")
        #expect(identity.email?.text == "ann@example.com" && identity.name == "Ann Lee")
        #expect(identity.tokenDigest == nil && identity.authenticatedAt == nil && identity.refreshToken == nil)
        let calls = fixture.transport.requests
        #expect(calls.allSatisfy { $0.headers.contains { $0.hasPrefix("User-Agent: swift-sso/") } })
        #expect(calls.dropFirst().allSatisfy { $0.headers.contains("Authorization: Bearer gho_1") })
        #expect(calls.count == 3)
    }

    @Test("an Enterprise Server has its API below the issuer")
    func enterprise() async throws {
        let fixture = try OpenIDFixture(.github, issuer: "https://github.example.org")
        fixture.transport.on("https://github.example.org/login/oauth/access_token", Self.token)
        fixture.transport.on("https://github.example.org/api/v3/user", #"{"id":1,"login":"ann","name":null}"#)
        fixture.transport.on("https://github.example.org/api/v3/user/emails", Self.emails)
        let identity = try await fixture.client.identity(fixture.provider, fixture.answer)
        #expect(identity.subject == "1" && identity.name == "ann")
    }

    @Test(
        "an address that is not both primary and verified does not count",
        arguments: [
            "[]", "{}", #"[{"email":"a@example.com","primary":true,"verified":false}]"#,
            #"[{"email":"a@example.com","primary":true,"verified":"true"}]"#,
            #"[{"email":"a@example.com","primary":false,"verified":true}]"#, #"[{"primary":true,"verified":true}]"#,
            "[{\"email\":\"\u{430}nn@example.com\",\"primary\":true,\"verified\":true}]",
        ])
    func noAddress(_ emails: String) async throws {
        let fixture = try fixture(emails: emails)
        #expect(try await fixture.client.identity(fixture.provider, fixture.answer).email == nil)
        var domain = try self.fixture(emails: emails)
        domain.provider.allowedDomains = ["example.com"]
        #expect(await refusal(domain) == "domain_not_allowed")
    }

    @Test("without the scope for addresses there is none, and without trust none is asked for")
    func noScope() async throws {
        var fixture = try fixture(emails: #"{"message":"Not Found"}"#, emailStatus: 404)
        #expect(try await fixture.client.identity(fixture.provider, fixture.answer).email == nil)
        fixture = try self.fixture()
        fixture.provider.emailTrust = .never
        #expect(try await fixture.client.identity(fixture.provider, fixture.answer).email == nil)
        #expect(fixture.transport.requests(to: "https://api.github.com/user/emails").isEmpty)
    }

    @Test("when GitHub limits the calls or fails, it is unavailable; without the permission there is no address")
    func limited() async throws {
        let cases: [(Int, [(String, String)], String?)] = [
            (403, [("x-ratelimit-remaining", "0")], "github_emails_status"),
            (403, [("retry-after", "60")], "github_emails_status"),
            (403, [("x-ratelimit-remaining", "59")], nil), (403, [], nil), (429, [], "github_emails_status"),
            (503, [], "github_emails_status"),
        ]
        for (status, headers, reason) in cases {
            let fixture = try fixture()
            fixture.transport.on("https://api.github.com/user/emails") { _ in
                .success(ScriptedTransport.response("{}", status: status, headers: headers))
            }
            #expect(await refusal(fixture) == reason)
        }
    }

    @Test(
        "a user without a positive whole number is refused",
        arguments: [
            "{}", #"{"id":"583231"}"#, #"{"id":0}"#, #"{"id":-1}"#, #"{"id":1.5}"#, #"{"id":1e3}"#, #"{"id":null}"#,
            "[]",
            #"{"id":99999999999999999999}"#,
        ])
    func noNumber(_ user: String) async throws {
        let fixture = try fixture(user: user)
        #expect(await refusal(fixture) == "github_user_invalid")
    }

    @Test("a user with two ids is refused")
    func twoNumbers() async throws {
        let fixture = try fixture(user: #"{"id":1,"id":2}"#)
        #expect(await refusal(fixture) == "github_user_json")
    }

    @Test(
        "a token that is missing or cannot be a header is refused",
        arguments: [
            "{}", #"{"access_token":""}"#, #"{"access_token":"a b"}"#, #"{"access_token":"a\r\nX: y"}"#,
            #"{"access_token":1}"#,
        ])
    func noToken(_ token: String) async throws {
        let fixture = try fixture(token: token)
        #expect(await refusal(fixture) == "github_token_invalid")
    }

    @Test("an error with status 200 is an error")
    func error() async throws {
        let fixture = try fixture(token: #"{"error":"bad_verification_code","error_description":"expired"}"#)
        #expect(await refusal(fixture) == "token_endpoint_refused")
        #expect(fixture.transport.requests.count == 1)
    }

    @Test(
        "iss of the answer is GitHub's OAuth issuer or the origin of its pages",
        arguments: [
            (nil, nil), ("https://github.com/login/oauth", nil), ("https://github.com", nil),
            ("https://evil.example", "answer_issuer_mismatch"), ("", "answer_issuer_mismatch"),
        ] as [(String?, String?)])
    func issuer(_ issuer: String?, _ reason: String?) async throws {
        let fixture = try fixture()
        var answer = fixture.answer
        answer.issuer = issuer
        #expect(
            await OpenIDFixture.reason { _ = try await fixture.client.identity(fixture.provider, answer) } == reason)
    }

    @Test("an issuer that is only canonically equal to the one of the settings is another one")
    func canonicalIssuer() async throws {
        let fixture = try OpenIDFixture(.github, issuer: "https://git\u{e9}.example")
        var answer = fixture.answer
        answer.issuer = "https://gite\u{301}.example"
        let reason = await OpenIDFixture.reason { _ = try await fixture.client.identity(fixture.provider, answer) }
        #expect(reason == "answer_issuer_mismatch")
    }

    @Test("the check reports whether the API answers")
    func check() async throws {
        let fixture = try fixture()
        fixture.transport.on("https://api.github.com/user", #"{"message":"Requires authentication"}"#, status: 401)
        #expect(try await fixture.client.check(fixture.provider) == "ready: https://api.github.com answers")
        fixture.transport.on("https://api.github.com/user", "", status: 503)
        #expect(
            await OpenIDFixture.reason { _ = try await fixture.client.check(fixture.provider) } == "github_user_status")
    }
}
