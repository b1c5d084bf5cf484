import Foundation
import SQLiteStorage
import SSOShared
import SSOWeb
import Storage
import Testing

@testable import IdPTestKit
@testable import TestKit

extension Journeys.Users {
    @Suite("The example of docs/relying-party.md", .journey)
    struct Example {
        /// The example as a client of the identity provider.
        private struct ExampleClient: TestClient {
            let id = "partner-1"
            let name = "Example"
            let secret: String
            let origin: String
        }

        private static let page = "docs/relying-party.md"

        /// The code blocks of the page in a language.
        private static func blocks(_ language: String) throws -> [String] {
            try ProtocolPage.text(of: page).components(separatedBy: "\n```\(language)\n").dropFirst().compactMap {
                $0.components(separatedBy: "\n```\n").first.map { $0 + "\n" }
            }
        }

        private static let program = "Sources/RelyingPartyExample/main.swift"

        @Test("the page leads to the program that is built and tested, and shows the products that exist")
        func page() throws {
            #expect(try ProtocolPage.text(of: Self.page).contains("(../\(Self.program))"))
            let program = try ProtocolPage.text(of: Self.program)
            let manifest = try ProtocolPage.text(of: "Package.swift")
            let shown = try Self.blocks("swift")
            #expect(shown.count == 1)
            #expect(program.split(separator: "\n").count < 200)
            let lines = try #require(shown.first).split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            #expect(lines.contains(#".product(name: "SSOShared", package: "swift-sso"),"#))
            #expect(manifest.contains(#".library(name: "SSOShared", targets: ["SSOShared", "SSOClient"])"#))
            #expect(manifest.contains(#"name: "swift-sso","#))
            // The same version of the server, and of the tools.
            for line in lines where line.contains("hummingbird-project") || line.hasPrefix("// swift-tools") {
                #expect(manifest.contains(line), "\(line)")
            }
        }

        @Test("a user signs in once per callback, sees their name, pays after a fresh sign-in alone, and signs out")
        func signIn() async throws {
            try await Self.journey()
        }

        @Test(
            "the package of the page and the program, copied to a folder of their own, are a relying party",
            .enabled(if: ProcessInfo.processInfo.environment["SSO_TEST_COPY"] != nil, "script/test copy"))
        func copy() async throws {
            let root = TestVectors.repository.path()
            let folder = try TemporaryFolder()
            let package = try #require(try Self.blocks("swift").first)
            let lines = package.split(separator: "\n", omittingEmptySubsequences: false).map { line in
                line.contains("/swift-sso\"") ? #".package(name: "swift-sso", path: "\#(root)"),"# : String(line)
            }
            _ = try folder.folder("Sources/MyService")
            try folder.write(lines.joined(separator: "\n"), to: "Package.swift")
            try folder.write(ProtocolPage.text(of: Self.program), to: "Sources/MyService/main.swift")
            // The versions that this repository is tested with, and a folder that is kept between runs.
            try folder.write(ProtocolPage.text(of: "Package.resolved"), to: "Package.resolved")
            let words = ["swift", "build", "--package-path", folder.path, "--scratch-path", "\(root)/.build/copy"]
            let environment = ProcessInfo.processInfo.environment.filter { ["HOME", "PATH"].contains($0.key) }
            let build = try ChildProcess(
                "/usr/bin/env", words, environment: environment, folder: folder.path,
                standardOutput: folder.path(of: "stdout"), standardError: folder.path(of: "stderr"))
            let exit = try await build.waitForExit(within: .seconds(1800))
            try #require(exit == .code(0), "\(folder.text(of: "stdout").suffix(4000))\(folder.text(of: "stderr"))")
            try await Self.journey(program: "\(root)/.build/copy/debug/MyService")
        }

        /// Starts the example and signs a user in and out.
        ///
        /// - Parameter program: the path of a copy; nil for the program of this build.
        private static func journey(program path: String? = nil) async throws {
            let port = try FreePort.find()
            let origin = "http://127.0.0.1:\(port)"
            let pair = try ProcessDeployment(settings: ["SSO_REDIRECT_URIS": origin + SSOPath.callback])
            let client = ExampleClient(secret: pair.client.secret, origin: origin)
            let program = ProgramProcess(
                "RelyingPartyExample", [],
                environment: [
                    "ORIGIN": origin, "IDP": pair.origin, "SSO_CLIENT_ID": client.id,
                    "SSO_SHARED_SECRET": client.secret,
                    "SECRET_KEY": TestSecret.new(), "PORT": "\(port)",
                ], port: port, folder: pair.folder, path: path)
            try await pair.idp.start()
            try program.launch()
            let probe = HTTPProbe(host: "127.0.0.1", port: port, timeout: .seconds(2))
            try await eventually("the example answers") { (try? await probe.get("/"))?.status == 200 ? () : nil }

            let browser = Browser()
            let home = try await browser.get(origin + "/")
            #expect(home.reply.header("cache-control") == "no-store")
            // Straight to the identity provider: an app on a phone opens on a tap of a link to its domain alone.
            let link = try #require(try home.page().link(containing: SSOPath.authorize))
            #expect(link.hasPrefix(pair.origin + SSOPath.authorize + "?") && !link.contains("max_age"))
            let form = try await browser.follow(browser.click(link, on: home))
            let waiting = try await browser.ask(for: "ann@example.com", on: form)
            let code = try await pair.mailbox.code(to: "ann@example.com", count: 1)
            let callback = try await browser.enter(code, on: waiting).callback()

            // A browser that did not start, a wrong state, and a token without a state sign no user in.
            #expect(try await Browser().get(callback).status == 400)
            for query in ["", "?token=sst_x", "?state=x&token=sst_x", "?state=x&state=x&token=sst_x"] {
                let refused = try await browser.get(origin + SSOPath.callback + query)
                #expect(refused.status == 400 && refused.reply.header("referrer-policy") == "no-referrer", "\(query)")
                #expect(try refused.page().link(containing: pair.origin + SSOPath.authorize) != nil, "\(query)")
            }
            #expect(try await !browser.get(origin + "/").text.contains("Hello"))

            let back = try await browser.get(callback)
            #expect(back.status == 303 && back.reply.header("location") == "/")
            #expect(back.reply.header("cache-control") == "no-store")
            #expect(back.reply.header("referrer-policy") == "no-referrer")
            let signedIn = try await browser.follow(back)
            #expect(signedIn.address.absolute == origin + "/" && signedIn.text.contains("Hello ann"))
            // A reload leads to the page. With another token, or in another browser, the same state is refused.
            let reload = try await browser.get(callback)
            #expect(reload.status == 303 && reload.reply.header("location") == "/")
            let other = callback.absolute.replacing(#/token=[^&]+/#, with: "token=\(Browser.someToken)")
            #expect(other != callback.absolute)
            for refused in [other, origin + SSOPath.callback + "?state=x&token=sst_x"] {
                #expect(try await browser.get(refused).status == 400, "\(refused)")
            }
            #expect(try await Browser().get(callback).status == 400)

            // The page that needs a sign-in of the last five minutes has kept when and how the user signed in.
            #expect(try await browser.get(origin + "/payments").text.contains("Payments"))
            let visitor = try await Browser().get(origin + "/payments")
            #expect(try visitor.page().link(containing: "max_age=300") != nil && !visitor.text.contains("Payments"))

            // Another site cannot sign the user out.
            let session = try #require(browser.cookie("session", at: "127.0.0.1"))
            for foreign in [[("Origin", "https://evil.example")], [("Origin", "null")], []] {
                let headers = [("Cookie", "session=\(session)")] + foreign
                #expect(try await probe.send("POST", "/sign-out", headers, body: []).status == 403)
            }
            let out = try await browser.submit(browser.get(origin + "/").page().form(to: "/sign-out"), on: signedIn)
            #expect(out.status == 303 && browser.cookie("session", at: "127.0.0.1")?.isEmpty != false)
            #expect(out.reply.all("set-cookie").contains { $0.hasPrefix("session=;") && $0.contains("Max-Age=0") })
            // The server has forgotten the session as well.
            browser.setCookie("session", to: session, at: "127.0.0.1")
            #expect(try await browser.get(origin + "/").page().link(containing: SSOPath.authorize) != nil)
            _ = try await program.terminate()
            try await pair.stop()
        }

        @Test("the tables of the page keep one account per user.id, also when an address passes to another user")
        func tables() async throws {
            let sql = try Self.blocks("sql")
            #expect(sql.count == 3)
            let folder = try TemporaryFolder()
            let tables = try #require(sql.first).split(separator: ";").map(String.init).filter { $0.contains("CREATE") }
            let database = try await SQLiteDatabase(
                path: folder.path(of: "service.sqlite"), migrations: [Migration(name: "v001", sql: tables)])
            let statement = sql[1]
            let signIns = [("usr_1", "ann@example.com"), ("usr_2", "ann@example.com"), ("usr_1", "ann@new.example")]
            for (id, email) in signIns {
                try await database.write { connection in
                    try connection.execute(
                        statement, ["id": .text(id), "email": .text(email), "name": .text("Ann")])
                    return
                }
            }
            let rows = try await database.read { connection in
                try connection.query("SELECT id, email FROM account ORDER BY id").map {
                    "\(try $0.text("id")) \(try $0.text("email"))"
                }
            }
            #expect(rows == ["usr_1 ann@new.example", "usr_2 ann@example.com"])
            try await Self.signOut(sql[2], database)
            await database.close()
        }

        /// A message without a session, and the statements of the page.
        private static func signOut(_ statements: String, _ database: any Database) async throws {
            let sql = statements.split(separator: ";").map(String.init).filter {
                $0.contains("sign_out") || $0.contains("DELETE")
            }
            #expect(sql.count == 3)
            let left = try await database.write { connection in
                for (number, began) in [1_790_000_000_000, 1_790_000_000_999, 1_790_000_001_000].enumerated() {
                    try connection.execute(
                        """
                        INSERT INTO session
                            (digest, account_id, idp_session, methods, began_at, callback, page, checked_at, ends_at)
                        VALUES (:digest, 'usr_1', 'ses_1', '', :began, '', '/', 0, 0)
                        """, ["digest": .blob([UInt8(number)]), "began": .integer(Int64(began))])
                }
                let message: SQLArguments = ["id": "evt_1", "user": "usr_1", "session": .null(.text), "now": 0]
                #expect(try connection.execute(sql[0], message) == 1)
                #expect(try connection.execute(sql[0], message) == 0, "a second try")
                try connection.execute(sql[2], ["user": "usr_1", "issued_at": 1_790_000_000])
                return try connection.query("SELECT began_at FROM session").map { try $0.integer("began_at") }
            }
            #expect(left == [1_790_000_001_000])
        }
    }
}
