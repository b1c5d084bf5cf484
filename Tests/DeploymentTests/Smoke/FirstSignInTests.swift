import SSOShared
import Testing

@testable import Counterparts
@testable import IdPTestKit
@testable import TestKit

@Suite("First sign-in", .smoke, .dependsOnMachine)
struct FirstSignInTests {
    @Test(
        "a user with a code from a real email is signed in at the client", .enabled(if: SMTPServer.isInstalled))
    func signInAtClient() async throws {
        let server = try SMTPServer()
        try await server.start()
        try await ProcessDeployment.running(ProcessDeployment(mail: .smtp(server))) { pair in
            let browser = Browser()
            #expect(try await !browser.isSignedIn(at: pair.client))
            let complete = try await browser.signIn(at: pair.client, of: pair, as: "ann@example.com")
            #expect(complete.text.contains(pair.client.name))
            let refresh =
                try complete.page().refresh ?? complete.reply.header("refresh").flatMap(ScannedPage.parseRefresh)
            #expect(refresh?.seconds == 2)
            #expect(try refresh?.target == complete.callback().absolute)
            let home = try await browser.follow(browser.get(complete.callback()))
            #expect(home.status == 200)
            #expect(home.address.absolute == pair.client.origin + "/")
            #expect(try await browser.isSignedIn(at: pair.client))
            #expect(try home.page().form(to: "/sign-out") != nil)
        }
        try await server.stop()
    }

    @Test("the email is complete, and the code is alone on a line", .enabled(if: SMTPServer.isInstalled))
    func email() async throws {
        let server = try SMTPServer()
        try await server.start()
        try await ProcessDeployment.running(ProcessDeployment(mail: .smtp(server))) { pair in
            let browser = Browser()
            _ = try await browser.ask(for: "Ann@Example.com", on: browser.beginSignIn(at: pair.client))
            let email = try await pair.mailbox.email(to: "ann@example.com")
            for header in ["Date", "From", "Message-ID", "Subject", "MIME-Version"] {
                #expect(email.header(header)?.isEmpty == false, "\(header) is missing")
            }
            #expect(email.header("Auto-Submitted") == "auto-generated")
            #expect(email.header("Content-Type")?.hasPrefix("multipart/alternative") == true)
            #expect(email.code != nil)
            #expect(email.text.contains(pair.client.name))
        }
        try await server.stop()
    }

    @Test(
        "in a real browser, with and without JavaScript, the page after the code returns by itself",
        .enabled(if: WebDriver.isInstalled, "needs chromium and chromium-driver"), arguments: [true, false])
    func inChromium(javaScript: Bool) async throws {
        try await ProcessDeployment.running(ProcessDeployment()) { pair in
            let chromium = try await Chromium(javaScript: javaScript)
            try await chromium.signIn(at: pair.client, of: pair, as: "ann@example.com")
            try await chromium.arrive("the client's page") { $0 == pair.client.origin + "/" }
            _ = try await chromium.element("form[action$='/sign-out']")
            #expect(try await chromium.text().contains("ann"))
            try await chromium.quit()
        }
    }
}
