import Foundation
import Testing

@testable import IdPServer
@testable import RelyingParty
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit

@Suite("The catalogue of texts", .program)
struct CatalogueTests {
    private static func catalogue(_ english: String, _ german: String? = nil) throws -> Catalogue {
        try Catalogue([[.english: [Array(english.utf8)], .german: [Array((german ?? english).utf8)]]])
    }

    /// What an operator or developer reads when a catalogue is refused.
    private static func problem(_ english: String, _ german: String? = nil) -> String? {
        do {
            _ = try catalogue(english, german)
            return nil
        } catch { return "\(error)" }
    }

    // MARK: - The files

    @Test(
        "both languages of both programs have the same keys and the same placeholders",
        arguments: try TextSources.textFolders())
    func languagesAgree(folder: String) throws {
        var keys: [String: [String: Set<TextPattern.Piece>]] = [:]
        for language in Language.builtIn {
            let url = TestVectors.repository.appending(path: "\(folder)/\(language.rawValue).json")
            let file = try JSONReader.readStrictly(Array(try Data(contentsOf: url))).object
            var texts: [String: Set<TextPattern.Piece>] = [:]
            for member in try #require(file) {
                let text = try #require(member.value.string, "\(member.key)")
                texts[member.key] = try #require(TextPattern(text), "\(member.key)").placeholders
                #expect(text == text.trimmingCharacters(in: .whitespacesAndNewlines), "\(member.key)")
            }
            keys[language.rawValue] = texts
            for key in texts.keys where key.hasSuffix(".one") {
                #expect(texts[key.dropLast(3) + "other"]?.contains(.value("count")) == true, "\(key)")
            }
        }
        let english = try #require(keys["en"])
        #expect(english.count > 3)
        for texts in keys.values { #expect(texts == english) }
    }

    @Test(
        "the German texts use the polite form",
        arguments: (IdPPages.files + RelyingPartyPages.files).map(\.texts).filter { !$0.isEmpty })
    func politeForm(texts: [Language: [[UInt8]]]) throws {
        let german = String(decoding: try #require(texts[.german]).joined(), as: UTF8.self).lowercased()
        #expect(german.firstMatch(of: #/\b(?:du|dich|dir|dein[a-z]*|euch|euer)\b/#) == nil)
    }

    @Test("both programs can be built with their texts, and no text of a program hides a shared one")
    func programs() throws {
        let shared = try Catalogue([])[.english].placeholders
        for files in [IdPPages.files, RelyingPartyPages.files] {
            let all = try Catalogue(files.map(\.texts))[.english].placeholders
            let own = try files.flatMap { $0.texts[.english] ?? [] }.map {
                try JSONReader.readStrictly($0).object?.count ?? 0
            }
            #expect(all.count == shared.count + own.reduce(0, +))
        }
    }

    // MARK: - What is refused at start

    @Test("a text that one language lacks is refused, and the error names it")
    func missingKey() throws {
        let missing = try #require(Self.problem(#"{"a.title": "A", "b": "B"}"#, #"{"a.title": "A"}"#))
        #expect(missing.contains("language de") && missing.contains("\"b\""))
        let added = try #require(Self.problem(#"{"a": "A"}"#, #"{"a": "A", "c": "C"}"#))
        #expect(added.contains("language de") && added.contains("\"c\""))
        #expect(throws: CatalogueError.self) { _ = try Catalogue([[.english: [Array(#"{"a": "A"}"#.utf8)]]]) }
    }

    @Test("a text that two files of a program have is refused, and the error names it")
    func sameKeyTwice() throws {
        let (first, second) = (Array(#"{"a": "A"}"#.utf8), Array(#"{"b": "B", "a": "A"}"#.utf8))
        func parts(_ files: [UInt8]...) -> [Language: [[UInt8]]] { [.english: files, .german: files] }
        for targets in [[parts(first), parts(second)], [parts(first, second)]] {
            let error = #expect(throws: CatalogueError.self) { _ = try Catalogue(targets) }
            #expect(error.map { "\($0)".contains("\"a\"") } == true)
        }
        let other = Array(#"{"b": "B"}"#.utf8)
        #expect(try Catalogue([parts(first, other)])[.german].placeholders.keys.contains("b"))
    }

    @Test("a template that two targets of a program have is refused, and the error names it")
    func sameTemplateTwice() {
        let files = PageFiles(templates: ["my-page": Array("<p></p>".utf8)], texts: [:])
        let error = #expect(throws: TemplateError.self) {
            _ = try Pages(brand: Brand(name: "B"), files: [files, files], assets: StaticAssets([:]))
        }
        #expect(error?.description.contains("my-page") == true)
    }

    @Test(
        "a text with other placeholders than in English is refused, and the error names it",
        arguments: ["Hi {nam}", "Hi", "Hi {name} {email}"])
    func otherPlaceholders(german: String) throws {
        let problem = try #require(Self.problem(#"{"a": "Hi {name}"}"#, #"{"a": "\#(german)"}"#))
        #expect(problem.contains("language de") && problem.contains("\"a\"") && problem.contains("placeholders"))
    }

    @Test(
        "a file that is not an object of texts is refused, and the error names the language",
        arguments: [
            "", "{", "[]", "null", "\"a\"", #"{"a": 1}"#, #"{"a": ""}"#, #"{"a": null}"#, #"{"a": {"b": "c"}}"#,
            #"{"a": "A", "a": "B"}"#, #"{"a": "A",}"#, #"{"a": "{"}"#, #"{"a": "}"}"#, #"{"a": "{}"}"#,
            #"{"a": "{a b}"}"#, #"{"a": "{{a}}"}"#, #"{"a": "{a, date}"}"#, #"{"a": "{a, time, b}"}"#,
            #"{"a": "{a1}"}"#,
        ])
    func malformed(file: String) throws {
        let problem = try #require(Self.problem(#"{"a": "A"}"#, file))
        #expect(problem.hasPrefix("The texts in the language de: "))
        #expect(problem.utf8.count > 40)
    }

    @Test(
        "a template with an unknown text is refused, and the error names both",
        arguments: ["<p>[[no.such]]</p>", "<title>[[=no.such]]</title>", "{{#a}}[[no.such]]{{/a}}", "<p>[[no.such</p>"])
    func unknownText(template: String) async {
        let error = await #expect(throws: TemplateError.self) {
            try await Pages(
                brand: Brand(name: "B"), files: [PageFiles(templates: ["my-page": Array(template.utf8)], texts: [:])],
                assets: StaticAssets([:])
            ).readTemplates()
        }
        #expect(error?.description.contains("my-page") == true)
        #expect(error?.description.contains(template.contains("]]") ? "\"no.such\"" : "[[") == true)
    }

    // MARK: - Words

    @Test("a number decides between singular and plural, in both languages")
    func plural() throws {
        let catalogue = try Catalogue([])
        for (seconds, english, german) in [
            (0, "1 second", "1 Sekunde"), (1, "1 second", "1 Sekunde"), (2, "2 seconds", "2 Sekunden"),
            (90, "90 seconds", "90 Sekunden"), (91, "2 minutes", "2 Minuten"), (5400, "90 minutes", "90 Minuten"),
            (5401, "2 hours", "2 Stunden"),
        ] {
            let span = Text.span(.seconds(seconds))
            #expect(catalogue[.english].plain(span) == english && catalogue[.german].plain(span) == german)
        }
        #expect(catalogue[.english].plain(.span(.milliseconds(1001))) == "2 seconds", "never announced too short")
        #expect(catalogue[.english].plain(.span(.seconds(-5))) == "1 second")
    }

    @Test("in HTML text and values are escaped, each value is in a <bdi>, and a text in a text is not")
    func html() throws {
        let texts = try Self.catalogue(#"{"a": "Hi & {name}: {inner}", "b": "<{value}>"}"#)[.english]
        let text = Text("a", ["name": "<b>\"Ann\"</b>'&", "inner": Text("b", ["value": "x{name}"])])
        #expect(
            texts.html(text)
                == "Hi &amp; <span class=\"unit\"><bdi>&lt;b&gt;&quot;Ann&quot;&lt;/b&gt;&#39;&amp;</bdi>:</span> &lt;<bdi>x{name}</bdi>&gt;"
        )
        #expect(texts.plain(text) == "Hi & <b>\"Ann\"</b>'&: <x{name}>")
    }

    @Test("an address and a spelled-out code are marked for programs that translate pages, a name is not")
    func untranslated() throws {
        let texts = try Self.catalogue(#"{"a": "{name} of {address}, {email}: {spaced}"}"#)[.english]
        let mark = "<bdi translate=\"no\">"
        let text = Text("a", ["name": "Ann", "address": "a@b.example", "email": "c@d.example", "spaced": "1 2"])
        #expect(
            texts.html(text)
                == "<bdi>Ann</bdi> of <span class=\"unit\">\(mark)a@b.example</bdi>,</span> "
                + "<span class=\"unit\">\(mark)c@d.example</bdi>:</span> \(mark)1 2</bdi>")
        #expect(
            texts.template("a", in: .html)
                == "<bdi>{{name}}</bdi> of <span class=\"unit\">\(mark){{address}}</bdi>,</span> "
                + "<span class=\"unit\">\(mark){{email}}</bdi>:</span> \(mark){{spaced}}</bdi>")
    }

    @Test("in a template a value is escaped once, and a moment becomes a <time> with the text in UTC")
    func template() throws {
        let file = Array(#"{"a": "Hi <{name}> since {since, time}, at {brand}"}"#.utf8)
        let pages = try Pages(
            brand: Brand(name: "B & Co"),
            files: [
                PageFiles(
                    templates: ["test": Array(#"<p title="[[=a]]">[[a]]</p>"#.utf8)],
                    texts: [.english: [file], .german: [file]])
            ],
            assets: StaticAssets([:]))
        struct Model: Encodable, Sendable {
            let name: String
            let since: Moment
        }
        let texts = pages.texts(in: .german)
        let since = texts.moment(Timestamp(milliseconds: 1_795_296_180_000))
        #expect(
            pages.text("test", Model(name: "\"Ann\"", since: since), in: .german) == """
                <p title="Hi &lt;&quot;Ann&quot;&gt; since 21. November 2026 um 21:23 UTC, at B &amp; Co">\
                Hi &lt;<bdi>&quot;Ann&quot;</bdi>&gt; since <span class="unit"><time datetime="2026-11-21T21:23:00.000Z">\
                21. November 2026 um 21:23 UTC</time>,</span> at <bdi>B &amp; Co</bdi></p>
                """)
    }

    @Test(
        "outside HTML a value with right-to-left letters is isolated, and any other is not (UAX 9, 2.4.2)",
        arguments: [
            ("שלום", true), ("محمد", true), ("Ann (آن)", true), ("ߒߞߏ", true), ("Ann", false), ("李小龍", false),
            ("Ünï 🧑‍🧒", false), ("", false),
        ])
    func isolation(name: String, isIsolated: Bool) throws {
        let texts = try Self.catalogue(#"{"a": "Hi {name}!"}"#)[.english]
        let expected = isIsolated ? "Hi \u{2068}\(name)\u{2069}!" : "Hi \(name)!"
        #expect(texts.plain(Text("a", ["name": name])) == expected)
        #expect(texts.html(Text("a", ["name": name])) == "Hi <span class=\"unit\"><bdi>\(name)</bdi>!</span>")
    }
}
