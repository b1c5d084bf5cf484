import Testing

@testable import SSOWeb
@testable import TestKit

/// Source of the numbers: the examples of Unicode CLDR 46, "Language Plural Rules".
@Suite("The table of languages", .rules)
struct LanguageRulesTests {
    typealias Form = LanguageRules.Form

    private static func rules(_ tag: String) throws -> LanguageRules {
        LanguageRules(try #require(Language(rawValue: tag)))
    }

    static let vectors: [(tags: [String], forms: [Form: [Int]])] = [
        (["ja", "zh-Hant", "ko", "vi", "th", "id"], [.other: [0, 1, 2, 5, 11, 100]]),
        (
            ["en", "de", "es", "it", "nl", "sv", "hu", "tr", "el", "pt-PT", "bg", "fi", "et", "ca"],
            [.one: [1], .other: [0, 2, 11, 21, 100, 101]]
        ),
        (["fr", "fr-CA", "pt", "pt-BR", "hi", "hy", "fa"], [.one: [0, 1], .other: [2, 11, 21, 100, 101]]),
        (
            ["ru", "uk", "be"],
            [.one: [1, 21, 31, 101], .few: [2, 3, 4, 22, 24, 102], .many: [0, 5, 11, 12, 14, 19, 25, 100, 111, 112]]
        ),
        (
            ["sr", "sr-Latn", "hr", "bs"],
            [.one: [1, 21, 101], .few: [2, 4, 22, 102], .other: [0, 5, 11, 12, 14, 19, 111]]
        ),
        (["pl"], [.one: [1], .few: [2, 3, 4, 22, 24, 102], .many: [0, 5, 11, 12, 14, 21, 25, 112]]),
        (["cs", "sk"], [.one: [1], .few: [2, 3, 4], .other: [0, 5, 11, 22, 101]]),
        (["sl"], [.one: [1, 101], .two: [2, 102], .few: [3, 4, 103], .other: [0, 5, 11, 100]]),
        (["lt"], [.one: [1, 21, 101], .few: [2, 9, 22, 102], .other: [0, 10, 11, 19, 20, 111, 112]]),
        (["lv"], [.zero: [0, 10, 11, 19, 20, 100, 111], .one: [1, 21, 101], .other: [2, 9, 22, 102]]),
        (["ro"], [.one: [1], .few: [0, 2, 19, 101, 119], .other: [20, 35, 100, 120]]),
        (["is", "mk"], [.one: [1, 21, 101], .other: [0, 2, 11, 111]]),
        (["he"], [.one: [1], .two: [2], .other: [0, 3, 11, 100]]),
        (
            ["ar"],
            [
                .zero: [0], .one: [1], .two: [2], .few: [3, 10, 103, 110], .many: [11, 26, 99, 111],
                .other: [100, 101, 102],
            ]
        ),
        (["cy"], [.zero: [0], .one: [1], .two: [2], .few: [3], .many: [6], .other: [4, 5, 7, 20, 100]]),
        (["ga"], [.one: [1], .two: [2], .few: [3, 6], .many: [7, 10], .other: [0, 11, 20, 101]]),
        (["mt"], [.one: [1], .two: [2], .few: [0, 3, 10, 103], .many: [11, 19, 111], .other: [20, 100, 101]]),
        (["fil"], [.one: [0, 1, 2, 3, 5, 7, 8, 10, 11], .other: [4, 6, 9, 14, 16]]),
    ]

    @Test("each language counts as CLDR says, and has the forms that its numbers need", arguments: vectors)
    func plurals(tags: [String], forms: [Form: [Int]]) throws {
        for tag in tags {
            let rules = try Self.rules(tag)
            #expect(rules.isKnown, "\(tag)")
            for (form, numbers) in forms {
                for number in numbers { #expect(rules.form(number) == form, "\(tag) \(number)") }
            }
            #expect(rules.forms == Form.allCases.filter { forms[$0] != nil || $0 == .other }, "\(tag)")
        }
    }

    @Test("a language that the table does not have counts as English does")
    func unknown() throws {
        let rules = try Self.rules("tlh")
        #expect(!rules.isKnown && rules.forms == [.one, .other] && rules.form(1) == .one && rules.form(0) == .other)
    }

    @Test("a language runs in the direction of its script")
    func direction() throws {
        for (tag, isRightToLeft) in [
            ("ar", true), ("he", true), ("fa", true), ("ur-PK", true), ("az-Arab", true), ("uz-Latn", false),
            ("ug-Cyrl", false), ("de", false), ("ckb", true), ("yi-Latn", false),
        ] {
            let language = try #require(Language(rawValue: tag))
            #expect(LanguageRules.isRightToLeft(language) == isRightToLeft, "\(tag)")
        }
    }

    @Test("the first of a month is written as the language does it")
    func firstDay() throws {
        #expect(try Self.rules("fr").firstDay == "1er" && Self.rules("fr-CH").firstDay == "1er")
        #expect(try Self.rules("es").firstDay == nil && Self.rules("en").firstDay == nil)
    }
}

@Suite("Languages by their tags", .rules)
struct LanguageTagTests {
    @Test(
        "the tag of a language has a script or a region at most, and is written as BCP 47 writes it",
        arguments: ["en", "fr", "yue", "pt-BR", "es-419", "zh-Hant", "zh-Hant-TW", "sr-Latn"])
    func tags(tag: String) { #expect(Language(rawValue: tag)?.rawValue == tag) }

    @Test(
        "anything else is not a tag",
        arguments: [
            "", "e", "EN", "En", "de_AT", "de-at", "de-", "-de", "de--AT", "zh-hant", "zh-TW-Hant", "de-AT-1996",
            "deutsch", "x-klingon", "i-klingon", "d\u{301}e", "dé", "de ", " de", "de\u{0}", "..", "../fr", "fr/",
            "de-A1", "de-12", "de-1234", "de-DE-x", "٠١", "ﬁ", "en-US-POSIX", String(repeating: "a", count: 1000),
        ])
    func others(tag: String) { #expect(Language(rawValue: tag) == nil, "\(tag)") }

    private static func languages(_ tags: [String]) throws -> Languages {
        Languages(Language.builtIn + (try tags.map { try #require(Language(rawValue: $0)) }))
    }

    @Test(
        "a browser gets an added language by its tag, by a longer tag, and by the language alone (RFC 4647 3.4)",
        arguments: [
            ("fr", "fr"), ("fr-CA", "fr"), ("FR-fr, en", "fr"), ("pt", "pt-BR"), ("pt-PT", "pt-BR"),
            ("pt-br", "pt-BR"), ("zh-Hant-TW", "zh-Hant"), ("zh-hant", "zh-Hant"), ("zh-TW", "zh-Hans"),
            ("zh-Hans-CN", "zh-Hans"), ("es, fr;q=0.5", "fr"), ("de, fr", "de"), ("fr;q=0, de", "de"), ("es", "en"),
            ("f", "en"), ("fr-", "fr"), ("-fr", "en"), ("frr", "en"), ("de-fr", "de"),
        ])
    func preferred(accepted: String, language: String) throws {
        let languages = try Self.languages(["fr", "pt-BR", "zh-Hans", "zh-Hant"])
        #expect(languages.preferred(accepted).rawValue == language, "\(accepted)")
        #expect(Languages.builtIn.preferred("fr, pt-BR").rawValue == "en")
    }

    @Test("a client gets one by ui_locales alike, and a cookie or link names it exactly or not at all")
    func named() throws {
        let languages = try Self.languages(["fr", "pt-BR"])
        #expect(languages.first(of: "xx fr-CA de")?.rawValue == "fr")
        #expect(languages.first(of: "pt_BR")?.rawValue == "pt-BR" && languages.first(of: "xx yy") == nil)
        for tag in ["fr", "pt-BR", "de", "en"] { #expect(languages.named(tag)?.rawValue == tag) }
        for tag in ["FR", "pt", "pt-br", "pt_BR", "fr-CA", "es", "", "fr ", "f\u{0}r"] {
            #expect(languages.named(tag) == nil, "\(tag)")
        }
    }
}
