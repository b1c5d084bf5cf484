import Testing

@testable import TestKit
@testable import WellKnown

@Suite("Linting patterns", .rules)
struct ApplePatternLintTests {
    static func codes(_ components: String, beside: String = "") -> [String] {
        AppleLintTests.codes(AppleExample.components(components, beside: beside))
    }

    // Sources: Apple, "applinks.Details.Components"; App Search Programming Guide; WWDC 2020 session 10098; swcutil.
    @Test(
        "path patterns with an unintended meaning are reported",
        arguments: [
            ("/buy/*", nil), ("/buy", nil), ("/", nil), ("/a/?*", nil), ("/id/????", nil), ("/(paren)/x", nil),
            ("/a.html", nil), ("/Special:Search", nil), ("/a=b", nil), ("*.html", nil), ("/@user", nil),
            ("/a-b_c~d", nil),
            ("NOT /a", "pat.not-keyword"), ("NOT/a", "pat.not-keyword"), ("/NOT/a", nil), ("/notes", nil),
            ("!/a", "pat.not-keyword"), ("not /a", "pat.not-keyword"), ("not/a", "pat.no-leading-slash"), ("/!a", nil),
            ("/search?q=*", "pat.query-in-path"), ("/x?*", "pat.query-in-path"), ("/a?b&c=d", nil),
            ("/a/?x=1", "pat.query-in-path"), ("/a?", nil),
            ("/#/guest", "pat.fragment-in-path"), ("/a#b", "pat.fragment-in-path"),
            ("https://acme.com/a", "pat.url-in-path"), ("www.acme.com/a", "pat.url-in-path"), ("/http/x", nil),
            ("acme.com/a", "pat.url-in-path"), ("//acme.com/a", "pat.url-in-path"), ("//acme.com", "pat.url-in-path"),
            ("/acme.com/a", nil), ("a.html/b", "pat.no-leading-slash"), ("v1.2/a", "pat.no-leading-slash"),
            ("/a/:id", "pat.route-syntax"), ("/a/{id}", "pat.route-syntax"), ("/a/[id]", "pat.route-syntax"),
            ("/a/(.*)", "pat.route-syntax"), ("^/a", "pat.route-syntax"), ("/a$", "pat.route-syntax"),
            ("/a/.*", "pat.route-syntax"), ("/a\\\\d", "pat.route-syntax"), ("/a/[0-9]+", "pat.route-syntax"),
            ("/(a|b)", "pat.route-syntax"), ("/a:b", nil), ("/.hidden", nil),
            ("<path>", "pat.placeholder-text"), ("/YOUR_PATH/*", "pat.placeholder-text"),
            ("put your path here", "pat.placeholder-text"), ("", "pat.empty-path"),
            ("buy/*", "pat.no-leading-slash"), ("$(lang)/x", nil), ("/dapp*", "pat.slash-star-noslash"),
            ("/dapp/*", nil), ("/dapp-*", nil), ("/buy/**", "pat.double-star"), ("/a/*/b", "pat.star-crosses-slash"),
            ("/a/*/", nil), ("/a/*b", nil), ("/café", "pat.non-ascii"), ("/a b", "pat.non-ascii"),
            ("/caf%c3%a9", "pat.percent-lower"), ("/caf%C3%A9", nil), ("/100%", "pat.bad-escape"),
            ("/100%2", "pat.bad-escape"), ("/100%zz", "pat.bad-escape"), ("/100%25", nil), ("/a%*", nil),
            ("/a*b*c*d*e*f*g*/", "pat.complexity"), ("/.well-known/*", "pat.host-dot-wellknown"),
            ("/.well-known/apple-app-site-association", "pat.host-dot-wellknown"), ("/.well-known/other", nil),
            ("/apple-app-site-association", "pat.host-dot-wellknown"), ("/apple-*", nil),
            ("/auth/callback", "pat.login-links"), ("/my/oauth/*", "pat.login-links"), ("*", "pat.login-links"),
            ("/auth/sso/callback", "pat.login-links"), ("/auth/sso/authorize", nil),
            ("/login", "pat.login-links"), ("/sign-in", "pat.login-links"), ("/PATH_HERE/*", "pat.placeholder-text"),
            ("TODO", "pat.placeholder-text"), ("/todo", nil), ("/sign-in/link/*", nil),
            ("/a\\u200bb", "json.invisible"), ("/$(drink)", "pat.subst-undefined"), ("/$(lang)/x", nil),
            ("/$(Lang)/x", "pat.subst-undefined"),
            ("/$lang", nil), ("/$(lang", "pat.route-syntax"), ("/$(lang/a", "pat.route-syntax"),
            ("/$(lang$(lang)", "pat.route-syntax"), ("/$()/x", "pat.subst-undefined"), ("/(lang/a", nil),
        ])
    func path(path: String, code: String?) {
        #expect(Self.codes("{\"/\": \"\(path)\"}") == [code].compactMap { $0 })
    }

    @Test(
        "with percentEncoded false the URL is decoded and the pattern is not",
        arguments: [
            ("/café", nil), ("/a b", nil), ("/100%", nil), ("/a%20b", "pat.percent-in-decoded"), ("/a%2Fb", nil),
            ("/a%c3%a9", "pat.percent-in-decoded"),
        ])
    func decoded(path: String, code: String?) {
        #expect(Self.codes("{\"/\": \"\(path)\", \"percentEncoded\": false}") == [code].compactMap { $0 })
        let defaults = ", \"defaults\": {\"percentEncoded\": false}"
        #expect(Self.codes("{\"/\": \"\(path)\"}", beside: defaults) == [code].compactMap { $0 })
    }

    // Source: Apple, App Search Programming Guide, "Support Universal Links".
    @Test(
        "NOT in legacy paths needs upper case and one blank",
        arguments: [
            ("NOT /a", nil), ("NOT/a", "pat.not-syntax"), ("not /a", "pat.not-syntax"), ("NOT  /a", "pat.not-syntax"),
            ("Not /a", "pat.not-syntax"), (" NOT /a", "pat.not-syntax"), ("/NOT/a", nil), ("/not", nil),
            ("NOT /a?b=c", "pat.query-in-path"), ("!/a", "pat.not-syntax"), ("NOT a", "pat.no-leading-slash"),
            ("NOT", "pat.not-syntax"),
            ("NOTES", "pat.no-leading-slash"),
            ("/$(lang)/x", "pat.subst-in-paths"),
        ])
    func legacy(path: String, code: String?) {
        let text = AppleExample.paths("\"\(path)\", \"/z\"")
        // Another test covers the finding that the exclude has no effect.
        #expect(AppleLintTests.codes(text).filter { $0 != "pat.dead-exclude" } == [code].compactMap { $0 })
    }

    // Sources: Apple, "applinks.Details.Components"; WWDC 2019 session 717 (query items); swcutil (types).
    @Test(
        "errors in the keys of components and their types are reported",
        arguments: [
            ("{}", ["pat.empty-component"]), (#"{"comment": "x"}"#, ["pat.empty-component"]),
            (#"{"paths": "/x"}"#, ["pat.empty-component", "pat.unknown-component-key"]),
            (#"{"/": "/a", "casesensitive": false}"#, ["pat.unknown-component-key"]),
            (#"{"/": "/a", "Exclude": true}"#, ["pat.unknown-component-key"]),
            (#"{"/": "/a", "_remark": 1}"#, ["pat.unknown-component-key"]),
            (#"{"/": 1}"#, ["pat.type"]), (##"{"/": "/a", "#": null}"##, ["pat.type"]),
            (#"{"/": "/a", "?": 1}"#, ["pat.type"]), (#"{"/": "/a", "caseSensitive": "false"}"#, ["pat.type"]),
            (#"{"/": "/a", "?": ["x"]}"#, ["pat.query-array"]), (#"{"/": "/a", "?": {"x": true}}"#, ["pat.query-type"]),
            (#"{"/": "/a", "?": {"x": 1, "y": "2", "z": null}}"#, ["pat.query-type", "pat.query-type"]),
            (#"{"/": "/a", "?": {"x": "*"}}"#, ["pat.query-star-noop"]), (#"{"/": "/a", "?": {"x": "?*"}}"#, []),
            (#"{"/": "/a", "?": "*"}"#, []), (#"{"/": "/a", "?": {"x": ""}}"#, []), (#"{"/": "/a", "?": {}}"#, []),
            (#"{"/": "/a/b", "?": {"x": "*"}, "exclude": true}, {"/": "/a/*"}"#, ["pat.query-star-exclude"]),
            (#"{"/": "/a/b", "?": {"x": "*", "y": "1"}, "exclude": true}, {"/": "/a/*"}"#, ["pat.query-star-noop"]),
            (#"{"/": "/a/b", "?": {"x": "?*"}, "exclude": true}, {"/": "/a/*"}"#, []),
            (#"{"/": "/a", "?": {"x": "a**"}}"#, ["pat.double-star"]),
            (#"{"/": "/a", "?": {"x[]": "1"}}"#, ["pat.query-repeated"]),
            (#"{"/": "/a", "exclude": "true"}"#, ["pat.exclude-type"]),
            (#"{"/": "/a", "exclude": 1}"#, ["pat.exclude-type"]),
            (#"{"/": "/a", "?": {"x": "é"}}"#, ["pat.non-ascii"]),
            (##"{"/": "/a", "#": "a%c3*"}"##, ["pat.percent-lower"]),
            (#"{"/": "/a", "?": "x=%zz"}"#, ["pat.bad-escape"]),
            (#"{"/": "/a", "?": {"x": "$(lang"}}"#, ["pat.route-syntax"]),
        ])
    func components(text: String, expected: [String]) {
        #expect(Self.codes(text) == expected)
    }

    // Source: Apple, "applinks.Details.Components": the first rule that matches decides.
    @Test(
        "errors in the order of rules are reported",
        arguments: [
            (#"{"/": "/a/*"}, {"/": "/b/*"}"#, []),
            (#"{"/": "*", "caseSensitive": false}, {"/": "/a"}"#, ["pat.catch-all-first", "pat.login-links"]),
            (#"{"/": "/a"}, {"/": "*"}"#, ["pat.login-links"]),
            (#"{"/": "/a/*"}, {"/": "/a/b/c"}"#, ["pat.shadowed"]), (#"{"/": "/a/b/c"}, {"/": "/a/*"}"#, []),
            (#"{"/": "/a/*"}, {"/": "/a"}"#, ["pat.shadowed"]), (#"{"/": "/a/?*"}, {"/": "/a"}"#, []),
            (#"{"/": "/a/*", "exclude": true}, {"/": "/a/b"}, {"/": "/c"}"#, ["pat.shadowed"]),
            (#"{"/": "/a/*"}, {"/": "/a/b", "exclude": true}"#, ["pat.dead-exclude"]),
            (#"{"/": "/a/b", "exclude": true}, {"/": "/a/*"}"#, []),
            // No later rule opens a URL that it excludes.
            (#"{"/": "/a/*", "?": {"x": "1"}}, {"/": "/a/b", "exclude": true}"#, ["pat.dead-exclude"]),
            (#"{"/": "/a"}, {"/": "/b", "exclude": true}"#, ["pat.dead-exclude"]),
            (#"{"/": "/b/*", "exclude": true}, {"/": "/a/*"}"#, ["pat.dead-exclude"]),
            (#"{"/": "/a/b*", "exclude": true}, {"/": "/a/*", "?": "q=?*"}"#, ["pat.slash-star-noslash"]),
            (#"{"/": "/b?", "exclude": true}, {"/": "/?c"}"#, []),
            (#"{}, {"/": "/a"}"#, ["pat.catch-all-first", "pat.empty-component"]),
            (#"{"/": "/$(nope)*"}, {"/": "/a"}"#, ["pat.subst-undefined"]),
            // Only the first two rules together cover the third.
            (#"{"/": "/a/*", "?": "?*"}, {"/": "/a/*", "?": ""}, {"/": "/a/b"}"#, ["pat.shadowed"]),
            (#"{"/": "/a/*", "exclude": true}"#, ["pat.exclude-only"]),
            // The rule is a catch-all only because its value is ignored. The finding is at the value.
            (#"{"/": 1}, {"/": "/a"}"#, ["pat.type"]),
        ])
    func order(text: String, expected: [String]) {
        #expect(Self.codes(text) == expected)
    }

    @Test("a covered rule is information if it decides the same, and a warning if it decides differently")
    func shadowSeverity() {
        func severity(_ components: String) -> Severity? {
            let body = Array(AppleExample.components(components).utf8)
            return AssociationLint.lint(body: body).findings.first { $0.code == "pat.shadowed" }?.severity
        }
        #expect(severity(#"{"/": "/a/*"}, {"/": "/a"}"#) == .info)
        #expect(severity(#"{"/": "/a/*", "exclude": true}, {"/": "/a/b"}, {"/": "/c"}"#) == .warning)
    }

    @Test(
        "An exclude after a rule that opens some of its addresses is a warning with one of them, any other idle one is information",
        arguments: [
            (#"{"/": "/docs/*"}, {"/": "*.pdf", "exclude": true}"#, ".pdf"),
            (##"{"/": "/buy/*"}, {"#": "no_universal_links", "exclude": true}"##, "#no_universal_links"),
            (#"{"/": "/room/*"}, {"?": {"app": "false"}, "exclude": true}"#, "?app=false"),
            (#"{"/": "/shop/*"}, {"/": "*/private", "exclude": true}"#, "/private"),
            (#"{"/": "/a/*", "?": {"x": "1"}}, {"/": "/a/b", "exclude": true}"#, "/a/b?x=1"),
            (#"{"/": "/shop/*"}, {"/": "/s*", "exclude": true}, {"/": "*.pdf", "exclude": true}"#, ".pdf"),
            (#"{"/": "/shop/*"}, {"/": "*", "exclude": true}"#, nil),
            (#"{"/": "/shop/*"}, {"/": "/s*", "exclude": true}"#, nil),
            (#"{"/": "/shop/*"}, {"/": "/admin/*", "exclude": true}"#, nil),
            // The addresses that both match are excluded before.
            (#"{"/": "/d/*.pdf", "exclude": true}, {"/": "/d/*"}, {"/": "*.pdf", "exclude": true}"#, nil),
        ])
    func lateExcludes(components: String, witness: String?) throws {
        let report = AssociationLint.lint(body: Array(AppleExample.components(components).utf8), as: .aasa)
        let found = report.findings.filter { $0.code == "pat.dead-exclude" }
        #expect(found.map(\.severity).max() == (witness == nil ? .info : .warning), "\(found.map(\.message))")
        for finding in found where finding.severity == .info {
            #expect(!finding.message.contains("https:") && !finding.reason.contains("open the app"))
        }
        guard let witness else { return }
        let message = try #require(found.first { $0.severity == .warning }).message
        let address = try #require(message.firstMatch(of: /opens "(https:[^"]+)" before it/)).1
        let link = try #require(LinkURL(String(address)))
        #expect("\(link)".contains(witness))
        #expect(AppleMatcher(try #require(report.aasa)).decide(link, app: "4J6K8M2N9P.com.acme.shop") == .opens)
    }

    @Test("a rule that only several rules together cover is reported as covered by all of them")
    func shadowedTogether() throws {
        let rules = #"{"/": "/$(alpha)"}, {"/": "/$(digit)"}, {"/": "/$(alnum)"}"#
        let report = AssociationLint.lint(body: Array(AppleExample.components(rules).utf8))
        let finding = try #require(report.findings.first { $0.code == "pat.shadowed" })
        #expect(finding.message.contains("the rules before it together cover it"), "\(finding.message)")
    }

    @Test(
        "escapes and non-ASCII letters are reported where they matter",
        arguments: [
            (#"{"/": "/%c3%a9"}"#, ["pat.percent-lower"]), (#"{"/": "/%c3%a9", "caseSensitive": false}"#, []),
            (#"{"/": "/a", "?": {"é": "1"}}"#, ["pat.non-ascii"]),
            (#"{"/": "/a", "?": {"é": "1"}, "percentEncoded": false}"#, []),
        ])
    func escapes(components: String, expected: [String]) {
        let codes = Self.codes(components).filter { ["pat.percent-lower", "pat.non-ascii"].contains($0) }
        #expect(codes == expected)
    }

    // Source: Apple, "applinks.Defaults". swcutil accepts every key of a component in defaults.
    @Test(
        "errors in defaults are reported",
        arguments: [
            (#"{"caseSensitive": false}"#, []), (#"{"/": "/a/*"}"#, ["pat.defaults-pattern"]),
            (#"{"exclude": true}"#, ["pat.defaults-pattern", "pat.exclude-only"]), ("[]", ["pat.type"]),
            (#"{"casesensitive": true}"#, ["aasa.key-case"]), (#"{"percentEncoded": 1}"#, ["pat.type"]),
        ])
    func defaults(text: String, expected: [String]) {
        #expect(Self.codes(#"{"/": "/buy/*"}"#, beside: ", \"defaults\": \(text)") == expected)
    }

    // Source: Apple, "applinks.SubstitutionVariables".
    @Test(
        "errors in substitution variables are reported",
        arguments: [
            ("/$(a)/x", #"{"a": ["b"]}"#, []), ("/$(a)/x", #"{"a": []}"#, ["pat.subst-empty"]),
            ("/$(a)/x", #"{"a": "b"}"#, ["pat.subst-empty"]), ("/$(a)/x", #"{"a": ["b", 1]}"#, ["pat.subst-empty"]),
            ("/$(a)/x", #"{"a": ["$(lang)"]}"#, ["pat.subst-nested"]), ("/$(a)/x", #"{"a": ["$(", "$b"]}"#, []),
            ("/x", #"{"a": ["b"]}"#, ["pat.subst-unused"]), ("/x", #"{"a(": ["b"]}"#, ["pat.subst-name"]),
            ("/$(lang)/x", #"{"lang": ["de"]}"#, ["pat.subst-shadow"]),
            ("/$(A)/x", #"{"a": ["b"]}"#, ["pat.subst-undefined", "pat.subst-unused"]),
            ("/$(region)/UK", "{}", ["pat.region-uk"]), ("/$(region)/GB", "{}", []), ("/$(region)/UKULELE", "{}", []),
            ("/x", "[]", ["pat.subst-empty"]),
            ("/$(v)", #"{"v": ["é"]}"#, ["pat.non-ascii"]), ("/$(v)", #"{"v": ["a%c3"]}"#, ["pat.percent-lower"]),
            ("/$(v)", #"{"v": ["a", "b*"]}"#, []),
        ])
    func variables(path: String, variables: String, expected: [String]) {
        let beside = ", \"substitutionVariables\": \(variables)"
        #expect(Self.codes("{\"/\": \"\(path)\"}", beside: beside) == expected)
    }

    @Test(
        "UK instead of GB is reported if the comment is about the region",
        arguments: [("/$(region)/x", 1), ("/$(lang)/x", 0)])
    func commentOnRegion(path: String, count: Int) {
        let text = #"{"/": "\#(path)", "comment": "UK"}, {"/": "/r/$(region)"}"#
        #expect(Self.codes(text).count { $0 == "pat.region-uk" } == count)
    }
}
