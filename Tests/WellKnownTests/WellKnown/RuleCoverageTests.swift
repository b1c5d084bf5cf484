import SSOShared
import Testing

@testable import TestKit
@testable import WellKnown

@Suite("Dead rules and differences", .rules)
struct RuleCoverageTests {
    static let app = "ABCDE12345.a"

    static func matcher(_ components: String, extra: String = "") throws -> AppleMatcher {
        let text = #"{"applinks":{\#(extra)"details":[{"appIDs":["\#(app)"],"components":[\#(components)]}]}}"#
        return AppleMatcher(try #require(AASAFile(reading: text.utf8)))
    }

    static func dynamic(_ components: String) throws -> DynamicMatcher {
        let root = try #require(JSONReader.read("[\(components)]".utf8).root)
        return DynamicMatcher((root.array ?? []).map(DynamicComponent.init))
    }

    static func word(_ verdict: RuleCoverage.Verdict) -> String {
        switch verdict {
        case .decides: "decides"
        case .covered(let by, _): "covered by \(by)"
        case .coveredTogether: "covered together"
        case .impossible: "impossible"
        case .notDecided: "not decided"
        }
    }

    static let deadOnApple: [(String, [String])] = [
        (##"{"/":"*"},{"/":"/a"}"##, ["decides", "covered by 0"]),
        (##"{"/":"/a/*"},{"/":"/a/b/*"},{"/":"/a"}"##, ["decides", "covered by 0", "covered by 0"]),
        (##"{"/":"/a/b"},{"/":"/a/*"}"##, ["decides", "decides"]),
        // Coverage by one rule, and by several rules together.
        (
            ##"{"/":"/a/*","?":{"x":"?*"}},{"/":"/a/*"},{"/":"/a/*","?":{"x":"1"}}"##,
            ["decides", "decides", "covered by 0"]
        ),
        (##"{"/":"/a/*","?":"?*"},{"/":"/a/*","?":""},{"/":"/a/b"}"##, ["decides", "decides", "covered together"]),
        (##"{"/":"?"},{"/":"??*"},{"/":"/"},{"/":"*"}"##, ["decides", "decides", "decides", "covered together"]),
        (##"{"?":{"id":"?*"}},{"?":{"id":"7"}},{"/":"/x"}"##, ["decides", "covered by 0", "decides"]),
        // All repeated items must match, so a URL with the items `a` and `b` does not match the first rule.
        (##"{"?":{"id":"a*"}},{"?":{"id":"?*"}}"##, ["decides", "decides"]),
        (##"{"#":"x"},{"#":"*"},{"#":"y"}"##, ["decides", "decides", "covered by 1"]),
        (
            ##"{"/":"/é"},{"/":"/a b"},{"/":"/a#b"},{"/":"/$(nope)"}"##,
            ["impossible", "impossible", "impossible", "impossible"]
        ),
        (##"{"/":"/$(region)/*"},{"/":"/GB/x"},{"/":"/UK/x"}"##, ["decides", "covered by 0", "decides"]),
        (
            ##"{"/":"/A/*","caseSensitive":false},{"/":"/a/x"},{"/":"/A"}"##,
            ["decides", "covered by 0", "covered by 0"]
        ),
        (##"{"/":"/caf?","percentEncoded":false},{"/":"/café","percentEncoded":false}"##, ["decides", "covered by 0"]),
        (##"{"?":{"no":"*"},"exclude":true},{"/":"/*"}"##, ["decides", "covered by 0"]),
        (##"{"?":{"no":"?*"},"exclude":true},{"/":"/*"}"##, ["decides", "decides"]),
    ]

    @Test(
        "A rule is dead exactly if earlier rules cover all its URLs",
        arguments: deadOnApple)
    func dead(components: String, expected: [String]) throws {
        let matcher = try Self.matcher(components)
        let reach = RuleCoverage.rules(of: Self.app, matcher)
        #expect(reach.map { Self.word($0.verdict) } == expected)
    }

    static let deadOnAndroid: [(String, [String])] = [
        (##"{"/":"*"},{"/":"/a"}"##, ["decides", "covered by 0"]),
        (##"{"/":"/a/*"},{"/":"/a"}"##, ["decides", "decides"]),
        (##"{"#":"*"},{"/":"/a"},{"#":"x"}"##, ["decides", "decides", "covered by 0"]),
        // The star stops at the first b, so the second rule is not covered.
        (##"{"/":"/a*b"},{"/":"/a?*b"},{"/":"/axb"}"##, ["decides", "decides", "covered by 0"]),
        (
            ##"{"?":{"id":"*"}},{"?":{"id":"7"}},{"?":{"id":"7","b":"1"}}"##,
            ["decides", "covered by 0", "covered by 0"]
        ),
        (##"{"/":"/é*"},{"/":"/éa"},{"/":"/è"}"##, ["decides", "covered by 0", "decides"]),
    ]

    @Test(
        "A dynamic rule is dead according to Android's matching",
        arguments: deadOnAndroid)
    func deadDynamic(components: String, expected: [String]) throws {
        #expect(RuleCoverage.rules(try Self.dynamic(components)).map { Self.word($0.verdict) } == expected)
    }

    static let pairs: [(String, String, [String])] = [
        (##"{"/":"*"}"##, ##"{"/":"/walletconnect/*"}"##, ["opens > no match /"]),
        (
            ##"{"?":{"no":"*"},"exclude":true},{"/":"/*"}"##, ##"{"?":{"no":"?*"},"exclude":true},{"/":"/*"}"##,
            ["excluded > opens /"]
        ),
        (##"{"/":"/a"},{"/":"/b"}"##, ##"{"/":"/b/"},{"/":"a"}"##, []),
        (##"{"/":"/a/*"}"##, ##"{"/":"/a/x","exclude":true},{"/":"/a/*"}"##, ["opens > excluded /a/x"]),
        (##"{"/":"/a/*"}"##, ##"{"/":"/a/?*"}"##, ["opens > no match /a"]),
        (
            ##"{"/":"/a","?":{"x":"1"}}"##, ##"{"/":"/a","?":{"x":"2"}}"##,
            ["opens > no match /a?x=1", "no match > opens /a?x=2"]
        ),
        (##"{"/":"/a","#":"x"}"##, ##"{"/":"/a"}"##, ["no match > opens /a"]),
    ]

    @Test(
        "Two files differ in exactly these changes, each with its shortest URL",
        arguments: pairs)
    func differences(old: String, new: String, expected: [String]) throws {
        let diff = LinkDiff.between(try Self.matcher(old), try Self.matcher(new))
        #expect(
            diff.changes.map { "\($0.old.rawValue) > \($0.new.rawValue) \($0.witness.description.dropFirst(19))" }
                == expected)
        #expect(diff.notDecided.isEmpty)
        #expect(diff.isEmpty == expected.isEmpty)
    }

    @Test("A rule with thousands of items is given up on a link that has them all, and compared by short links only")
    func manyItems() throws {
        func matcher(_ count: Int) throws -> AppleMatcher {
            let items = (0..<count).map { "\"q\($0)\":\"?*\"" }.joined(separator: ",")
            return try Self.matcher("{\"/\":\"/a\",\"?\":{\(items)}}")
        }
        let (old, new) = (try matcher(3000), try matcher(2999))
        let query = (0..<3000).map { "q\($0)=1" }.joined(separator: "&")
        let link = try #require(LinkURL("https://example.com/a?\(query)"))
        let explanation = old.explain(link, app: Self.app)
        #expect(explanation.isGivenUp && !explanation.isDecided && explanation.trials.isEmpty)
        #expect(explanation.summary.contains("Given up"))
        let diff = LinkDiff.between(old, new, limits: .patient).withDisputes(old, new)
        #expect(diff.notDecided == [Self.app] && diff.disputes.isEmpty)
        #expect(LinkDiff.between(old, old, limits: .patient).withDisputes(old, old).isEmpty)
    }
}
