import Glibc
import Testing

@testable import IdPTestKit
@testable import TestKit

extension Journeys.Users {
    @Suite("Answering the email", .journey, .dependsOnMachine)
    struct Reply {
        @Test(
            "in a real browser the waiting page goes on to the client after the answer, and without JavaScript its button does",
            .enabled(if: WebDriver.isInstalled, "needs chromium and chromium-driver"), arguments: [true, false])
        func inChromium(javaScript: Bool) async throws {
            try await ProcessDeployment.running(ProcessDeployment(settings: ReplySettings.all)) { pair in
                let chromium = try await Chromium(javaScript: javaScript)
                try await chromium.visit(pair.client.origin + "/")
                try await chromium.press("a[href*='/auth/sso/authorize']")
                try await chromium.type("ann@example.com", into: "input[name=email]")
                try await chromium.press("form:has(input[name=email]) button")
                let number = try await chromium.text(of: chromium.element("#reply-number"))
                let email = try await pair.mailbox.email(to: "ann@example.com")
                let recipient = try #require(email.header("reply-to"))

                let reply = ReplyMessage(recipient: recipient, sender: "ann@example.com", number: number)
                let delivered = try await pair.deliverMail(reply.bytes)
                #expect(delivered.log.contains("reply_accepted"), "\(delivered.output)")
                // Without a script the page stays as it is, so that nothing that is typed gets lost, and the user goes on.
                if !javaScript { try await chromium.press("button[formaction*='/sign-in/reply']") }
                try await chromium.arrive("the client's page") { $0 == pair.client.origin + "/" }
                _ = try await chromium.element("form[action$='/sign-out']")
                #expect(try await chromium.text().contains("ann"))
                try await chromium.quit()
            }
        }

        @Test(
            "a code that is typed into a page with an open stream goes to the client, and no event gets in its way",
            .enabled(if: WebDriver.isInstalled, "needs chromium and chromium-driver"))
        func code() async throws {
            try await ProcessDeployment.running(ProcessDeployment(settings: ReplySettings.all)) { pair in
                let chromium = try await Chromium()
                try await chromium.signIn(at: pair.client, of: pair, as: "ann@example.com")
                try await chromium.arrive("the client's page") { $0 == pair.client.origin + "/" }
                _ = try await chromium.element("form[action$='/sign-out']")
                try await chromium.quit()
            }
        }

        @Test(
            "a second tab of the same sign-in says that the first one went on",
            .enabled(if: WebDriver.isInstalled, "needs chromium and chromium-driver"))
        func secondTab() async throws {
            try await ProcessDeployment.running(ProcessDeployment(settings: ReplySettings.all)) { pair in
                let chromium = try await Chromium()
                try await chromium.visit(pair.client.origin + "/")
                try await chromium.press("a[href*='/auth/sso/authorize']")
                try await chromium.type("ann@example.com", into: "input[name=email]")
                try await chromium.press("form:has(input[name=email]) button")
                _ = try await chromium.element("#reply-number")
                let (first, waiting) = (try await chromium.tab(), try await chromium.address())
                _ = try await chromium.openTab()
                try await chromium.visit(waiting)
                try await chromium.enterCode(pair.mailbox.code(to: "ann@example.com"))
                try await chromium.arrive("the client's page") { $0 == pair.client.origin + "/" }
                try await chromium.switchTo(first)
                try await chromium.arrive("the page of the other window") { $0.contains("/sign-in/reply") }
                _ = try await chromium.element("main a.button[href]")
                try await chromium.quit()
            }
        }

        @Test("SIGTERM ends the stream of a waiting page, and the program ends with 0 before the stream would have")
        func shutdown() async throws {
            let pair = try ProcessDeployment(settings: ReplySettings.all)
            try await pair.start()
            let browser = Browser()
            let pending = try await pair.awaitingReply(by: browser)
            let cookies = (browser.cookies["localhost"] ?? [:]).map { "\($0.key)=\($0.value)" }
            let probe = HTTPProbe(port: pair.idp.port, authority: "localhost:\(pair.idp.port)")
            let request = probe.request(
                "GET", try pending.waiting.replyPaths().events, [("Cookie", cookies.joined(separator: "; "))])
            let connection = try probe.connect()
            try connection.send(request)
            let head = try await onOwnThread { try connection.receive() }
            #expect(String(decoding: head, as: UTF8.self).hasPrefix("HTTP/1.1 200"))
            pair.idp.send(SIGTERM)
            let rest = try await onOwnThread { try connection.untilEnd() }
            #expect(String(decoding: rest, as: UTF8.self).split(separator: ":\n\n").count < 8)
            #expect(try await pair.idp.waitForExit() == .code(0))
            #expect(!pair.idp.log.contains("drain_timeout"))
            try await pair.client.process.terminate()
        }
    }
}
