import Testing

@testable import Counterparts
@testable import IdPProviders
@testable import SSOShared
@testable import TestKit
@testable import WebTestKit

@Suite("Address and name of an ID token", .rules)
struct IdentityClaimsTests {
    struct Row: Sendable {
        let kind: Provider.Kind
        /// Members of the claims; null takes one out.
        let claims: [String: JSONValue]
        let email: String?
        var reason: String?
    }

    private static let lookAlikes = [
        // Cyrillic а, Turkish dotless i, Kelvin sign, full-width @, zero-width space, soft hyphen, combining dot.
        "\u{430}nn@example.com", "ann@ex\u{131}mple.com", "\u{212a}ate@example.com", "ann\u{ff20}example.com",
        "ann\u{200b}@example.com", "an\u{ad}n@example.com", "a\u{307}nn@example.com", "ann@example.com\n",
        "ann@example.com\r\nBcc: eve@example.com", "ann@example.com,eve@example.com", "Ann <ann@example.com>",
        "ann@evil.example@example.com", "\"ann\"@example.com", "ann%evil.example@example.com", "ann@[192.0.2.1]",
        "ann@localhost", "", "ann", "@example.com", " ann@example.com", "ann@example.com ", "\tann@example.com",
    ]

    static let rows: [Row] =
        [
            Row(kind: .oidc, claims: [:], email: "ann@example.com"),
            Row(kind: .oidc, claims: ["email": "Ann.LEE@Example.COM"], email: "ann.lee@example.com"),
            Row(kind: .oidc, claims: ["email_verified": "true"], email: "ann@example.com"),
            Row(kind: .oidc, claims: ["email_verified": false], email: nil, reason: "email_not_verified"),
            Row(kind: .oidc, claims: ["email_verified": .null], email: nil, reason: "email_not_verified"),
            Row(kind: .oidc, claims: ["email_verified": "yes"], email: nil, reason: "email_not_verified"),
            Row(kind: .oidc, claims: ["email_verified": "True"], email: nil, reason: "email_not_verified"),
            Row(kind: .oidc, claims: ["email_verified": "TRUE"], email: nil, reason: "email_not_verified"),
            Row(kind: .oidc, claims: ["email_verified": " true"], email: nil, reason: "email_not_verified"),
            Row(kind: .oidc, claims: ["email_verified": "1"], email: nil, reason: "email_not_verified"),
            Row(kind: .oidc, claims: ["email_verified": 1], email: nil, reason: "email_not_verified"),
            Row(kind: .oidc, claims: ["email_verified": [true]], email: nil, reason: "email_not_verified"),
            Row(kind: .oidc, claims: ["email": .null, "xms_edov": true], email: nil, reason: "email_missing"),
            Row(kind: .oidc, claims: ["email": ["ann@example.com"]], email: nil, reason: "email_invalid"),
            Row(kind: .oidc, claims: ["email": 1], email: nil, reason: "email_invalid"),
            Row(kind: .google, claims: [:], email: "ann@example.com"),
            Row(kind: .apple, claims: ["email_verified": "true"], email: "ann@example.com"),
            Row(kind: .apple, claims: ["email_verified": "false"], email: nil, reason: "email_not_verified"),
            Row(kind: .microsoft, claims: [:], email: nil, reason: "email_not_verified"),
            Row(kind: .microsoft, claims: ["xms_edov": true], email: "ann@example.com"),
            Row(kind: .microsoft, claims: ["xms_edov": 1], email: "ann@example.com"),
            Row(kind: .microsoft, claims: ["xms_edov": "1"], email: "ann@example.com"),
            Row(kind: .microsoft, claims: ["xms_edov": "true"], email: "ann@example.com"),
            Row(kind: .microsoft, claims: ["xms_edov": false], email: nil, reason: "email_not_verified"),
            Row(kind: .microsoft, claims: ["xms_edov": 0], email: nil, reason: "email_not_verified"),
            Row(kind: .microsoft, claims: ["xms_edov": "yes"], email: nil, reason: "email_not_verified"),
        ] + lookAlikes.map { Row(kind: .oidc, claims: ["email": .string($0)], email: nil, reason: "email_invalid") }

    @Test("an address counts only when the provider says in the one right way that it has verified it", arguments: rows)
    func address(_ row: Row) async throws {
        let log = CapturedLog()
        let fixture = try OpenIDFixture(row.kind, logger: log.logger("test"))
        var token = fixture.token()
        for (name, value) in row.claims { token.claims[name] = value }
        let identity = try await fixture.identity(token)
        #expect(identity.email?.text == row.email)
        #expect(log.contains("provider_email_ignored") == (row.reason != nil))
        if let reason = row.reason { #expect(log.contains("\"reason\": \(reason)")) }
        #expect(!log.contains("@"), "The log names no address.")
    }

    @Test("without trust or without the claim there is no address")
    func none() async throws {
        var fixture = try OpenIDFixture()
        var token = fixture.token()
        token.claims["email"] = nil
        #expect(try await fixture.identity(token).email == nil)
        fixture.provider.emailTrust = .never
        #expect(try await fixture.identity(fixture.token()).email == nil)
    }

    @Test(
        "with domains in the settings only a verified address in one of them may sign in",
        arguments: [
            ("ann@example.com", true, nil), ("ann@EXAMPLE.com", true, nil), ("ann@second.example", true, nil),
            ("ann@example.com", false, "domain_not_allowed"), ("ann@other.example", true, "domain_not_allowed"),
            ("ann@sub.example.com", true, "domain_not_allowed"), ("ann@notexample.com", true, "domain_not_allowed"),
            ("ann@example.com.evil.example", true, "domain_not_allowed"), (nil, true, "domain_not_allowed"),
            ("example.com", true, "domain_not_allowed"),
        ] as [(String?, Bool, String?)])
    func domains(_ email: String?, _ isVerified: Bool, _ reason: String?) async throws {
        var fixture = try OpenIDFixture()
        fixture.provider.allowedDomains = ["example.com", "second.example"]
        var token = fixture.token()
        token.claims["email"] = email.map(JSONValue.string)
        token.claims["email_verified"] = .bool(isVerified)
        #expect(await fixture.refusal(token) == reason)
    }

    @Test(
        "a name by the rules of names is kept, any other is ignored",
        arguments: [
            ("Ann  Lee", "Ann Lee"), ("Ann\nLee", "Ann Lee"), ("\u{202e}nnA", nil), ("", nil), (" ", nil),
            (String(repeating: "n", count: 81), nil), ("Zoë 李", "Zoë 李"),
        ] as [(String, String?)])
    func names(_ sent: String, _ kept: String?) async throws {
        let fixture = try OpenIDFixture()
        var token = fixture.token()
        token.claims["name"] = .string(sent)
        #expect(try await fixture.identity(token).name == kept)
    }

    @Test("a name that is not a text is ignored")
    func nameOfAnotherType() async throws {
        let fixture = try OpenIDFixture()
        var token = fixture.token()
        token.claims["name"] = ["Ann"]
        #expect(try await fixture.identity(token).name == nil)
    }

    @Test("Apple: the name is from the first answer's user field, the private address is marked, a refresh token kept")
    func apple() async throws {
        let fixture = try OpenIDFixture(.apple)
        var token = fixture.token()
        token.claims["is_private_email"] = "true"
        let user = #"{"name":{"firstName":"Ann","lastName":"Lee"},"email":"eve@evil.example"}"#
        let identity = try await fixture.identity(token, user: user)
        #expect(identity.name == "Ann Lee" && identity.isPrivateEmail && identity.email?.text == "ann@example.com")
        fixture.transport.on(
            fixture.tokenURL, try StandInJSON.text(["id_token": .string(token.text()), "refresh_token": "r1"]))
        let again = try await fixture.client.identity(fixture.provider, fixture.answer)
        #expect(again.name == nil && again.refreshToken == "r1")
    }

    @Test("only Apple's tokens mark a private address, and only Apple's refresh tokens are kept")
    func others() async throws {
        let fixture = try OpenIDFixture(.google)
        var token = fixture.token()
        token.claims["is_private_email"] = true
        #expect(try await !fixture.identity(token).isPrivateEmail)
        fixture.transport.on(
            fixture.tokenURL, try StandInJSON.text(["id_token": .string(token.text()), "refresh_token": "r1"]))
        #expect(try await fixture.client.identity(fixture.provider, fixture.answer).refreshToken == nil)
    }

    @Test(
        "a user field of Apple that is odd is ignored",
        arguments: [
            "", "null", "[]", "{", #"{"name":"Ann"}"#, #"{"name":{"firstName":1}}"#, #"{"name":{}}"#,
            #"{"name":{"firstName":"A","firstName":"B"}}"#, #"{"name":{"firstName":"\u202eA"}}"#,
            #"{"name":{"firstName":"A"}}"# + String(repeating: " ", count: 4096),
        ])
    func oddUser(_ user: String) {
        #expect(IdentityClaims.appleName(user) == nil)
    }

    @Test("one half of Apple's name is enough")
    func halfName() {
        #expect(IdentityClaims.appleName(#"{"name":{"firstName":"Ann"}}"#) == "Ann")
        #expect(IdentityClaims.appleName(#"{"name":{"firstName":"","lastName":"Lee"}}"#) == "Lee")
    }
}
