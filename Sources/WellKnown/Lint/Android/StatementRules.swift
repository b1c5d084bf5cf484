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
        "dal.statement-type", .error, "An element of the list is no object",
        reason: "Google skips the element; Android's own verifier and several apps throw the whole list away.",
        fix: "Write a statement, {\"relation\": […], \"target\": {…}}, or remove the element.", source: specification)
    static let noRelation = LintRule(
        "dal.no-relation", .error, "A statement has no relation",
        reason: "A statement without a relation is skipped, and grants nothing.",
        fix: "Add \"relation\": [\"delegate_permission/common.handle_all_urls\"].", source: "\(suite), comptest2106")
    static let relationType = LintRule(
        "dal.relation-type", .error, "relation is not an array of strings",
        reason: "Google skips the statement; on devices it may void the whole list.",
        fix: "Write an array of strings.", source: "\(suite), comptest2108")
    static let relationSyntax = LintRule(
        "dal.relation-syntax", .error, "A relation is not of the form kind/detail",
        reason: "The statement is malformed and is skipped.",
        fix: "Write lower-case kind, one slash and the detail: letters, digits, dots and underscores, no blanks.",
        source: "\(suite), comptest2110 to 2124")
    static let relationUnknown = LintRule(
        "dal.relation-unknown", .warning, "A relation that no known reader asks for",
        reason: "The syntax allows any relation, so a misspelled one is accepted and does nothing.",
        fix: "Check the spelling against the relation's documentation.", source: specification)
    static let noTarget = LintRule(
        "dal.no-target", .error, "A statement has no target",
        reason: "A statement without a target is skipped.",
        fix: "Add \"target\": {\"namespace\": \"android_app\", …}.", source: specification)
    static let targetType = LintRule(
        "dal.target-type", .error, "target is no object",
        reason: "Google skips the statement; on devices it may void the whole list.",
        fix: "Write one object; several targets take several statements.", source: specification)
    static let namespace = LintRule(
        "dal.namespace", .error, "namespace is neither android_app nor web",
        reason: "Every reader that checks it skips the statement.",
        fix: "Write \"android_app\" for an app or \"web\" for a site.", source: "\(suite), comptest2014")
    static let targetKeys = LintRule(
        "dal.target-keys", .error, "The target mixes an app and a site",
        reason: "Readers look only at the keys of the namespace; the others do nothing.",
        fix: "Use package_name and sha256_cert_fingerprints with android_app, site with web.", source: specification)
    static let packageMissing = LintRule(
        "dal.package-missing", .error, "An android_app target has no package_name",
        reason: "No app can be meant: the statement is skipped, or on devices voids the list.",
        fix: "Add the application id of the build that is installed.", source: "\(suite), comptest2303 and 2307")
    static let packageSyntax = LintRule(
        "dal.package-syntax", .error, "package_name is no application id",
        reason: "No installed app can have that name.",
        fix: "Two or more parts joined by dots, each a letter and then letters, digits or underscores.",
        source: "Android, \"Set the application ID\"")
    static let siteSyntax = LintRule(
        "dal.site-syntax", .error, "site is not scheme, host and port alone",
        reason: "Google calls the statement malformed; other readers compare the text, and it never equals an origin.",
        fix: "Write https://host, without a slash at the end, path, query, fragment or login.",
        source: "\(suite), comptest2207 to 2215")
    static let siteHTTP = LintRule(
        "dal.site-http", .warning, "site is an http address",
        reason: "http and https are two sites: the statement does not speak of the https one.",
        fix: "Write https.", source: specification)
    static let webHandleURLs = LintRule(
        "dal.web-handle-urls", .warning, "handle_all_urls with a web target",
        reason: "Only apps open links: the relation does nothing for a site.",
        fix: "Remove it, or use get_login_creds to share passwords between sites.",
        source: "Google, \"Verify Android App Links\"")
    static let duplicate = LintRule(
        "dal.duplicate", .info, "The same thing appears twice",
        reason: "It does nothing more than once, and only one of the two will be kept up to date.",
        fix: "Remove the repetition.", source: specification)
    static let splitPackage = LintRule(
        "dal.split-package", .warning, "One package in several statements",
        reason: "DuckDuckGo keeps the fingerprints of the last statement only; other readers take all.",
        fix: "List all fingerprints and relations of a package in one statement.",
        source: "duckduckgo/Android, AssetLinksLoader.kt")
    static let unknownKey = LintRule(
        "dal.unknown-key", .info, "A key that no reader knows",
        reason: "It is ignored in silence.", fix: "Correct the spelling, or remove it.", source: specification)
    static let missingLoginCredentials = LintRule(
        "dal.missing-login-creds", .info, "An app may open links but not use passwords and passkeys",
        reason: "Passkeys and saved passwords of the site are not offered in the app.",
        fix: "Add \"delegate_permission/common.get_login_creds\" if the app signs people in.",
        source: "Android, \"Sign in your user with Credential Manager\"")
    static let notWellKnown = LintRule(
        "dal.not-wellknown", .error, "The file is not at /.well-known/assetlinks.json",
        reason: "No reader asks for any other address.", fix: "Serve it at /.well-known/assetlinks.json.",
        source: specification)
}

/// The rules about `include`.
extension StatementRules {
    public static let includeWithTarget = LintRule(
        "dal.include-with-target", .error, "include together with relation or target",
        reason: "The statement is malformed: neither of the two is read.",
        fix: "Write two elements, one with the include and one with the statement.",
        source: "\(suite), comptest2004")
    public static let includeSyntax = LintRule(
        "dal.include-syntax", .error, "include is no web address",
        reason: "The list it should name is never read.", fix: "Write a full https address.",
        source: "\(suite), comptest5010")
    public static let includeInsecure = LintRule(
        "dal.include-insecure", .error, "A list served over https includes one over http",
        reason: "Google answers SECURE_ASSET_INCLUDES_INSECURE, and the included list does not count.",
        fix: "Serve the included list over https.", source: "\(suite), comptest5006")
    public static let includeBudget = LintRule(
        "dal.include-budget", .error, "More than ten includes",
        reason: "Google stops after ten for the complete tree: FETCH_BUDGET_EXHAUSTED.",
        fix: "Merge the lists.", source: "Google, \"Digital Asset Links: create a statement list\"")
    public static let includeDepth = LintRule(
        "dal.include-depth", .warning, "An included list includes another",
        reason: "Android's own verifier follows one level only.", fix: "Include all lists from the first.",
        source: "AOSP, StatementService")
    public static let includeAny = LintRule(
        "dal.include-any", .info, "The list uses include",
        reason: "Chrome does not follow includes, and DuckDuckGo reads nothing at all of a list that has one.",
        fix: "Write the included statements into this list.",
        source: "Chromium, digital_asset_links_handler.cc; duckduckgo/Android, AssetLinksService.kt")
    public static let includeLoop = LintRule(
        "dal.include-loop", .error, "Lists that include each other",
        reason: "Google stops with FETCH_BUDGET_EXHAUSTED.", fix: "Remove one of the includes.", source: suite)
    static let readersDiffer = LintRule(
        "dal.readers-differ", .warning, "Readers take the list differently",
        reason: "It works in the reader it was tested with and silently not in another.",
        fix: "Correct the statement at fault.", source: "The readers' own sources")
}
