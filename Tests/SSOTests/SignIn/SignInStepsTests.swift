import ProbeKit
import SSOShared
import Testing

@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

@Suite("The steps of a sign-in", .program)
struct SignInStepsTests {
    /// ASVS 2.3.1, WSTG-BUSL-06.
    @Test("a request that skips a step is sent to the first one and is not signed in")
    func skipping() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let form = try await browser.get(deployment.origin + "/sign-in")
            let token = try browser.formToken(of: form)
            let code = try form.address.resolving("/sign-in/code")
            for visitor in [browser, deployment.browser()] {
                let posted = try await visitor.post(code, token + [("code", "123456")])
                #expect(posted.status == 303)
                #expect(posted.reply.header("location") == "/sign-in")
                let shown = try await visitor.get(code)
                #expect(shown.reply.header("location") == "/sign-in")
                #expect(try await !visitor.isSignedInOnHomePage(of: deployment))
            }
            #expect(try await deployment.rows(of: "challenge") == 0)
        }
    }

    @Test("complete without a sign-in leads to the sign-in of its flow and issues no token")
    func completeTooEarly() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let form = try await browser.beginSignIn(at: deployment.client)
            let flow = try #require(form.address.query("flow"))
            let early = try await browser.get(deployment.origin + "\(SSOPath.complete)?flow=\(flow)")
            #expect(early.status == 303)
            #expect(early.reply.header("location") == "/sign-in?flow=\(flow)")
            #expect(try await deployment.rows(of: "sso_token") == 0)
            #expect(
                try await deployment.browser().get(deployment.origin + "\(SSOPath.complete)?flow=\(flow)").status == 404
            )

            let waiting = try await browser.ask(for: "ann@example.com", on: form)
            let complete = try await browser.enter(deployment.mailbox.code(to: "ann@example.com"), on: waiting)
            #expect(try complete.token().hasPrefix("sst_"))
        }
    }

    @Test("a code form sent twice leads to the same page as the first one: one session, no error page")
    func doubleSubmit() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let waiting = try await browser.ask(for: "ann@example.com", on: browser.beginSignIn(at: deployment.client))
            let code = try await deployment.mailbox.code(to: "ann@example.com")
            let early = browser.twin()
            let first = try await browser.submit(waiting.page().form(with: "code"), on: waiting, ["code": code])
            let second = try await browser.submit(waiting.page().form(with: "code"), on: waiting, ["code": code])
            #expect(second.status == 303)
            #expect(second.reply.header("location") == first.reply.header("location"))
            #expect(second.reply.all("set-cookie").isEmpty)
            // The second click was sent before the first answer arrived: it has the old cookie, and later requests
            // the new one.
            let late = try await early.submit(waiting.page().form(with: "code"), on: waiting, ["code": code])
            #expect(late.status == 303)
            #expect(late.reply.all("set-cookie").isEmpty)
            let end = try await browser.follow(browser.get(late.location()))
            #expect(end.status == 200)
            #expect(try end.page().link(containing: "token=") != nil)
            #expect(try await deployment.stored.sessions.signedIn.count() == 1)
        }
    }

    /// Authelia CVE-2025-24806: each spelling of one name had its own count.
    @Test(
        "all spellings of an address are one account and one count", arguments: ["ANN@example.com", "ann@EXAMPLE.com"])
    func spelling(other: String) async throws {
        try await TestDeployment.open { deployment in
            let first = try await deployment.asking("ann@example.com")
            #expect(try await first.guess(first.code).status == 303)
            deployment.clock.advance(by: .seconds(61))
            let second = try await deployment.asking(other)
            try await second.guess(second.wrong)
            #expect(try await deployment.failures(of: "ann@example.com") == 1)
            #expect(try await second.guess(second.code).status == 303)
            #expect(try await deployment.rows(of: "account") == 1)
        }
    }

    @Test(
        "an invalid email address is a form error, and no sign-in begins",
        .oneDeployment,
        arguments: [
            "", "ann", "ann@", "@example.com", "ann@example.com, eve@evil.example", "ann@exa mple.com",
            "änn@example.com",
            "ann@example.com\r\nBcc: eve@evil.example", "ann@\u{301}example.com", "ann\u{0}@example.com",
            "ａnn@example.com",
        ])
    func notAnAddress(typed: String) async throws {
        let deployment = try TestDeployment.shared()
        let browser = deployment.browser()
        let form = try await browser.get(deployment.origin + "/sign-in")
        let reply = try await browser.submit(form.page().form(with: "email"), on: form, ["email": typed])
        #expect(reply.status == 422)
        #expect(try reply.page().tags.contains { $0["id"] == "email-error" && $0["role"] == "alert" })
        #expect(try await deployment.rows(of: "challenge") == 0)
    }

    @Test(
        "an address and a code that were pasted count as the user meant them, without a script",
        arguments: [
            ("\u{200e}ann@example.com\u{2069}", UInt32(0xff10), "."),
            ("Ann Example <Ann@Example.com>", 0x660, "\u{200b}"),
            ("mailto:ann@example.com", 0x30, "“"), ("ann＠example。com", 0x966, "\r\n"),
        ])
    func pasted(address: String, zero: UInt32, end: String) async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let waiting = try await browser.ask(for: address, on: browser.get(deployment.origin + "/sign-in"))
            #expect(waiting.text.contains("<bdi translate=\"no\">ann@example.com</bdi>"))
            let code = try await deployment.mailbox.code(to: "ann@example.com")
            let digits = code.unicodeScalars.compactMap { Unicode.Scalar($0.value - 0x30 + zero) }
            let pending = PendingCode(browser: browser, waiting: waiting, code: code)
            #expect(try await pending.guess(String(String.UnicodeScalarView(digits)) + end).status == 303)
        }
    }

    @Test("an address with an international domain is shown as it was written, and kept in its ASCII form")
    func internationalDomain() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let waiting = try await browser.ask(
                for: "Ann@EXÜMPLE.example", on: browser.get(deployment.origin + "/sign-in"))
            #expect(waiting.text.contains("<bdi translate=\"no\">ann@exümple.example</bdi>"))
            #expect(try await deployment.stored.challenges.of("ann@xn--exmple-4ya.example").count() == 1)
        }
    }

    @Test(
        "the error of the form says what is wrong with the address, in the language of the page",
        .oneDeployment,
        arguments: [
            ("ann..lee@example.com", "There are two full stops in a row.", "Zwei Punkte stehen hintereinander."),
            (".ann@example.com", "cannot begin with a full stop", "nicht mit einem Punkt beginnen"),
            ("ann.@example.com", "a full stop right before the @", "Direkt vor dem @"),
            ("an\u{a0}n@example.com", "There is a space in the address, at position 3.", "an Stelle 3 ein Leerzeichen"),
            ("ann\u{7}@example.com", "(<bdi>U+0007</bdi>),</span> at position 4", "(<bdi>U+0007</bdi>)"),
            ("änn@example.com", "“<bdi>ä</bdi>”</span> at position 1", "„<bdi>ä</bdi>“</span> an Stelle 1"),
            ("ann@exa_mple", "“<bdi>_</bdi>”</span> at position 8", "„<bdi>_</bdi>“</span> an Stelle 8"),
            ("ann@example", "not a domain like example.com", "keine Domain wie example.com"),
            ("a@example.com, b@example.com", "more than one @", "mehr als ein @"),
        ])
    func addressErrors(typed: String, english: String, german: String) async throws {
        let deployment = try TestDeployment.shared()
        let browser = deployment.browser()
        for (language, words) in [("en", english), ("de", german)] {
            let form = try await browser.get(deployment.origin + "/sign-in", [("Accept-Language", language)])
            let fields = try #require(try form.page().form(with: "email"))
            let reply = try await browser.post(
                form.address.resolving(fields.action), fields.filled(["email": typed]), [("Accept-Language", language)])
            #expect(reply.status == 422 && reply.text.contains(words), "\(reply.text)")
        }
    }

    /// GitLab CVE-2023-7028: a list of addresses got the email of the first one.
    @Test(
        "an address as a list, given twice, or in another type of body is refused, and no email is sent",
        .oneDeployment,
        arguments: [
            "email[]=ann@example.com&email[]=eve@evil.example", "email[0]=ann@example.com",
            "email=ann@example.com&email=eve@evil.example", "email=ann@example.com&%65mail=eve@evil.example",
            "email=ann@example.com&email[cc]=eve@evil.example", #"{"email":["ann@example.com","eve@evil.example"]}"#,
        ])
    func listOfAddresses(fields: String) async throws {
        let deployment = try TestDeployment.shared()
        let browser = deployment.browser()
        let form = try await browser.get(deployment.origin + "/sign-in")
        let isJSON = fields.hasPrefix("{")
        let body = isJSON ? fields : "\(FormCoding.encode([("form_token", try form.formToken())]))&\(fields)"
        let type = isJSON ? "application/json" : "application/x-www-form-urlencoded"
        let cookie = try #require(browser.session)
        let headers = [("Content-Type", type), ("Origin", deployment.origin), ("Cookie", "idp_session=\(cookie)")]
        let reply = try await deployment.probe().post("/sign-in", headers, body: Array(body.utf8))
        #expect(reply.status == (isJSON ? 415 : 400))
        #expect(try await deployment.rows(of: "challenge") == 0)
        #expect(try await deployment.rows(of: "mail_queue") == 0)
    }
}
