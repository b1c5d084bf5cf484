import Foundation
import Testing

@testable import SSOShared
@testable import SSOWeb
@testable import TestKit

@Suite("The texts in the repository", .rules)
struct CatalogueFileTests {
    /// The texts of a folder's JSON files by their keys.
    private static func texts(in folder: String, where isMeant: (String) -> Bool) throws -> [String: String] {
        var texts: [String: String] = [:]
        for (path, content) in try TextSources.files(in: folder, ending: "json") where isMeant(path) {
            for member in try JSONReader.readStrictly(Array(content.utf8)).object ?? [] {
                texts[member.key] = member.value.string
            }
        }
        return texts
    }

    @Test("let no line of French begin with a colon or a question mark, or end with an opening quotation mark")
    func frenchBlanks() throws {
        let texts = try Self.texts(in: "languages/fr") { _ in true }
        #expect(texts.count > 1000)
        for (key, words) in texts { #expect(words.firstMatch(of: #/[ ][:;?!»]|«[ ]/#) == nil, "\(key): \(words)") }
    }

    @Test("count in every form of a number: a text with {count} has plural forms")
    func plurals() throws {
        let texts = try Self.texts(in: "Sources/IdP") { $0.hasSuffix("/en.json") }
        #expect(texts.count > 1000)
        // Always the same large number.
        let fixed: Set = ["error.flow-limit"]
        for (key, words) in texts where words.contains("{count}") {
            #expect(key.hasSuffix(".one") || key.hasSuffix(".other") || fixed.contains(key), "\(key)")
        }
    }
}
