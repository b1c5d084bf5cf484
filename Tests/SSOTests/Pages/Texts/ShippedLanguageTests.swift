import Foundation
import SSOShared
import Testing

@testable import IdP
@testable import IdPAccounts
@testable import IdPOperations
@testable import IdPTestKit
@testable import RelyingParty
@testable import SSOWeb
@testable import TestKit
@testable import WebTestKit

/// The languages of this repository: those that are built in, and those of the folder languages/.
enum ShippedLanguages {
    static var folder: String { TestVectors.repository.appending(path: "languages").path }

    static func added() throws -> AddedLanguages {
        AddedLanguages(folder: folder, beside: try Catalogue(IdPPages.files.map(\.texts)))
    }

    static func tags() throws -> [String] {
        Language.builtIn.map(\.rawValue) + (try added().all.map(\.language.rawValue))
    }
}

@Suite("The languages that come with the program", .program)
struct ShippedLanguageTests {
    @Test("are English and German, and as catalogues Spanish and French, which have every text with its placeholders")
    func complete() throws {
        let added = try ShippedLanguages.added()
        #expect(added.findings == [])
        #expect(added.all.map(\.language.rawValue) == ["es", "fr"])
        for language in added.all { #expect(language.missing == [], "\(language.language.rawValue) lacks texts") }
    }

    @Test("address users politely, and no text begins or ends with a blank")
    func manners() throws {
        let forms = [
            "fr": #/\b(?:tu|toi|ton|ta|tes|tien|tienne)\b/#,
            "es": #/\b(?:tú|tu|tus|te|ti|contigo|vosotros|vuestr[oa]s?)\b/#,
        ]
        for language in try ShippedLanguages.added().all {
            let form = try #require(forms[language.language.rawValue])
            for (key, pattern) in language.patterns {
                for case .literal(let words) in pattern.pieces {
                    #expect(words.lowercased().firstMatch(of: form) == nil, "\(key): \(words)")
                }
                if case .literal(let first) = pattern.pieces.first { #expect(!first.hasPrefix(" "), "\(key)") }
                if case .literal(let last) = pattern.pieces.last { #expect(!last.hasSuffix(" "), "\(key)") }
            }
        }
    }

    @Test("say in a file that no native reader has read them yet", arguments: ["es", "fr"])
    func review(tag: String) throws {
        let url = URL(fileURLWithPath: ShippedLanguages.folder).appending(path: "\(tag)/language.json")
        let file = try JSONReader.readStrictly(Array(try Data(contentsOf: url))).object
        #expect(file?.first { $0.key == "review" }?.value.string == "not yet read by a native reader")
    }

    @Test("write dates and spans as their readers do")
    func dates() throws {
        let catalogue = try Catalogue([], adding: ShippedLanguages.added())
        for (tag, first, other, span) in [
            ("fr", "1er novembre 2026 à 21:23 UTC", "21 novembre 2026 à 21:23 UTC", "il y a 2 heures"),
            ("es", "1 de noviembre de 2026 a las 21:23 UTC", "21 de noviembre de 2026 a las 21:23 UTC", "hace 2 horas"),
        ] {
            let texts = catalogue[try #require(Language(rawValue: tag))]
            let day = Timestamp(milliseconds: 1_795_296_180_000)
            #expect(texts.moment(day - .days(20)).text == first && texts.moment(day).text == other)
            #expect(texts.moment(day, now: day + .minutes(130)).ago == span)
            #expect(texts.moment(day, now: day + .days(50)).ago.contains("21"))
        }
    }
}

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
            #expect(form.text.contains("<html lang=\"fr\">") && form.text.contains("M’envoyer un code par e-mail"))
            let links = try form.page().tags.filter { $0.name == "a" && $0["hreflang"] != nil }.map { $0["hreflang"] }
            #expect(links == ["en", "de", "es"] && form.text.contains(">Español</a>"))
            let waiting = try await browser.ask(for: "ann@example.com", on: form)
            #expect(waiting.text.contains("Consultez vos e-mails"))
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
            #expect(reader.warnings.contains { $0.hasPrefix("IDP_LANGUAGES_DIR: fr: a.json: ") }, "\(reader.warnings)")
        }
    }

    @Test("is what idp check names, with every text that it lacks")
    func check() async throws {
        let folder = try LanguageFolder([
            "fr/language.json": #"{"name": "Français"}"#, "fr/a.json": #"{"sign-in.title": "A"}"#,
        ])
        let reader = SettingsFixture.read(.idp, ["IDP_LANGUAGES_DIR": folder.path])
        let short = try #require(reader.lines.first { $0.name == "language fr" }?.shown)
        #expect(short.hasPrefix("Français: 1 texts, ") && short.hasSuffix(" more are shown in English"))
        #expect(!reader.lines.contains { $0.name == "language fr lacks" }, "a start has no line of a thousand keys")
        await reader.runChecks()
        let long = try #require(reader.lines.first { $0.name == "language fr lacks" }?.shown)
        #expect(long.contains("mail.intro") && long.contains("code.tries-left.one") && !long.contains("sign-in.title,"))
    }
}
