import SSOShared
import Testing

@testable import TestKit
@testable import WellKnown

/// The table of URLs and the decisions of Apple's and Google's systems, each with its source.
@Suite("Match cases", .rules)
struct MatchCasesTests {
    @Test("The table is complete") func table() { #expect(MatchCase.all.count == 162) }

    @Test(
        "Each URL of the table is decided as its source states, and disputed URLs as documented",
        arguments: MatchCase.all)
    func decided(_ element: MatchCase) throws {
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
