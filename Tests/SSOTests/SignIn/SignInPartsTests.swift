import Foundation
import SSOShared
import SSOWeb
import Testing

@testable import Counterparts
@testable import IdPProviders
@testable import IdPTestKit
@testable import TestKit
@testable import WebTestKit

/// The buttons of providers on the sign-in page, their order, and what the browser remembers.
@Suite("The buttons of the sign-in page", .program)
struct SignInPartsTests {
    /// The targets of the page's forms, in order.
    /// Without the button for passkeys, which a script shows.
    private static func targets(_ visit: Visit) throws -> [String] {
        try visit.page().forms.map(\.action).filter { $0 != "/sign-in/passkey" }
    }

    private static func signInPage(
        _ deployment: TestDeployment, in browser: Browser? = nil, language: String = "en"
    ) async throws -> Visit {
        try await (browser ?? deployment.browser(language: language)).get(deployment.origin + "/sign-in")
    }

    private static func lastMethod(_ browser: Browser) -> String? { browser.cookie("idp_last_method", at: "localhost") }

    @Test("providers come in the order of their file, each a form that needs no JavaScript, and the email below")
    func order() async throws {
        let folder = try TemporaryFolder()
        try await TestDeployment.open(settings: UnvisitedProviders.settings(in: folder)) { deployment in
            let browser = deployment.browser()
            let visit = try await browser.follow(browser.get(deployment.authorize(deployment.client, state: "s")))
            let flow = try #require(visit.address.query("flow"))
            let page = try visit.page()
            let ids = ["apple", "google", "microsoft", "github", "work"]
            #expect(try Self.targets(visit) == ids.map { "/sign-in/with/\($0)" } + ["/sign-in"])
            for form in page.forms {
                #expect(form.method == "post" && form["flow"] == flow)
                #expect(form["form_token"]?.isEmpty == false)
            }
            let buttons = page.tags.filter { $0.name == "button" }
            // One for passkeys is there, which a script shows.
            #expect(buttons.count == 7 && buttons.allSatisfy { $0["type"] == "submit" })
            // Every logo is one of our own files, and says nothing beside the text.
            let logos = page.tags.filter { $0.name == "img" }
            #expect(logos.count == 4 && logos.allSatisfy { $0["alt"] == "" })
            for logo in logos {
                let path = try #require(logo["src"])
                let file = try await browser.get(deployment.origin + path)
                #expect(file.status == 200 && file.reply.header("content-type") == "image/svg+xml")
            }
            // The first thing to do is not the email, so the keyboard of a phone does not cover the buttons.
            let field = try #require(page.tags.first { $0["id"] == "email" })
            #expect(field["autofocus"] == nil)
            #expect(!visit.text.contains("Last used"))
        }
        withExtendedLifetime(folder) {}
    }

    @Test(
        "each button has the words of its brand's rules, and any other provider its name",
        arguments: [
            (
                "en",
                [
                    "Sign in with Apple", "Sign in with Google", "Sign in with Microsoft", "Sign in with GitHub",
                    "Sign in with <bdi>Provider work</bdi>",
                ], "or"
            ),
            (
                "de",
                [
                    "Mit Apple anmelden", "Über Google anmelden", "Mit Microsoft anmelden", "Mit GitHub anmelden",
                    "Mit <bdi>Provider work</bdi> anmelden",
                ], "oder"
            ),
        ])
    func texts(language: String, titles: [String], or: String) async throws {
        let folder = try TemporaryFolder()
        try await TestDeployment.open(settings: UnvisitedProviders.settings(in: folder)) { deployment in
            let visit = try await Self.signInPage(deployment, language: language)
            for title in titles { #expect(visit.text.contains("<span>\(title)</span></button>"), "\(title)") }
            #expect(visit.text.contains("<p class=\"or\">\(or)</p>"))
        }
        withExtendedLifetime(folder) {}
    }

    @Test("two tenants of Microsoft have the same words and their names below; a GitHub of one's own has its name")
    func sameKind() async throws {
        let folder = try TemporaryFolder()
        func tenant(_ id: String, _ digit: Int) throws -> String {
            let tenant = "\(digit)eaef023-2b34-4da1-9baa-8bc8c9d6a490"
            return try UnvisitedProviders.entry(
                .microsoft, in: folder, id: id, name: "Tenant \(digit)",
                issuer: "https://login.microsoftonline.com/\(tenant)/v2.0")
        }
        let entries = [
            try tenant("one", 1), try tenant("two", 2),
            try UnvisitedProviders.entry(
                .github, in: folder, name: "Our GitHub", issuer: "https://github.example.org"),
        ]
        try await TestDeployment.open(settings: UnvisitedProviders.settings(in: folder, entries: entries)) {
            let visit = try await Self.signInPage($0)
            #expect(visit.text.components(separatedBy: "<span>Sign in with Microsoft</span>").count == 3)
            for (id, name) in [("one", "Tenant 1"), ("two", "Tenant 2")] {
                #expect(visit.text.contains("<p class=\"fine below\" id=\"about-\(id)\"><bdi>\(name)</bdi>"))
                #expect(try visit.page().tags.contains { $0["aria-describedby"] == "about-\(id)" })
            }
            #expect(visit.text.contains("<span>Sign in with <bdi>Our GitHub</bdi></span>"))
        }
        withExtendedLifetime(folder) {}
    }

    @Test("an oidc provider has the label and the logo of its file, in every language, the label as text")
    func labelAndLogo() async throws {
        let folder = try TemporaryFolder()
        let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 40 20\"><path d=\"M0 0h40v20z\"/></svg>"
        _ = try folder.write(svg, to: "work.svg")
        let entry = try UnvisitedProviders.entry(.oidc, in: folder)
        let label = "Work account <b>& more"
        let entries = [entry + "    label: \"\(label)\"\n    logo: work.svg\n"]
        try await TestDeployment.open(settings: UnvisitedProviders.settings(in: folder, entries: entries)) {
            for language in ["en", "de"] {
                let visit = try await Self.signInPage($0, language: language)
                #expect(visit.text.contains("<span><bdi>Work account &lt;b&gt;&amp; more</bdi></span></button>"))
                #expect(try !visit.page().tags.contains { $0.name == "b" })
                let image = try #require(visit.page().tags.first { $0.name == "img" })
                #expect(image["alt"] == "" && image["width"] == "40" && image["height"] == "20")
                let path = try #require(image["src"])
                #expect(path.hasPrefix("/assets/provider/work-") && path.hasSuffix(".svg"))
                let file = try await $0.browser().get($0.origin + path)
                #expect(file.status == 200 && file.text == svg)
                #expect(file.reply.header("content-type") == "image/svg+xml")
                #expect(file.reply.header("content-security-policy")?.contains("sandbox") == true, "nothing in it runs")
                #expect(file.reply.header("cache-control")?.contains("immutable") == true)
                for wrong in [
                    "/assets/provider/work.svg", "/assets/provider/x", path.replacing("work-", with: "work-0"),
                ] {
                    #expect(try await $0.browser().get($0.origin + wrong).status == 404)
                }
            }
        }
        withExtendedLifetime(folder) {}
    }

    @Test("up to four providers are all in sight; of five and more three are, and the others are folded in their order")
    func fold() async throws {
        for (count, folded) in [(1, 0), (3, 0), (4, 0), (5, 2), (7, 4)] {
            let folder = try TemporaryFolder()
            let ids = (1...count).map { "work-\($0)" }
            let entries = try ids.map {
                try UnvisitedProviders.entry(.oidc, in: folder, id: $0, issuer: "https://\($0).example.org")
            }
            try await TestDeployment.open(settings: UnvisitedProviders.settings(in: folder, entries: entries)) {
                let browser = $0.browser()
                let page = try await Self.signInPage($0, in: browser)
                #expect(try Self.targets(page) == ids.map { "/sign-in/with/\($0)" } + ["/sign-in"])
                let parts = page.text.components(separatedBy: "<details class=\"more\">")
                #expect(parts.count == (folded == 0 ? 1 : 2), "\(count)")
                guard folded > 0 else { return }
                #expect(parts[1].hasPrefix("\n<summary>More ways to sign in</summary>"))
                let inside = parts[1].components(separatedBy: "</details>")[0]
                #expect(inside.components(separatedBy: "<button").count - 1 == folded)
                // What was used last is never folded.
                let last = try #require(ids.last)
                browser.setCookie("idp_last_method", to: last, at: "localhost")
                let again = try await Self.signInPage($0, in: browser)
                #expect(try Self.targets(again).first == "/sign-in/with/\(last)")
            }
            withExtendedLifetime(folder) {}
        }
    }

    @Test("the provider of the last sign-in in this browser comes first and says so, after a sign-out too")
    func lastProvider() async throws {
        try await ProviderDeployment.open([.oidc, .github]) { place in
            let (deployment, browser) = (place.deployment, place.deployment.browser())
            #expect(try await place.signIn(.github, in: browser).token().hasPrefix("sst_"))
            #expect(Self.lastMethod(browser) == "github")
            try await browser.signOut(of: deployment)
            let visit = try await Self.signInPage(deployment, in: browser)
            #expect(try Self.targets(visit) == ["/sign-in/with/github", "/sign-in/with/work", "/sign-in"])
            #expect(visit.text.components(separatedBy: "Last used").count == 2)
            let button = try visit.page().tags.first { $0.name == "button" }
            #expect(button?["aria-describedby"] == "about-github")
            #expect(visit.text.contains("id=\"about-github\">Last used</p>"))
            let german = try await browser.get(visit.address, [("Accept-Language", "de")])
            #expect(german.text.contains("id=\"about-github\">Zuletzt verwendet</p>"))
            // Other browsers have the order of the file.
            #expect(
                try await Self.targets(Self.signInPage(deployment))
                    == ["/sign-in/with/work", "/sign-in/with/github", "/sign-in"])
        }
    }

    @Test("after a sign-in by email the form for it comes first, with the focus", arguments: TestedMethod.byEmail)
    func lastEmail(method: TestedMethod) async throws {
        let folder = try TemporaryFolder()
        let settings = try UnvisitedProviders.settings(in: folder, [.apple, .google])
        try await TestDeployment.withEveryMethod(settings: settings) { deployment in
            let browser = deployment.browser()
            let done = try await deployment.begin(method, in: browser).prove(in: browser)
            let line = try #require(done.reply.all("set-cookie").first { $0.hasPrefix("idp_last_method=") })
            #expect(line == "idp_last_method=email; Path=/; HttpOnly; SameSite=Lax; Max-Age=15552000")
            try await browser.signOut(of: deployment)
            let visit = try await Self.signInPage(deployment, in: browser)
            #expect(try Self.targets(visit) == ["/sign-in", "/sign-in/with/apple", "/sign-in/with/google"])
            let field = try #require(visit.page().tags.first { $0["id"] == "email" })
            #expect(field["autofocus"] != nil)
            #expect(visit.text.contains("<p class=\"fine below\" id=\"about-email\">Last used</p>"))
        }
        withExtendedLifetime(folder) {}
    }

    /// Also for a provider that the operator has removed: its id is such a word then.
    @Test(
        "a cookie with any other value changes nothing and is not shown",
        arguments: ["removed", "", "APPLE", "apple ", "email2", "<script>", String(repeating: "a", count: 4_000)])
    func unknownValue(value: String) async throws {
        let folder = try TemporaryFolder()
        try await TestDeployment.open(settings: UnvisitedProviders.settings(in: folder, [.apple, .google])) {
            let browser = $0.browser()
            let plain = try await Self.signInPage($0, in: browser)
            browser.setCookie("idp_last_method", to: value, at: "localhost")
            let visit = try await Self.signInPage($0, in: browser)
            #expect(try Self.targets(visit) == ["/sign-in/with/apple", "/sign-in/with/google", "/sign-in"])
            #expect(visit.status == 200 && !visit.text.contains("Last used"))
            #expect(Self.withoutTokens(visit) == Self.withoutTokens(plain))
        }
        withExtendedLifetime(folder) {}
    }

    @Test("without providers the page is the form alone, with the focus, whatever the cookie says")
    func withoutProviders() async throws {
        try await TestDeployment.open { deployment in
            let browser = deployment.browser()
            let plain = try await Self.signInPage(deployment, in: browser)
            #expect(try Self.targets(plain) == ["/sign-in"])
            // Beside the part for passkeys, which a script shows.
            #expect(
                plain.text.split(separator: "class=\"or\"").count == 2 && !plain.text.contains("class=\"providers\""))
            let field = try #require(plain.page().tags.first { $0["id"] == "email" })
            #expect(field["autofocus"] != nil)
            for value in ["email", "apple"] {
                browser.setCookie("idp_last_method", to: value, at: "localhost")
                let visit = try await Self.signInPage(deployment, in: browser)
                #expect(Self.withoutTokens(visit) == Self.withoutTokens(plain), "\(value)")
            }
        }
    }

    /// Form tokens and challenges differ from page to page.
    private static func withoutTokens(_ visit: Visit) -> [Substring] {
        visit.text.split(separator: "\n").filter {
            !$0.contains("name=\"form_token\"") && !$0.contains("data-passkey-options")
        }
    }

    @Test("an address with a mistake comes back at the top, with the focus")
    func error() async throws {
        let folder = try TemporaryFolder()
        try await TestDeployment.open(settings: UnvisitedProviders.settings(in: folder, [.apple])) { deployment in
            let browser = deployment.browser()
            browser.setCookie("idp_last_method", to: "apple", at: "localhost")
            let form = try await Self.signInPage(deployment, in: browser)
            let again = try await browser.submit(form.page().form(with: "email"), on: form, ["email": "ann"])
            #expect(again.status == 422)
            #expect(try Self.targets(again) == ["/sign-in", "/sign-in/with/apple"])
            #expect(try again.page().tags.first { $0["id"] == "email" }?["autofocus"] != nil)
        }
        withExtendedLifetime(folder) {}
    }

    @Test(
        "only a success is remembered: no attempt, wrong code, cancelled or refused answer says anything of an account")
    func noSuccess() async throws {
        try await ProviderDeployment.open { place in
            let (deployment, standIn) = (place.deployment, try place.standIn(.oidc))
            _ = try await deployment.knownBrowser(of: "known@example.com")
            for address in ["known@example.com", "new@example.com"] {
                let browser = deployment.browser()
                let asking = try await deployment.asking(address, by: browser)
                _ = try await asking.guess(asking.wrong)
                #expect(Self.lastMethod(browser) == nil, "\(address)")
                deployment.clock.advance(by: .seconds(61))
            }
            for (email, isVerified, isAllowed) in [
                ("known@example.com", true, true), ("new@example.com", false, true),
                ("new@elsewhere.example", true, true),
                ("new@example.com", true, false),
            ] {
                standIn.user = .init(email: email, emailVerified: isVerified)
                let browser = deployment.browser()
                let page = try await Self.signInPage(deployment, in: browser)
                let answer = try await standIn.visit(from: page, in: browser, isAllowed: isAllowed)
                #expect(try await browser.follow(browser.bring(answer)).status < 500)
                #expect(Self.lastMethod(browser) == nil, "\(email)")
            }
            #expect(try await deployment.signedInSessions() == 0)
        }
    }
}
