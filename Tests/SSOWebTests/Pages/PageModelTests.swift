import Testing

@testable import SSOWeb
@testable import TestKit

@Suite("The models of pages", .rules)
struct PageModelTests {
    private struct Model: Encodable, Sendable {
        let name: String
        let section: Section?
        let note: String?
    }

    private struct Section: Encodable, Sendable {
        let label: String
        let items: [Item]
        let note: String?
        let isShown: Bool?
    }

    private struct Item: Encodable, Sendable { let label: String }

    private static func text(_ template: String, _ model: some Encodable) throws -> String {
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

    private enum Kind: String, Encodable { case old }

    private struct Values: Encodable {
        let kind: Kind
        let count: Int
        let small: UInt8
        let share: Double
        let words: [String]
        let numbers: [Int]
        let none: [Item]
    }

    @Test("numbers, enumerations and lists of texts are shown, and an empty list is not")
    func values() throws {
        let values = Values(
            kind: .old, count: 3, small: 200, share: 0.5, words: ["a", "b"], numbers: [1, 2], none: [])
        let template = """
            {{kind}} {{count}} {{small}} {{share}} {{#words}}<{{.}}>{{/words}} {{#numbers}}{{.}}{{/numbers}} \
            {{#none}}{{label}}{{/none}}{{^none}}-{{/none}}
            """
        #expect(try Self.text(template, values) == "old 3 200 0.5 <a><b> 12 -")
    }

    @Test("a dictionary of texts is a model, too")
    func dictionary() throws {
        #expect(try Self.text("{{name}}", ["name": "Ann"]) == "Ann")
    }

    private struct Broken: Encodable {
        let name = "Ann"

        func encode(to encoder: any Encoder) throws { throw CancellationError() }
    }

    @Test("a model that refuses to be encoded has no properties")
    func refused() throws {
        #expect(try Self.text("[{{name}}]", Broken()) == "[]")
    }
}
