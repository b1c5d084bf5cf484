/// The keys of a component and their types.
///
/// Sources: Apple, "applinks.Details.Components" and "applinks.Defaults"; WWDC 2019 session 717; the behaviour of
/// Apple's `swcutil` on macOS 27.
enum AppleComponentRules {
    static let rules: [LintRule] = [
        emptyComponent, unknownKey, type, queryType, queryArray, queryStarNoOp, queryStarExclude, queryRepeated,
        excludeType, defaultsPattern, defaultsPaths,
    ]

    private static let components = "Apple, applinks.Details.Components"
    private static let seen = components + "; swcutil on macOS 27"
    private static func example(_ text: String) -> LintExample { AppleExample.rule(text) }

    static let emptyComponent = LintRule(
        "pat.empty-component", .warning, "A component that sets nothing matches every address",
        reason: "Every key that is not there means *: the app takes every link of the site.",
        fix: "Write the path that is meant; {\"/\": \"*\"} if it is really all of them.", source: seen,
        wrong: example("{}"), right: example(#"{"/": "/buy/*"}"#))

    static let unknownKey = LintRule(
        "pat.unknown-component-key", .error, "A key that components do not have",
        reason: "The key is skipped, and the rule matches more than it says: alone it matches every address.",
        fix: "Components have the keys / ? # exclude comment caseSensitive percentEncoded.", source: seen,
        wrong: example(#"{"/": "/buy/*", "casesensitive": false}"#),
        right: example(#"{"/": "/buy/*", "caseSensitive": false}"#))

    static let type = LintRule(
        "pat.type", .error, "A value of the wrong type",
        reason: "The value is ignored and the key means what it means when absent: a pattern becomes *.",
        fix: "Write a string for / and #, true or false for caseSensitive and percentEncoded.", source: seen,
        wrong: example(##"{"/": "/buy/*", "#": 1}"##), right: example(##"{"/": "/buy/*", "#": "1"}"##))

    static let queryType = LintRule(
        "pat.query-type", .error, "A query item whose pattern is no string",
        reason: "One such value and the whole dictionary is ignored: the rule is far wider than written.",
        fix: "Write the pattern as a string: \"5\", \"true\", \"?*\".", source: seen,
        wrong: example(#"{"/": "/buy/*", "?": {"id": 5}}"#), right: example(#"{"/": "/buy/*", "?": {"id": "5"}}"#))

    static let queryArray = LintRule(
        "pat.query-array", .error, "The query is a list",
        reason: "A list is ignored: the rule matches whatever the query is.",
        fix: "Write a dictionary of names and patterns: {\"id\": \"?*\"}.", source: components,
        wrong: example(#"{"/": "/buy/*", "?": ["id"]}"#), right: example(#"{"/": "/buy/*", "?": {"id": "?*"}}"#))

    static let queryStarNoOp = LintRule(
        "pat.query-star-noop", .warning, "A query item that may be anything, absent included",
        reason: "An item that is not there counts as empty, and * matches the empty text: the item asks for nothing.",
        fix: "Write \"?*\" for an item that is there and not empty.", source: "Apple, WWDC 2019 session 717",
        wrong: example(#"{"/": "/buy/*", "?": {"id": "*"}}"#), right: example(#"{"/": "/buy/*", "?": {"id": "?*"}}"#))

    static let queryStarExclude = LintRule(
        "pat.query-star-exclude", .error, "An exclude by a query item that may be absent",
        reason: "An item that is not there counts as empty, and * matches the empty text: every address of that path "
            + "is excluded, with the item or without.",
        fix: "Write \"?*\" for an item that is there and not empty.", source: "Apple, WWDC 2019 session 717",
        wrong: example(#"{"/": "*", "?": {"browser": "*"}, "exclude": true}, {"/": "/buy/*"}"#),
        right: example(#"{"/": "*", "?": {"browser": "?*"}, "exclude": true}, {"/": "/buy/*"}"#))

    static let queryRepeated = LintRule(
        "pat.query-repeated", .info, "A query item that usually occurs several times",
        reason: "When a name repeats in the address, all its values must match: one other value and the rule does not.",
        fix: "Use a pattern that all values match, or leave the item out.", source: seen,
        wrong: example(#"{"/": "/buy/*", "?": {"tag[]": "new"}}"#),
        right: example(#"{"/": "/buy/*", "?": {"tag": "new"}}"#))

    static let excludeType = LintRule(
        "pat.exclude-type", .error, "exclude is neither true nor false",
        reason: "Any other value is ignored: the rule opens what it should keep out.",
        fix: "Write \"exclude\": true, without quotes.", source: components,
        wrong: example(#"{"/": "/buy/private/*", "exclude": "true"}"#),
        right: example(#"{"/": "/buy/private/*", "exclude": true}, {"/": "/buy/*"}"#))

    static let defaultsPattern = LintRule(
        "pat.defaults-pattern", .warning, "defaults hold a pattern or exclude",
        reason: "Undocumented, and in force all the same: every component that does not set the key gets it.",
        fix: "Write the key into the components; keep caseSensitive and percentEncoded in defaults.",
        source: "Apple, applinks.Defaults; swcutil on macOS 27",
        wrong: .aasa(
            AppleExample.components(#"{"?": {"id": "?*"}}"#, beside: #", "defaults": {"/": "/buy/*"}"#)),
        right: .aasa(
            AppleExample.components(
                #"{"/": "/buy/*", "?": {"id": "?*"}}"#, beside: #", "defaults": {"caseSensitive": false}"#)))

    static let defaultsPaths = LintRule(
        "pat.defaults-paths", .warning, "defaults with legacy paths",
        reason: "Documented for components only; whether they reach paths nobody has shown (disputed).",
        fix: "Write appIDs and components instead of appID and paths.", source: "Apple, applinks.Defaults",
        wrong: .aasa(AppleExample.paths("\"/buy/*\"", beside: #", "defaults": {"caseSensitive": false}"#)),
        right: .aasa(
            AppleExample.components(#"{"/": "/buy/*"}"#, beside: #", "defaults": {"caseSensitive": false}"#)))
}

/// The order of rules: the first rule that matches decides.
///
/// Sources: Apple, "applinks.Details.Components"; WWDC 2019 session 717.
enum AppleOrderRules {
    static let rules: [LintRule] = [catchAllFirst, shadowed, deadExclude, excludeOnly, hostWellKnown, loginLinks]

    private static let components = "Apple, applinks.Details.Components"

    static let catchAllFirst = LintRule(
        "pat.catch-all-first", .error, "A rule that matches everything stands before others",
        reason: "The first rule that matches decides, so the rules after it never do. It is an error if one of them would "
            + "decide differently or belongs to another app, and information if nothing is lost.",
        fix: "Move the rule to the end of the list.", source: components,
        wrong: AppleExample.rule(#"{"/": "*"}, {"/": "/admin/*", "exclude": true}"#),
        right: AppleExample.rule(#"{"/": "/admin/*", "exclude": true}, {"/": "*"}"#))

    static let shadowed = LintRule(
        "pat.shadowed", .warning, "A rule that can never decide",
        reason: "Rules before it match all that it matches, and the first that matches decides.",
        fix: "Remove the rule, or move it before the wider one.", source: components,
        wrong: AppleExample.rule(#"{"/": "/buy/*"}, {"/": "/buy/now/*"}"#),
        right: AppleExample.rule(#"{"/": "/buy/*"}, {"/": "/sell/now/*"}"#))

    static let deadExclude = LintRule(
        "pat.dead-exclude", .warning, "An exclude behind a rule that already opens its addresses",
        reason: "The addresses that are meant to stay in the browser open the app.",
        fix: "Move the exclude before the rule that opens.", source: components,
        wrong: AppleExample.rule(#"{"/": "/buy/*"}, {"/": "/buy/private/*", "exclude": true}"#),
        right: AppleExample.rule(#"{"/": "/buy/private/*", "exclude": true}, {"/": "/buy/*"}"#))

    static let excludeOnly = LintRule(
        "pat.exclude-only", .warning, "Only rules that exclude",
        reason: "What no rule matches stays in the browser as well: nothing ever opens the app.",
        fix: "End the list with a rule that opens, such as {\"/\": \"*\"}.", source: components,
        wrong: AppleExample.rule(#"{"/": "/admin/*", "exclude": true}"#),
        right: AppleExample.rule(#"{"/": "/admin/*", "exclude": true}, {"/": "/buy/*"}"#))

    static let hostWellKnown = LintRule(
        "pat.host-dot-wellknown", .warning, "The rule opens the association files themselves in the app",
        reason: "Whoever follows a link to the file to look at it gets the app instead.",
        fix: "Exclude /.well-known/*, or remove the rule.", source: "RFC 8615",
        wrong: AppleExample.rule(#"{"/": "/.well-known/*"}"#),
        right: AppleExample.rule(#"{"/": "/.well-known/*", "exclude": true}, {"/": "/buy/*"}"#))

    static let loginLinks = LintRule(
        "pat.login-links", .info, "The rule takes callbacks, sign-out, unsubscribe or download addresses",
        reason: "A sign-in that began in the browser ends in the app, which knows nothing of it; a file to download "
            + "opens a screen.",
        fix: "Exclude these addresses before the rule, unless the app handles them.",
        source: "RFC 8252 section 7.2; Apple, TN3155 Debugging universal links",
        wrong: AppleExample.rule(#"{"/": "/auth/*"}"#),
        right: AppleExample.rule(#"{"/": "/auth/sso/authorize"}, {"/": "/sign-in/link/*"}"#))
}
