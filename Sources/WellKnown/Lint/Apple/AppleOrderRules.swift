/// What the order of rules does: the first that matches decides.
///
/// Sources: Apple, "applinks.Details.Components"; WWDC 2019 session 717.
enum AppleOrderRules {
    static let rules: [LintRule] = [catchAllFirst, shadowed, deadExclude, excludeOnly, hostWellKnown, loginLinks]

    private static let components = "Apple, applinks.Details.Components"

    static let catchAllFirst = LintRule(
        "pat.catch-all-first", .error, "A rule that matches everything stands before others",
        reason: "The first rule that matches decides, so the rules behind it never do.",
        fix: "Move the rule to the end of the list.", source: components,
        wrong: ApplePatternRules.example(#"{"/": "*"}, {"/": "/admin/*", "exclude": true}"#),
        right: ApplePatternRules.example(#"{"/": "/admin/*", "exclude": true}, {"/": "*"}"#))

    static let shadowed = LintRule(
        "pat.shadowed", .warning, "A rule that can never decide",
        reason: "Rules before it match all that it matches, and the first that matches decides.",
        fix: "Remove the rule, or move it before the wider one.", source: components,
        wrong: ApplePatternRules.example(#"{"/": "/buy/*"}, {"/": "/buy/now/*"}"#),
        right: ApplePatternRules.example(#"{"/": "/buy/*"}, {"/": "/sell/now/*"}"#))

    static let deadExclude = LintRule(
        "pat.dead-exclude", .warning, "An exclude behind a rule that already opens its addresses",
        reason: "The addresses that are meant to stay in the browser open the app.",
        fix: "Move the exclude before the rule that opens.", source: components,
        wrong: ApplePatternRules.example(#"{"/": "/buy/*"}, {"/": "/buy/private/*", "exclude": true}"#),
        right: ApplePatternRules.example(#"{"/": "/buy/private/*", "exclude": true}, {"/": "/buy/*"}"#))

    static let excludeOnly = LintRule(
        "pat.exclude-only", .warning, "Only rules that exclude",
        reason: "What no rule matches stays in the browser as well: nothing ever opens the app.",
        fix: "End the list with a rule that opens, such as {\"/\": \"*\"}.", source: components,
        wrong: ApplePatternRules.example(#"{"/": "/admin/*", "exclude": true}"#),
        right: ApplePatternRules.example(#"{"/": "/admin/*", "exclude": true}, {"/": "/buy/*"}"#))

    static let hostWellKnown = LintRule(
        "pat.host-dot-wellknown", .warning, "The rule opens the association files themselves in the app",
        reason: "Whoever follows a link to the file to look at it gets the app instead.",
        fix: "Exclude /.well-known/*, or remove the rule.", source: "RFC 8615",
        wrong: ApplePatternRules.example(#"{"/": "/.well-known/*"}"#),
        right: ApplePatternRules.example(#"{"/": "/.well-known/*", "exclude": true}, {"/": "/buy/*"}"#))

    static let loginLinks = LintRule(
        "pat.login-links", .info, "The rule takes callbacks, sign-out, unsubscribe or download addresses",
        reason: "A sign-in that began in the browser ends in the app, which knows nothing of it; a file to download "
            + "opens a screen.",
        fix: "Exclude these addresses before the rule, unless the app handles them.",
        source: "RFC 8252 section 7.2; Apple, TN3155 Debugging universal links",
        wrong: ApplePatternRules.example(#"{"/": "/auth/*"}"#),
        right: ApplePatternRules.example(#"{"/": "/auth/sso/authorize"}, {"/": "/sign-in/link/*"}"#))
}
