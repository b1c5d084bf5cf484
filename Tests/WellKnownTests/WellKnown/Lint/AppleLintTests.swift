import Testing

@testable import TestKit
@testable import WellKnown

/// Each row is a text with all its expected codes. A row without codes is a valid text that resembles an invalid one.
@Suite("Linting apple-app-site-association", .rules)
struct AppleLintTests {
    static let app = "4J6K8M2N9P.com.acme.shop"
    static let other = "4J6K8M2N9P.com.acme.other"

    static func codes(_ text: String, minimumIOS: SystemVersion? = nil) -> [String] {
        let options = LintOptions(minimumIOS: minimumIOS)
        return AssociationLint.lint(body: Array(text.utf8), as: .aasa, options: options).findings.map(\.code).sorted()
    }

    static func entry(_ members: String) -> String { "{\"applinks\": {\"details\": [{\(members)}]}}" }
    static let rules = "\"components\": [{\"/\": \"/buy/*\"}]"
    static let apps = "\"appIDs\": [\"\(app)\"]"

    // Sources: Apple, "Supporting associated domains", "applinks"; TN3155; WWDC 2019 session 717.
    @Test(
        "errors of the root and the services are reported",
        arguments: [
            ("{}", ["aasa.no-service"]), ("{\"links\": {}}", ["aasa.no-service", "aasa.unknown-service"]),
            // The misspelled name is the cause. The missing service is only its consequence.
            ("{\"appLinks\": {}}", ["aasa.unknown-service"]),
            ("{\"$schema\": \"x\", \"webcredentials\": {\"apps\": [\"\(app)\"]}}", ["aasa.unknown-service"]),
            ("{\"webcredentials\": {\"apps\": [\"\(app)\"]}}", []),
            ("{\"authsrv\": {\"apps\": [\"\(app)\"]}}", []),
            ("{\"webcredentials\": {}}", ["aasa.service-apps-missing"]),
            ("{\"webcredentials\": []}", ["aasa.service-apps-missing"]),
            ("{\"webcredentials\": {\"apps\": \"\(app)\"}}", ["aasa.service-apps-missing"]),
            ("{\"webcredentials\": {\"apps\": []}}", ["aasa.service-apps-missing"]),
            ("{\"webcredentials\": {\"apps\": [1]}}", ["aasa.service-apps-missing"]),
            ("{\"webcredentials\": {\"app\": [\"\(app)\"]}}", ["aasa.unknown-key"]),
            ("{\"webcredentials\": {\"Apps\": [\"\(app)\"]}}", ["aasa.key-case"]),
            ("{\"appclips\": {\"details\": []}}", ["aasa.details-outside-applinks"]),
            ("{\"details\": []}", ["aasa.details-outside-applinks"]),
            (
                "{\"webcredentials\": {\"apps\": [\"\(app)\"], \"appclips\": {}}}", ["aasa.misplaced-service"]
            ),
            ("{\"applinks\": {}}", ["aasa.details-missing"]), ("{\"applinks\": 1}", ["aasa.details-missing"]),
            ("{\"applinks\": {\"details\": null}}", ["aasa.details-missing"]),
            ("{\"applinks\": {\"details\": []}}", ["aasa.details-missing"]),
            ("{\"applinks\": {\"detail\": []}}", ["aasa.unknown-key"]),
            ("{\"applinks\": {\"details\": {\"\(app)\": {\"paths\": [\"/buy/*\"]}}}}", ["aasa.details-dictionary"]),
            ("{\"applinks\": {\"details\": {\"appID\": \"\(app)\", \"paths\": []}}}", ["aasa.details-object"]),
            ("{\"applinks\": {\"details\": [1]}}", ["aasa.rules-type"]),
        ])
    func root(text: String, expected: [String]) {
        #expect(Self.codes(text) == expected)
    }

    // Source: Apple, "applinks.Details"; TN3155; the behaviour of swcutil on macOS 27.
    @Test(
        "errors in the entries of details are reported",
        arguments: [
            ("\(apps), \(rules)", []),
            ("\"appID\": \"\(app)\", \"paths\": [\"/buy/*\", \"NOT /buy/old\"]", ["pat.dead-exclude"]),
            ("\"appID\": \"\(app)\", \"paths\": [\"NOT /buy/old\", \"/buy/*\"]", []),
            (rules, ["aasa.entry-without-app"]), ("\"appIDs\": [], \(rules)", ["aasa.entry-without-app"]),
            ("\"appID\": \"\(other)\", \"appIDs\": [], \(rules)", ["aasa.entry-without-app"]),
            ("\"appId\": \"\(app)\", \(rules)", ["aasa.key-case"]), ("\"app_ids\": [], \(rules)", ["aasa.key-case"]),
            ("\"appIDS\": [], \(rules)", ["aasa.key-case"]), ("\"appIDz\": [], \(rules)", ["aasa.unknown-key"]),
            ("\(apps), \(rules), \"priority\": 1", ["aasa.unknown-key"]),
            ("\"appIDs\": \"\(app)\", \(rules)", ["aasa.appids-type"]),
            ("\"appIDs\": [null], \(rules)", ["aasa.appids-type"]),
            ("\"appID\": [\"\(app)\"], \"paths\": [\"/buy/*\"]", ["aasa.appids-type"]),
            ("\"appID\": \"\(app)\", \(apps), \(rules)", ["aasa.both-appid-appids"]),
            ("\(apps), \(rules), \"paths\": [\"/buy/*\"]", ["aasa.mixed-generations"]),
            ("\"appID\": \"\(app)\", \(rules)", ["aasa.mixed-generations"]),
            ("\(apps), \"paths\": [\"/buy/*\"]", ["aasa.mixed-generations"]),
            (apps, ["aasa.no-rules"]), ("\(apps), \"Components\": []", ["aasa.key-case"]),
            ("\(apps), \"components\": []", ["aasa.empty-rules"]),
            ("\"appID\": \"\(app)\", \"paths\": []", ["aasa.empty-rules"]),
            ("\(apps), \"components\": null", ["aasa.rules-type"]),
            ("\(apps), \"components\": [\"/buy/*\"]", ["aasa.rules-type"]),
            ("\"appID\": \"\(app)\", \"paths\": \"/buy/*\"", ["aasa.rules-type"]),
            ("\"appID\": \"\(app)\", \"paths\": [{}]", ["aasa.rules-type"]),
            ("\(apps), \(rules), \"webcredentials\": {}", ["aasa.misplaced-service"]),
        ])
    func entries(members: String, expected: [String]) {
        #expect(Self.codes(Self.entry(members)) == expected)
    }

    @Test("what works in part is a warning: a mixed entry, details as a dictionary, apps that are not the empty list")
    func partSeverity() {
        func severity(_ text: String) -> Severity? {
            AssociationLint.lint(body: Array(text.utf8), as: .aasa).findings.first?.severity
        }
        let file = Self.entry("\(Self.apps), \(Self.rules)")
        #expect(severity(file) == nil)
        #expect(severity(Self.entry("\(Self.apps), \(Self.rules), \"paths\": [\"/buy/*\"]")) == .warning)
        #expect(severity(Self.entry("\"appID\": \"\(Self.app)\", \(Self.rules)")) == .warning)
        #expect(severity(file.replacing("\"details\"", with: "\"apps\": [\"\(Self.app)\"], \"details\"")) == .warning)
        let dictionary = "{\"applinks\": {\"details\": {\"\(Self.app)\": {\"paths\": [\"/buy/*\"]}}}}"
        #expect(severity(dictionary) == .warning)
    }

    // Source: Apple, App Search Programming Guide (apps: []); availability on the pages of applinks.
    @Test(
        "features that the oldest system needs or does not know are reported",
        arguments: [
            ("\(apps), \(rules)", "", 13, 0, []),
            ("\(apps), \(rules)", "", 12, 4, ["aasa.apps-needed", "aasa.min-os", "aasa.min-os"]),
            ("\"appID\": \"\(app)\", \"paths\": [\"/buy/*\"]", "\"apps\": [], ", 9, 0, []),
            ("\"appID\": \"\(app)\", \"paths\": [\"/buy/*\"]", "", 12, 0, ["aasa.apps-needed"]),
            ("\(apps), \(rules)", "\"defaults\": {\"caseSensitive\": true}, ", 13, 5, ["aasa.min-os"]),
            ("\(apps), \"components\": [{\"/\": \"/a\", \"caseSensitive\": false}]", "", 13, 4, ["aasa.min-os"]),
            ("\(apps), \"components\": [{\"/\": \"/a\", \"caseSensitive\": false}]", "", 13, 5, []),
            ("\(apps), \"components\": [{\"/\": \"/a\", \"caseSensitive\": true}]", "", 13, 0, []),
            ("\(apps), \"components\": [{\"/\": \"/a\", \"percentEncoded\": false}]", "", 13, 7, ["aasa.min-os"]),
            ("\(apps), \"components\": [{\"/\": \"/$(lang)/a\"}]", "", 13, 4, ["aasa.min-os"]),
            ("\(apps), \"components\": [{\"/\": \"/a\", \"?\": {\"l\": \"$(lang)\"}}]", "", 13, 5, []),
            ("\(apps), \(rules)", "\"apps\": [\"\(app)\"], ", 14, 0, ["aasa.apps-nonempty"]),
            ("\(apps), \(rules)", "\"apps\": {}, ", 14, 0, ["aasa.apps-nonempty"]),
        ])
    func systems(members: String, applinks: String, major: Int, minor: Int, expected: [String]) {
        let text = "{\"applinks\": {\(applinks)\"details\": [{\(members)}]}}"
        #expect(Self.codes(text, minimumIOS: SystemVersion(major, minor)) == expected)
    }

    @Test(
        "a version has one to three numbers",
        arguments: [
            ("13", SystemVersion(13)), ("13.5", SystemVersion(13, 5)), ("13.5.1", SystemVersion(13, 5)), ("", nil),
            ("13.", nil), ("13.5.1.2", nil), ("x", nil), ("99999", nil), ("-1", nil),
        ])
    func versions(text: String, version: SystemVersion?) {
        #expect(SystemVersion(text) == version)
    }

    static func two(_ first: String, _ second: String, _ app: String = other) -> String {
        "{\"applinks\": {\"details\": [{\(apps), \"components\": [\(first)]}, "
            + "{\"appIDs\": [\"\(app)\"], \"components\": [\(second)]}]}}"
    }

    // Source: Apple, "applinks.Details": the first entry whose pattern matches.
    @Test(
        "errors across several entries are reported",
        arguments: [
            (two(#"{"/": "/a/*"}"#, #"{"/": "/b/*"}"#), []),
            (two(#"{"/": "/a/*"}"#, #"{"/": "/b/*"}"#, app), ["aasa.duplicate-app"]),
            (two(#"{"/": "/a/*"}"#, #"{"/": "/a/*"}"#), ["aasa.duplicate-entries"]),
            // Equal as JSON, but not as text.
            (
                two(#"{"/": "/a/*", "exclude": false}"#, #"{"exclude": false, "/": "\/a\/*"}"#),
                ["aasa.duplicate-entries"]
            ),
            (two(#"{"/": "/a/*"}"#, #"{"/": "/a/b"}"#), ["aasa.shared-path"]),
            // The later app has an exclude for its own rule.
            (two(#"{"/": "/a/*"}"#, #"{"/": "/a/*", "exclude": true}, {"/": "/?/c"}"#), []),
            (two(#"{"/": "/a/b", "exclude": true}, {"/": "/a/*"}"#, #"{"/": "/a/b"}"#), []),
            (two(#"{"/": "/a", "?": {"x": "1"}}"#, #"{"/": "/a", "?": {"x": "1", "y": "2"}}"#), ["aasa.shared-path"]),
            (two(#"{"/": "/a/*", "exclude": true}"#, #"{"/": "/a/*"}"#, app), ["aasa.duplicate-app", "pat.shadowed"]),
        ])
    func lists(text: String, expected: [String]) {
        #expect(Self.codes(text) == expected)
    }

    @Test("for a shared URL, the finding names both apps and the URL")
    func sharedWitness() throws {
        let text = Self.two(#"{"/": "/a/*"}"#, #"{"/": "/a/b"}"#)
        let options = LintOptions(domain: "www.acme.com")
        let report = AssociationLint.lint(body: Array(text.utf8), options: options)
        let message = try #require(report.findings.first).message
        #expect(message == "\"https://www.acme.com/a/b\" opens \"\(Self.app)\"; \"\(Self.other)\" also claims it.")
    }

    @Test("the file that the identity provider generates has no findings")
    func ours() throws {
        let file = try #require(
            AppleAppSiteAssociation(appIDs: [try AppleAppID(Self.app)], paths: AssociationFileTests.paths))
        #expect(AssociationLint.lint(body: file.json(), as: .aasa).findings.isEmpty)
    }

    @Test("rules beyond the comparison limit are linted, and none is reported as dead without a comparison")
    func many() {
        let components = (0..<2000).map { "{\"/\": \"/p\($0)/*\"}" }.joined(separator: ", ")
        #expect(Self.codes(AppleExample.components(components)) == [])
        let last = AppleExample.components(components + ", {\"/\": \"/a b\"}")
        #expect(Self.codes(last) == ["pat.non-ascii"])
    }
}
