/// The rules about statements of assetlinks.json: codes `dal.*`.
///
/// Sources: the Digital Asset Links specification (github.com/google/digitalassetlinks, well-known/details.md) and its
/// compatibility suite; Google, "Verify Android App Links"; the source code of the readers where it is public.
public enum StatementRules {
    private static let specification = "Digital Asset Links specification, well-known/details.md"
    private static let suite = "Digital Asset Links compatibility suite"

    public static let rules: [LintRule] = [
        emptyList, statementType, noRelation, relationType, relationSyntax, relationUnknown, noTarget, targetType,
        namespace, targetKeys, packageMissing, packageSyntax, siteSyntax, siteHTTP, webHandleURLs, duplicate,
        splitPackage, unknownKey, missingLoginCredentials, notWellKnown, includeWithTarget, includeSyntax,
        includeInsecure, includeBudget, includeDepth, includeAny, includeLoop, readersDiffer,
    ]

    static let emptyList = LintRule(
        "dal.empty-list", .error, "The list has no statements",
        reason: "Google answers FETCH_ERROR, and no app is linked to the site.",
        fix: "Add a statement, or remove the file.", source: "\(suite), comptest2002")
    static let statementType = LintRule(
        "dal.statement-type", .error, "An element of the list is not an object",
        reason: "Google skips the element. Android's own verifier and several apps reject the whole list.",
        fix: "Write a statement, {\"relation\": […], \"target\": {…}}, or remove the element.", source: specification)
    static let noRelation = LintRule(
        "dal.no-relation", .error, "A statement has no relation",
        reason: "Readers skip a statement without a relation.",
        fix: "Add \"relation\": [\"delegate_permission/common.handle_all_urls\"].", source: "\(suite), comptest2106")
    static let relationType = LintRule(
        "dal.relation-type", .error, "relation is not an array of strings",
        reason: "Google skips the statement. On devices it can void the whole list.",
        fix: "Write an array of strings.", source: "\(suite), comptest2108")
    static let relationSyntax = LintRule(
        "dal.relation-syntax", .error, "A relation is not of the form kind/detail",
        reason: "The statement is malformed, and readers skip it.",
        fix: "Write a lower-case kind, one slash and the detail: letters, digits, dots and underscores, without "
            + "blanks.", source: "\(suite), comptest2110 to 2124")
    static let relationUnknown = LintRule(
        "dal.relation-unknown", .warning, "A relation that no known reader asks for",
        reason: "The syntax allows every relation, so a misspelled one is accepted and has no effect.",
        fix: "Check the spelling against the relation's documentation.", source: specification)
    static let noTarget = LintRule(
        "dal.no-target", .error, "A statement has no target", reason: "Readers skip a statement without a target.",
        fix: "Add \"target\": {\"namespace\": \"android_app\", …}.", source: specification)
    static let targetType = LintRule(
        "dal.target-type", .error, "target is not an object",
        reason: "Google skips the statement. On devices it can void the whole list.",
        fix: "Write one object. Several targets need several statements.", source: specification)
    static let namespace = LintRule(
        "dal.namespace", .error, "namespace is neither android_app nor web",
        reason: "Every reader that checks it skips the statement.",
        fix: "Write \"android_app\" for an app or \"web\" for a site.", source: "\(suite), comptest2014")
    static let targetKeys = LintRule(
        "dal.target-keys", .error, "The target mixes an app and a site",
        reason: "Readers use only the keys of the namespace and ignore the others.",
        fix: "Use package_name and sha256_cert_fingerprints with android_app, site with web.", source: specification)
    static let packageMissing = LintRule(
        "dal.package-missing", .error, "An android_app target has no package_name",
        reason: "The statement names no app. Readers skip it, and on devices it can void the list.",
        fix: "Add the application id of the installed build.", source: "\(suite), comptest2303 and 2307")
    static let packageSyntax = LintRule(
        "dal.package-syntax", .error, "package_name is not an application id",
        reason: "No installed app can have this name.",
        fix: "Write two or more parts joined by dots. Each part is a letter, then letters, digits or underscores.",
        source: "Android, \"Set the application ID\"")
    static let siteSyntax = LintRule(
        "dal.site-syntax", .error, "site is not scheme, host and port alone",
        reason: "Google reports the statement as malformed. Other readers compare the text, which never equals an "
            + "origin.", fix: "Write https://host without a slash at the end, path, query, fragment or user.",
        source: "\(suite), comptest2207 to 2215")
    static let siteHTTP = LintRule(
        "dal.site-http", .warning, "site is an http address",
        reason: "http and https are two sites. The statement does not apply to the https site.",
        fix: "Write https.", source: specification)
    static let webHandleURLs = LintRule(
        "dal.web-handle-urls", .warning, "handle_all_urls with a web target",
        reason: "Only apps open links, so the relation has no effect for a site.",
        fix: "Remove it, or use get_login_creds to share passwords between sites.",
        source: "Google, \"Verify Android App Links\"")
    static let duplicate = LintRule(
        "dal.duplicate", .info, "The same thing appears twice",
        reason: "The repetition has no effect, and the next change easily updates only one of the two.",
        fix: "Remove the repetition.", source: specification)
    static let splitPackage = LintRule(
        "dal.split-package", .warning, "One package in several statements",
        reason: "DuckDuckGo keeps only the last statement. Other readers use all of them.",
        fix: "List all fingerprints and relations of a package in one statement.",
        source: "duckduckgo/Android, AssetLinksLoader.kt")
    static let unknownKey = LintRule(
        "dal.unknown-key", .info, "A key that no reader knows", reason: "Readers ignore the key and report nothing.",
        fix: "Correct the spelling, or remove it.", source: specification)
    static let missingLoginCredentials = LintRule(
        "dal.missing-login-creds", .info, "An app may open links but not use passwords and passkeys",
        reason: "The app does not offer the passkeys and saved passwords of the site.",
        fix: "Add \"delegate_permission/common.get_login_creds\" if the app signs people in.",
        source: "Android, \"Sign in your user with Credential Manager\"")
    static let notWellKnown = LintRule(
        "dal.not-wellknown", .error, "The file is not at /.well-known/assetlinks.json",
        reason: "No reader asks for any other address.", fix: "Serve it at /.well-known/assetlinks.json.",
        source: specification)
}

extension StatementRules {
    public static let includeWithTarget = LintRule(
        "dal.include-with-target", .error, "include together with relation or target",
        reason: "The statement is malformed. Neither the include nor the target is read.",
        fix: "Write two elements, one with the include and one with the statement.", source: "\(suite), comptest2004")
    public static let includeSyntax = LintRule(
        "dal.include-syntax", .error, "include is not a web address", reason: "The included list is never read.",
        fix: "Write a full https address.", source: "\(suite), comptest5010")
    public static let includeInsecure = LintRule(
        "dal.include-insecure", .error, "A list served over https includes one over http",
        reason: "Google reports SECURE_ASSET_INCLUDES_INSECURE and ignores the included list. Every list on the way "
            + "counts: a list that arrived over https cannot include one over http.",
        fix: "Serve the included list over https.", source: "\(suite), comptest5006")
    public static let includeBudget = LintRule(
        "dal.include-budget", .error, "More than ten includes",
        reason: "Google fetches at most ten included lists in all, and then reports FETCH_BUDGET_EXHAUSTED.",
        fix: "Merge the lists.", source: "Google, \"Digital Asset Links: create a statement list\"")
    public static let includeDepth = LintRule(
        "dal.include-depth", .warning, "An included list includes another",
        reason: "Android's own verifier follows only one level.",
        fix: "Include all lists from the first one.", source: "AOSP, StatementService")
    public static let includeAny = LintRule(
        "dal.include-any", .info, "The list uses include",
        reason: "Chrome does not follow includes, and DuckDuckGo ignores a list that has one.",
        fix: "Write the included statements into this list.",
        source: "Chromium, digital_asset_links_handler.cc; duckduckgo/Android, AssetLinksService.kt")
    public static let includeLoop = LintRule(
        "dal.include-loop", .error, "Lists that include each other",
        reason: "Google stops with FETCH_BUDGET_EXHAUSTED.", fix: "Remove one of the includes.", source: suite)
    static let readersDiffer = LintRule(
        "dal.readers-differ", .warning, "Readers take the list differently",
        reason: "The file works in one reader and not in another, and neither reports it.",
        fix: "Correct the statement that the finding names.", source: "The readers' own sources")
}
