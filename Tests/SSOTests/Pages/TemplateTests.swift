import Testing

@testable import IdPServer
@testable import RelyingParty
@testable import SSOWeb
@testable import TestKit

@Suite("Templates", .program)
struct TemplateTests {
    private static func pages(_ template: String) throws -> Pages {
        try Pages(
            brand: Brand(name: "B"), files: [PageFiles(templates: ["my-page": Array(template.utf8)], texts: [:])],
            assets: StaticAssets([:]))
    }

    @Test("what a template includes is a partial: it is there before any page", arguments: [true, false])
    func partials(isIdP: Bool) {
        let files = isIdP ? IdPPages.files : RelyingPartyPages.files
        let known = Set(files.flatMap(\.partials.keys)).union(["layout", "email"])
        var count = 0
        for (name, bytes) in files.flatMap({ Array($0.templates) + Array($0.partials) }) {
            for tag in String(decoding: bytes, as: UTF8.self).matches(of: #/\{\{[<>]\s*([a-z-]+)/#) {
                #expect(known.contains(String(tag.1)), "\(name) includes \(tag.1)")
                count += 1
            }
        }
        #expect(count >= files.flatMap(\.templates).count / 2)
    }

    @Test("every template of both programs can be parsed, in every language")
    func all() async throws {
        for (files, values) in [(IdPPages.files, [:]), (RelyingPartyPages.files, ["idp": "Main App"])] {
            try await Pages(brand: Brand(name: "B"), files: files, values: values, assets: StaticAssets([:]))
                .readTemplates()
        }
    }

    @Test("a page is there before all templates are parsed, and the same afterwards")
    func onDemand() async throws {
        let pages = try Self.pages("Hello {{name}}")
        let before = pages.text("my-page", ["name": "Ann"], in: .german)
        try await pages.readTemplates()
        #expect(before == "Hello Ann")
        #expect(pages.text("my-page", ["name": "Ann"], in: .german) == before)
    }

    @Test("a template that cannot be parsed ends the program, and the error names it")
    func broken() async throws {
        let pages = try Self.pages("{{#open}}")
        #expect(pages.text("my-page", ["name": "Ann"], in: .english) == "")
        let error = await #expect(throws: TemplateError.self) { try await TemplateReading(pages).run() }
        #expect(error?.description.hasPrefix("The template my-page cannot be parsed") == true)
    }
}
