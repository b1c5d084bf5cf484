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

    @Test(
        "the prepared page of a refusal equals the rendered one, with its wait, whenever it is shown",
        arguments: Language.builtIn)
    func preparedErrors(language: Language) throws {
        let pages = try Self.pages("", brand: "B & Co")
        let texts = pages.texts(in: language)
        let waits = [3, 70, 900].map { PublicError.tooManyRequests(retryAfter: .seconds($0)) }
        for error in [PublicError.notFound] + waits {
            let rendered = pages.text("error", ErrorPage(error, reference: "AB<12", texts), in: language)
            for _ in 1...2 {
                let prepared = try #require(pages.errorPages.page(error, texts, pages))
                #expect(String(buffer: prepared.buffer { _ in "AB<12" }) == rendered)
            }
        }
    }

    @Test("a refusal that leads to an address of its request is not prepared: there are too many of them")
    func otherErrors() throws {
        let pages = try Self.pages("", brand: "B")
        let texts = pages.texts(in: .english)
        let step = PublicError.NextStep(label: Text("error.try-again"), href: "/a?flow=b")
        #expect(pages.errorPages.page(.notFound.leading(to: step), texts, pages) == nil)
        #expect(pages.errorPages.page(.tooLarge, texts, pages) == nil)
    }
}
