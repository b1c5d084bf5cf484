import SSOShared
import SSOWeb
import Storage
import Testing

@testable import Counterparts
@testable import IdPAdmin
@testable import IdPAuthorization
@testable import IdPClients
@testable import IdPMail
@testable import IdPOperations
@testable import IdPServer
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// The overview, and the button that tests the mail.
@Suite("The overview of the admin pages", .program)
struct AdminOverviewTests {
    private static func open(
        _ body: (TestDeployment, Browser, BrokenMailer) async throws -> Void
    ) async throws {
        let mailer = BrokenMailer()
        try await TestDeployment.openAdmin(
            mailer: { folder in
                mailer.begin(folder)
                return mailer
            }
        ) { try await body($0, $0.adminBrowser(), mailer) }
    }

    @Test("the test email goes to the admin alone, past the queue, and the page says that it was taken")
    func testMail() async throws {
        try await Self.open { deployment, browser, _ in
            let queued = try await deployment.rows(of: "mail_queue")
            let overview = try await browser.get(deployment.origin + "/admin")
            let question = try await browser.click(overview.page().link(containing: "/admin/test-mail"), on: overview)
            #expect(question.text.contains(TestDeployment.admin))
            let made = try await browser.submit(question.page().form(with: "version"), on: question)
            #expect(made.status == 200 && made.text.contains("has taken the email"), "\(made.text)")
            let email = deployment.mailbox.all(to: TestDeployment.admin).last { $0.text.contains("Test email") }
            #expect(email != nil)
            #expect(try await deployment.rows(of: "mail_queue") == queued)
            #expect(try await deployment.auditRows(.adminChange).last?.detail == "mail_test")
        }
    }

    @Test("the mail server's own words stand on the page, and nothing of them is markup")
    func words() async throws {
        try await Self.open { deployment, browser, mailer in
            mailer.become(.refuses)
            let made = try await deployment.make(browser, "/admin/test-mail")
            #expect(made.status == 200 && made.text.contains("550: no such user"), "\(made.text)")
            mailer.become(.isDown)
            let down = try await deployment.make(browser, "/admin/test-mail")
            #expect(down.text.contains("the mail server refuses the connection"))
        }
    }

    @Test("it says since when the mail server is down, what waits, and when an email was accepted last")
    func outage() async throws {
        try await Self.open { deployment, browser, mailer in
            let fine = try await eventually("an accepted email") {
                let page = try await browser.get(deployment.origin + "/admin")
                return page.text.contains("Last accepted email</dt><dd><time") ? page : nil
            }
            #expect(fine.text.contains("Mail server down since</dt><dd>none"), "\(fine.text)")
            #expect(fine.text.contains("The database answers."))
            mailer.become(.isDown)
            _ = try await deployment.waiting(for: "ann@example.com", by: deployment.browser())
            _ = try await eventually("an outage") {
                let page = try await browser.get(deployment.origin + "/admin")
                return page.text.contains("Mail server down since</dt><dd><time") ? page : nil
            }
        }
    }

    @Test("refusals and sign-ins of a day are counted, however many rows there are, and those of before are not")
    func counts() async throws {
        try await Self.open { deployment, browser, _ in
            let client = deployment.client
            for _ in 1...3 {
                _ = try await NearSecretTests.post(Array(TestSecret.new().utf8), as: client.id, deployment)
            }
            _ = try await deployment.auditRows(.verifyRefused, untilThereAre: 3)
            let page = try await browser.get(deployment.origin + "/admin")
            #expect(page.text.contains("signature_wrong"))
            let list = try await browser.get(deployment.origin + "/admin/services")
            #expect(list.text.contains(">3<") || list.text.contains("<bdi>3</bdi>"), "\(list.text)")
            deployment.clock.advance(by: .hours(25))
            let later = try await deployment.adminBrowser()
            #expect(try await !later.get(deployment.origin + "/admin").text.contains("signature_wrong"))
        }
    }

    @Test("settings show where each comes from, and a secret as its fingerprint")
    func settings() async throws {
        try await Self.open { deployment, browser, _ in
            let page = try await browser.get(deployment.origin + "/admin/settings")
            #expect(page.text.contains("IDP_ADMINS") && page.text.contains("environment"))
            #expect(!page.text.contains(deployment.idp.values["IDP_SECRET_KEY"] ?? "?"))
            let row = try #require(page.text.split(separator: "<tr>").first { $0.contains("client partner-1") })
            #expect(row.contains("clients.yaml:"), "\(row)")
        }
    }
}
