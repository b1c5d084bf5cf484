import Glibc
import SSOShared
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

extension Journeys.Operators {
    @Suite("Outages", .journey, .dependsOnMachine)
    struct Outage {
        @Test("a sign-in continues after the IdP was restarted in the middle", arguments: [SIGTERM, SIGKILL])
        func restartInTheMiddle(signal: Int32) async throws {
            try await ProcessDeployment.running(ProcessDeployment()) { pair in
                let browser = Browser()
                let waiting = try await browser.ask(for: "ann@example.com", on: browser.beginSignIn(at: pair.client))
                let code = try await pair.mailbox.code(to: "ann@example.com")
                try await Self.restart(pair.idp, by: signal)
                let complete = try await browser.enter(code, on: waiting)
                try await Self.restart(pair.idp, by: signal)
                _ = try await browser.follow(browser.get(complete.callback()))
                #expect(try await browser.isSignedIn(at: pair.client))
            }
        }

        @Test("a client that restarts in the middle still accepts its state")
        func clientRestart() async throws {
            try await ProcessDeployment.running(ProcessDeployment()) { pair in
                let browser = Browser()
                let complete = try await browser.signIn(at: pair.client, of: pair, as: "ann@example.com")
                try await Self.restart(pair.client.process, by: SIGTERM)
                _ = try await browser.follow(browser.get(complete.callback()))
                #expect(try await browser.isSignedIn(at: pair.client))
            }
        }

        @Test(
            "a mail server outage slows no page, and the email is sent after the outage",
            .enabled(if: SMTPServer.isInstalled), .timeLimit(.minutes(3)))
        func mailDown() async throws {
            let server = try SMTPServer()
            try await ProcessDeployment.running(ProcessDeployment(mail: .smtp(server))) { pair in
                let browser = Browser()
                let form = try await browser.beginSignIn(at: pair.client)
                let begin = ContinuousClock.now
                let waiting = try await browser.ask(for: "ann@example.com", on: form)
                #expect(ContinuousClock.now - begin < .seconds(1))
                #expect(try waiting.page().form(with: "code") != nil)
                try await server.start()
                let code = try await pair.mailbox.code(to: "ann@example.com")
                let complete = try await browser.enter(code, on: waiting)
                #expect(try complete.page().link(containing: "token=") != nil)
            }
            try await server.stop()
        }

        @Test(
            "a waiting email survives a restart of the IdP", .enabled(if: SMTPServer.isInstalled),
            .timeLimit(.minutes(3)))
        func queueSurvives() async throws {
            let server = try SMTPServer()
            try await ProcessDeployment.running(ProcessDeployment(mail: .smtp(server))) { pair in
                let browser = Browser()
                let waiting = try await browser.ask(for: "ann@example.com", on: browser.beginSignIn(at: pair.client))
                try await Self.restart(pair.idp, by: SIGKILL)
                try await server.start()
                let code = try await pair.mailbox.code(to: "ann@example.com")
                let complete = try await browser.enter(code, on: waiting)
                #expect(try complete.page().link(containing: "token=") != nil)
            }
            try await server.stop()
        }

        @Test("the IdP is down at the callback: a 503 page whose retry starts again and succeeds")
        func downAtTheCallback() async throws {
            try await ProcessDeployment.running(ProcessDeployment()) { pair in
                let browser = Browser()
                let complete = try await browser.signIn(at: pair.client, of: pair, as: "ann@example.com")
                try await pair.idp.terminate()
                let page = try await browser.get(complete.callback())
                #expect(page.status == 503)
                #expect(try await !browser.isSignedIn(at: pair.client))
                try await pair.idp.start()
                let retry = try page.page().link(containing: "/auth/sso/")
                let second = try await browser.follow(browser.click(retry, on: page))
                _ = try await browser.follow(browser.get(second.callback()))
                #expect(try await browser.isSignedIn(at: pair.client))
            }
        }

        @Test("a user who is signed in at the client stays signed in while the IdP is down")
        func sessionsSurviveIdPOutage() async throws {
            try await ProcessDeployment.running(ProcessDeployment()) { pair in
                let browser = Browser()
                let complete = try await browser.signIn(at: pair.client, of: pair, as: "ann@example.com")
                _ = try await browser.follow(browser.get(complete.callback()))
                try await pair.idp.kill()
                try await Self.restart(pair.client.process, by: SIGKILL)
                #expect(try await browser.isSignedIn(at: pair.client))
                try await pair.idp.start()
            }
        }

        private static func restart(_ process: ProgramProcess, by signal: Int32) async throws {
            process.send(signal)
            _ = try await process.waitForExit()
            try await process.start()
        }
    }
}
