import Foundation
import SSOShared
import Testing

@testable import WellKnown

/// The table of URLs and the decisions of Apple's and Google's systems, each with its source.
@Suite("Match cases")
struct MatchCasesTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let id: String
        let file: [UInt8]
        let app: String
        let url: String
        let expected: String
        let isDisputed: Bool

        var testDescription: String { "\(id) \(url) \(expected)" }
    }

    static let cases: [Case] = {
        guard let body = try? AssociationFileTests.vector("wellknown/match-cases.json") else { return [] }
        let document = JSONReader.read(body)
        return (document.root?.array ?? []).compactMap { node in
            guard let id = node["id"]?.string, let file = node["file"], let app = node["app"]?.string,
                let url = node["url"]?.string, let expected = node["expected"]?.string
            else { return nil }
            return Case(
                id: id, file: Array(document.text[file.range]), app: app, url: url, expected: expected,
                isDisputed: node["certainty"]?.string == "disputed")
        }
    }()

    @Test("The table is complete") func table() { #expect(Self.cases.count == 162) }

    @Test("Each URL of the table is decided as its source states, and disputed URLs as documented", arguments: cases)
    func decided(_ element: Case) throws {
        let url = try #require(LinkURL(element.url))
        let explanation: LinkExplanation
        let decision: LinkDecision
        if element.id.hasPrefix("A") {
            let matcher = AppleMatcher(try #require(AASAFile(reading: element.file)))
            decision = matcher.decide(url, app: element.app)
            explanation = matcher.explain(url, app: element.app)
        } else {
            let root = try #require(JSONReader.read(element.file).root)
            let components = try #require(root["dynamic_app_link_components"]?.array)
            let matcher = DynamicMatcher(components.map(DynamicComponent.init))
            decision = matcher.decide(url)
            explanation = matcher.explain(url)
        }
        let isShut = element.expected == "does not open" && (decision == .noMatch || decision == .excluded)
        #expect(isShut || decision.rawValue == element.expected)
        #expect(explanation.decision == decision)
        #expect(decision == .noMatch || decision == .manifestDecides || explanation.deciding != nil)
        if !element.isDisputed {
            #expect(explanation.disputes.isEmpty)
        } else if element.id != "A098" {
            #expect(!explanation.disputes.isEmpty)
        }
    }
}
