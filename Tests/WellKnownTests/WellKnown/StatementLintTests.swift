import Testing
import WellKnown

@testable import TestKit

/// Sources: the Digital Asset Links specification and its compatibility suite; Google, "Verify Android App Links".
@Suite("Linting statements", .rules)
struct StatementLintTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let body: String
        let codes: [String]
        let pointer: String?
        var testDescription: String { "\(codes) \(body.prefix(120))" }

        init(_ probe: AssetLinksProbe, _ codes: [String], at pointer: String? = nil) {
            body = probe.body
            self.codes = codes
            self.pointer = pointer
        }
    }

    private static let links = AssetLinksProbe.links
    private static let app = AssetLinksProbe.statementText()

    private static func site(_ text: String, relation: String = AssetLinksProbe.credentials) -> AssetLinksProbe {
        AssetLinksProbe(#"[{"relation": ["\#(relation)"], "target": {"namespace": "web", "site": "\#(text)"}}]"#)
    }

    @Test(
        "every error of a statement is one finding at its position",
        arguments: [
            Row(.app(), []),
            Row(AssetLinksProbe("[]"), ["dal.empty-list"], at: ""),
            Row(AssetLinksProbe("[\(app), 5]"), ["dal.statement-type", "dal.readers-differ"], at: "/1"),
            // The relation.
            Row(.app(relation: "[]"), ["dal.no-relation"], at: "/0/relation"),
            Row(
                AssetLinksProbe(#"[{"target": {"namespace": "web", "site": "https://a.example"}}]"#),
                ["dal.no-relation"], at: "/0"),
            Row(.app(relation: #""\#(links)""#), ["dal.relation-type"], at: "/0/relation"),
            Row(.app(relation: #"["\#(links)", 3]"#), ["dal.relation-type"], at: "/0/relation/1"),
            Row(.app(relation: #"["delegate_permission/*"]"#), ["dal.relation-syntax"], at: "/0/relation/0"),
            Row(.app(relation: #"["handle_all_urls"]"#), ["dal.relation-syntax"], at: "/0/relation/0"),
            Row(.app(relation: #"[" \#(links)"]"#), ["dal.relation-syntax"], at: "/0/relation/0"),
            Row(.app(relation: #"["Delegate_permission/common.x"]"#), ["dal.relation-syntax"], at: "/0/relation/0"),
            Row(.app(relation: #"["navigate/yellow_brick_road"]"#), ["dal.relation-unknown"], at: "/0/relation/0"),
            Row(.app(relation: #"["\#(links)", "\#(links)"]"#), ["dal.duplicate"], at: "/0/relation/1"),
            // The target.
            Row(AssetLinksProbe(#"[{"relation": ["\#(links)"]}]"#), ["dal.no-target"], at: "/0"),
            Row(AssetLinksProbe(#"[{"relation": ["\#(links)"], "target": []}]"#), ["dal.target-type"], at: "/0/target"),
            Row(.app(namespace: #""deeplink_demo""#), ["dal.namespace"], at: "/0/target/namespace"),
            Row(.app(namespace: "null"), ["dal.namespace"], at: "/0/target/namespace"),
            Row(.app(namespace: #""Android_App""#), ["dal.namespace"], at: "/0/target/namespace"),
            Row(.app(target: #", "site": "https://a.example""#), ["dal.target-keys"], at: "/0/target/site"),
            Row(.app(namespace: #""web""#), ["dal.web-handle-urls", "dal.target-keys"], at: "/0/relation/0"),
            // The package name.
            Row(.app(package: #""""#), ["dal.package-missing"], at: "/0/target/package_name"),
            Row(.app(package: "7"), ["dal.package-missing"], at: "/0/target/package_name"),
            Row(.app(package: #""app.2key.name""#), ["dal.package-syntax"], at: "/0/target/package_name"),
            Row(.app(package: #""TODO""#), ["dal.package-syntax"], at: "/0/target/package_name"),
            Row(.app(package: #""house""#), ["dal.package-syntax"], at: "/0/target/package_name"),
            Row(.app(package: #"" com.house.app""#), ["dal.package-syntax"], at: "/0/target/package_name"),
            Row(.app(package: #""com.house.app_2.Main""#), []),
            Row(.app(package: #""com.yourhouse.todo""#), []),
            // The site.
            Row(site("https://a.example"), []),
            Row(site("HtTpS://A.example:8443"), []),
            Row(site("https://a.example/"), ["dal.site-syntax"], at: "/0/target/site"),
            Row(site("https://a.example?x"), ["dal.site-syntax"], at: "/0/target/site"),
            Row(site("https://a.example#x"), ["dal.site-syntax"], at: "/0/target/site"),
            Row(site("https://x:y@a.example"), ["dal.site-syntax"], at: "/0/target/site"),
            Row(site("https://a.example:999999"), ["dal.site-syntax"], at: "/0/target/site"),
            Row(site("a.example"), ["dal.site-syntax"], at: "/0/target/site"),
            Row(site("unknown://a.example"), ["dal.site-syntax"], at: "/0/target/site"),
            Row(site("http://a.example"), ["dal.site-http"], at: "/0/target/site"),
            Row(site("https://a.example/manifest.json", relation: "delegate_permission/common.query_webapk"), []),
            Row(site("https://a.example", relation: links), ["dal.web-handle-urls"], at: "/0/relation/0"),
            // The list.
            Row(AssetLinksProbe("[\(app), \(app)]"), ["dal.duplicate"], at: "/1"),
            Row(
                AssetLinksProbe(
                    "[\(app), \(AssetLinksProbe.statementText(#"["\#(links)"]"#, #""android_app""#, #""com.house.app""#, #"["\#(AssetLinksProbe.second)"]"#))]"
                ),
                ["dal.split-package"], at: "/1"),
            Row(
                AssetLinksProbe(
                    "[\(app), \(AssetLinksProbe.statementText(#"["delegate_permission/common.get_login_creds"]"#))]"),
                ["dal.split-package"], at: "/1"),
        ])
    func oneFindingACause(row: Row) {
        let probe = AssetLinksProbe(row.body)
        #expect(probe.codes == row.codes)
        if let pointer = row.pointer {
            #expect(probe.findings.first { $0.code == row.codes.first }?.pointer == pointer)
        }
    }

    @Test(
        "a misspelled key is one finding at the key, with the correct spelling",
        arguments: [
            (#"{"relations": ["\#(links)"], "target": {"namespace": "web", "site": "https://a.example"}}"#, "relation"),
            (#"{"Relation": ["a/b"], "target": {"namespace": "web", "site": "https://a.example"}}"#, "relation"),
            (
                #"{"relation": ["\#(links)"], "target": {"namespace": "android_app", "package_name": "com.house.app", "sha256_cert_fingerprint": []}}"#,
                "sha256_cert_fingerprints"
            ),
            (
                #"{"relation": ["\#(links)"], "target": {"namespace": "android_app", "packageName": "com.house.app", "sha256_cert_fingerprints": ["\#(AssetLinksProbe.fingerprint)"]}}"#,
                "package_name"
            ),
        ])
    func misspelledKey(statement: String, meant: String) throws {
        let errors = AssetLinksProbe("[\(statement)]").findings.filter { $0.severity == .error }
        #expect(errors.map(\.code) == ["dal.unknown-key"])
        #expect(errors.first?.fix == "Write \"\(meant)\".")
    }

    @Test("a remark in the file is information")
    func note() {
        let finding = AssetLinksProbe.app(statement: #", "_comment": "ours""#).finding("dal.unknown-key")
        #expect(finding?.severity == .info)
        #expect(finding?.pointer == "/0/_comment")
    }

    @Test(
        "a similar known relation is suggested",
        arguments: [
            ("looksalike/allowlist", "lookalikes/allowlist"),
            ("delegate_permission/common.handle_all_url", links),
            ("common.get_login_creds", AssetLinksProbe.credentials),
            ("delegate_permission/handle_all_urls", links),
        ])
    func nearRelation(written: String, meant: String) {
        let finding = AssetLinksProbe.app(relation: #"["\#(written)"]"#).findings.first {
            $0.code.hasPrefix("dal.relation")
        }
        #expect(finding?.fix == "Write \"\(meant)\".")
    }

    @Test(
        "errors in an include are reported",
        arguments: [
            Row(AssetLinksProbe(#"[{"include": "https://a.example/x.json", "note": 1}]"#), ["dal.include-any"]),
            Row(AssetLinksProbe(#"[{"include": "http://a.example/x.json"}]"#), ["dal.include-insecure"]),
            Row(AssetLinksProbe(#"[{"include": "https://a.example:999999"}]"#), ["dal.include-syntax"]),
            Row(AssetLinksProbe(#"[{"include": ["https://a.example/x.json"]}]"#), ["dal.include-syntax"]),
            Row(AssetLinksProbe(#"[{"include": {"paths": ["/a/*"]}}]"#), ["dyn.bogus-schema"]),
            Row(AssetLinksProbe(#"[{"include": "https://a.example/x", "target": {}}]"#), ["dal.include-with-target"]),
        ])
    func include(row: Row) {
        #expect(AssetLinksProbe(row.body).codes == row.codes)
    }

    @Test("ten includes are within the budget, the eleventh is reported", arguments: [(10, false), (11, true)])
    func includeBudget(count: Int, isTold: Bool) {
        let items = (0..<count).map { #"{"include": "https://a.example/\#($0).json"}"# }
        let finding = AssetLinksProbe("[\(items.joined(separator: ","))]").finding("dal.include-budget")
        #expect((finding != nil) == isTold)
        #expect(finding?.pointer == (isTold ? "/10" : nil))
    }

    @Test(
        "a list that includes itself is reported if the host is known",
        arguments: [("https://acme.com", true), ("https://ACME.com:443", true), ("https://other.com", false)])
    func includesItself(origin: String, isTold: Bool) {
        let text = #"[{"include": "\#(origin)/.well-known/assetlinks.json"}]"#
        func codes(_ domain: String?) -> [String] {
            AssociationLint.lint(body: Array(text.utf8), as: .assetlinks, options: LintOptions(domain: domain))
                .findings.map(\.code)
        }
        #expect(codes("acme.com").contains("dal.include-loop") == isTold)
        #expect(!codes(nil).contains("dal.include-loop"))
    }

    @Test("http may include http")
    func insecureIncludesInsecure() throws {
        let file = try #require(AssetLinksFile(reading: #"[{"include": "http://a.example/x.json"}]"#.utf8))
        #expect(AssetLinksLint.findings(in: file, isSecure: false).map(\.code) == ["dal.include-any"])
    }

    @Test("only the standard path is requested")
    func place() {
        #expect(TransportLint.placeFinding(path: "/.well-known/assetlinks.json", file: .assetlinks) == nil)
        #expect(TransportLint.placeFinding(path: "/assetlinks.json", file: .assetlinks)?.code == "http.wrong-name")
    }

    @Test("passkeys need a separate relation")
    func loginCredentials() {
        #expect(AssetLinksProbe.app().finding("dal.missing-login-creds")?.severity == .info)
        let both = AssetLinksProbe.app(relation: #"["\#(Self.links)", "\#(AssetLinksProbe.credentials)"]"#)
        #expect(both.finding("dal.missing-login-creds") == nil)
    }

    @Test("codes are unique, and every rule has a reason and a fix")
    func catalogue() {
        let rules = StatementRules.rules + FingerprintRules.rules + DynamicRules.rules
        #expect(Set(rules.map(\.code)).count == rules.count)
        for rule in rules { #expect(!rule.reason.isEmpty && !rule.fix.isEmpty && !rule.source.isEmpty, "\(rule.code)") }
    }
}
