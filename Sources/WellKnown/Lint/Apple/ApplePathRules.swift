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
        reason: "Components do not have NOT. It is literal text that no address begins with, and nothing is excluded.",
        fix: "Write {\"/\": \"/path\", \"exclude\": true}.", source: "Apple, WWDC 2019 session 717",
        wrong: AppleExample.rule(#"{"/": "NOT /buy/admin/*"}, {"/": "/buy/*"}"#),
        right: AppleExample.rule(#"{"/": "/buy/admin/*", "exclude": true}, {"/": "/buy/*"}"#))
    static let notSyntax = LintRule(
        "pat.not-syntax", .error, "NOT in another form than the system reads",
        reason: "Only \"NOT \" in upper case and with one blank excludes. Any other form is literal text that matches "
            + "nothing.", fix: "Write \"NOT /path\".", source: guide, wrong: legacy(#""NOT/buy/admin/*", "/buy/*""#),
        right: legacy(#""NOT /buy/admin/*", "/buy/*""#))
    static let queryInPath = LintRule(
        "pat.query-in-path", .error, "A query in a path pattern",
        reason: "In a path, ? matches one character. The query is not part of the path.",
        fix: "Write {\"/\": \"/path\", \"?\": {\"name\": \"?*\"}}. In a list of paths, omit the query.",
        source: components, wrong: example("/search?q=*"),
        right: AppleExample.rule(#"{"/": "/search", "?": {"q": "?*"}}"#))
    static let fragmentInPath = LintRule(
        "pat.fragment-in-path", .error, "A # in a path pattern",
        reason: "The fragment is not part of the path, so the rule matches nothing.",
        fix: "Write {\"/\": \"/\", \"#\": \"/guest*\"}. A list of paths cannot compare fragments.",
        source: components + "; developer.apple.com/forums/thread/712348", wrong: example("/#/guest*"),
        right: AppleExample.rule(##"{"/": "/", "#": "/guest*"}"##))
    static let urlInPath = LintRule(
        "pat.url-in-path", .error, "A whole address in a path pattern",
        reason: "Only the path is compared. With a scheme and a host, the rule matches nothing.",
        fix: "Write only the path, from its first slash.", source: components,
        wrong: example("https://www.acme.com/buy/*"), right: example("/buy/*"))
    static let routeSyntax = LintRule(
        "pat.route-syntax", .error, "The syntax of a router or a regular expression",
        reason: "Only * and ? are wildcards. The rest is literal text that no address contains.",
        fix: "Write * for any text and ? for one character.", source: components, wrong: example("/buy/:id"),
        right: example("/buy/*"))
    static let placeholderText = LintRule(
        "pat.placeholder-text", .error, "Instructions left in a pattern",
        reason: "The text of an example was deployed. No address contains it.", fix: "Write the intended path.",
        source: components, wrong: example("<your path here>"), right: example("/buy/*"))
    static let emptyPath = LintRule(
        "pat.empty-path", .warning, "An empty path pattern",
        reason: "It matches the site's root and not every address. There is no evidence that it matches at all.",
        fix: "Write \"/\" for the root, \"*\" for every address.", source: components, wrong: example(""),
        right: example("/"))
    static let noLeadingSlash = LintRule(
        "pat.no-leading-slash", .info, "A path pattern without its first slash",
        reason: "Apple's matcher treats both forms alike. Other readers do not.",
        fix: "Begin the pattern with a slash.", source: "swcutil on macOS 27", wrong: example("buy/*"),
        right: example("/buy/*"))
    static let starWithoutSlash = LintRule(
        "pat.slash-star-noslash", .info, "A star directly after a word",
        reason:
            "Longer words also match, so addresses of other pages open the app. The query is not part of the path, so "
            + "the star is not needed for it.",
        fix: "If the word and its pages are meant, write \"/word/*\", which also matches /word.", source: components,
        wrong: example("/dapp*"), right: example("/dapp/*"))
    static let doubleStar = LintRule(
        "pat.double-star", .info, "Two stars in a row",
        reason: "Two stars mean the same as one, which already matches slashes.", fix: "Write one star.",
        source: components, wrong: example("/buy/**"), right: example("/buy/*"))
    static let starCrossesSlash = LintRule(
        "pat.star-crosses-slash", .info, "A star in the middle also matches slashes",
        reason: "The rule looks like one segment and matches any number of segments. WWDC 2019 session 717 speaks of "
            + "\"the first component\", swcutil crosses slashes.",
        fix: "If the deeper addresses matter, exclude them before the rule.", source: components,
        wrong: example("/shops/*/buy"), right: example("/shops/*"))
    static let nonASCII = LintRule(
        "pat.non-ascii", .error, "A character that addresses are never sent with",
        reason: "Addresses are compared as they are sent, percent-encoded. The pattern matches nothing.",
        fix: "Percent-encode the character in upper-case digits, or write \"percentEncoded\": false.", source: session,
        wrong: example("/café/*"), right: example("/caf%C3%A9/*"))
    static let percentLower = LintRule(
        "pat.percent-lower", .warning, "An escape in lower-case digits",
        reason: "Escapes are compared as text, and browsers send upper-case digits.",
        fix: "Write the digits of the escape in upper case.", source: session + "; WHATWG URL, percent-encode",
        wrong: example("/caf%c3%a9/*"), right: example("/caf%C3%A9/*"))
    static let percentInDecoded = LintRule(
        "pat.percent-in-decoded", .error, "An escape in a pattern for decoded addresses",
        reason: "With percentEncoded false, the address is decoded and the pattern is not. The escape never matches.",
        fix: "Write the character itself, or remove percentEncoded.", source: session + "; swcutil on macOS 27",
        wrong: AppleExample.rule(#"{"/": "/a%20b", "percentEncoded": false}"#),
        right: AppleExample.rule(#"{"/": "/a b", "percentEncoded": false}"#))
    static let badEscape = LintRule(
        "pat.bad-escape", .warning, "A percent sign without two hex digits",
        reason: "Browsers send %25 for a percent sign, so the pattern rarely matches.",
        fix: "Write %25 for a percent sign.", source: "RFC 3986 section 2.1", wrong: example("/100%/*"),
        right: example("/100%25/*"))
    static let complexity = LintRule(
        "pat.complexity", .warning, "Many stars in one pattern",
        reason: "Apple says that its matching takes exponential time in the worst case.",
        fix: "Use fewer stars. A star also matches slashes, so one often replaces several.", source: session,
        wrong: example("/a*b*c*d*e*f*g*/"), right: example("/a*g"))
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
        reason: "A rule with an undefined variable never matches, not even its own text. Names are case-sensitive.",
        fix: "Define it under applinks.substitutionVariables, or correct its name.",
        source: variables + "; swcutil on macOS 27", wrong: AppleExample.rule(#"{"/": "/buy/$(drink)"}"#), right: right)
    static let nested = LintRule(
        "pat.subst-nested", .error, "A variable inside the value of a variable",
        reason: "Values are used as they are. The inner variable is literal text and matches no address.",
        fix: "Write out the inner values.", source: variables,
        wrong: example("/buy/$(drink)", #""drink": ["tea", "$(food)"]"#), right: right)
    static let name = LintRule(
        "pat.subst-name", .error, "A variable whose name cannot be used",
        reason: "A name with $, ( or ) cannot be written in a pattern.", fix: "Use letters and digits for the name.",
        source: variables, wrong: example("/buy/*", #""dri(nk": ["tea"]"#), right: right)
    static let shadow = LintRule(
        "pat.subst-shadow", .warning, "A predefined variable is defined again",
        reason: "Apple does not say whether the file or the system wins.", fix: "Use another name.", source: variables,
        wrong: example("/buy/$(lang)", #""lang": ["de", "fr"]"#), right: right)
    static let unused = LintRule(
        "pat.subst-unused", .info, "A variable that no pattern uses",
        reason: "Nothing fails. The pattern that should use it may have another name.", fix: "Remove it, or use it.",
        source: variables, wrong: example("/buy/*", #""drink": ["tea"]"#), right: right)
    static let empty = LintRule(
        "pat.subst-empty", .error, "A variable without values",
        reason: "The variable has no value, so rules that use it never match.", fix: "Write a list of strings.",
        source: variables, wrong: example("/buy/$(drink)", #""drink": []"#), right: right)
    static let inPaths = LintRule(
        "pat.subst-in-paths", .warning, "A variable in legacy paths",
        reason: "Variables are documented for components only. Apple's system keeps both as the same patterns.",
        fix: "Write appIDs and components instead of appID and paths.", source: variables,
        wrong: .aasa(AppleExample.paths("\"/buy/$(drink)\"", beside: drinks)), right: right)
    static let regionUK = LintRule(
        "pat.region-uk", .warning, "UK is not one of the regions",
        reason: "$(region) has the codes of ISO 3166-1, where the United Kingdom is GB. Addresses with UK do not "
            + "match.", fix: "Use GB in addresses, or define your own variable with UK.", source: variables,
        wrong: AppleExample.rule(#"{"/": "/$(region)/*", "comment": "US, UK and so on"}"#),
        right: AppleExample.rule(#"{"/": "/$(region)/*", "comment": "US, GB and so on"}"#))
}
