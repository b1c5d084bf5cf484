import SSOShared
import Testing

@testable import IdPOIDC
@testable import IdPTestKit
@testable import TestKit

extension Journeys.Users {
    @Suite("An answer by form, in a real browser", .journey, .dependsOnMachine)
    struct FormPosts {
        private static let secret = "correct-horse-battery-staple-0123456789"

        /// A client that takes the form and leads on to another origin, and the page there.
        private static func client() throws -> (client: BackChannelStub, next: BackChannelStub) {
            let next = try BackChannelStub { _ in
                .bytesThenClose(
                    BackChannelFixture.http(
                        "200 OK", ["Content-Type: text/plain", "Connection: close"], Array("in".utf8)))
            }
            let address = "http://localhost:\(next.port)/in"
            let client = try BackChannelStub { request in
                let answer = request.head.hasPrefix("POST ") ? "303 See Other" : "404 Not Found"
                return .bytesThenClose(
                    BackChannelFixture.http(answer, ["Location: \(address)", "Connection: close"], []))
            }
            return (client, next)
        }

        @Test(
            "the form is posted once, by the script or by the button, and the client's redirect to another origin is followed",
            .enabled(if: WebDriver.isInstalled, "needs chromium and chromium-driver"), arguments: [true, false])
        func posted(javaScript: Bool) async throws {
            let (client, next) = try Self.client()
            let pair = try ProcessDeployment(clients: 0)
            let entry = """
                clients:
                  - {id: wiki, name: Wiki, protocols: [oidc], redirect_uris: ["\(client.origin)/cb?x=1"],
                     secrets: ["\(Self.secret)"], access: everyone}

                """
            pair.idp.set("IDP_CLIENTS_FILE", to: try pair.folder.write(entry, to: "services.yaml"))
            try await ProcessDeployment.running(pair) { pair in
                let fields = [
                    ("client_id", "wiki"), ("redirect_uri", "\(client.origin)/cb?x=1"), ("response_type", "code"),
                    ("response_mode", "form_post"), ("scope", "openid"), ("state", "a\"<b>&"),
                ]
                let chromium = try await Chromium(javaScript: javaScript)
                let request = "\(pair.origin)\(OIDCPath.authorize)?\(FormCoding.encode(fields))"
                try await chromium.visit(request)
                try await chromium.askForCode("ann@example.com")
                try await chromium.enterCode(pair.mailbox.code(to: "ann@example.com"))
                if !javaScript { try await chromium.press("form[action='\(client.origin)/cb?x=1'] button") }
                try await chromium.arrive("the client's page") { $0 == "http://localhost:\(next.port)/in" }
                // Signed in already: nothing is asked.
                try await chromium.visit(request + "2")
                if !javaScript { try await chromium.press("form[action='\(client.origin)/cb?x=1'] button") }
                try await chromium.arrive("the client's page") { $0 == "http://localhost:\(next.port)/in" }
                try await chromium.quit()
            }
            let posts = client.requests.filter { $0.head.hasPrefix("POST /cb?x=1 ") }
            #expect(posts.count == 2)
            for post in posts {
                let body = String(decoding: post.body, as: UTF8.self)
                #expect(body.contains("code=soc_") && body.contains("state=a%22%3Cb%3E%26"), "\(body)")
                #expect(post.header("referer") == nil, "the address of the page stays here")
            }
        }

        @Test(
            "a sign-in as another user than that of id_token_hint goes back to the client, with and without scripts",
            .enabled(if: WebDriver.isInstalled, "needs chromium and chromium-driver"))
        func otherAccount() async throws {
            let (_, client) = try Self.client()
            let (pair, callback) = (try ProcessDeployment(clients: 0), "http://localhost:\(client.port)/cb")
            let entry = """
                clients:
                  - {id: wiki, name: Wiki, protocols: [oidc], redirect_uris: ["\(callback)"], scopes: [openid],
                     secrets: ["\(Self.secret)"], access: everyone}

                """
            pair.idp.set("IDP_CLIENTS_FILE", to: try pair.folder.write(entry, to: "services.yaml"))
            try await ProcessDeployment.running(pair) { pair in
                let wiki = [("client_id", "wiki"), ("redirect_uri", callback)]
                func signIn(as user: String, javaScript: Bool, _ hint: [(String, String)]) async throws -> WebAddress {
                    let (chromium, address) = (try await Chromium(javaScript: javaScript), "\(user)@example.com")
                    let fields = wiki + [("response_type", "code"), ("scope", "openid"), ("state", user)] + hint
                    try await chromium.visit("\(pair.origin)\(OIDCPath.authorize)?\(FormCoding.encode(fields))")
                    try await chromium.askForCode(address)
                    try await chromium.enterCode(pair.mailbox.code(to: address))
                    let end = try await chromium.arrive("the client's page") { $0.hasPrefix(callback + "?") }
                    try await chromium.quit()
                    return try WebAddress(end)
                }
                let code = try await signIn(as: "ann", javaScript: true, []).query("code") ?? ""
                let grant = [("grant_type", "authorization_code"), ("code", code), ("client_secret", Self.secret)]
                let endpoint = try WebAddress(pair.origin + OIDCPath.token)
                let tokens = try await Browser().post(endpoint, wiki + grant).reply.json()
                let hint = [("id_token_hint", try #require(tokens["id_token"]?.text))]
                for (user, javaScript) in [("ben", true), ("cleo", false)] {
                    let end = try await signIn(as: user, javaScript: javaScript, hint)
                    #expect(end.query("error") == "login_required" && end.query("state") == user)
                }
            }
        }
    }
}
