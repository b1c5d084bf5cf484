import Foundation
import SSOShared
import Testing

@testable import IdPServer
@testable import SSOWeb
@testable import TestKit

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
