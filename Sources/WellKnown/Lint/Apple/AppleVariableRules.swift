/// Substitution variables: `$(name)` in a pattern.
///
/// Source: Apple, "applinks.SubstitutionVariables"; what Apple's `swcutil` does on macOS 27.
enum AppleVariableRules {
    static let rules: [LintRule] = [undefined, nested, name, shadow, unused, empty, inPaths, regionUK]

    private static let variables = "Apple, applinks.SubstitutionVariables"
    private static let drinks = #", "substitutionVariables": {"drink": ["tea", "milk"]}"#
    private static func example(_ path: String, _ own: String) -> LintExample {
        .aasa(AppleExample.components("{\"/\": \"\(path)\"}", beside: ", \"substitutionVariables\": {\(own)}"))
    }
    private static let right = example("/buy/$(drink)", #""drink": ["tea", "milk"]"#)

    static let undefined = LintRule(
        "pat.subst-undefined", .error, "A variable that nobody defined",
        reason: "A rule with an undefined variable never matches, not even the text itself. Names are case-sensitive.",
        fix: "Define it under applinks.substitutionVariables, or correct its name.",
        source: variables + "; swcutil on macOS 27",
        wrong: ApplePatternRules.example(#"{"/": "/buy/$(drink)"}"#), right: right)

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
        wrong: ApplePatternRules.example(#"{"/": "/$(region)/*", "comment": "US, UK and so on"}"#),
        right: ApplePatternRules.example(#"{"/": "/$(region)/*", "comment": "US, GB and so on"}"#))
}
