import NIOCore
import Testing

@testable import SSOWeb
@testable import TestKit

@Suite("Prepared pages", .rules)
struct PreparedPageTests {
    private enum Value: String, CaseIterable { case name, link }

    private struct Model: Encodable, Sendable {
        let name, link, other: String
        let isShown: Bool
    }

    private static func pages(_ template: String) throws -> Pages {
        try Pages(
            brand: Brand(name: "B & Co"), files: [PageFiles(templates: ["test": Array(template.utf8)], texts: [:])],
            assets: StaticAssets([:]))
    }

    private static let template = """
        {{<layout}}{{$title}}{{name}}{{/title}}{{$main}}
        {{#isShown}}<p>{{other}} {{name}}</p>{{/isShown}}<a href="{{link}}" title='{{name}}'>{{link}}</a>{{{other}}}
        {{/main}}{{/layout}}
        """

    private static func prepared(_ pages: Pages, isShown: Bool = true) throws -> PreparedPage<Value> {
        try PreparedPage(pages, "test", in: .english) { gap in
            Model(name: gap(.name), link: gap(.link), other: "<fixed>", isShown: isShown)
        }
    }

    private static let hostile = [
        "", "Ann", "</strong><script src=\"//evil.example\">", "a'b&amp;c&", "{{link}}{{{name}}}", "\u{1}name\u{1}",
        "&#39;&lt;",
        "ünï ✓ 🧑‍🧑‍🧒", "a\0b\r\n\t", "\u{202e}\u{2028}", String(repeating: "<\"", count: 5_000),
    ]

    @Test("a prepared page equals the rendered one, for hostile values in both positions", arguments: [true, false])
    func equality(isShown: Bool) throws {
        let pages = try Self.pages(Self.template)
        let page = try Self.prepared(pages, isShown: isShown)
        for name in Self.hostile {
            for link in Self.hostile {
                let filled = page.buffer { $0 == .name ? name : link }
                let rendered = pages.text(
                    "test", Model(name: name, link: link, other: "<fixed>", isShown: isShown), in: .english)
                #expect(Array(String(buffer: filled).utf8) == Array(rendered.utf8))
            }
        }
    }

    @Test("a quotation mark with a combining accent is escaped too, so it cannot end an attribute")
    func combining() throws {
        let page = try Self.prepared(try Self.pages(Self.template))
        for mark in ["\"", "'", "<", ">", "&"] {
            let text = String(buffer: page.buffer { _ in "x\(mark)\u{301} onclick=y" })
            #expect(Self.occurrences(of: "x\(mark)\u{301}", in: text) == 0)
        }
    }

    private static func occurrences(of needle: String, in text: String) -> Int {
        let (needle, bytes) = (Array(needle.utf8), Array(text.utf8))
        guard bytes.count >= needle.count else { return 0 }
        return (0...(bytes.count - needle.count)).count { bytes[$0..<($0 + needle.count)].elementsEqual(needle) }
    }

    @Test(
        "a template in which a value is not plain escaped text is refused at start",
        arguments: [
            "<p>{{{name}}}</p>", "<p>{{&name}}</p>", "<p>{{uppercased(name)}}</p>",
            "{{#empty(name)}}nobody{{/empty(name)}}{{name}}", "{{% CONTENT_TYPE: TEXT}}{{name}}",
        ])
    func refused(template: String) throws {
        let pages = try Self.pages(template)
        #expect(throws: PreparedPageError.self) { _ = try Self.prepared(pages) }
    }
}
