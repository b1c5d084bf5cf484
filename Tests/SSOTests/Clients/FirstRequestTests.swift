import SSOShared
import SSOWeb
import Testing

@testable import IdPClients
@testable import IdPOIDC
@testable import IdPOperations
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// Requests that no transaction looks at, and those that it does: no process answers them by an entry of before a command.
@Suite("The first request after a command", .program)
struct FirstRequestTests {
    private static func oidc(_ added: AddedClient, _ deployment: TestDeployment) -> TestDeployment.Client {
        TestDeployment.Client(
            id: added.id, name: added.name, secret: added.secret, origin: added.origin, port: deployment.port,
            database: deployment.database, build: nil)
    }

    @Test("a secret that was retired proves nothing, also where the form of the first request is wrong")
    func retiredInWrongForms() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let added = AddedClient()
            try await deployment.add(added, ["protocols": .list(["oidc"]), "introspect": .text("true")])
            let unknown = String(repeating: "A", count: 43)
            let forms: [(path: String, fields: [(String, String)])] = [
                (OIDCPath.token, []), (OIDCPath.token, [("grant_type", "x")]),
                (OIDCPath.token, [("grant_type", "refresh_token"), ("refresh_token", "x")]),
                (OIDCPath.token, [("grant_type", "refresh_token"), ("refresh_token", "sor_\(unknown)")]),
                (OIDCPath.token, [("grant_type", "authorization_code"), ("code", "soc_x"), ("redirect_uri", "x")]),
                (
                    OIDCPath.token,
                    [("grant_type", "authorization_code"), ("code", "soc_\(unknown)"), ("redirect_uri", "x")]
                ),
                (OIDCPath.revoke, []), (OIDCPath.introspect, []),
            ]
            var client = added
            for form in forms {
                func send() async throws -> ProbeReply {
                    try await deployment.oidcPost(form.path, form.fields, as: Self.oidc(client, deployment))
                }
                let next = try await deployment.rotate(client)
                #expect(try await send().status == 400, "\(form)")
                try await deployment.make(RetireSecret(client.id, isForced: true, deployment.registrar))
                let refused = try await send()
                #expect(
                    refused.status == 401 && refused.text.contains(#""error":"invalid_client""#),
                    "\(form): \(refused.text)")
                #expect(refused.header("www-authenticate") == "Basic realm=\"token\"", "\(form)")
                client = next
            }
        }
    }

    @Test("a public client that was disabled is unknown at the first request, whatever its form is")
    func disabledPublic() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            try await deployment.add(AddedClient("app"), OIDCSteps.publicApp)
            for code in ["soc_x", "soc_" + String(repeating: "A", count: 43)] {
                let fields = [
                    ("client_id", "app"), ("grant_type", "authorization_code"), ("code", code), ("code_verifier", "x"),
                ]
                for (isEnabled, status) in [(true, 400), (false, 401)] {
                    try await deployment.make(EnableClient("app", isEnabled, deployment.registrar))
                    let reply = try await deployment.oidcPost(OIDCPath.token, fields, as: nil)
                    #expect(reply.status == status, "\(code): \(reply.text)")
                }
            }
        }
    }

    @Test("an invitation neither names nor leads to a client that a command has disabled")
    func invitation() async throws {
        try await TestDeployment.open { deployment in
            let (wiki, guest, browser) = (AddedClient(), "guest@elsewhere.org", deployment.browser())
            try await deployment.add(wiki)
            _ = try await deployment.invite(guest, client: wiki.id)
            func enable(_ isEnabled: Bool) async throws {
                try await deployment.make(EnableClient(wiki.id, isEnabled, deployment.registrar))
            }
            var page = try await browser.follow(browser.get(deployment.invitationLink(to: guest)))
            #expect(page.text.contains(wiki.name))
            for isEnabled in [false, true] {
                try await enable(isEnabled)
                page = try await browser.get(page.address.absolute)
                #expect(page.text.contains(wiki.name) == isEnabled)
            }
            let earlier = deployment.mailbox.all(to: guest)
            let waiting = try await browser.follow(browser.submit(page.page().form(with: "email"), on: page))
            let end = try await browser.follow(
                browser.enter(deployment.mailbox.code(to: guest, besides: earlier), on: waiting))
            #expect(end.status == 200 && end.text.contains(wiki.name))
            try await enable(false)
            #expect(try await browser.get(end.address.absolute).location().path == "/")
        }
    }

    @Test("require_pkce of a command holds at the first request, and so does its end")
    func challenge() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let added = AddedClient()
            try await deployment.add(added, ["protocols": .list(["oidc"])])
            let (client, browser) = (Self.oidc(added, deployment), try await deployment.signedIn())
            _ = try await deployment.oidcCode(browser, client)
            for value in ["true", nil, "true"] as [String?] {
                try await deployment.make(
                    SetClient(added.id, ["require_pkce": value.map { .text($0) }], logo: nil, deployment.registrar))
                let visit = try await browser.get(deployment.oidcRequest(client, ["state": "s\(value ?? "")"]))
                let code = try? visit.location().query("code")
                #expect((code != nil) == (value == nil), "\(value ?? "-"): \(visit.status)")
            }
        }
    }
}
