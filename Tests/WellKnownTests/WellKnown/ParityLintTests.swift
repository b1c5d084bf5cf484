import Testing
import WellKnown

@testable import TestKit

/// Sources: Apple, "applinks.Details.Components" and its matcher; Google, "Configure Dynamic App Links"; AOSP,
/// UriRelativeFilter and PatternMatcher.
@Suite("Parity of the two files", .rules)
struct ParityLintTests {
    private static func lint(_ components: String, _ rules: String, filters: [IntentFilter]? = nil) throws -> ParityLint
    {
        let aasa =
            #"{"applinks": {"details": [{"appIDs": ["ABCDE12345.com.house.app"], "components": \#(components)}]}}"#
        return ParityLint(
            try #require(AASAFile(reading: aasa.utf8)),
            try #require(AssetLinksFile(reading: AssetLinksProbe.dynamic(rules).body.utf8)), filters: filters,
            host: "house.example")
    }

    private static func urls(_ lint: ParityLint) -> [String] {
        lint.pairs.flatMap { lint.differences(of: $0) }.map(\.url.description)
    }

    @Test(
        "similar rules differ for a link, which is found and verified",
        arguments: [
            // iOS ignores the trailing slash, Android does not.
            (#"[{"/": "/buy/*"}]"#, #"[{"/": "/buy/*"}, {"/": "*", "exclude": true}]"#, "https://house.example/buy"),
            (#"[{"/": "/buy/"}]"#, #"[{"/": "/buy/"}, {"/": "*", "exclude": true}]"#, "https://house.example/buy"),
            (#"[{"/": "/buy"}]"#, #"[{"/": "/buy"}, {"/": "*", "exclude": true}]"#, "https://house.example/buy/"),
            // An absent item is empty on iOS, and does not match on Android.
            (#"[{"/": "/a", "?": {"q": "*"}}]"#, #"[{"/": "/a", "?": {"q": "*"}}]"#, "https://house.example/a"),
            // If an item is repeated, all must match on iOS, and one must match on Android.
            (
                #"[{"/": "/", "?": {"q": "1"}}]"#, #"[{"/": "/", "?": {"q": "1"}}]"#,
                "https://house.example/?q=1&q=other"
            ),
            // An absent fragment is empty on iOS.
            (##"[{"/": "/", "#": "*"}]"##, ##"[{"/": "/", "#": "*"}]"##, "https://house.example/"),
            // Android always compares letter case.
            (
                #"[{"/": "/faq", "caseSensitive": false}]"#, #"[{"/": "/faq"}, {"/": "/faq/"}]"#,
                "https://house.example/FAQ"
            ),
            // Android compares the decoded path, iOS the text as sent.
            (#"[{"/": "/café"}]"#, #"[{"/": "/café"}, {"/": "/café/"}]"#, "https://house.example/caf%C3%A9"),
            // A star without backtracking.
            (#"[{"/": "/a*b"}]"#, #"[{"/": "/a*b"}, {"/": "/a*b/"}]"#, nil),
            // A rule that only one side has.
            (#"[{"/": "/private", "exclude": true}, {"/": "*"}]"#, #"[{"/": "*"}]"#, "https://house.example/private"),
        ] as [(String, String, String?)])
    func difference(components: String, rules: String, url: String?) throws {
        let lint = try Self.lint(components, rules)
        let urls = Self.urls(lint)
        if let url { #expect(urls.contains(url), "\(urls)") }
        for difference in lint.pairs.flatMap({ lint.differences(of: $0) }) {
            #expect((difference.apple.decision == .opens) != (difference.androidDecision == .opens))
            #expect(lint.apple.decide(difference.url, app: "ABCDE12345.com.house.app") == difference.apple.decision)
        }
    }

    @Test(
        "rules with the same meaning have no difference",
        arguments: [
            (#"[{"/": "*"}]"#, #"[{"/": "*"}]"#),
            (
                #"[{"/": "/buy", "exclude": true}, {"/": "*"}]"#,
                #"[{"/": "/buy", "exclude": true}, {"/": "/buy/", "exclude": true}, {"/": "*"}]"#
            ),
            (#"[{"/": "/x*"}]"#, #"[{"/": "/x*"}]"#),
        ])
    func same(components: String, rules: String) throws {
        #expect(Self.urls(try Self.lint(components, rules)) == [])
    }

    @Test("a finding names the link, both systems and the rule")
    func finding() throws {
        let lint = try Self.lint(#"[{"/": "/private", "exclude": true}, {"/": "*"}]"#, #"[{"/": "*"}]"#)
        let finding = try #require(lint.findings(aasaName: "a", assetLinksName: "b").first)
        #expect(finding.code == "parity.decision")
        #expect(finding.severity == .warning)
        #expect(finding.file == "a")
        #expect(finding.pointer == "/applinks/details/0/components/0")
        #expect(
            finding.message
                == "https://house.example/private: iOS does not open it: a rule excludes it; Android opens com.house.app."
        )
    }

    @Test("without dynamic rules and manifest, only links that iOS excludes are reported")
    func manifestDecides() throws {
        let aasa =
            #"{"applinks": {"details": [{"appIDs": ["ABCDE12345.com.house.app"], "components": [{"/": "/in/*", "exclude": true}, {"/": "/buy/*"}]}]}}"#
        let lint = ParityLint(
            try #require(AASAFile(reading: aasa.utf8)),
            try #require(AssetLinksFile(reading: AssetLinksProbe.app().body.utf8)))
        let findings = lint.findings()
        #expect(findings.allSatisfy { $0.severity == .info && $0.message.contains("goes by the manifest") })
        #expect(findings.contains { $0.message.contains("/in") })
    }

    @Test("with a manifest, its paths decide")
    func manifest() throws {
        let filter = ProjectLintTests.filter(paths: [ManifestPath(.pathPrefix, "/buy/")])
        let aasa =
            #"{"applinks": {"details": [{"appIDs": ["ABCDE12345.com.house.app"], "components": [{"/": "/buy/*"}]}]}}"#
        let lint = ParityLint(
            try #require(AASAFile(reading: aasa.utf8)),
            try #require(AssetLinksFile(reading: AssetLinksProbe.app().body.utf8)), filters: [filter],
            host: "house.example")
        #expect(Self.urls(lint) == ["https://house.example/buy"])
    }

    @Test("apps are paired by their names, and one remaining app per side forms a pair")
    func pairs() throws {
        func pairs(_ ids: [String], _ packages: [String]) throws -> [String] {
            let details = ids.map { #"{"appIDs": ["\#($0)"], "components": [{"/": "*"}]}"# }.joined(separator: ",")
            let statements = packages.map {
                AssetLinksProbe.statementText(#"["\#(AssetLinksProbe.links)"]"#, #""android_app""#, "\"\($0)\"")
            }
            return ParityLint(
                try #require(AASAFile(reading: #"{"applinks": {"details": [\#(details)]}}"#.utf8)),
                try #require(AssetLinksFile(reading: "[\(statements.joined(separator: ","))]".utf8))
            ).pairs.map { "\($0.apple) \($0.android)" }
        }
        #expect(
            try pairs(["ABCDE12345.com.house.my-app"], ["com.house.My_App"]) == [
                "ABCDE12345.com.house.my-app com.house.My_App"
            ])
        #expect(
            try pairs(["ABCDE12345.com.house.ios"], ["com.house.android"]) == [
                "ABCDE12345.com.house.ios com.house.android"
            ])
        #expect(try pairs(["ABCDE12345.a.b", "ABCDE12345.c.d"], ["e.f", "g.h"]) == [])
    }

    @Test("passwords and passkeys on only one system are reported")
    func service() throws {
        func codes(_ aasa: String, _ relation: String) throws -> [String] {
            ParityLint(
                try #require(AASAFile(reading: aasa.utf8)),
                try #require(AssetLinksFile(reading: AssetLinksProbe.app(relation: relation).body.utf8))
            ).findings().map(\.code)
        }
        let links = #""applinks": {"details": [{"appIDs": ["ABCDE12345.com.house.app"], "components": [{"/": "*"}]}]}"#
        let with = #"{\#(links), "webcredentials": {"apps": ["ABCDE12345.com.house.app"]}}"#
        let both = #"["\#(AssetLinksProbe.links)", "\#(AssetLinksProbe.credentials)"]"#
        let one = #"["\#(AssetLinksProbe.links)"]"#
        #expect(try codes(with, one) == ["parity.service"])
        #expect(try codes("{\(links)}", both) == ["parity.service"])
        #expect(try codes(with, both) == [])
        #expect(try codes("{\(links)}", one) == [])
    }

    @Test("a host with only one file is reported")
    func host() {
        #expect(ParityLint.hostFinding("a.example", hasAASA: true, hasAssetLinks: false)?.code == "parity.host")
        #expect(ParityLint.hostFinding("a.example", hasAASA: false, hasAssetLinks: true)?.code == "parity.host")
        #expect(ParityLint.hostFinding("a.example", hasAASA: true, hasAssetLinks: true) == nil)
    }
}
