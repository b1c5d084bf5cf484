import Testing
import WellKnown

@testable import TestKit

/// Sources: Google, "Configure Dynamic App Links" and "Test App Links"; AOSP, UriRelativeFilter and PatternMatcher.
@Suite("Linting dynamic rules", .rules)
struct DynamicLintTests {
    private static let links = AssetLinksProbe.links

    @Test(
        "findings match Android's behaviour for the rules",
        arguments: [
            (#"[{"/": "/a", "exclude": true}, {"/": "*"}]"#, []),
            (#"[{"/": "/a"}, {"/": "*", "exclude": true}]"#, []),
            (##"[{"/": "/a"}, {"#": "x"}, {"?": {"q": "*"}}]"##, ["dyn.no-catch-all"]),
            (#"[{"/": "/a", "exclude": true}]"#, ["dyn.exclude-only"]),
            (#"[{"/": "*", "exclude": true}, {"/": "/a"}]"#, ["dyn.exclude-only", "dyn.catch-all-first"]),
            (#"[{"/": "*"}, {"/": "/a", "exclude": true}]"#, ["dyn.catch-all-first"]),
            (#"[{"/": "/*"}, {"/": "/a", "exclude": true}]"#, ["dyn.catch-all-first"]),
            (#"[{"/": "*", "?": {"q": "*"}}, {"/": "*"}]"#, []),
            (#"[{"/": "/a*"}, {"/": "/ab"}, {"/": "*", "exclude": true}]"#, ["dyn.shadowed"]),
            (#"[{"/": "/a"}, {"/": "/a", "exclude": true}, {"/": "*", "exclude": true}]"#, ["dyn.shadowed"]),
            (#"[{"/": "/ab"}, {"/": "/a*"}, {"/": "*", "exclude": true}]"#, []),
            (#"[{"/": "/a", "?": {"q": "1"}}, {"/": "/a"}, {"/": "*", "exclude": true}]"#, []),
            // Malformed or empty: all rules are discarded, so there is no finding about their order.
            (#"[]"#, ["dyn.malformed"]),
            (#"{}"#, ["dyn.malformed"]),
            (#"null"#, ["dyn.malformed"]),
            (#"["/a"]"#, ["dyn.malformed"]),
            (#"[{}]"#, ["dyn.malformed"]),
            (#"[{"exclude": true}]"#, ["dyn.malformed"]),
            (#"[{"/": ""}, {"/": "*"}]"#, ["dyn.malformed"]),
            (#"[{"/": 1}, {"/": "*"}]"#, ["dyn.malformed"]),
            (##"[{"#": ""}, {"/": "*"}]"##, ["dyn.malformed"]),
            (#"[{"?": {}}, {"/": "*"}]"#, ["dyn.malformed"]),
            (#"[{"?": {"q": ""}}, {"/": "*"}]"#, ["dyn.malformed"]),
            (#"[{"?": {"q": true}}, {"/": "*"}]"#, ["dyn.malformed"]),
            (#"[{"?": ["q"]}, {"/": "*"}]"#, ["dyn.malformed"]),
            (#"[{"/": "*", "exclude": "true"}]"#, ["dyn.malformed"]),
            (#"[{"?": "q=1"}, {"/": "*"}]"#, ["dyn.query-string"]),
            // Apple's keys.
            (#"[{"/": "*", "caseSensitive": false}]"#, ["dyn.unknown-key"]),
            (#"[{"/": "*", "comment": "all"}]"#, ["dyn.unknown-key"]),
            (#"[{"path": "/a"}, {"/": "*"}]"#, ["dyn.unknown-key"]),
            (#"[{"/": "/a", "Exclude": true}, {"/": "*"}]"#, ["dyn.unknown-key"]),
            // Stars without backtracking.
            (
                #"[{"/": "*/terms/*", "exclude": true}, {"/": "/terms*"}, {"/": "*"}]"#,
                ["dyn.star-backtracking", "dyn.trailing-slash"]
            ),
            (#"[{"/": "/a*b"}, {"/": "*"}]"#, ["dyn.star-backtracking"]),
            (#"[{"/": "/a*b*"}, {"/": "*"}]"#, []),
            (#"[{"/": "/a*bc*"}, {"/": "*"}]"#, ["dyn.star-backtracking"]),
            (#"[{"/": "/a*"}, {"/": "*"}]"#, []),
            (#"[{"?": {"q": "*1"}}, {"/": "*"}]"#, ["dyn.star-backtracking"]),
            // Slashes.
            (#"[{"/": "/buy/"}, {"/": "*", "exclude": true}]"#, ["dyn.trailing-slash"]),
            (#"[{"/": "/buy/*"}, {"/": "*", "exclude": true}]"#, ["dyn.trailing-slash"]),
            (#"[{"/": "/buy/*"}, {"/": "/buy"}, {"/": "*", "exclude": true}]"#, []),
            (#"[{"/": "/"}, {"/": "*", "exclude": true}]"#, []),
            // Escapes.
            (#"[{"/": "/caf%C3%A9"}, {"/": "*", "exclude": true}]"#, ["dyn.encoded-pattern"]),
            (#"[{"/": "/100%"}, {"/": "/café"}, {"/": "*", "exclude": true}]"#, []),
        ])
    func rules(text: String, codes: [String]) {
        #expect(AssetLinksProbe.dynamic(text).codes == codes)
    }

    @Test(
        "rules in a place that no system reads are reported",
        arguments: [
            (#", "dynamic_app_link_components": [{"/": "*"}]"#, "dyn.wrong-place", "/0/dynamic_app_link_components"),
            (
                #", "relation_extensions": {"dynamic_app_link_components": [{"/": "*"}]}"#, "dyn.wrong-place",
                "/0/relation_extensions/dynamic_app_link_components"
            ),
            (
                #", "relation_extensions": {"\#(AssetLinksProbe.credentials)": {"dynamic_app_link_components": [{"/": "*"}]}}"#,
                "dyn.wrong-relation", "/0/relation_extensions/delegate_permission~1common.get_login_creds"
            ),
            (#", "relation_extensions": []"#, "dyn.malformed", "/0/relation_extensions"),
            (
                #", "relation_extensions": {"\#(links)": {}}"#, "dyn.malformed",
                "/0/relation_extensions/delegate_permission~1common.handle_all_urls"
            ),
            (
                #", "relation_extensions": {"\#(links)": {"dynamic_app_link_component": []}}"#, "dyn.unknown-key",
                "/0/relation_extensions/delegate_permission~1common.handle_all_urls/dynamic_app_link_component"
            ),
            (#", "exclude": {"paths": ["/a"]}"#, "dyn.bogus-schema", "/0/exclude"),
        ])
    func place(text: String, code: String, pointer: String) {
        let probe = AssetLinksProbe.app(statement: text)
        // Android 11 and older read no array of objects in a statement of another form.
        let isOwnForm = text.hasPrefix(#", "dynamic_app_link_components": [{"#)
        #expect(probe.codes == [code] + (isOwnForm ? ["dal.readers-differ"] : []))
        #expect(probe.finding(code)?.pointer == pointer)
    }

    @Test("rules inside the target are reported")
    func inTarget() {
        let probe = AssetLinksProbe.app(target: #", "dynamic_app_link_components": [{"/": "*"}]"#)
        #expect(probe.codes == ["dyn.wrong-place", "dal.readers-differ"])
    }

    @Test("rules in a statement without the link relation are reported")
    func otherRelation() {
        let probe = AssetLinksProbe.app(
            relation: #"["\#(AssetLinksProbe.credentials)"]"#,
            statement: #", "relation_extensions": {"\#(Self.links)": {"dynamic_app_link_components": [{"/": "*"}]}}"#)
        #expect(probe.codes == ["dyn.wrong-relation"])
    }

    @Test("a second set of rules for one app is reported")
    func twice() {
        let rules = #", "relation_extensions": {"\#(Self.links)": {"dynamic_app_link_components": [{"/": "*"}]}}"#
        let one = AssetLinksProbe.statementText(
            #"["\#(Self.links)"]"#, #""android_app""#, #""com.house.app""#, #"["\#(AssetLinksProbe.fingerprint)"]"#, "",
            rules)
        let two = AssetLinksProbe.statementText(
            #"["\#(Self.links)"]"#, #""android_app""#, #""com.house.app""#, #"["\#(AssetLinksProbe.fingerprint)"]"#, "",
            rules + #", "_n": 1"#)
        #expect(
            AssetLinksProbe("[\(one), \(two)]").codes == [
                "dyn.declared-twice", "dal.unknown-key", "dal.readers-differ",
            ])
    }

    @Test(
        "the witness of a star is a link that a star with backtracking matches",
        arguments: [
            ("*/terms/*", "/x/terms/"), ("/a*b", "/abxb"), ("/x*xy", "/xxyxy"),
        ])
    func witness(pattern: String, link: String) {
        let finding = AssetLinksProbe.dynamic(#"[{"/": "\#(pattern)"}, {"/": "*"}]"#).finding("dyn.star-backtracking")
        #expect(finding?.message.contains("\"\(link)\"") == true, "\(finding?.message ?? "")")
    }
}
