/// The rules about the three places at once, the server, the app and its signature: codes `project.*`.
public enum ProjectRules {
    private static let apple = "Apple, \"Associated Domains Entitlement\""
    private static let android = "Google, \"Verify Android App Links\""

    public static let rules: [LintRule] = [
        entitlementMissing, appNotListed, entitlementSyntax, entitlementMode, entitlementWildcardClip, manifestHost,
        manifestFilter, manifestDynamicScope,
    ]

    static let entitlementMissing = LintRule(
        "project.entitlement-missing", .error, "The file names the app, and the app does not name the host",
        reason: "The system never asks for the file: nothing happens.",
        fix: "Add the host to the app's associated domains.", source: apple)
    static let appNotListed = LintRule(
        "project.app-not-listed", .error, "The app names the host, and the file does not name the app",
        reason: "The system asks for the file and finds nothing for the app: links open the browser.",
        fix: "Add the app, with its prefix, to the service in the host's file.", source: apple)
    static let entitlementSyntax = LintRule(
        "project.entitlement-syntax", .error, "An associated domain that is not service:host",
        reason: "The system ignores the value.",
        fix: "Write service:host, the host alone, in lower case and Punycode.", source: "\(apple); Technote TN3155")
    static let entitlementMode = LintRule(
        "project.entitlement-mode", .error, "An alternate mode in a release build",
        reason: "App Review refuses it, and for users the domain is not looked up at all.",
        fix: "Remove ?mode=… from the release build's entitlements.", source: apple)
    static let entitlementWildcardClip = LintRule(
        "project.entitlement-wildcard-clip", .error, "A wildcard with appclips",
        reason: "Every other service takes wildcards, this one ignores the value.", fix: "Name each host.",
        source: apple)
    static let manifestHost = LintRule(
        "project.manifest-host", .error, "The manifest and assetlinks.json do not name each other",
        reason: "Android verifies the hosts of autoVerify filters, by a file that names the app; without both, the "
            + "link opens the browser. On Android 11 and older, one such host keeps all from being verified.",
        fix: "Name the host in an intent filter with autoVerify, and the app in the host's file.", source: android)
    static let manifestFilter = LintRule(
        "project.manifest-filter", .error, "An intent filter with autoVerify that is not verified",
        reason: "Android passes over the filter: its links open the browser or ask.",
        fix: "VIEW, BROWSABLE and DEFAULT, the schemes http and https alone, and plain hosts.", source: android)
    static let manifestDynamicScope = LintRule(
        "project.manifest-dynamic-scope", .warning, "A dynamic rule outside of the manifest",
        reason: "Dynamic rules narrow the manifest and never widen it: the link does not open the app.",
        fix: "Add the path to the intent filter.", source: "Google, \"Configure Dynamic App Links\"")
}
