import SSOShared
import Testing

@testable import IdPOIDC
@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// A parameter that cannot be decoded is named: "isn't set up here" would lead its reader the wrong way.
@Suite("parameters that cannot be read", .program)
struct UnreadableParameterTests {
    /// The path, the query with X in place of what cannot be read, and the parameter. C and U stand for a client and its address.
    private static let rows = [
        (OIDCPath.authorize, "client_id=X&redirect_uri=U&response_type=code&scope=openid", "client_id"),
        (OIDCPath.authorize, "client_id=C&redirect_uri=X&response_type=code&scope=openid", "redirect_uri"),
        (SSOPath.authorize, "client_id=X&redirect_uri=U&state=s", "client_id"),
        (SSOPath.authorize, "client_id=C&redirect_uri=X&state=s", "redirect_uri"),
        (SSOPath.signOut, "client_id=X&redirect_uri=U", "client_id"),
        (SSOPath.signOut, "client_id=C&redirect_uri=X", "redirect_uri"),
        (SSOPath.signOut, "client_id=C&redirect_uri=U&state=X", "state"),
        (OIDCPath.complete, "flow=X", "flow"),
        (SSOPath.complete, "flow=X", "flow"),
    ]

    @Test("each is named on the page and in the log, at every endpoint where it leads nowhere", arguments: rows)
    func named(path: String, query: String, name: String) async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let browser = try await deployment.signedIn()
            for unreadable in ["%", "%F", "%zz", "%FF", "a%C3"] {
                let before = deployment.log.count
                let filled =
                    query.replacing("C", with: deployment.client.id)
                    .replacing("U", with: FormCoding.encode(deployment.client.callback))
                    .replacing("X", with: unreadable)
                let visit = try await browser.get("\(deployment.origin)\(path)?\(filled)")
                #expect(visit.status == 400 && visit.reply.header("location") == nil, "\(filled)")
                #expect(visit.text.contains(name) && !visit.text.contains("set up here"), "\(filled)")
                #expect(deployment.log.text(after: before).contains("\"cause\": \(name)_malformed"), "\(filled)")
            }
        }
    }

    @Test("one that the client is told of goes back to it, with its name")
    func sentBack() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let browser = try await deployment.signedIn()
            for name in ["login_hint", "max_age", "prompt", "acr_values", "ui_locales", "response_mode"] {
                let visit = try await browser.get(deployment.oidcRequest(deployment.client) + "&\(name)=%")
                let callback = try visit.location()
                #expect(callback.query("error") == "invalid_request" && callback.query("state") == "s", "\(name)")
                #expect(callback.query("error_description") == "\(name) is not percent-encoded UTF-8", "\(name)")
            }
        }
    }

    @Test("one of a client's server is named in the answer, also the code and the tokens")
    func ofForms() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let head = [
                ("Content-Type", "application/x-www-form-urlencoded"),
                ("Authorization", TestDeployment.basic(deployment.client.id, deployment.client.secret)),
            ]
            for (path, form, name) in [
                (OIDCPath.token, "grant_type=authorization_code&redirect_uri=U&code=%zz", "code"),
                (OIDCPath.token, "grant_type=refresh_token&refresh_token=%zz", "refresh_token"),
                (OIDCPath.revoke, "token=%zz", "token"),
            ] {
                let json = try await deployment.oidcProbe.post(path, head, body: Array(form.utf8)).json()
                #expect(json["error"]?.text == "invalid_request", "\(name)")
                #expect(json["error_description"]?.text == "\(name) is not percent-encoded UTF-8.", "\(name)")
            }
        }
    }

    @Test("a page of a parameter that is there twice names it, too")
    func repeated() async throws {
        try await TestDeployment.openWithOIDC { deployment in
            let visit = try await deployment.browser().get("\(deployment.origin)/sign-in/cancel?flow=a&flow=b")
            #expect(visit.status == 400 && visit.text.contains("flow") && visit.text.contains("more than once"))
            #expect(deployment.log.text.contains("\"cause\": flow_repeated"))
        }
    }
}
