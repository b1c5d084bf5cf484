import Foundation
import SSOShared
import Testing

@testable import IdPServer
@testable import IdPTestKit
@testable import SSOWeb
@testable import TestKit

/// A folder of languages for a test.
struct LanguageFolder {
    let folder: TemporaryFolder
    var path: String { folder.path(of: "languages") }

    /// - Parameter files: by their path in the folder, such as `fr/web.json`.
    init(_ files: [String: String]) throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        for (name, text) in files { try write(Data(text.utf8), to: name) }
    }

    func write(_ data: Data, to name: String) throws {
        let url = URL(fileURLWithPath: path).appending(path: name)
        try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: url)
    }

    func added() throws -> AddedLanguages {
        AddedLanguages(folder: path, beside: try Catalogue(IdPPages.files.map(\.texts)))
    }

    func catalogue() throws -> Catalogue {
        try Catalogue(IdPPages.files.map(\.texts), values: ["brand": "B"], adding: added())
    }
}

@Suite("Languages that an operator adds", .program)
struct AddedLanguageTests {
    private static let french = Language(rawValue: "fr") ?? .english
    private static let name = #"{"name": "Français"}"#

    // MARK: - What is taken

    @Test("texts of a folder stand in place of the English ones, and the others stay English")
    func fallback() throws {
        let folder = try LanguageFolder([
            "fr/language.json": Self.name, "fr/a.json": #"{"sign-in.title": "Se connecter"}"#,
            "fr/b.json": #"{"mail.intro": "Votre code pour {service} :"}"#, "README.md": "not a language",
            ".git/config": "x", "fr/notes.txt": "x", "fr/.a.json.swp": "x",
        ])
        let (added, catalogue) = (try folder.added(), try folder.catalogue())
        #expect(added.findings == [])
        #expect(catalogue.languages.all.map(\.rawValue) == ["en", "de", "fr"])
        #expect(catalogue.name(of: Self.french) == "Français" && catalogue.name(of: .german) == "Deutsch")
        let texts = catalogue[Self.french]
        #expect(texts.language == Self.french)
        #expect(texts.plain(Text("sign-in.title")) == "Se connecter")
        #expect(texts.plain(Text("mail.intro", ["service": "Wiki"])) == "Votre code pour Wiki :")
        #expect(texts.plain(Text("mail.title")) == "Your code to sign in")
        #expect(catalogue[.english].plain(Text("sign-in.title")) == "Sign in")
        let missing = try #require(added.all.first?.missing)
        #expect(missing.contains("mail.title") && !missing.contains("mail.intro"))
        #expect(added.reports.first?.words == "Français: 2 texts, \(missing.count) more are shown in English")
    }

    @Test("a language without a catalogue has English texts, and emails in it say so")
    func gone() throws {
        let catalogue = try Catalogue(IdPPages.files.map(\.texts))
        #expect(catalogue[Self.french].language == .english)
        #expect(catalogue[Self.french].plain(Text("sign-in.title")) == "Sign in")
    }

    @Test("a text that depends on a number has the forms of its language")
    func plurals() throws {
        let polish = try #require(Language(rawValue: "pl"))
        let keys = #"{"span.minutes.one": "minuta", "span.minutes.few": "{count} minuty", "#
        let folder = try LanguageFolder([
            "pl/language.json": #"{"name": "Polski"}"#,
            "pl/a.json": keys + #""span.minutes.many": "{count} minut", "span.minutes.other": "{count} minuty"}"#,
            "ja/language.json": #"{"name": "日本語"}"#, "ja/a.json": #"{"span.minutes.other": "{count}分"}"#,
            "fr/language.json": Self.name,
            "fr/a.json": #"{"span.minutes.one": "{count} minute", "span.hours.other": "{count} heures"}"#,
        ])
        let (added, catalogue) = (try folder.added(), try folder.catalogue())
        #expect(added.findings == [])
        for (count, text) in [(1, "minuta"), (2, "2 minuty"), (5, "5 minut"), (22, "22 minuty"), (112, "112 minut")] {
            #expect(catalogue[polish].plain(Text("span.minutes", count: count)) == text)
        }
        let japanese = try #require(Language(rawValue: "ja"))
        for count in [1, 2] { #expect(catalogue[japanese].plain(Text("span.minutes", count: count)) == "\(count)分") }
        // Without its general form a text is English, in the form that English has.
        let texts = catalogue[Self.french]
        #expect(texts.plain(Text("span.minutes", count: 0)) == "0 minutes")
        #expect(texts.plain(Text("span.minutes", count: 1)) == "1 minute")
        #expect(texts.plain(Text("span.hours", count: 1)) == "1 heures")
        let missing = try Dictionary(
            uniqueKeysWithValues: folder.added().all.map { ($0.language.rawValue, $0.missing) })
        #expect(
            missing["pl"]?.contains("span.hours.few") == true && missing["pl"]?.contains("span.minutes.few") == false)
        #expect(
            missing["ja"]?.contains("span.hours.one") == false && missing["ja"]?.contains("span.hours.other") == true)
        #expect(missing["fr"]?.contains("span.hours.one") == true)
    }

    @Test("a folder with the tag of a built-in language changes its words one by one")
    func overriding() throws {
        let folder = try LanguageFolder([
            "de/a.json": #"{"sign-in.title": "Einloggen", "span.hours.one": "eine Stunde"}"#
        ])
        let added = try folder.added()
        #expect(added.findings == [])
        let catalogue = try folder.catalogue()
        #expect(catalogue.languages.all == Language.builtIn && catalogue.name(of: .german) == "Deutsch")
        #expect(catalogue[.german].plain(Text("sign-in.title")) == "Einloggen")
        #expect(catalogue[.german].plain(Text("span.hours", count: 1)) == "eine Stunde")
        #expect(catalogue[.german].plain(Text("span.hours", count: 3)) == "3 Stunden")
        #expect(added.reports.first?.words == "de: 2 texts in place of the built-in ones")
    }

    // MARK: - What is left out

    static let faults: [(file: String, content: String, finding: String)] = [
        ("french/a.json", "{}", "french: is no language tag. Name the folder as BCP 47 does: fr, pt-BR, zh-Hant."),
        ("FR/a.json", "{}", "FR: is no language tag."), ("pt_BR/a.json", "{}", "pt_BR: is no language tag."),
        ("fr/b.json", "", "fr: b.json, line 1: "), ("fr/b.json", "{\n{", "fr: b.json, line 2: "),
        ("fr/b.json", "[]", "must be one JSON object"),
        ("fr/b.json", "\u{feff}{}", "fr: b.json, line 1: "), ("fr/b.json", #"{"a": "A",}"#, "fr: b.json, line 1: "),
        ("fr/b.json", #"{"mail.title": "A", "mail.title": "B"}"#, "fr: b.json, line 1: "),
        ("fr/b.json", #"{"no.such": "A"}"#, #"fr: b.json: "no.such" is no key of a text. Remove it."#),
        ("fr/b.json", #"{"span.hours.few": "{count}"}"#, #""span.hours.few" is no key of a text."#),
        ("fr/b.json", #"{"sign-in.title": "Encore"}"#, #""sign-in.title" is in another file, too. Keep one."#),
        ("fr/b.json", #"{"mail.title": 1}"#, "must be a text"), ("fr/b.json", #"{"mail.title": ""}"#, "must be a text"),
        ("fr/b.json", #"{"mail.title": null}"#, "must be a text"),
        ("fr/b.json", #"{"mail.title": "a\nb"}"#, "on one line"),
        ("fr/b.json", #"{"mail.title": "a\u0001b"}"#, "on one line"),
        ("fr/b.json", #"{"mail.title": "a\u0085b"}"#, "on one line"),
        ("fr/b.json", #"{"mail.title": "{"}"#, "must be a text"),
        ("fr/b.json", #"{"mail.title": "{{brand}}"}"#, "must be a text"),
        ("fr/b.json", #"{"mail.title": "{{{code}}}"}"#, "must be a text"),
        ("fr/b.json", #"{"mail.title": "\#(String(repeating: "a", count: 2049))"}"#, "1 to 2048 bytes"),
        (
            "fr/b.json", #"{"mail.intro": "Votre code :"}"#,
            #"fr: b.json: "mail.intro" must have the placeholders of the English text: {service}. It is shown in English."#
        ),
        ("fr/b.json", #"{"mail.intro": "Votre code {servic}"}"#, "English text: {service}."),
        ("fr/b.json", #"{"mail.intro": "{service} {brand}"}"#, "English text: {service}."),
        ("fr/b.json", #"{"mail.title": "Votre code {code}"}"#, "English text: none."),
        // A moment is no value: it would be missing.
        ("fr/b.json", #"{"invitation.mail.until": "jusqu’au {time}"}"#, "English text: {time, time}."),
        ("fr/b.json", #"{"passkeys.since": "{since, time}"}"#, "English text: {since, ago}."),
        // One form stands for two numbers, and words for one of them would be wrong for the other.
        ("fr/b.json", #"{"span.hours.one": "une heure"}"#, "English text: {count}."),
        ("fr/language.json", "{}", "fr: language.json: is missing, or has no \"name\" of 1 to 40 characters."),
        ("fr/language.json", #"{"name": "\u202eçnarF"}"#, "language.json: is missing, or has no"),
        ("fr/language.json", #"{"name": "\#(String(repeating: "F", count: 41))"}"#, "1 to 40 characters"),
        ("it/language.json", #"{"name": "Italiano"}"#, "it: has no texts, and is not offered."),
        ("tlh/b.json", #"{"mail.title": "ngoq"}"#, "tlh: the table of plural rules does not have this language."),
    ]

    @Test(
        "what cannot be used is left out with one line that says where and what to do, and the rest counts",
        arguments: faults)
    func faulty(file: String, content: String, finding: String) throws {
        var files = ["fr/language.json": Self.name, "fr/a.json": #"{"sign-in.title": "Se connecter"}"#]
        files[file] = content
        let folder = try LanguageFolder(files)
        let findings = try folder.added().findings
        #expect(findings.contains { $0.contains(finding) }, "\(findings)")
        let catalogue = try folder.catalogue()
        #expect(catalogue[Self.french].plain(Text("sign-in.title")) == "Se connecter")
        #expect(catalogue[Self.french].plain(Text("mail.title")) == "Your code to sign in")
        let intro = catalogue[Self.french].plain(Text("mail.intro", ["service": "Wiki"]))
        #expect(intro == "Your code to sign in to Wiki:")
        let reader = SettingsFixture.read(.idp, ["IDP_LANGUAGES_DIR": folder.path])
        #expect(reader.problems == [])
        #expect(reader.warnings.contains { $0.hasPrefix("IDP_LANGUAGES_DIR: ") && $0.contains(finding) })
    }

    @Test("a file that is not UTF-8, is too large, or cannot be read is left out")
    func files() throws {
        let folder = try LanguageFolder([
            "fr/language.json": Self.name, "fr/a.json": #"{"sign-in.title": "Se connecter"}"#,
            "fr/large.json": "{\"mail.title\": \"A\"}" + String(repeating: " ", count: 600 << 10),
        ])
        try folder.write(Data([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x22, 0x61, 0x22, 0x7d]), to: "fr/latin.json")
        try FileManager.default.createDirectory(
            atPath: folder.path + "/fr/folder.json", withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/fr/gone.json", withDestinationPath: "/nowhere.json")
        #expect(mkfifo(folder.path + "/fr/pipe.json", 0o600) == 0)
        let added = try folder.added()
        for (file, words) in [
            ("large", "is larger than 512 KiB"), ("latin", "None of its texts is used."), ("folder", "cannot be read"),
            ("gone", "cannot be read"),
            ("pipe", "cannot be read"),
        ] { #expect(added.findings.contains { $0.hasPrefix("fr: \(file).json") && $0.contains(words) }, "\(file)") }
        #expect(added.findings.count == 5)
        #expect(try folder.catalogue()[Self.french].plain(Text("sign-in.title")) == "Se connecter")
    }

    @Test(
        "a folder that is not there is a warning, and the program has its own languages",
        arguments: ["/nowhere", "/dev/null", ""])
    func noFolder(path: String) throws {
        let added = AddedLanguages(folder: path, beside: try Catalogue([]))
        #expect(added.all.isEmpty && added.findings.count == 1)
        let reader = SettingsFixture.read(.idp, ["IDP_LANGUAGES_DIR": path])
        #expect(reader.problems == [])
        #expect(
            path.isEmpty || reader.warnings.contains { $0.hasPrefix("IDP_LANGUAGES_DIR: \"\(path)\" cannot be read.") })
    }

    @Test("thousands of faults are fifty lines and a count, and the program starts")
    func flood() throws {
        let keys = (0..<2_000).map { "\"no.such-\($0)\": \"x\"" }.joined(separator: ",")
        let folder = try LanguageFolder(["fr/language.json": Self.name, "fr/a.json": "{\(keys)}"])
        let reader = SettingsFixture.read(.idp, ["IDP_LANGUAGES_DIR": folder.path])
        let warnings = reader.warnings.filter { $0.hasPrefix("IDP_LANGUAGES_DIR: ") }
        #expect(reader.problems == [] && warnings.count == 51)
        #expect(warnings.last == "IDP_LANGUAGES_DIR: there are 1951 more. Correct the first ones.")
    }

    @Test("markup in a text is text, between tags and in attributes")
    func markup() throws {
        let text = #"\"><script>alert(1)</script>&amp;'"#
        let folder = try LanguageFolder([
            "fr/language.json": #"{"name": "<b>\"F"}"#,
            "fr/a.json": #"{"sign-in.title": "\#(text)", "foot.languages": "\#(text)", "sign-in.label": "\#(text)"}"#,
        ])
        let brand = Brand(name: "B")
        let pages = try IdPPages.pages(brand, assets: IdPPages.assets(brand), languages: folder.added())
        let test = try Pages(
            brand: brand,
            files: [PageFiles(templates: ["x": Array("<p title=\"[[=foot.languages]]\">[[foot.languages]]</p>".utf8)])],
            catalogue: folder.catalogue(), values: [:], assets: StaticAssets([:]))
        let escaped = "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp;&#39;"
        #expect(test.text("x", [String: String](), in: Self.french) == "<p title=\"\(escaped)\">\(escaped)</p>")
        #expect(pages.languages.all.count == 3)
    }
}
