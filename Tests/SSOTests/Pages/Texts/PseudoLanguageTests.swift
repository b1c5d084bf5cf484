import Foundation
import Storage
import Testing

@testable import IdPMail
@testable import IdPServer
@testable import IdPTestKit
@testable import RelyingParty
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// Both programs in a language whose every text is between ⟦brackets⟧. A visible word outside them does not come from the
/// catalogue, and users of other languages would see it in English.
@Suite("Every word that users see comes from the catalogue", .program)
struct PseudoLanguageTests {
    private static let idpName = "Main App"
    private static let clientName = "Partner service"

    private static func pages(
        _ files: [PageFiles], name: String, values: [String: String] = [:],
        assets: StaticAssets, adding added: AddedLanguages = .empty
    ) throws -> Pages {
        let values = values.merging(["brand": name]) { $1 }
        let brand = Brand(name: name, supportURL: "https://help.example/", privacyURL: "https://privacy.example/")
        return try Pages(
            brand: brand, files: files,
            catalogue: try Catalogue(files.map(\.texts), values: values, adding: added).mapLiterals { "⟦\($0)⟧" },
            values: values,
            assets: assets)
    }

    private static func open(
        settings: [String: String] = [:], clientSettings: [String: String] = [:],
        _ body: (TestDeployment) async throws -> Void
    ) async throws {
        let idp = try pages(
            IdPPages.files, name: idpName, assets: IdPPages.assets(Brand(name: idpName)),
            adding: ShippedLanguages.added())
        let client = try pages(
            RelyingPartyPages.files, name: clientName, values: ["idp": idpName],
            assets: RelyingPartyPages.assets)
        try await TestDeployment.open(
            settings: settings, clientSettings: clientSettings, pages: idp, clientPages: client, body)
    }

    // MARK: - What is allowed outside the brackets

    /// Names that the programs are given, and what reads the same in every language.
    private static let names = [
        idpName, clientName, "Partner number 1", "a…@example.com", "a…\u{2060}@example.com", "m…@example.com",
        "ann@example.com",
        "max@example.com", "no address", "flow",
        "Ann Lee", "ann",
        "max", "UTC", "Linux", "localhost:4000", "localhost",
    ]

    /// The words that come from nowhere.
    private static func strangers(_ text: String) -> String {
        var rest = text.replacing(#/⟦[^⟧]*⟧/#, with: " ").replacing(#/https?:\/\/\S+/#, with: " ")
            // The date of an email on the mailbox page, as in its header.
            .replacing(#/[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{4} [0-9:]{8} \+0000/#, with: " ")
        for name in names.sorted(by: { $0.count > $1.count }) { rest = rest.replacing(name, with: " ") }
        return rest.contains(where: \.isLetter)
            ? rest.split(whereSeparator: \.isWhitespace).joined(separator: " ") : ""
    }

    private static func check(html: String, _ state: String) {
        #expect(html.contains("⟦"), "\(state): no text of the catalogue")
        // Account ids, references and codes.
        let visible = html.replacing(#/<code(?: [^>]*)?>[^<]*<\/code>/#, with: "")
            // Initials in place of a picture.
            .replacing(#/<bdi class="sign" aria-hidden="true">[^<]*<\/bdi>/#, with: "")
        for words in TextSources.words(ofHTML: visible) {
            let strangers = strangers(words)
            if !strangers.isEmpty { Issue.record("\(state): \(strangers)") }
        }
    }

    private static func check(_ visit: Visit, _ state: String, _ status: Int? = nil) {
        if let status { #expect(visit.status == status, "\(state)") }
        check(html: visit.text, "\(state) (\(visit.status))")
    }

    /// Subject, text and HTML of every email in the outbox.
    private static func checkEmails(_ deployment: TestDeployment, atLeast count: Int) throws {
        let items = OutboxMailer(folder: deployment.mailbox.folder).items().map { $0.item }
        #expect(items.count >= count)
        for item in items {
            for text in [item.subject, item.text] {
                #expect(strangers(text) == "", "email: \(item.subject)")
                #expect(text.contains("⟦"))
            }
        }
        for email in deployment.mailbox.all(to: "@example.com") {
            let part = try #require(email.text.components(separatedBy: "Content-Type: text/html").last)
            let lines = part.components(separatedBy: "\r\n--=_").first ?? part
            let body = try #require(lines.range(of: "\r\n\r\n")).upperBound
            check(html: String(lines[body...]).decodingQuotedPrintable(), "email in HTML")
        }
    }

    /// Waits for an email to an address and finds the six digits in it.
    private static func code(_ deployment: TestDeployment, to address: String = "ann@example.com") async throws
        -> String
    {
        try await eventually("an email to \(address)") {
            OutboxMailer(folder: deployment.mailbox.folder).items().lazy.map { $0.item }
                .first { $0.to.contains(address) && !$0.text.contains("/sign-in/browser/") }
                .flatMap { $0.text.matches(of: #/[0-9]+/#).first { $0.0.count == 6 }.map { String($0.0) } }
        }
    }

    /// Opens the client's page, signs in with a code, and returns the completion page.
    private static func signIn(_ browser: Browser, _ deployment: TestDeployment) async throws -> Visit {
        let waiting = try await browser.ask(for: "ann@example.com", on: browser.beginSignIn(at: deployment.client))
        return try await browser.enter(code(deployment), on: waiting)
    }

    // MARK: - The pages

    @Test("on the pages of a sign-in by an answer to the email", arguments: try ShippedLanguages.tags())
    func reply(tag: String) async throws {
        try await Self.open(settings: ReplySettings.all) { deployment in
            let browser = deployment.browser(language: tag)
            let pending = try await deployment.awaitingReply(
                by: browser, on: browser.beginSignIn(at: deployment.client))
            Self.check(pending.waiting, "code page with a number", 200)
            _ = try await deployment.deliver(pending.message())
            _ = try await pending.proceed()
            Self.check(try await pending.proceed(), "signed in elsewhere, still pending", 200)
            try Self.checkEmails(deployment, atLeast: 1)
        }
    }

    @Test("on the pages of a sign-in", arguments: try ShippedLanguages.tags())
    func signIn(tag: String) async throws {
        try await Self.open { deployment in
            let browser = deployment.browser(language: tag)
            Self.check(try await browser.get(deployment.origin + "/signed-out"), "signed out", 200)
            Self.check(try await browser.get(deployment.origin + "/sign-in"), "sign-in without a client", 200)
            let form = try await browser.beginSignIn(at: deployment.client)
            #expect(form.reply.header("content-language") == tag)
            Self.check(form, "sign-in", 200)
            let wrong = try await browser.submit(form.page().form(with: "email"), on: form, ["email": "no address"])
            Self.check(wrong, "sign-in, not an address", 422)
            let waiting = try await browser.ask(for: "ann@example.com", on: form)
            Self.check(waiting, "code page", 200)
            let code = try await Self.code(deployment)
            let short = try await browser.submit(waiting.page().form(with: "code"), on: waiting, ["code": "12"])
            Self.check(short, "code page, not six digits", 422)
            let complete = try await browser.enter(code, on: waiting)
            Self.check(complete, "completion page", 200)
            let again = try await browser.get(deployment.authorize(deployment.client, state: "s"))
            Self.check(again, "completion page, signed in before", 200)
            let signedIn = try await browser.get(deployment.origin + "/sign-in")
            Self.check(try await browser.follow(signedIn), "sign-in, signed in before", 200)

            let home = try await browser.get(deployment.origin + "/")
            Self.check(home, "home page", 200)
            for name in ["", "Ann Lee"] {
                let saved = try await browser.rename(at: deployment, to: name)
                Self.check(try await browser.follow(saved), "home page, name \"\(name)\"")
            }
            let stale = try await browser.post(home.address.resolving("/sign-out"), [("form_token", "x")])
            Self.check(stale, "a form of another session", 403)
            let out = try await browser.submit(home.page().form(to: "/sign-out"), on: home)
            Self.check(try await browser.follow(out), "signed out", 200)
            Self.check(try await browser.get(deployment.origin + deployment.mailboxPage), "mailbox", 200)
            try Self.checkEmails(deployment, atLeast: 1)
        }
    }

    @Test(
        "on the code page with wrong, used-up, expired and paused codes, without an email, and in the emails",
        arguments: try ShippedLanguages.tags())
    func codes(tag: String) async throws {
        try await Self.open { deployment in
            let browser = deployment.browser(language: tag)
            let waiting = try await browser.ask(for: "ann@example.com", on: browser.beginSignIn(at: deployment.client))
            let code = try await Self.code(deployment)
            for number in 1...6 {
                let wrong = code == "000000" ? "000001" : "000000"
                let page = try await browser.submit(waiting.page().form(with: "code"), on: waiting, ["code": wrong])
                Self.check(try await browser.follow(page), "wrong code \(number)")
            }
            // Another email: at once, and when one may be sent again.
            for seconds in [1, 61, 61] {
                deployment.clock.advance(by: .seconds(seconds))
                let page = try await browser.ask(
                    for: "ann@example.com", on: browser.get(deployment.origin + "/sign-in"))
                Self.check(page, "code page after \(seconds) seconds")
                deployment.clock.advance(by: .seconds(20))
                Self.check(try await browser.get(page.address), "code page, seen again")
            }
            deployment.clock.advance(by: .seconds(601))
            let late = try await browser.submit(waiting.page().form(with: "code"), on: waiting, ["code": code])
            Self.check(try await browser.follow(late), "expired code")

            // As many emails and guesses as an address gets.
            for number in 1...6 {
                let other = deployment.browser(language: tag)
                let page = try await other.ask(for: "max@example.com", on: other.get(deployment.origin + "/sign-in"))
                Self.check(page, "browser \(number) of one address")
                for _ in 1...5 {
                    guard let form = try page.page().form(with: "code") else { break }
                    let guess = try await other.submit(form, on: page, ["code": "000000"])
                    Self.check(try await other.follow(guess), "wrong code in browser \(number)")
                }
                deployment.clock.advance(by: .seconds(61))
            }
            let link = try await eventually("an email with a link") {
                deployment.browserLink(to: "max@example.com")
            }
            let owner = deployment.browser(language: tag)
            let page = try await owner.follow(owner.get(link))
            Self.check(page, "link for a browser", 200)
            let known = try await owner.submit(page.page().form(to: "/sign-in/browser"), on: page)
            Self.check(try await owner.follow(known), "link for a browser, used")
            let damaged = try await owner.get(deployment.origin + "/sign-in/browser/x")
            Self.check(try await owner.follow(damaged), "link for a browser, damaged", 410)
            try Self.checkEmails(deployment, atLeast: 4)
        }
    }

    @Test(
        "on the pages of the link in the email, in every browser and after its end",
        arguments: try ShippedLanguages.tags())
    func emailLink(tag: String) async throws {
        try await Self.open { deployment in
            func asking(_ form: Visit, _ browser: Browser) async throws -> PendingLink {
                let earlier = deployment.mailbox.all(to: "ann@example.com")
                let waiting = try await browser.ask(for: "ann@example.com", on: form)
                let email = try await deployment.mailbox.email(to: "ann@example.com", besides: earlier)
                return PendingLink(
                    browser: browser, waiting: waiting, code: "", link: try #require(email.signInLink))
            }
            let browser = deployment.browser(language: tag)
            let first = try await asking(browser.beginSignIn(at: deployment.client), browser)
            Self.check(try await first.open(), "link", 200)
            Self.check(try await first.open(in: deployment.browser(language: tag)), "link in another browser", 200)
            Self.check(try await first.signIn(), "link, used", 200)
            Self.check(try await first.open(), "link again, signed in", 410)
            Self.check(try await first.open(in: deployment.browser(language: tag)), "used link in another browser", 410)
            try await browser.signOut(of: deployment)

            deployment.clock.advance(by: .seconds(61))
            let other = deployment.browser(language: tag)
            let second = try await asking(other.get(deployment.origin + "/sign-in"), other)
            Self.check(try await second.open(), "link without a client", 200)
            Self.check(try await second.open(in: browser), "link in a known browser", 200)
            for _ in 1...5 {
                let form = try second.waiting.page().form(with: "code")
                _ = try await other.submit(form, on: second.waiting, ["code": "12 34 56"])
            }
            Self.check(
                try await second.open(in: deployment.browser(language: tag)), "link in another browser, no code", 200)
            deployment.clock.advance(by: .seconds(601))
            Self.check(try await second.open(), "expired link", 410)
            let damaged = try await browser.get(deployment.origin + "/sign-in/link/x")
            Self.check(try await browser.follow(damaged), "damaged link", 410)
            Self.check(
                try await deployment.browser(language: tag).get(deployment.origin + "/sign-in/link"), "no cookie", 410)
            try Self.checkEmails(deployment, atLeast: 2)
        }
    }

    @Test("on the error pages of both programs", arguments: try ShippedLanguages.tags())
    func errors(tag: String) async throws {
        let settings = ["IDP_LIMIT_EMAIL_POSTS": "1", "IDP_TRUSTED_PROXIES": "127.0.0.0/8"]
        try await Self.open(settings: settings) { deployment in
            let browser = deployment.browser(language: tag)
            let (idp, client) = (deployment.origin, deployment.client.origin)
            for path in [
                "/nowhere", "/auth/sso/authorize", "/auth/sso/authorize?client_id=partner-1",
                "/auth/sso/complete?flow=x",
                "/auth/sso/complete", "/sign-in?flow=x", "/sign-in?flow=x&flow=y", "/sign-in/code", "/sign-out",
                "/sign-in/cancel?flow=x&flow=y", "/\(String(repeating: "a", count: 9_000))",
            ] {
                let page = try await browser.get(idp + path)
                if page.status >= 300 { Self.check(try await browser.follow(page), path) }
            }
            let form = try await browser.get(idp + "/sign-in")
            let address = form.address
            Self.check(try await deployment.browser(language: tag).post(address, [("email", "x")]), "no cookie", 403)
            let typed = [("Content-Type", "application/json")]
            Self.check(try await browser.send("POST", address, typed, body: [0x7b, 0x7d]), "not a form", 415)
            let large = [("email", String(repeating: "a", count: 70_000))]
            Self.check(try await browser.post(address, large), "too large", 413)
            let fields = [("form_token", try form.formToken()), ("email", "ann@example.com")]
            _ = try await browser.post(address, fields, [("X-Forwarded-For", "203.0.113.7")])
            let limited = try await browser.post(address, fields, [("X-Forwarded-For", "203.0.113.7")])
            Self.check(limited, "too many requests", 429)
            await deployment.database.close()
            Self.check(try await browser.get(idp + "/"), "database closed")

            for path in ["/nowhere", "/sign-out", "/auth/sso/start", "/auth/sso/callback?state=x&token=y"] {
                let page = try await browser.get(client + path)
                if page.status >= 400 { Self.check(page, "client \(path)") }
            }
        }
    }

    @Test(
        "on the pages of the relying party, with every error of its callback that the identity provider causes",
        arguments: try ShippedLanguages.tags())
    func relyingParty(tag: String) async throws {
        try await Self.open { deployment in
            let (browser, client) = (deployment.browser(language: tag), deployment.client)
            Self.check(try await browser.get(client.origin + "/"), "visitor", 200)
            for (fields, status) in [
                ([("error", "access_denied")], 400), ([("error", "login_required")], 400),
                ([("error", "invalid_request")], 400),
                ([("error", "server_error")], 503), ([], 400), ([("token", Browser.someToken)], 400),
            ] as [([(String, String)], Int)] {
                let state = try await browser.state(at: client)
                let page = try await browser.comeBack(to: client, fields + [("state", state)])
                Self.check(page, "callback \(fields)", status)
                Self.check(try await browser.comeBack(to: client, fields + [("state", state)]), "again", 400)
            }
            let ahead = try await browser.comeBack(to: client, [("state", "x")], [("Sec-Purpose", "prefetch")])
            Self.check(ahead, "prefetch", 400)

            let complete = try await Self.signIn(browser, deployment)
            let home = try await browser.follow(browser.get(complete.callback()))
            Self.check(home, "signed in", 200)
            Self.check(try await browser.get(client.origin + "/account"), "account", 200)
            Self.check(try await browser.comeBack(to: client, state: "x"), "signed in already", 400)
            let out = try await browser.submit(home.page().form(to: "/sign-out"), on: home)
            Self.check(try await browser.follow(out), "signed out", 200)
        }
        // Another secret than the identity provider's: the answer cannot be trusted.
        try await Self.open(clientSettings: ["SSO_SHARED_SECRET": TestSecret.new()]) { deployment in
            let browser = deployment.browser(language: tag)
            let state = try await browser.state(at: deployment.client)
            Self.check(try await browser.comeBack(to: deployment.client, state: state), "not verified", 502)
        }
    }

    @Test("the check finds a word that does not come from the catalogue, in text and in attributes")
    func theCheckItself() {
        #expect(Self.strangers("⟦Sign in to ⟧Partner number 1⟦.⟧") == "")
        #expect(Self.strangers("21 ⟦November⟧ 2026, 21:23 UTC · https://a.example/x?y=z") == "")
        #expect(Self.strangers("⟦Sign in⟧ here") == "here")
        for html in ["<p>⟦a⟧ b</p>", "<img alt=\"b\">", "<button value=\"b\">", "<title>b</title>", "<p>&#98;</p>"] {
            #expect(TextSources.words(ofHTML: html).contains { Self.strangers($0) == "b" }, "\(html)")
        }
        for html in ["<input value=\"b\">", "<style>b</style>", "<script src=\"b\"></script>", "<a href=\"b\">⟦c⟧</a>"]
        {
            #expect(TextSources.words(ofHTML: html).allSatisfy { Self.strangers($0) == "" }, "\(html)")
        }
    }
}
