import Glibc
import SSOShared
import Testing

@testable import IdPTestKit
@testable import TestKit

extension Journeys.Users {
    @Suite("The quick start of docs/protocol.md", .journey, .dependsOnMachine)
    struct QuickStart {
        @Test("the service signs a user in once per callback, and only in the browser that began")
        func signIn() async throws {
            let port = try FreePort.find()
            let origin = "http://localhost:\(port)"
            let pair = try ProcessDeployment(settings: ["SSO_REDIRECT_URIS": origin + SSOPath.callback])
            try await pair.idp.start()
            let service = try Self.start(origin, of: pair)
            let probe = HTTPProbe(host: "127.0.0.1", port: port, timeout: .seconds(2))
            try await eventually("the service answers") { (try? await probe.get("/"))?.status == 200 ? () : nil }

            let browser = Browser()
            let home = try await browser.get(origin + "/")
            // What browsers ask for beside a page does not replace the state of that page.
            #expect(try await browser.get(origin + "/favicon.ico").status == 404)
            let link = try #require(try home.page().link(containing: SSOPath.authorize))
            let form = try await browser.follow(browser.click(link, on: home))
            let waiting = try await browser.ask(for: "ann@example.com", on: form)
            let code = try await pair.mailbox.code(to: "ann@example.com", count: 1)
            let callback = try await browser.enter(code, on: waiting).callback()

            #expect(try await !Browser().get(callback).text.contains("Hello"))
            let signedIn = try await browser.get(callback)
            #expect(signedIn.status == 200 && signedIn.text.contains("Hello ann"))
            #expect(try await !browser.get(callback).text.contains("Hello"))
            service.send(SIGTERM)
            try await pair.stop()
        }

        /// Starts the program of the page, with the addresses, the id and the secret of a deployment.
        private static func start(_ origin: String, of pair: ProcessDeployment) throws -> ChildProcess {
            let text = try ProtocolPage.code(below: "Quick start")
                .replacing("http://localhost:8080", with: pair.origin)
                .replacing("http://localhost:9000", with: origin)
                .replacing("(\"localhost\", 9000)", with: "(\"localhost\", \(origin.split(separator: ":").last ?? ""))")
                // The browser of the tests speaks HTTP/1.1 alone.
                .replacing("    def do_GET", with: "    protocol_version = \"HTTP/1.1\"\n\n    def do_GET")
                .replacing(
                    "        self.end_headers()",
                    with: "        self.send_header(\"Content-Length\", len(page.encode()))\n        self.end_headers()"
                )
                .replacing("\"partner\"", with: "\"\(pair.client.id)\"")
                .replacing("correct-horse-battery-staple-0123456789", with: pair.client.secret)
            let folder = try pair.folder.folder("quick-start")
            try pair.folder.write(text, to: "quick-start/service.py")
            try pair.folder.write(ProtocolPage.text(of: "examples/partners/sso.py"), to: "quick-start/sso.py")
            return try ChildProcess(
                "/usr/bin/python3", ["service.py"], environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"],
                folder: folder, standardOutput: pair.folder.path(of: "service.out"),
                standardError: pair.folder.path(of: "service.err"))
        }
    }
}
