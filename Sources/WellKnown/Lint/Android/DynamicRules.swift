/// The rules about Dynamic App Links: codes `dyn.*`.
///
/// Sources: Google, "Dynamic App Links" (configure and test); AOSP, `UriRelativeFilter` and `PatternMatcher`.
public enum DynamicRules {
    private static let google = "Google, \"Configure Dynamic App Links\""
    private static let matcher = "AOSP, UriRelativeFilter and PatternMatcher"

    public static let rules: [LintRule] = [
        malformed, excludeOnly, noCatchAll, catchAllFirst, shadowed, wrongPlace, wrongRelation, declaredTwice,
        unknownKey, queryString, starBacktracking, trailingSlash, encodedPattern, bogusSchema, newOnly,
    ]

    static let malformed = LintRule(
        "dyn.malformed", .error, "A field of the dynamic rules is malformed or empty",
        reason: "Android discards all dynamic rules, uses the manifest alone, and reports nothing.",
        fix: "Give every field a value of its type that is not empty, or omit the field.", source: google)
    static let excludeOnly = LintRule(
        "dyn.exclude-only", .error, "No dynamic rule allows anything",
        reason: "A link that no rule allows does not open the app. Here no link opens it.",
        fix: "End the list with {\"/\": \"*\"}.", source: google)
    static let noCatchAll = LintRule(
        "dyn.no-catch-all", .info, "Links that no dynamic rule names do not open the app",
        reason: "On Android 15 and later, a link that no rule names does not open the app, even if the manifest names "
            + "it.", fix: "If the other links should open the app, end the list with {\"/\": \"*\"}.", source: google)
    static let catchAllFirst = LintRule(
        "dyn.catch-all-first", .error, "A dynamic rule for every link comes before others",
        reason: "The first matching rule decides, so the rules after it never do. It is an error if one of them would "
            + "decide differently, and information if nothing is lost.",
        fix: "Move the rule to the end.", source: google)
    static let shadowed = LintRule(
        "dyn.shadowed", .warning, "A dynamic rule that never decides",
        reason: "The first matching rule decides, and earlier rules match every link of this one.",
        fix: "Move it up, or remove it.", source: google)
    static let wrongPlace = LintRule(
        "dyn.wrong-place", .error, "dynamic_app_link_components in a place that no system reads",
        reason: "The rules are ignored, and the manifest decides.",
        fix: "Put it under relation_extensions / delegate_permission/common.handle_all_urls of the app's statement.",
        source: google)
    static let wrongRelation = LintRule(
        "dyn.wrong-relation", .error, "Dynamic rules under another relation than handle_all_urls",
        reason: "The rules are ignored, and the manifest decides.",
        fix: "Name delegate_permission/common.handle_all_urls, in relation and in relation_extensions.", source: google)
    static let declaredTwice = LintRule(
        "dyn.declared-twice", .error, "Dynamic rules for the same app twice",
        reason: "It is not defined which of the two has an effect.", fix: "Join them in one statement.", source: google)
    static let unknownKey = LintRule(
        "dyn.unknown-key", .error, "A key that dynamic rules do not have",
        reason: "Apple's keys have no meaning here. Android ignores the key, or discards all rules.",
        fix: "Remove it. A rule has the keys /, ?, # and exclude.", source: google)
    static let queryString = LintRule(
        "dyn.query-string", .error, "? is a string",
        reason: "The schema requires a dictionary. Android discards all dynamic rules.",
        fix: "Write {\"name\": \"pattern\"}.", source: google)
    static let starBacktracking = LintRule(
        "dyn.star-backtracking", .warning, "A star stops at the first character that follows it",
        reason: "Android does not try a longer match. iOS does.",
        fix: "Put the literal text first, or write one rule for each case.", source: "\(google); \(matcher)")
    static let trailingSlash = LintRule(
        "dyn.trailing-slash", .warning, "A slash at the end counts on Android",
        reason: "iOS ignores the slash, so the same rule opens different links there.",
        fix: "Write two rules, with and without the slash.", source: "\(google); \(matcher)")
    static let encodedPattern = LintRule(
        "dyn.encoded-pattern", .warning, "A percent escape in a dynamic rule",
        reason: "Android compares the decoded link, so the escape never matches.",
        fix: "Write the character itself.", source: matcher)
    static let bogusSchema = LintRule(
        "dyn.bogus-schema", .error, "Lists of paths that no reader knows",
        reason: "The schema appears in a blog and in no reader. The links are not restricted.",
        fix: "Use relation_extensions with dynamic_app_link_components.", source: google)
    static let newOnly = LintRule(
        "dyn.fingerprint-only-15", .info, "Android 14 and older ignore dynamic rules",
        reason: "On these versions, all links of the manifest open the app.",
        fix: "Keep the manifest as narrow as these versions need it.", source: google)
}
