import SSOShared
import Testing

@testable import IdPTestKit
@testable import TestKit

extension Journeys.Operators {
    @Suite("Content of the logs", .journey)
    struct Logs {
        @Test(
            "at trace level no log holds a token, code, state, cookie, signature or secret",
            arguments: ["text", "json"])
        func secrecy(format: String) async throws {
            let settings = ["LOG_LEVEL": "trace", "LOG_FORMAT": format]
            let pair = try ProcessDeployment(settings: settings, clientSettings: settings)
            try await pair.start()
            let browser = Browser()
            var forbidden = pair.secrets

            let waiting = try await browser.ask(for: "ann@example.com", on: browser.beginSignIn(at: pair.client))
            let code = try await pair.mailbox.code(to: "ann@example.com")
            // The flow's id may be logged: it links the events of a flow, and is useless without the
            // cookie.
            let form = try #require(try waiting.page().form(with: "code"))
            forbidden +=
                form.fields.filter { $0.name != "flow" }.map(\.value).filter { $0.count >= 16 }
                + Self.cookies(of: browser)
            _ = try await browser.submit(form, on: waiting, ["code": code == "123456" ? "654321" : "123456"])
            let complete = try await browser.enter(code, on: waiting)
            let callback = try complete.callback()
            let token = try complete.token()
            forbidden += [token, String(token.dropFirst(4)), code, callback.query("state") ?? token]
            _ = try await browser.follow(browser.get(callback))
            forbidden += Self.cookies(of: browser)

            // Failures are where a programmer is tempted to log everything.
            let body = VerifyRequest(token: token, redirectURI: nil, codeVerifier: nil).body()
            let headers = try pair.signed(body, by: pair.client)
            forbidden += headers.filter { $0.0 == RequestSignature.headerName }.map { String($0.1.dropFirst(7)) }
            let probe = HTTPProbe(port: pair.idp.port)
            #expect(try await probe.post(SSOPath.verify, headers, body: body).status == 401)
            #expect(try await probe.post(SSOPath.verify, Array(headers.dropLast()), body: body).status == 401)
            _ = try await probe.get("/auth/sso/complete?flow=none&token=\(token)")
            _ = try await Browser().get(callback)
            let bearer = "Bearer very-private-credential"
            _ = try await probe.get("/nowhere?code=\(code)", [("Authorization", bearer)])
            forbidden.append(bearer)

            try await pair.stop()
            for process in [pair.idp, pair.client.process] {
                #expect(!process.log.isEmpty)
                // The output for the operator who starts the program is not part of its log.
                #expect(process.name != "idp" || process.printed.contains("/mailbox\n"))
                #expect(!process.log.contains("/dev/"))
                for secret in forbidden where !secret.isEmpty {
                    // Not inside the expectation: its report would print the secret and the whole log.
                    let isWritten = process.output.contains(secret)
                    #expect(!isWritten, "\(process.name) logged \(secret.prefix(6))…")
                }
            }
        }

        @Test("with LOG_FORMAT=json every line is one JSON object")
        func jsonLines() async throws {
            let settings = ["LOG_FORMAT": "json"]
            let pair = try ProcessDeployment(settings: settings, clientSettings: settings)
            try await pair.start()
            _ = try await HTTPProbe(port: pair.idp.port).get("/no%0asuch%1b%5b31mpage")
            _ = try await Browser().signIn(at: pair.client, of: pair, as: "ann@example.com")
            try await pair.stop()
            for process in [pair.idp, pair.client.process] {
                let lines = process.log.split(separator: "\n")
                #expect(!lines.isEmpty)
                for line in lines {
                    #expect(throws: Never.self, "\(line)") { try JSONReader.readStrictly(Array(line.utf8)) }
                    let isNumber = line.firstMatch(of: #/"(status|attempts|\w*seconds|count|bytes)":"/#) == nil
                    #expect(isNumber, "\(line)")
                }
            }
        }

        /// Without the word that says which way to sign in was used last.
        private static func cookies(of browser: Browser) -> [String] {
            browser.cookies.values.flatMap { $0.filter { $0.key != "idp_last_method" }.values }
        }
    }
}
