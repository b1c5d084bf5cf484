import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPFlow
@testable import IdPOIDC
@testable import IdPSSO
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// What a client, its request or `IDP_REQUIRE` asks of a sign-in.
@Suite("Strength of a sign-in", .program)
struct PasskeyStrengthTests {
    /// Who asks for a passkey.
    enum Asking: String, CaseIterable, Sendable {
        case request, client, setting

        var settings: [String: String] { self == .setting ? ["IDP_REQUIRE": "phr"] : [:] }
        var keys: String { self == .client ? "require: phr" : "" }

        func address(_ asking: TestedProtocol, of deployment: TestDeployment) throws -> String {
            let address = asking.ask(deployment.client, mark: "kept", of: deployment)
            return self == .request ? address + "&acr_values=phr" : address
        }
    }

    private static func open(_ asking: Asking, _ body: (TestDeployment) async throws -> Void) async throws {
        let keys = [TestedProtocol.clientKeys, asking.keys].filter { !$0.isEmpty }.joined(separator: ", ")
        try await TestDeployment.open(
            settings: asking.settings, clientKeys: keys, adding: TicketProtocol.added, body)
    }

    /// A browser that has signed in by email, for no client.
    private static func signedIn(at deployment: TestDeployment) async throws -> Browser {
        let asking = try await deployment.asking()
        _ = try await asking.guess(asking.code)
        return asking.browser
    }

    @Test(
        "a user who is signed in by email proves only the passkey, and the client is told phr",
        arguments: Asking.allCases, [TestedProtocol.sso, .oidc])
    func stepUp(asking: Asking, protocol: TestedProtocol) async throws {
        try await Self.open(asking) { deployment in
            let authenticator = try await deployment.givePasskey(to: "ann@example.com")
            let browser = try await Self.signedIn(at: deployment)
            let page = try await browser.follow(browser.get(asking.address(`protocol`, of: deployment)))
            #expect(page.address.path == "/sign-in", "\(page.text)")
            #expect(try page.page().form(with: "email") == nil, "an email would not do")
            let complete = try await browser.follow(browser.usePasskey(authenticator, on: page))
            let redeemed = try await `protocol`.redeem(
                `protocol`.callback(complete), as: deployment.client, of: deployment)
            #expect(redeemed?.strength == "phr" && redeemed?.methods == ["passkey"])
            #expect(try await deployment.rows(of: "sign_out_message") == 0, "no sign-out")
        }
    }

    @Test("a user without a passkey signs in by email, sets one up, and goes on with it", arguments: Asking.allCases)
    func setUp(asking: Asking) async throws {
        try await Self.open(asking) { deployment in
            let browser = deployment.browser()
            let page = try await browser.follow(browser.get(asking.address(.sso, of: deployment)))
            let proof = try await deployment.begin(.emailCode, on: page, in: browser)
            let missing = try await browser.follow(proof.prove(in: browser))
            #expect(missing.address.path == "/sign-in" && missing.status == 200, "\(missing.text)")
            #expect(try missing.page().form(with: "email") == nil)
            let authenticator = SoftwareAuthenticator()
            let add = try await browser.click(missing.page().link(containing: "/passkeys/add"), on: missing)
            let added = try await browser.follow(browser.addPasskey(authenticator, on: add))
            #expect(added.address.path == "/sign-in", "\(added.text)")
            let complete = try await browser.follow(browser.usePasskey(authenticator, on: added))
            #expect(try await deployment.redeem(complete, as: deployment.client).methods == ["passkey"])
        }
    }

    @Test("a user gives up with access_denied, and prompt=none is login_required", arguments: Asking.allCases)
    func refused(asking: Asking) async throws {
        try await Self.open(asking) { deployment in
            let browser = try await Self.signedIn(at: deployment)
            let silent = try await browser.get(asking.address(.sso, of: deployment) + "&prompt=none")
            #expect(try silent.location().query("error") == "login_required")
            let page = try await browser.follow(browser.get(asking.address(.sso, of: deployment)))
            let cancelled = try await browser.click(page.page().link(containing: "/sign-in/cancel"), on: page)
            #expect(try cancelled.location().query("error") == "access_denied")
            #expect(try await deployment.rows(of: "sso_token") == 0)
        }
    }

    @Test(
        "an unknown value is an error for SSO, and without effect for OpenID Connect",
        arguments: ["high", "PHR", "", "mfa phr"])
    func unknown(value: String) async throws {
        try await Self.open(.request) { deployment in
            let browser = try await Self.signedIn(at: deployment)
            let query = "&acr_values=" + PercentCoding.encode(value)
            let sso = try await browser.get(
                TestedProtocol.sso.ask(deployment.client, mark: "m", of: deployment) + query)
            #expect(try sso.location().query("error") == "invalid_request", "\(sso.status)")
            let openID = try await browser.follow(
                browser.get(TestedProtocol.oidc.ask(deployment.client, mark: "m", of: deployment) + query))
            #expect((openID.address.path == "/sign-in") == (value == "mfa phr"), "\(openID.address)")
        }
    }

    @Test(
        "where browsers make no passkeys, a request for one says so before and after the sign-in, and names no page that adds one"
    )
    func outOfReach() async throws {
        try await TestDeployment.open(settings: ["IDP_PASSKEY_RP_ID": "127.0.0.1"]) { deployment in
            let browser = deployment.browser()
            let first = try await browser.follow(browser.get(Asking.request.address(.sso, of: deployment)))
            #expect(first.text.contains("passkeys are off here"))
            let proof = try await deployment.begin(.emailCode, on: first, in: browser)
            let again = try await browser.follow(proof.prove(in: browser))
            #expect(again.address.path == "/sign-in" && again.text.contains("passkeys are off here"), "\(again.text)")
            #expect(try again.page().link(containing: "/passkeys/add") == nil)
            #expect(!again.text.contains("in this window"))
            let cancelled = try await browser.click(again.page().link(containing: "/sign-in/cancel"), on: again)
            #expect(try cancelled.location().query("error") == "access_denied")
        }
    }

    @Test("what is asked for after a token was issued is checked when it is redeemed")
    func redeemed() async throws {
        try await Self.open(.request) { deployment in
            let browser = try await deployment.signedIn(as: "ann@example.com")
            let token = try await browser.token(for: deployment.client, of: deployment)
            try await deployment.withSecondIdP(settings: ["IDP_REQUIRE": "phr"]) { second in
                let reply = try await second.verify(token, as: deployment.client)
                #expect(reply.status == 401)
                #expect(deployment.log.contains("\"cause\": strength"))
            }
            let again = try await deployment.verify(token, as: deployment.client)
            #expect(again.status == 401, "it is void")
        }
    }

    @Test("discovery names the strengths that exist, and a key of one device is hwk")
    func references() async throws {
        try await Self.open(.request) { deployment in
            let document = try await deployment.browser().get(
                deployment.origin + "/.well-known/openid-configuration")
            #expect(
                try JSONDecoding.value(document.reply.body)["acr_values_supported"]?.items.map(\.text)
                    == ["any", "mfa", "phr"])
            let key = SoftwareAuthenticator(.hardware)
            _ = try await deployment.passkeyOwner(key)
            let browser = deployment.browser()
            let page = try await browser.follow(
                browser.get(TestedProtocol.oidc.ask(deployment.client, mark: "m", of: deployment)))
            let complete = try await browser.follow(browser.usePasskey(key, on: page))
            let code = try TestedProtocol.oidc.callback(complete).query("code") ?? ""
            let claims = try await deployment.oidcToken(code, as: deployment.client).idTokenClaims()
            #expect(claims["amr"]?.items.map(\.text) == ["passkey", "pop", "user", "mfa", "hwk"])
        }
    }
}
