import Foundation
import SSOShared
import Testing

@testable import TestKit
@testable import WellKnown

@Suite("The catalogue of findings", .rules)
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

    @Test(
        "No finding has a retired word: entries and rules have names, a Team ID is called so, and doubts have an owner")
    func retired() {
        let findings = LintFixture.all.flatMap { $0.lint().findings }
        let texts =
            LintCatalogue.rules.flatMap { [$0.title, $0.reason, $0.fix] }
            + findings.flatMap { [$0.message, $0.reason, $0.fix ?? ""] }
            + AssociationKind.allCases.map { String(decoding: AssociationSchema.text(of: $0), as: UTF8.self) }
        let retired = #/of entry \d|\(disputed\)|is disputed|to be sure|\b(a|its|no|the) prefix\b/#
        for text in Set(texts) { #expect(text.firstMatch(of: retired) == nil, "\(text.prefix(400))") }
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

    /// The finding asks whether all links should open the app. Its right example answers yes.
    static let widening = ["dyn.no-catch-all"]

    @Test("The right example of a rule opens no link that the wrong one leaves to the browser", arguments: withExamples)
    func narrow(code: String) throws {
        let rule = try #require(LintRule.named(code))
        guard let wrong = rule.shownWrong, let right = rule.shownRight, !Self.widening.contains(code) else { return }
        for path in ["/zz/unrelated?x=1", "/", "/a/b#f", "/.well-known/x"] {
            let link = try #require(LinkURL("https://example.com\(path)"))
            #expect(!Self.opens(link, right) || Self.opens(link, wrong), "\(path)")
        }
    }

    /// Whether an app may open the link. On Android the manifest of a verified app decides if the file has no rules.
    private static func opens(_ link: LinkURL, _ example: LintExample) -> Bool {
        let document = JSONReader.read(Array(example.text.utf8))
        switch example.kind {
        case .aasa:
            guard let matcher = AASAFile(document).map({ AppleMatcher($0) }) else { return false }
            return matcher.apps.contains { matcher.decide(link, app: $0) == .opens }
        case .assetlinks:
            guard let matcher = AssetLinksFile(document).map({ AndroidMatcher($0) }), !matcher.file.statements.isEmpty
            else { return true }
            let decisions = matcher.apps.map { matcher.decide(link, package: $0) }
            return decisions.isEmpty || decisions.contains { $0 == .opens || $0 == .manifestDecides }
        }
    }

    static func lint(_ example: LintExample) -> [Finding] {
        let options = LintOptions(minimumIOS: example.minimumIOS)
        return AssociationLint.lint(body: Array(example.text.utf8), as: example.kind, options: options).findings
    }
}
