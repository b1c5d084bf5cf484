import SSOShared
import Testing

@testable import IdPProtocols
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
    }
}
