import ProbeKit
import SSOWeb
import Testing

@testable import IdPTestKit
@testable import TestKit

/// Mail scanners fetch every link of an email, and some run the scripts of its page and press its buttons.
@Suite("Mail scanners and the link in the email", .program, .alsoOnPostgres)
struct EmailLinkScannerTests {
    private static let tables = [
        "session", "challenge", "device", "account", "account_identity", "sso_token", "code_guess", "mail_queue",
    ]

    /// Every row of these tables as text, so that a changed row counts like a new one.
    private static func rows(_ deployment: TestDeployment) async throws -> [String: [String]] {
        var rows: [String: [String]] = [:]
        for table in tables { rows[table] = try await deployment.stored.texts(of: table).sorted() }
        return rows
    }

    /// Discourse CVE-2019-1020018, authentik #8953: a prefetch consumed the link.
    @Test("100 GETs and HEADs from fresh browsers write no row and begin no session, and then the user gets in")
    func fetches() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.askingForLinkAtClient()
            // The queue notes what it has sent.
            try await deployment.sendDueEmails()
            let before = try await Self.rows(deployment)
            #expect(before["challenge"]?.count == 1 && before["mail_queue"]?.count == 1)
            for number in 0..<100 {
                let scanner = deployment.browser()
                let method = number % 3 == 2 ? "HEAD" : "GET"
                let visit = try await scanner.send(method, WebAddress(asking.link))
                #expect(visit.status == 303 && visit.reply.body.isEmpty)
                #expect(visit.reply.header("location") == "/sign-in/link")
                let page = try await scanner.send(method, visit.location())
                #expect(page.status == (method == "GET" ? 200 : 410), "a HEAD gets no cookie")
                #expect(scanner.session == nil && scanner.device == nil)
            }
            #expect(try await Self.rows(deployment) == before)
            #expect(try await asking.signIn().token().hasPrefix("sst_"))
        }
    }

    @Test("a scanner that follows and submits everything signs in nobody, and then the user gets in")
    func presses() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.askingForLinkAtClient()
            let scanner = deployment.browser()
            let page = try await asking.open(in: scanner)
            #expect(page.status == 200)
            #expect(try page.page().forms.isEmpty)
            for link in try page.page().links where link.hasPrefix("/") {
                let next = try await scanner.follow(scanner.click(link, on: page))
                for form in try next.page().forms { _ = try await scanner.submit(form, on: next) }
            }
            // By now it has a session and a valid form token of its own.
            let form = try await scanner.get(deployment.origin + "/sign-in")
            let posted = try await scanner.post(page.address, [("form_token", try form.formToken())])
            #expect(posted.status == 303 && posted.reply.all("set-cookie").isEmpty)
            #expect(try await !scanner.isSignedInOnHomePage(of: deployment))
            #expect(try await deployment.usedChallenges() == 0)
            #expect(try await asking.signIn().token().hasPrefix("sst_"))
        }
    }

    @Test("no script of the page submits its form: the button is pressed by the user alone")
    func noAutomaticSubmit() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.askingForLink()
            let page = try await asking.open()
            let tags = try page.page().tags
            #expect(tags.allSatisfy { $0["http-equiv"] == nil })
            #expect(page.reply.header("refresh") == nil)
            for script in tags.filter({ $0.name == "script" }).compactMap({ $0["src"] }) {
                let source = try await asking.browser.get(deployment.origin + script).text
                #expect(!source.contains(".submit()"))
                // The only automatic submits are those of a complete code, and after an answer to the email, on a page that
                // waits for it. This page has neither.
                #expect(!source.contains("requestSubmit") || source.contains("[data-code]"))
                #expect(!source.contains("requestSubmit") || source.contains("[data-events]"))
            }
            #expect(tags.allSatisfy { $0["data-code"] == nil && $0["data-events"] == nil })
        }
    }

    @Test("a POST without a session, or with the form token of another, does not sign in and does not consume")
    func forged() async throws {
        try await TestDeployment.open { deployment in
            let asking = try await deployment.askingForLink()
            let page = try await asking.open()
            let other = deployment.browser()
            let foreign = try await other.get(deployment.origin + "/sign-in").formToken()
            let wrong: [[(String, String)]] = [[], [("form_token", "x")], [("form_token", foreign)]]
            for fields in wrong {
                #expect(try await asking.browser.post(page.address, fields).status == 403)
            }
            let stranger = deployment.browser()
            stranger.setCookie("idp_link", to: asking.key, at: "localhost")
            let own = try page.formToken()
            let posted = try await stranger.post(page.address, [("form_token", own)])
            #expect(posted.status == 303)
            #expect(try posted.location().path == "/sign-in/link")
            let nullOrigin = try await asking.browser.send(
                "POST", page.address,
                [
                    ("Content-Type", "application/x-www-form-urlencoded"), ("Origin", "null"),
                    ("Sec-Fetch-Site", "cross-site"),
                ],
                body: Array("form_token=\(own)".utf8))
            #expect(nullOrigin.status == 403)
            #expect(try await deployment.usedChallenges() == 0)
            #expect(try await !asking.browser.isSignedInOnHomePage(of: deployment))
            #expect(try await asking.press(page).status == 303)
        }
    }
}
