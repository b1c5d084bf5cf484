/// The keys of a component and their types.
///
/// Sources: Apple, "applinks.Details.Components" and "applinks.Defaults"; WWDC 2019 session 717; the behaviour of
/// Apple's `swcutil` on macOS 27.
enum AppleComponentRules {
    static let rules: [LintRule] = [
        emptyComponent, unknownKey, type, queryType, queryArray, queryStarNoOp, queryStarExclude, queryRepeated,
        querySyntax, excludeType, defaultsPattern, defaultsPaths,
    ]

    private static let components = "Apple, applinks.Details.Components"
    private static let seen = components + "; swcutil on macOS 27"
    private static func example(_ text: String) -> LintExample { AppleExample.rule(text) }

    static let emptyComponent = LintRule(
        "pat.empty-component", .warning, "A component that sets nothing matches every address",
        reason: "An absent key means *, so the app opens every link of the site.",
        fix: "Write the intended path, or {\"/\": \"*\"} for all of them.", source: seen,
        wrong: example("{}"), right: example(#"{"/": "/buy/*"}"#))
    static let unknownKey = LintRule(
        "pat.unknown-component-key", .error, "A key that components do not have",
        reason: "The key is ignored, so the rule matches more than it says. Without other keys it matches every "
            + "address.", fix: "Components have the keys /, ?, #, exclude, comment, caseSensitive and percentEncoded.",
        source: seen, wrong: example(#"{"/": "/buy/*", "casesensitive": false}"#),
        right: example(#"{"/": "/buy/*", "caseSensitive": false}"#))
    static let type = LintRule(
        "pat.type", .error, "A value of the wrong type",
        reason: "The value is ignored, as if the key were absent. A pattern becomes *.",
        fix: "Write a string for / and #, and true or false for caseSensitive and percentEncoded.", source: seen,
        wrong: example(##"{"/": "/buy/*", "#": 1}"##), right: example(##"{"/": "/buy/*", "#": "1"}"##))
    static let queryType = LintRule(
        "pat.query-type", .error, "A query item whose pattern is not a string",
        reason: "One such value makes systems ignore the whole dictionary, so the rule matches far more than it says.",
        fix: "Write the pattern as a string: \"5\", \"true\", \"?*\".", source: seen,
        wrong: example(#"{"/": "/buy/*", "?": {"id": 5}}"#), right: example(#"{"/": "/buy/*", "?": {"id": "5"}}"#))
    static let queryArray = LintRule(
        "pat.query-array", .error, "The query is a list", reason: "A list is ignored, so the rule matches every query.",
        fix: "Write a dictionary of names and patterns: {\"id\": \"?*\"}.", source: components,
        wrong: example(#"{"/": "/buy/*", "?": ["id"]}"#), right: example(#"{"/": "/buy/*", "?": {"id": "?*"}}"#))
    static let querySyntax = LintRule(
        "pat.query-syntax", .error, "A separator of the address in a query item or fragment",
        reason:
            "A query is compared item by item, after it is split at & and =, and a fragment without its #. No address "
            + "has such a text, so the rule does not match what it means.",
        fix: "Write one item per name, {\"name\": \"pattern\"}, without ?, & and =, and a fragment without #.",
        source: components,
        wrong: example(#"{"/": "/buy", "?": {"?id": "?*"}}"#), right: example(#"{"/": "/buy", "?": {"id": "?*"}}"#))
    static let queryStarNoOp = LintRule(
        "pat.query-star-noop", .warning, "A query item that may be anything, absent included",
        reason: "An absent item counts as empty, and * matches the empty text. The item has no effect.",
        fix: "Write \"?*\" for an item that is present and not empty.", source: "Apple, WWDC 2019 session 717",
        wrong: example(#"{"/": "/buy/*", "?": {"id": "*"}}"#), right: example(#"{"/": "/buy/*", "?": {"id": "?*"}}"#))
    static let queryStarExclude = LintRule(
        "pat.query-star-exclude", .error, "An exclude by a query item that may be absent",
        reason: "An absent item counts as empty, and * matches the empty text. Every address of the path is excluded, "
            + "with or without the item.",
        fix: "Write \"?*\" for an item that is present and not empty.", source: "Apple, WWDC 2019 session 717",
        wrong: example(#"{"/": "*", "?": {"browser": "*"}, "exclude": true}, {"/": "/buy/*"}"#),
        right: example(#"{"/": "*", "?": {"browser": "?*"}, "exclude": true}, {"/": "/buy/*"}"#))
    static let queryRepeated = LintRule(
        "pat.query-repeated", .info, "A query item that usually occurs several times",
        reason: "If a name repeats in the address, all its values must match. One other value is enough for the rule "
            + "not to match.", fix: "Use a pattern that all values match, or omit the item.", source: seen,
        wrong: example(#"{"/": "/buy/*", "?": {"tag[]": "new"}}"#),
        right: example(#"{"/": "/buy/*", "?": {"tag": "new"}}"#))
    static let excludeType = LintRule(
        "pat.exclude-type", .error, "exclude is neither true nor false",
        reason: "Any other value is ignored, so the rule opens what it should exclude.",
        fix: "Write \"exclude\": true, without quotes.", source: components,
        wrong: example(#"{"/": "/buy/private/*", "exclude": "true"}"#),
        right: example(#"{"/": "/buy/private/*", "exclude": true}, {"/": "/buy/*"}"#))
    static let defaultsPattern = LintRule(
        "pat.defaults-pattern", .warning, "defaults hold a pattern or exclude",
        reason: "This is not documented, but was observed: every component that does not set the key gets it.",
        fix: "Write the key into the components, and keep only caseSensitive and percentEncoded in defaults.",
        source: "Apple, applinks.Defaults; swcutil on macOS 27",
        wrong: .aasa(AppleExample.components(#"{"?": {"id": "?*"}}"#, beside: #", "defaults": {"/": "/buy/*"}"#)),
        right: .aasa(
            AppleExample.components(
                #"{"/": "/buy/*", "?": {"id": "?*"}}"#, beside: #", "defaults": {"caseSensitive": false}"#)))
    static let defaultsPaths = LintRule(
        "pat.defaults-paths", .warning, "defaults with legacy paths",
        reason: "defaults are documented for components only. Apple does not say whether they apply to paths.",
        fix: "Write appIDs and components instead of appID and paths.", source: "Apple, applinks.Defaults",
        wrong: .aasa(AppleExample.paths("\"/buy/*\"", beside: #", "defaults": {"caseSensitive": false}"#)),
        right: .aasa(AppleExample.components(#"{"/": "/buy/*"}"#, beside: #", "defaults": {"caseSensitive": false}"#)))
}

/// The order of rules: the first rule that matches decides.
///
/// Sources: Apple, "applinks.Details.Components"; WWDC 2019 session 717.
enum AppleOrderRules {
    static let rules: [LintRule] = [catchAllFirst, shadowed, deadExclude, excludeOnly, hostWellKnown, loginLinks]

    private static let components = "Apple, applinks.Details.Components"

    static let catchAllFirst = LintRule(
        "pat.catch-all-first", .error, "A rule that matches everything comes before others",
        reason:
            "The first rule that matches decides, so the rules after it never do. It is an error if one of them would "
            + "decide differently or belongs to another app, and information if nothing is lost.",
        fix: "Move the rule to the end of the list.", source: components,
        wrong: AppleExample.rule(#"{"/": "*"}, {"/": "/admin/*", "exclude": true}"#),
        right: AppleExample.rule(#"{"/": "/admin/*", "exclude": true}, {"/": "*"}"#))
    static let shadowed = LintRule(
        "pat.shadowed", .warning, "A rule that can never decide",
        reason: "Earlier rules match every address of this one, and the first matching rule decides.",
        fix: "Remove the rule, or move it before the wider one.", source: components,
        wrong: AppleExample.rule(#"{"/": "/buy/*"}, {"/": "/buy/now/*"}"#),
        right: AppleExample.rule(#"{"/": "/buy/*"}, {"/": "/sell/now/*"}"#))
    static let deadExclude = LintRule(
        "pat.dead-exclude", .warning, "An exclude after a rule that already opens its addresses",
        reason: "Addresses that are meant for the browser open the app.",
        fix: "Move the exclude before the rule that opens.", source: components,
        wrong: AppleExample.rule(#"{"/": "/buy/*"}, {"/": "/buy/private/*", "exclude": true}"#),
        right: AppleExample.rule(#"{"/": "/buy/private/*", "exclude": true}, {"/": "/buy/*"}"#))
    static let excludeOnly = LintRule(
        "pat.exclude-only", .warning, "Only rules that exclude",
        reason: "A link that no rule matches also opens the browser. Nothing opens the app.",
        fix: "End the list with a rule that opens, such as {\"/\": \"*\"}.", source: components,
        wrong: AppleExample.rule(#"{"/": "/admin/*", "exclude": true}"#),
        right: AppleExample.rule(#"{"/": "/admin/*", "exclude": true}, {"/": "/buy/*"}"#))
    static let hostWellKnown = LintRule(
        "pat.host-dot-wellknown", .warning, "The rule opens the association files themselves in the app",
        reason: "A link to the file opens the app instead of the file.",
        fix: "Exclude /.well-known/*, or remove the rule.", source: "RFC 8615",
        wrong: AppleExample.rule(#"{"/": "/.well-known/*"}"#),
        right: AppleExample.rule(#"{"/": "/.well-known/*", "exclude": true}, {"/": "/buy/*"}"#))
    static let loginLinks = LintRule(
        "pat.login-links", .info, "The rule takes callbacks, sign-out, unsubscribe or download addresses",
        reason: "A sign-in that began in the browser ends in the app, which does not know it. A download opens a "
            + "screen of the app.", fix: "Exclude these addresses before the rule, unless the app handles them.",
        source: "RFC 8252 section 7.2; Apple, TN3155 Debugging universal links",
        wrong: AppleExample.rule(#"{"/": "/auth/*"}"#),
        right: AppleExample.rule(#"{"/": "/auth/sso/authorize"}, {"/": "/sign-in/link/*"}"#))
}
