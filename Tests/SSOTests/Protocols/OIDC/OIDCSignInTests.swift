import JWT
import ProbeKit
import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPClients
@testable import IdPOIDC
@testable import IdPSigningKeys
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// The path of one sign-in from the request to the claims, and what a client reads on it. The names of the OpenID Foundation's
/// modules are in ``OIDCModuleTests``.
@Suite("OpenID Connect", .program)
struct OIDCSignInTests {
    @Test("a visitor signs in, sees the completion page, and the client gets a code for tokens")
    func visitor() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let (browser, client) = (deployment.browser(), deployment.client)
            let form = try await browser.follow(
                browser.get(deployment.oidcRequest(client, ["scope": "openid email profile groups"])))
            #expect(form.address.path == "/sign-in")
            let complete = try await deployment.enterCode(form, in: browser, as: "ann@example.com")
            #expect(complete.status == 200 && complete.text.contains("Authentication complete"))
            let callback = try TestedProtocol.oidc.callback(complete)
            #expect(callback.absolute.hasPrefix(client.callback + "?code=soc_"))
            #expect(callback.query("state") == "s" && callback.query("iss") == deployment.origin)
            let code = try #require(callback.query("code"))

            let reply = try await deployment.oidcToken(code, as: client)
            #expect(reply.status == 200, "\(reply.text)")
            #expect(reply.header("cache-control") == "no-store")
            let answer = try reply.json()
            #expect(answer["token_type"]?.text == "Bearer" && answer["expires_in"]?.number == 600)
            #expect(answer["scope"]?.text == "openid profile email groups" && answer["refresh_token"] == nil)
            let claims = try reply.idTokenClaims()
            #expect(claims["iss"]?.text == deployment.origin && claims["aud"]?.text == client.id)
            #expect(claims["azp"]?.text == client.id && claims["nonce"]?.text == "n")
            #expect(claims["email"]?.text == "ann@example.com" && claims["email_verified"] == true)
            #expect(claims["groups"] == [] && claims["acr"]?.text == "any")
            #expect(claims["amr"] == ["email_code", "otp"])
            #expect(claims["preferred_username"]?.text == "ann" && claims["nickname"]?.text == "ann")
            #expect(claims["sid"]?.text?.hasPrefix("ses_") == true)
            let token = try #require(answer["access_token"]?.text)
            let info = try await deployment.oidcUserInfo(token)
            #expect(info.status == 200)
            #expect(try info.json()["sub"] == claims["sub"] && info.json()["email"]?.text == "ann@example.com")
            #expect(!deployment.log.text.contains(code) && !deployment.log.text.contains(token))
        }
    }

    @Test("a user who is signed in comes back by a redirect, with no page")
    func signedIn() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let browser = try await deployment.signedIn()
            let visit = try await browser.get(deployment.oidcRequest(deployment.client))
            #expect(visit.status == 302)
            #expect(visit.reply.header("cache-control") == "no-store")
            #expect(visit.reply.header("referrer-policy") == "no-referrer")
            let reply = try await deployment.oidcToken(
                TestedProtocol.oidc.callback(visit).query("code") ?? "", as: deployment.client)
            #expect(reply.status == 200, "\(reply.text)")
        }
    }

    @Test(
        "the ID token's signature is that of a published key, for each algorithm",
        arguments: ["RS256", "ES256", "EdDSA"])
    func signature(algorithm: String) async throws {
        try await TestDeployment.openWithOIDC(more: "id_token_alg: \(algorithm)") { deployment in
            let browser = try await deployment.signedIn()
            let reply = try await deployment.oidcToken(deployment.oidcCode(browser), as: deployment.client)
            let text = try #require(reply.json()["id_token"]?.text)
            let token = try JWTParts(text)
            #expect(token.header["alg"]?.text == algorithm && token.header["typ"]?.text == "JWT")
            let keys = try await deployment.oidcProbe.get(OIDCPath.keys)
            #expect(keys.header("access-control-allow-origin") == "*")
            #expect(keys.header("cache-control") == "public, max-age=300")
            let set = try JSONReader.readStrictly(keys.body)["keys"]?.array ?? []
            #expect(set.count == 3 && !keys.text.contains("\"d\""))
            // Libraries that do not look at the kid take the first.
            #expect(set.map { $0["alg"]?.string } == ["RS256", "ES256", "EdDSA"])
            for key in set { #expect(key["use"]?.string == "sig" && key["alg"]?.string != nil) }
            let key = try #require(set.first { $0["kid"]?.string == token.header["kid"]?.text })
            let signature = try #require(SignatureAlgorithm(rawValue: algorithm))
            #expect(try PublicKey(key).isValid(token.signature, for: token.signed, signature))
            // OpenID Connect Core 3.1.3.6.
            let access = Array((try reply.json()["access_token"]?.text ?? "").utf8)
            let digest = algorithm == "EdDSA" ? SHA512.hash(access) : SHA256.hash(access)
            #expect(token.claims["at_hash"]?.text == Base64URL.encode(Array(digest.prefix(digest.count / 2))))
        }
    }

    @Test("at_hash and the thumbprint of a key are those of the standards' examples")
    func vectors() throws {
        let token = "soa_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
        #expect(IDToken.hash(token, .rs256) == "jFskovDLj6F7XgCZOL8c2g")
        #expect(OIDCAccessToken(wire: token) != nil)
    }

    @Test("the document of discovery has the members of the contract and no others, at both of its addresses")
    func discovery() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let reply = try await deployment.oidcProbe.get(OIDCPath.discovery)
            let again = try await deployment.oidcProbe.get(OIDCPath.serverMetadata)
            #expect(reply.status == 200 && reply.body == again.body)
            #expect(reply.header("access-control-allow-origin") == "*")
            #expect(reply.header("cache-control") == "public, max-age=300")
            let document = try JSONReader.readStrictly(reply.body)
            #expect(document["issuer"]?.string == deployment.origin)
            #expect(document.object?.count == 28)
            #expect(document["request_uri_parameter_supported"]?.bool == false)
            #expect(
                document["acr_values_supported"]?.array?.map(\.string) == ["any", "mfa", "phr"],
                "what a sign-in can reach")
            #expect(document["response_modes_supported"]?.array?.map(\.string) == ["query", "form_post"])
            #expect(document["ui_locales_supported"]?.array?.map(\.string) == ["en", "de"])
            #expect(document["jwks_uri"]?.string == deployment.origin + "/oidc/jwks")
        }
    }

    @Test("usernames: made once from the address, numbered where taken, and never made again")
    func usernames() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            for (address, name) in [
                ("ann@example.com", "ann"), ("Ann+x@example.com", "annx"), ("a.n-n_@example.com", "a.n-n_"),
            ] {
                let browser = try await deployment.signedIn(as: address)
                let code = try await deployment.oidcCode(browser, nil, ["scope": "openid profile"])
                let claims = try await deployment.oidcToken(code, as: deployment.client).idTokenClaims()
                #expect(claims["preferred_username"]?.text == name)
            }
        }
    }

    @Test(
        "users whose addresses make the same name have different usernames, and that of an erased account is not made again"
    )
    func usernamesOfTwo() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            func username(_ address: String) async throws -> String? {
                let browser = try await deployment.signedIn(as: address)
                let code = try await deployment.oidcCode(browser, nil, ["scope": "openid profile", "state": address])
                return try await deployment.oidcToken(code, as: deployment.client)
                    .idTokenClaims()["preferred_username"]?.text
            }
            #expect(try await username("ann@example.com") == "ann")
            #expect(try await username("a+nn@example.com") == "ann2")
            #expect(try await username("an+n@example.com") == "ann3")
            try await deployment.stored.accounts.username("ann2").delete()
            #expect(try await username("ann+@example.com") == "ann4")
            deployment.clock.advance(by: .minutes(2))
            #expect(try await username("ann@example.com") == "ann", "made once")
        }
    }

    @Test(
        "a client that does not list a protocol is unknown to it",
        arguments: [
            ("access: everyone, protocols: [sso]", 400, 303), ("access: everyone, protocols: [oidc]", 303, 400),
        ])
    func protocols(keys: String, oidc: Int, sso: Int) async throws {
        try await TestDeployment.open(keys: [keys]) { deployment in
            let browser = deployment.browser()
            #expect(try await browser.get(deployment.oidcRequest(deployment.client)).status == oidc)
            #expect(try await browser.get(deployment.authorize(deployment.client, state: "s")).status == sso)
            let body = "{\"token\":\"sst_x\"}"
            #expect(
                try await deployment.post(body, by: deployment.client).error
                    == (sso == 400 ? "invalid_signature" : "invalid_token"))
            let token = try await deployment.oidcToken("soc_x", as: deployment.client)
            #expect(try token.json()["error"]?.text == (oidc == 400 ? "invalid_client" : "invalid_grant"))
        }
    }
}
