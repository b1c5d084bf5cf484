import Foundation
import Testing

@testable import WellKnown

@Suite("The catalogue of findings")
struct LintCatalogueTests {
    struct Entry: Sendable {
        let code: String
        let severity: String
        let section: String
    }

    static func entries() throws -> [Entry] {
        let text = String(decoding: try AssociationFileTests.vector("wellknown/finding-codes.tsv"), as: UTF8.self)
        return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            let parts = line.split(separator: "\t").map(String.init)
            return Entry(code: parts[0], severity: parts[1], section: parts[2])
        }
    }

    /// Sections of the catalogue whose rules are all implemented.
    static let complete = ["4.1", "4.2", "4.3", "4.4", "4.5", "4.6", "4.7", "4.8"]

    @Test("codes are unique, and each rule is found by its code")
    func unique() {
        let codes = LintCatalogue.rules.map(\.code)
        #expect(Set(codes).count == codes.count)
        for rule in LintCatalogue.rules { #expect(LintRule.named(rule.code) == rule) }
        #expect(LintRule.named("json.nothing") == nil)
    }

    @Test("every listed code is implemented", arguments: complete)
    func promised(section: String) throws {
        let codes = Set(LintCatalogue.rules.map(\.code))
        for entry in try Self.entries() where entry.section == section {
            #expect(codes.contains(entry.code), "\(entry.code)")
        }
    }

    @Test("every severity is one from the catalogue")
    func severities() throws {
        let names: [Severity: Character] = [.error: "E", .warning: "W", .info: "I"]
        for entry in try Self.entries() {
            guard let rule = LintRule.named(entry.code), let name = names[rule.severity] else { continue }
            #expect(entry.severity.contains(name), "\(entry.code)")
        }
    }

    @Test("every rule has a title, a silent effect, a fix and a source")
    func words() {
        for rule in LintCatalogue.rules {
            for text in [rule.title, rule.reason, rule.fix, rule.source] {
                #expect(!text.isEmpty && !text.contains("\n"), "\(rule.code)")
            }
        }
    }

    static let withExamples = LintCatalogue.rules.filter { $0.shownWrong != nil }.map(\.code)

    @Test(
        "the wrong example of a rule has its finding and no more severe one, the right example does not",
        arguments: withExamples)
    func examples(code: String) throws {
        let rule = try #require(LintRule.named(code))
        let wrong = try #require(rule.shownWrong)
        let findings = Self.lint(wrong)
        let found = try #require(findings.first { $0.code == code })
        #expect(findings.allSatisfy { $0.severity <= max(found.severity, .warning) || $0.code == code })
        #expect(found.message.count < 400 && !found.message.contains("\n"))
        guard let right = rule.shownRight else { return }
        let rest = Self.lint(right)
        #expect(!rest.contains { $0.code == code })
        #expect(rest.allSatisfy { $0.severity < .error })
    }

    static func lint(_ example: LintExample) -> [Finding] {
        let options = LintOptions(minimumIOS: example.minimumIOS)
        return AssociationLint.lint(body: Array(example.text.utf8), as: example.kind, options: options).findings
    }
}
