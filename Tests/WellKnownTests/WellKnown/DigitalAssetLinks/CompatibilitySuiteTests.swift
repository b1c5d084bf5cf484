import Foundation
import SSOShared
import Testing

@testable import TestKit
@testable import WellKnown

/// Source: github.com/google/digitalassetlinks, compatibility-tests/v1.
@Suite("Digital Asset Links: Google's compatibility suite", .rules)
struct CompatibilitySuiteTests {
    @Test("All client cases are present: 199 requests in 89 groups")
    func isComplete() {
        #expect(CompatibilitySuite.cases.count == 199)
        #expect(Set(CompatibilitySuite.cases.map(\.group)).count == 89)
        #expect(CompatibilitySuite.cases.filter(\.contradictsAnotherGroup).count == 1)
    }

    @Test(
        "The answer has the outcome, the result, the codes and the messages that the suite expects",
        arguments: CompatibilitySuite.cases)
    func answers(_ item: CompatibilitySuite.Case) async throws {
        let content = try #require(SuppliedAssetContent(item.content))
        let request = try #require(item.test["request"])
        let answer = await DigitalAssetLinksClient(content: content).answer(request, item.kind)
        let json = try #require(JSONReader.read(answer.json()).root)

        if item.contradictsAnotherGroup {
            #expect(answer.outcome == .fetchError)
        } else {
            #expect(json["outcome"]?.string == item.outcome)
        }
        switch item.kind {
        case .check:
            #expect(json["linked"]?.bool == (item.test["response"]?.bool ?? false))
        case .list:
            let expected = item.test["response"]?.array ?? []
            let actual = try #require(json["statements"]?.array)
            #expect(actual.count == expected.count)
            #expect(expected.allSatisfy(actual.contains))
        }
        #expect(json["response"] == (json["linked"] ?? json["statements"]))
        if let codes = item.test["error_code"] { #expect(json["error_code"] == codes) }
        if let pattern = item.test["error_message_regex"]?.string {
            let message = try #require(json["error_message"]?.string)
            #expect(message.range(of: pattern, options: .regularExpression) != nil, "\(message)")
        }
    }
}
