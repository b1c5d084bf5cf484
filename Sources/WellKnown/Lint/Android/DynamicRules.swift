/// The rules about Dynamic App Links: codes `dyn.*`.
///
/// Sources: Google, "Dynamic App Links" (configure and test); AOSP, `UriRelativeFilter` and `PatternMatcher`.
public enum DynamicRules {
    private static let google = "Google, \"Configure Dynamic App Links\""
    private static let matcher = "AOSP, UriRelativeFilter and PatternMatcher"

    public static let rules: [LintRule] = [
        malformed, excludeOnly, noCatchAll, catchAllFirst, shadowed, wrongPlace, wrongRelation, declaredTwice,
        unknownKey,
        queryString, starBacktracking, trailingSlash, encodedPattern, bogusSchema, newOnly,
    ]

    static let malformed = LintRule(
        "dyn.malformed", .error, "A field of the dynamic rules is malformed or empty",
        reason: "Android discards all dynamic rules and goes by the manifest, without a word.",
        fix: "Give every field a value of its type that is not empty, or leave the field out.", source: google)
    static let excludeOnly = LintRule(
        "dyn.exclude-only", .error, "No dynamic rule allows anything",
        reason: "What no rule allows does not open the app: no link opens it at all.",
        fix: "End the list with {\"/\": \"*\"}.", source: google)
    static let noCatchAll = LintRule(
        "dyn.no-catch-all", .info, "Links that no dynamic rule names do not open the app",
        reason: "On Android 15 and later the list decides alone, whatever the manifest says.",
        fix: "If the other links should open the app, end the list with {\"/\": \"*\"}.", source: google)
    static let catchAllFirst = LintRule(
        "dyn.catch-all-first", .error, "A dynamic rule for every link stands before others",
        reason: "The first match decides: the rules after it never do.", fix: "Move it to the end.", source: google)
    static let shadowed = LintRule(
        "dyn.shadowed", .warning, "A dynamic rule that never decides",
        reason: "The first match decides, and the rules before it match all that it matches.",
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
        reason: "Which of the two counts is not defined.", fix: "Join them in one statement.", source: google)
    static let unknownKey = LintRule(
        "dyn.unknown-key", .error, "A key that dynamic rules do not have",
        reason: "Apple's keys mean nothing here: at best the key is ignored, at worst all rules are discarded.",
        fix: "Remove it: a rule has /, ?, # and exclude.", source: google)
    static let queryString = LintRule(
        "dyn.query-string", .error, "? is a string",
        reason: "The schema has a dictionary here: Android discards all dynamic rules.",
        fix: "Write {\"name\": \"pattern\"}.", source: google)
    static let starBacktracking = LintRule(
        "dyn.star-backtracking", .warning, "A star stops at the first character that follows it",
        reason: "Android does not go back to try a longer match; iOS does.",
        fix: "Put the literal text first, or write one rule a case.", source: "\(google); \(matcher)")
    static let trailingSlash = LintRule(
        "dyn.trailing-slash", .warning, "A slash at the end counts on Android",
        reason: "iOS ignores it, so the same rule opens other links there.",
        fix: "Write two rules, with and without the slash.", source: "\(google); \(matcher)")
    static let encodedPattern = LintRule(
        "dyn.encoded-pattern", .warning, "A percent escape in a dynamic rule",
        reason: "Android compares the decoded link: the escape never matches.",
        fix: "Write the character itself.", source: matcher)
    static let bogusSchema = LintRule(
        "dyn.bogus-schema", .error, "Lists of paths that no reader knows",
        reason: "A blog's invention: nothing restricts the links.",
        fix: "Use relation_extensions with dynamic_app_link_components.", source: google)
    static let newOnly = LintRule(
        "dyn.fingerprint-only-15", .info, "Android 14 and older ignore dynamic rules",
        reason: "There, all links of the manifest open the app.",
        fix: "Keep the manifest as narrow as it has to be without them.", source: google)
}
