/// Rules about patterns whose meaning differs from the apparent one.
///
/// Sources: Apple, "applinks.Details.Components"; App Search Programming Guide, "Support Universal Links"; WWDC 2020
/// session 10098; the behaviour of Apple's `swcutil` on macOS 27.
enum ApplePathRules {
    static let rules: [LintRule] = [
        notKeyword, notSyntax, queryInPath, fragmentInPath, urlInPath, routeSyntax, placeholderText, emptyPath,
        noLeadingSlash, starWithoutSlash, doubleStar, starCrossesSlash, nonASCII, percentLower, percentInDecoded,
        badEscape, complexity,
    ]

    private static let components = "Apple, applinks.Details.Components"
    private static let guide = "Apple, App Search Programming Guide, Support Universal Links"
    private static let session = "Apple, WWDC 2020 session 10098"
    private static func example(_ path: String) -> LintExample { AppleExample.rule("{\"/\": \"\(path)\"}") }
    private static func legacy(_ paths: String) -> LintExample { .aasa(AppleExample.paths(paths)) }

    static let notKeyword = LintRule(
        "pat.not-keyword", .error, "NOT inside a component",
        reason: "Components have no NOT: the word is text that no address begins with, and nothing is excluded.",
        fix: "Write {\"/\": \"/path\", \"exclude\": true}.", source: "Apple, WWDC 2019 session 717",
        wrong: AppleExample.rule(#"{"/": "NOT /admin/*"}, {"/": "/buy/*"}"#),
        right: AppleExample.rule(#"{"/": "/admin/*", "exclude": true}, {"/": "/buy/*"}"#))

    static let notSyntax = LintRule(
        "pat.not-syntax", .error, "NOT is written otherwise than the system reads it",
        reason:
            "Only \"NOT \", in upper case and with one blank, excludes; anything else is text that nothing matches.",
        fix: "Write \"NOT /path\".", source: guide,
        wrong: legacy(#""NOT/admin/*", "/buy/*""#), right: legacy(#""NOT /admin/*", "/buy/*""#))

    static let queryInPath = LintRule(
        "pat.query-in-path", .error, "A query in a path pattern",
        reason: "In a path ? stands for one character, and the query is never part of what is compared.",
        fix: "Write {\"/\": \"/path\", \"?\": {\"name\": \"?*\"}}; in legacy paths leave the query out.",
        source: components, wrong: example("/search?q=*"),
        right: AppleExample.rule(#"{"/": "/search", "?": {"q": "?*"}}"#))

    static let fragmentInPath = LintRule(
        "pat.fragment-in-path", .error, "A # in a path pattern",
        reason: "The fragment is never part of the path: the rule matches nothing.",
        fix: "Write {\"#\": \"/guest*\"} in a component; legacy paths cannot tell fragments.",
        source: components + "; developer.apple.com/forums/thread/712348", wrong: example("/#/guest*"),
        right: AppleExample.rule(##"{"/": "/", "#": "/guest*"}"##))

    static let urlInPath = LintRule(
        "pat.url-in-path", .error, "A whole address in a path pattern",
        reason: "Only the path is compared: with scheme and host in front the rule matches nothing.",
        fix: "Write the path alone, from its first slash.", source: components,
        wrong: example("https://www.acme.com/buy/*"), right: example("/buy/*"))

    static let routeSyntax = LintRule(
        "pat.route-syntax", .error, "The syntax of a router or a regular expression",
        reason: "Only * and ? mean anything; the rest is text that no address has.",
        fix: "Write * for any text, ? for one character.", source: components, wrong: example("/buy/:id"),
        right: example("/buy/*"))

    static let placeholderText = LintRule(
        "pat.placeholder-text", .error, "Instructions left in a pattern",
        reason: "The text of an example was deployed: no address has it.",
        fix: "Write the path that is meant.", source: components, wrong: example("<your path here>"),
        right: example("/buy/*"))

    static let emptyPath = LintRule(
        "pat.empty-path", .warning, "An empty path pattern",
        reason: "It is the site's root, not every address (disputed: there is no evidence that it matches at all).",
        fix: "Write \"/\" for the root, \"*\" for every address.", source: components, wrong: example(""),
        right: example("/"))

    static let noLeadingSlash = LintRule(
        "pat.no-leading-slash", .info, "A path pattern without its first slash",
        reason: "Apple's matcher takes it for the same; other readers and people do not.",
        fix: "Begin the pattern with a slash.", source: "swcutil on macOS 27", wrong: example("buy/*"),
        right: example("/buy/*"))

    static let starWithoutSlash = LintRule(
        "pat.slash-star-noslash", .warning, "A star right behind a word",
        reason: "Longer words match as well: addresses of other pages open the app.",
        fix: "Write \"/word\" and \"/word/*\" instead: the second matches /word, too.", source: components,
        wrong: example("/dapp*"), right: example("/dapp/*"))

    static let doubleStar = LintRule(
        "pat.double-star", .info, "Two stars in a row",
        reason: "They mean what one means: * crosses slashes already.", fix: "Write one star.", source: components,
        wrong: example("/buy/**"), right: example("/buy/*"))

    static let starCrossesSlash = LintRule(
        "pat.star-crosses-slash", .info, "A star in the middle takes slashes, too",
        reason: "The rule reads like one segment and matches any number of them (WWDC 2019 session 717 speaks of "
            + "\"the first component\": disputed).",
        fix: "Exclude the deeper addresses before the rule, if they matter.", source: components,
        wrong: example("/shops/*/buy"), right: example("/shops/*"))

    static let nonASCII = LintRule(
        "pat.non-ascii", .error, "A character that addresses are never sent with",
        reason: "Addresses are compared as they are sent, percent-encoded: the pattern matches nothing.",
        fix: "Percent-encode the character in upper-case digits, or write \"percentEncoded\": false.",
        source: session, wrong: example("/café/*"), right: example("/caf%C3%A9/*"))

    static let percentLower = LintRule(
        "pat.percent-lower", .warning, "An escape in lower-case digits",
        reason: "Escapes compare as text, and browsers send upper-case digits.",
        fix: "Write the digits of the escape in upper case.", source: session + "; WHATWG URL, percent-encode",
        wrong: example("/caf%c3%a9/*"), right: example("/caf%C3%A9/*"))

    static let percentInDecoded = LintRule(
        "pat.percent-in-decoded", .error, "An escape where the address is decoded",
        reason: "With percentEncoded false the address is decoded and the pattern is not: the escape never matches.",
        fix: "Write the character itself, or remove percentEncoded.", source: session + "; swcutil on macOS 27",
        wrong: AppleExample.rule(#"{"/": "/a%20b", "percentEncoded": false}"#),
        right: AppleExample.rule(#"{"/": "/a b", "percentEncoded": false}"#))

    static let badEscape = LintRule(
        "pat.bad-escape", .warning, "A percent sign without two hex digits",
        reason: "Addresses are sent with %25 in its place; a bare one hardly ever comes.",
        fix: "Write %25 for a percent sign.", source: "RFC 3986 section 2.1", wrong: example("/100%/*"),
        right: example("/100%25/*"))

    static let complexity = LintRule(
        "pat.complexity", .warning, "Many stars in one pattern",
        reason: "Apple says that its matching takes exponential time in the worst case; so does a reader's patience.",
        fix: "Use fewer stars: * takes slashes, so one often does the work of several.", source: session,
        wrong: example("/a*b*c*d*e*f*g*/"), right: example("/a/*"))
}

/// Substitution variables: `$(name)` in a pattern.
///
/// Source: Apple, "applinks.SubstitutionVariables"; the behaviour of Apple's `swcutil` on macOS 27.
enum AppleVariableRules {
    static let rules: [LintRule] = [undefined, nested, name, shadow, unused, empty, inPaths, regionUK]

    private static let variables = "Apple, applinks.SubstitutionVariables"
    private static let drinks = #", "substitutionVariables": {"drink": ["tea", "milk"]}"#
    private static func example(_ path: String, _ own: String) -> LintExample {
        .aasa(AppleExample.components("{\"/\": \"\(path)\"}", beside: ", \"substitutionVariables\": {\(own)}"))
    }
    private static let right = example("/buy/$(drink)", #""drink": ["tea", "milk"]"#)

    static let undefined = LintRule(
        "pat.subst-undefined", .error, "An undefined variable",
        reason: "A rule with an undefined variable never matches, not even the text itself. Names are case-sensitive.",
        fix: "Define it under applinks.substitutionVariables, or correct its name.",
        source: variables + "; swcutil on macOS 27",
        wrong: AppleExample.rule(#"{"/": "/buy/$(drink)"}"#), right: right)

    static let nested = LintRule(
        "pat.subst-nested", .error, "A variable inside the value of a variable",
        reason: "Values are taken as they are: the inner one stays text, and matches no address.",
        fix: "Write the inner values out.", source: variables,
        wrong: example("/buy/$(drink)", #""drink": ["tea", "$(food)"]"#), right: right)

    static let name = LintRule(
        "pat.subst-name", .error, "A variable whose name cannot be used",
        reason: "With $, ( or ) in its name there is no way to write it in a pattern.",
        fix: "Use letters and digits for the name.", source: variables,
        wrong: example("/buy/*", #""dri(nk": ["tea"]"#), right: right)

    static let shadow = LintRule(
        "pat.subst-shadow", .warning, "A predefined variable, defined again",
        reason: "Whether the file or the system wins is documented nowhere (disputed).",
        fix: "Use another name.", source: variables,
        wrong: example("/buy/$(lang)", #""lang": ["de", "fr"]"#), right: right)

    static let unused = LintRule(
        "pat.subst-unused", .info, "A variable that no pattern uses",
        reason: "Nothing fails; perhaps the pattern that should use it has another name.",
        fix: "Remove it, or use it.", source: variables,
        wrong: example("/buy/*", #""drink": ["tea"]"#), right: right)

    static let empty = LintRule(
        "pat.subst-empty", .error, "A variable without values",
        reason: "There is nothing that it could stand for: rules that use it never match.",
        fix: "Write a list of strings.", source: variables,
        wrong: example("/buy/$(drink)", #""drink": []"#), right: right)

    static let inPaths = LintRule(
        "pat.subst-in-paths", .warning, "A variable in legacy paths",
        reason: "Documented for components only (disputed: Apple's system keeps both as the same patterns).",
        fix: "Write appIDs and components instead of appID and paths.", source: variables,
        wrong: .aasa(AppleExample.paths("\"/buy/$(drink)\"", beside: drinks)), right: right)

    static let regionUK = LintRule(
        "pat.region-uk", .warning, "UK is not among the regions",
        reason:
            "$(region) has the codes of ISO 3166-1, where the United Kingdom is GB: addresses with UK do not match.",
        fix: "Use GB in addresses, or define a variable of your own with UK in it.", source: variables,
        wrong: AppleExample.rule(#"{"/": "/$(region)/*", "comment": "US, UK and so on"}"#),
        right: AppleExample.rule(#"{"/": "/$(region)/*", "comment": "US, GB and so on"}"#))
}
