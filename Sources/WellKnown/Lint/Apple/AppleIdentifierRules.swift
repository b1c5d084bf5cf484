/// App identifiers: the Team ID, or the older prefix of ten characters, a dot, the bundle identifier.
///
/// Sources: Apple, "Supporting associated domains" (`appIDs`, `apps`); CFBundleIdentifier.
enum AppleIdentifierRules {
    static let rules: [LintRule] = [
        noPrefix, prefixLength, prefixLowercase, prefixNumeric, prefixDiffers, placeholder, bundleCharacters, wildcard,
        whiteSpace, clipInApplinks, inconsistentServices,
    ]

    private static let domains = "Apple, Supporting associated domains"
    private static let right = LintExample.aasa(AppleExample.credentials("4J6K8M2N9P.com.acme.shop"))
    private static func wrong(_ app: String) -> LintExample { .aasa(AppleExample.credentials(app)) }

    static let noPrefix = LintRule(
        "id.no-prefix", .error, "An app identifier without its Team ID",
        reason: "A bundle identifier without its Team ID equals no app, so links and passwords do not work.",
        fix: "Put the Team ID and a dot before it. The app's page on developer.apple.com shows "
            + "the Team ID.", source: domains, wrong: wrong("com.acme.shop"), right: right)
    static let prefixLength = LintRule(
        "id.prefix-length", .error, "A Team ID that is not ten characters long",
        reason: "A character was lost or doubled in copying. The identifier equals no app.",
        fix: "Copy the Team ID again from the app's page on developer.apple.com.", source: domains,
        wrong: wrong("4J6K8M2N9.com.acme.shop"), right: right)
    static let prefixLowercase = LintRule(
        "id.prefix-lowercase", .error, "A Team ID in lower case",
        reason: "Identifiers are compared exactly, and Team IDs are in upper case.",
        fix: "Write the Team ID in upper-case letters and digits.", source: domains,
        wrong: wrong("4j6k8m2n9p.com.acme.shop"), right: right)
    static let prefixNumeric = LintRule(
        "id.prefix-numeric", .warning, "A Team ID of digits alone",
        reason:
            "It may be the app's number in the App Store. That number is not a Team ID. Apps from before 2011 may have "
            + "another prefix of ten characters in its place.",
        fix: "Compare it with the Team ID on the app's page on developer.apple.com.", source: domains,
        wrong: wrong("6479632616.com.acme.shop"), right: right)
    static let prefixDiffers = LintRule(
        "id.prefix-differs", .info, "One bundle identifier with two Team IDs",
        reason: "The app moved to another team, an enterprise build has a team of its own, or one Team ID is wrong.",
        fix: "Keep each Team ID of a build that is installed somewhere. Remove one that no build has.", source: domains,
        wrong: .aasa(#"{"webcredentials": {"apps": ["4J6K8M2N9P.com.acme.shop", "4J6K8M2N9Q.com.acme.shop"]}}"# + "\n"),
        right: right)
    static let placeholder = LintRule(
        "id.placeholder", .error, "A placeholder instead of an app identifier",
        reason: "The value of an example was deployed. It equals no app.",
        fix: "Write the app's own Team ID and bundle identifier.", source: domains,
        wrong: wrong("TEAM_ID.com.acme.shop"), right: right)
    static let bundleCharacters = LintRule(
        "id.bundle-chars", .error, "A character that bundle identifiers do not have",
        reason: "No app can have this identifier.",
        fix: "Bundle identifiers have ASCII letters, digits, hyphens and dots. Write the identifier of the app.",
        source: "Apple, CFBundleIdentifier", wrong: wrong("4J6K8M2N9P.com.acme.my_shop"), right: right)
    static let wildcard = LintRule(
        "id.wildcard", .error, "A wildcard in an app identifier", reason: "Systems do not expand it. It equals no app.",
        fix: "List every app by its own identifier.", source: domains, wrong: wrong("4J6K8M2N9P.com.acme.*"),
        right: right)
    static let whiteSpace = LintRule(
        "id.whitespace", .error, "White space around an app identifier",
        reason: "Systems do not trim identifiers. It equals no app.", fix: "Remove the white space.", source: domains,
        wrong: wrong("4J6K8M2N9P.com.acme.shop "), right: right)
    static let clipInApplinks = LintRule(
        "id.clip-in-applinks", .warning, "An App Clip among the apps, or an app among the App Clips",
        reason: "App Clips use appclips and apps use applinks. Systems ignore an identifier under the other service.",
        fix: "Move the identifier to the service that it belongs to.",
        source: "Apple, Associating your App Clip with your website",
        wrong: .aasa(
            AppleExample.links(entries: AppleExample.entry(#"{"/": "/buy/*"}"#, app: "4J6K8M2N9P.com.acme.shop.Clip"))),
        right: .aasa(#"{"appclips": {"apps": ["4J6K8M2N9P.com.acme.shop.Clip"]}}"# + "\n"))
    static let inconsistentServices = LintRule(
        "id.inconsistent-services", .info, "An app under applinks and not under webcredentials, or the reverse",
        reason: "Links work and passwords do not, or the reverse.",
        fix: "List the app under both services, unless this is intended.", source: domains,
        wrong: .aasa(BodyRules.sound.replacing("\"apps\": [", with: "\"apps\": [\"4J6K8M2N9P.com.acme.other\", ")))
}
