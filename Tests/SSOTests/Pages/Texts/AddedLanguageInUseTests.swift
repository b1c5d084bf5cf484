import SSOShared
import Testing

@testable import IdPAccounts
@testable import IdPOperations
@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

@Suite("An added language in use", .program)
struct AddedLanguageInUseTests {
    private static let settings = ["IDP_LANGUAGES_DIR": ShippedLanguages.folder]

    @Test(
        "is that of pages, emails and the account of a user whose browser asks for it, and on the switch of every page")
    func french() async throws {
        try await TestDeployment.open(settings: Self.settings) { deployment in
            let browser = deployment.browser(language: "fr-CH, en;q=0.5")
            let form = try await browser.beginSignIn(at: deployment.client)
            #expect(form.reply.header("content-language") == "fr")
            #expect(
                form.text.contains("<html lang=\"fr\">") && form.text.contains("M’envoyer un code par e\u{2011}mail"))
            let links = try form.page().tags.filter { $0.name == "a" && $0["hreflang"] != nil }.map { $0["hreflang"] }
            #expect(links == ["en", "de", "es"] && form.text.contains(">Español</a>"))
            let waiting = try await browser.ask(for: "ann@example.com", on: form)
            #expect(waiting.text.contains("Consultez vos e\u{2011}mails"))
            let email = try await deployment.mailbox.email(to: "ann@example.com")
            #expect(email.header("content-language") == "fr")
            #expect(email.text.decodingQuotedPrintable().contains("Votre code pour vous connecter à"))
            let complete = try await browser.enter(#require(email.code), on: waiting)
            #expect(complete.text.contains("Authentification terminée"))
            #expect(try await deployment.listed("ann@example.com")?.account.language?.rawValue == "fr")
            let lost = try await browser.get(deployment.origin + "/nowhere")
            #expect(lost.reply.header("content-language") == "fr" && lost.text.contains("Page introuvable"))
            // The user's own choice counts before the browser's.
            let href = try #require(try form.page().tags.first { $0["hreflang"] == "es" }?["href"])
            let spanish = try await browser.follow(browser.click(href, on: form))
            #expect(spanish.reply.header("content-language") == "es")
            #expect(try await browser.get(deployment.origin + "/nowhere").text.contains("Página no encontrada"))
        }
    }

    @Test("can be asked for by a client, is announced to it, and is in the ID token's locale by its tag")
    func clients() async throws {
        try await TestDeployment.open(settings: Self.settings) { deployment in
            let document = try await deployment.browser().get(deployment.origin + "/.well-known/openid-configuration")
            #expect(document.text.contains(#""ui_locales_supported":["en","de","es","fr"]"#))
            let asked = try await deployment.browser().get(
                "\(deployment.origin)/oidc/authorize?client_id=nobody&ui_locales=xx%20fr-CA%20de")
            #expect(asked.reply.header("content-language") == "fr")
        }
    }

    @Test(
        "that is gone or broken at the next start leaves pages and emails of its users in English, and the program starts"
    )
    func gone() async throws {
        let broken = try LanguageFolder(["fr/a.json": "{\"sign-in.title\": \"Se conn"])
        try await TestDeployment.open(settings: Self.settings) { deployment in
            let french = try await deployment.asking("ann@example.com", by: deployment.browser(language: "fr"))
            #expect(try await french.guess(french.code).status == 303)
            for folder in [broken.path, "/nowhere"] {
                try await deployment.withSecondIdP(settings: ["IDP_LANGUAGES_DIR": folder]) { second in
                    let browser = second.browser(language: "fr")
                    let form = try await browser.get(second.origin + "/sign-in")
                    #expect(form.status == 200 && form.reply.header("content-language") == "en")
                    #expect(try await second.listed("ann@example.com")?.account.language?.rawValue == "fr")
                }
            }
            let reader = SettingsFixture.read(.idp, ["IDP_LANGUAGES_DIR": broken.path])
            #expect(reader.problems == [])
            #expect(
                reader.warnings.contains { $0.hasPrefix("IDP_LANGUAGES_DIR: fr: a.json, line 1: ") },
                "\(reader.warnings)")
        }
    }

    @Test("is what idp check names, with every text that it lacks")
    func check() async throws {
        let folder = try LanguageFolder([
            "fr/language.json": #"{"name": "Français"}"#, "fr/a.json": #"{"sign-in.title": "A"}"#,
        ])
        let reader = SettingsFixture.read(.idp, ["IDP_LANGUAGES_DIR": folder.path])
        let short = try #require(reader.lines.first { $0.name == "language fr" }?.shown)
        #expect(short.hasPrefix("Français: 1 text, ") && short.hasSuffix(" more are shown in English"))
        #expect(!reader.lines.contains { $0.name == "language fr lacks" }, "a start has no line of a thousand keys")
        await reader.runChecks()
        let long = try #require(reader.lines.first { $0.name == "language fr lacks" }?.shown)
        #expect(long.contains("mail.intro") && long.contains("code.tries-left.one") && !long.contains("sign-in.title,"))
    }
}
