import Foundation
import Testing
import WellKnown

@testable import TestKit

@Suite("The pages of findings", .rules)
struct FindingPageTests {
    static let folder = TestVectors.repository.appending(path: "docs/findings")

    /// With WELLKNOWN_WRITE_PAGES=1 the test writes the pages instead of comparing them.
    static let writes = ProcessInfo.processInfo.environment["WELLKNOWN_WRITE_PAGES"] == "1"

    static var pages: [String: String] {
        var pages = Dictionary(LintCatalogue.rules.map { ($0.code + ".md", FindingPage($0).text) }) { first, _ in first
        }
        pages["README.md"] = FindingPage.index(LintCatalogue.rules)
        return pages
    }

    @Test("every code has a page that equals the catalogue's text")
    func pages() throws {
        let pages = Self.pages
        if Self.writes {
            try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
            for (name, text) in pages { try Data(text.utf8).write(to: Self.folder.appending(path: name)) }
        }
        for (name, text) in pages.sorted(by: { $0.key < $1.key }) {
            let file = Self.folder.appending(path: name)
            let written = (try? Data(contentsOf: file)).map { String(decoding: $0, as: UTF8.self) }
            #expect(written == text, "\(name) differs: run the tests once with WELLKNOWN_WRITE_PAGES=1")
        }
    }

    @Test("there is no page for a code that does not exist")
    func strays() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path())
        #expect(Set(names).subtracting(Self.pages.keys).isEmpty)
    }
}
