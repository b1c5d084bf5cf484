import ProbeKit
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import IdPTestKit
@testable import TestKit

/// Keycloak CVE-2026-4325, CVE-2026-4282: a secret of one kind was accepted as another.
@Suite("Each kind of secret is useless as any other kind", .program, .alsoOnPostgres)
struct SecretKindsTests {
    /// Everything a signed-in browser has seen, by kind.
    private static func secrets(_ browser: Browser, _ complete: Visit, _ deployment: TestDeployment) async throws
        -> [String: String]
    {
        let session = deployment.stored.sessions.signedIn
        return [
            "session id": try #require(browser.session), "token": try complete.token(),
            "token without its prefix": String(try complete.token().dropFirst(4)),
            "state": try #require(complete.callback().query("state")),
            "form token": try await browser.get(deployment.origin + "/").formToken(),
            "session handle": try #require(try await session.handles().first),
            "form seed": try #require(try await session.formSeeds().first),
        ]
    }

    @Test("as a session cookie, a form token, a token for a client, a flow or a code")
    func exchanged() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            _ = try await browser.signIn(at: deployment.client, of: deployment, as: "ann@example.com")
            // Requested without a code challenge, so that the token alone can be redeemed at the end.
            let complete = try await browser.get(
                deployment.authorize(deployment.client, state: "a-state-to-tell-apart"))
            let secrets = try await Self.secrets(browser, complete, deployment)
            for (kind, secret) in secrets where kind != "session id" {
                let home = try await deployment.probe().get("/", [("Cookie", "idp_session=\(secret)")])
                #expect(home.header("location") == "/sign-in", "\(kind) as session id")
            }
            for (kind, secret) in secrets where kind != "form token" {
                let fields = [("form_token", secret), ("name", "Mallory")]
                let reply = try await browser.post(WebAddress(deployment.origin + "/name"), fields)
                #expect(reply.status == 403, "\(kind) as form token")
            }
            for (kind, secret) in secrets where kind != "token" {
                for text in [secret, "sst_" + secret] where text != secrets["token"] {
                    let reply = try await deployment.verify(text, as: deployment.client)
                    #expect(reply.status == 401, "\(kind) as token")
                }
            }
            for (kind, secret) in secrets {
                let reply = try await browser.get(
                    deployment.origin + "\(SSOPath.complete)?flow=\(FormCoding.encode(secret))")
                #expect(reply.status == 404, "\(kind) as flow")
            }
            #expect(try await deployment.verify(secrets["token"] ?? "", as: deployment.client).status == 200)
            #expect(try await browser.rename(at: deployment, to: "Ann").status == 303)
        }
    }

    @Test("a code, and the id of its challenge, work only in their own form")
    func code() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.asking()
            let slots = try await deployment.stored.challenges.ids()
            for secret in [asking.code] + slots {
                let home = try await deployment.probe().get("/", [("Cookie", "idp_session=\(secret)")])
                #expect(home.header("location") == "/sign-in")
                #expect(try await deployment.verify(secret, as: deployment.client).status == 401)
                #expect(
                    try await asking.browser.get(deployment.origin + "\(SSOPath.complete)?flow=\(secret)").status == 404
                )
            }
            for secret in slots + [asking.browser.session ?? ""] {
                #expect(try await asking.guess(secret).status == 422)
            }
            #expect(try await asking.guess(asking.code).status == 303)
        }
    }
}
