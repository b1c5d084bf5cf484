import Foundation
import SSOShared
import Testing

@testable import TestSupport

extension Journeys {
    @Suite("The example of docs/relying-party.md")
    struct Example {
        /// The example as a client of the identity provider.
        private struct ExampleClient: TestClient {
            let id = "partner-1"
            let name = "Example"
            let secret: String
            let origin: String
        }

        private static func text(of path: String) throws -> String {
            let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../..")
            return try String(contentsOf: root.appending(path: path), encoding: .utf8)
        }

        @Test("the page shows the program that is built and tested, and the program is short")
        func page() throws {
            let program = try Self.text(of: "Sources/RelyingPartyExample/main.swift")
            #expect(try Self.text(of: "docs/relying-party.md").contains("```swift\n\(program)```\n"))
            #expect(program.split(separator: "\n", omittingEmptySubsequences: true).count < 80)
        }

        @Test("a user signs in once per callback, sees their name, and signs out")
        func signIn() async throws {
            let port = try FreePort.find()
            let origin = "http://127.0.0.1:\(port)"
            let pair = try ProcessDeployment(settings: ["SSO_REDIRECT_URIS": origin + SSOPath.callback])
            let client = ExampleClient(secret: pair.client.secret, origin: origin)
            let program = ProgramProcess(
                "RelyingPartyExample", [],
                environment: [
                    "ORIGIN": origin, "IDP": pair.origin, "SSO_CLIENT_ID": client.id,
                    "SSO_SHARED_SECRET": client.secret,
                    "SECRET_KEY": ProcessDeployment.secret(), "PORT": "\(port)",
                ], port: port, folder: pair.folder)
            try await pair.idp.start()
            try program.launch()
            let probe = HTTPProbe(host: "127.0.0.1", port: port, timeout: .seconds(2))
            try await eventually("the example answers") { (try? await probe.get("/"))?.status == 200 ? () : nil }

            let browser = Browser()
            let home = try await browser.get(origin + "/")
            let link = try home.page().link(containing: SSOPath.start)
            let form = try await browser.follow(browser.click(link, on: home))
            let waiting = try await browser.ask(for: "ann@example.com", on: form)
            let code = try await pair.mailbox.code(to: "ann@example.com", count: 1)
            let callback = try await browser.enter(code, on: waiting).callback()

            // A browser that did not start, a wrong state, and a token without a state sign no user in.
            #expect(try await Browser().get(callback).status == 400)
            for query in ["", "?token=sst_x", "?state=x&token=sst_x", "?state=x&state=x&token=sst_x"] {
                #expect(try await browser.get(origin + SSOPath.callback + query).status == 400)
            }
            #expect(try await !browser.get(origin + "/").text.contains("Hello"))

            let signedIn = try await browser.follow(browser.get(callback))
            #expect(signedIn.address.absolute == origin + "/" && signedIn.text.contains("Hello ann"))
            // The same callback in another browser is refused.
            #expect(try await Browser().get(callback).status == 400)

            let signedOut = try await browser.follow(
                browser.submit(signedIn.page().form(to: "/sign-out"), on: signedIn))
            #expect(try signedOut.page().link(containing: SSOPath.start) != nil)
            _ = try await program.terminate()
            try await pair.stop()
        }
    }
}
