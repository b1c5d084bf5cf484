import Testing

@testable import SSOWeb
@testable import TestKit

@Suite("The files of pages", .rules)
struct PageFilesTests {
    @Test("a file is what its name says: a template, one that others include, the texts of a language, or an asset")
    func names() {
        let files = PageFiles([
            .init("home.mustache", "<p>"), .init("remember.partial.mustache", "é"), .init("de.json", "{}"),
            .init("de.json", "[]"), .init("xx.json", "{}"), .init("brand.css", "a{}"),
            .init("icon.png", [137, 0, 255]),
        ])
        #expect(files.templates == ["home": Array("<p>".utf8)])
        #expect(files.partials == ["remember": Array("é".utf8)])
        #expect(files.texts == [.german: [Array("{}".utf8), Array("[]".utf8)]])
        #expect(files.assets == ["brand.css": Array("a{}".utf8), "icon.png": [137, 0, 255]])
    }
}
