import Testing

@testable import SSOWeb

@Suite("The models of pages")
struct PageModelTests {
    private struct Model: Sendable {
        let name: String
        let section: Section?
        let note: String?
    }

    private struct Section: Sendable {
        let label: String
        let items: [Item]
        let note: String?
        let isShown: Bool?
    }

    private struct Item: Sendable { let label: String }

    private static func text(_ template: String, _ model: Model) throws -> String {
        try Pages(
            brand: Brand(name: "B"), files: [PageFiles(templates: ["test": Array(template.utf8)], texts: [:])],
            assets: StaticAssets([:])
        ).text("test", model, in: .english)
    }

    private static let full = Model(
        name: "Ann",
        section: Section(label: "L", items: [Item(label: "a"), Item(label: "b")], note: "in", isShown: true),
        note: "out")
    private static let empty = Model(name: "Ann", section: nil, note: nil)

    @Test("a struct is a section with its own properties, and those around it")
    func section() throws {
        let template =
            "{{#section}}{{label}} {{name}}:{{#items}} {{label}}{{/items}}{{/section}}{{^section}}-{{/section}}"
        #expect(try Self.text(template, Self.full) == "L Ann: a b")
        #expect(try Self.text(template, Self.empty) == "-")
    }

    @Test("a name with a dot leads into a section, and to nothing where it is missing")
    func dot() throws {
        let template =
            "{{#section.isShown}}{{section.note}}{{/section.isShown}}{{^section.isShown}}-{{/section.isShown}}"
        #expect(try Self.text(template, Self.full) == "in")
        #expect(try Self.text(template, Self.empty) == "-")
    }

    @Test("an optional text is a section, and leaves nothing where it is missing")
    func optional() throws {
        let template = "{{#note}}<{{note}}>{{/note}}{{^note}}-{{/note}}{{note}}"
        #expect(try Self.text(template, Self.full) == "<out>out")
        #expect(try Self.text(template, Self.empty) == "-")
    }

    @Test("an empty optional text is there")
    func emptyText() throws {
        #expect(try Self.text("{{#note}}[{{note}}]{{/note}}", Model(name: "", section: nil, note: "")) == "[]")
    }
}
