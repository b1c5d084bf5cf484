import NIOCore
import Testing

@testable import SSOWeb
@testable import TestKit

/// The layout is rendered at start, and pages fill its blocks.
@Suite("The layout of pages", .rules)
struct LayoutTests {
    private static func pages(_ template: String, brand: String) throws -> Pages {
        try Pages(
            brand: Brand(name: brand), files: [PageFiles(templates: ["test": Array(template.utf8)], texts: [:])],
            assets: StaticAssets([:]))
    }

    @Test("braces in the program's name are text, in the layout and in its blocks")
    func braces() throws {
        let template = "{{<layout}}{{$title}}{{name}}{{/title}}{{$main}}<p>{{name}}</p>{{/main}}{{/layout}}"
        let name = "A {{x}} {{/main}} {{{y}}} & Co"
        let page = try Self.pages(template, brand: name).text("test", ["name": name], in: .english)
        let shown = "A {{x}} {{/main}} {{{y}}} &amp; Co"
        #expect(page.contains("<title>\(shown) · \(shown)</title>"))
        #expect(page.contains("<bdi>\(shown)</bdi>"))
        #expect(page.contains("<p>\(shown)</p>"))
        #expect(page.utf8.allSatisfy { $0 != 1 })
    }

    @Test("the prepared page of an unknown path equals the rendered one", arguments: Language.builtIn)
    func notFound(language: Language) throws {
        let pages = try Self.pages("", brand: "B & Co")
        let prepared = try #require(pages.notFound[language])
        let filled = prepared.buffer { _ in "AB<12" }
        let model = ErrorPage(.notFound, reference: "AB<12", pages.texts(in: language))
        #expect(String(buffer: filled) == pages.text("error", model, in: language))
    }
}
