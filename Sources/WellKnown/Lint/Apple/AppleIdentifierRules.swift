/// App identifiers: a prefix of ten characters, a dot, the bundle identifier.
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
        "id.no-prefix", .error, "An app identifier without its prefix",
        reason: "A bundle identifier alone equals no app: links and passwords are off for it.",
        fix: "Put the application identifier prefix and a dot in front: see the app's page on developer.apple.com.",
        source: domains, wrong: wrong("com.acme.shop"), right: right)

    static let prefixLength = LintRule(
        "id.prefix-length", .error, "A prefix that is not ten characters long",
        reason: "A character was lost or doubled when copying; the identifier equals no app.",
        fix: "Copy the prefix again from the app's page on developer.apple.com.", source: domains,
        wrong: wrong("4J6K8M2N9.com.acme.shop"), right: right)

    static let prefixLowercase = LintRule(
        "id.prefix-lowercase", .error, "A prefix in lower case",
        reason: "Identifiers compare exactly, and prefixes are written in upper case.",
        fix: "Write the prefix in upper-case letters and digits.", source: domains,
        wrong: wrong("4j6k8m2n9p.com.acme.shop"), right: right)

    static let prefixNumeric = LintRule(
        "id.prefix-numeric", .warning, "A prefix of digits alone",
        reason: "It may be the app's number in the App Store, which equals no prefix.",
        fix: "Compare it with the prefix on the app's page on developer.apple.com.", source: domains,
        wrong: wrong("6479632616.com.acme.shop"), right: right)

    static let prefixDiffers = LintRule(
        "id.prefix-differs", .warning, "One bundle identifier with two prefixes",
        reason: "Either the app moved to another team and both are needed for a while, or one of them is wrong.",
        fix: "Remove the wrong one; keep both only while versions with the old prefix are installed.", source: domains,
        wrong: .aasa(
            #"{"webcredentials": {"apps": ["4J6K8M2N9P.com.acme.shop", "4J6K8M2N9Q.com.acme.shop"]}}"# + "\n"),
        right: right)

    static let placeholder = LintRule(
        "id.placeholder", .error, "A placeholder instead of an app identifier",
        reason: "The value of an example was deployed; it equals no app.",
        fix: "Write the app's own prefix and bundle identifier.", source: domains,
        wrong: wrong("TEAM_ID.com.acme.shop"), right: right)

    static let bundleCharacters = LintRule(
        "id.bundle-chars", .error, "A character that bundle identifiers do not have",
        reason: "No app can have this identifier.",
        fix: "Bundle identifiers have ASCII letters, digits, hyphens and dots; write the app's own.",
        source: "Apple, CFBundleIdentifier", wrong: wrong("4J6K8M2N9P.com.acme.my_shop"), right: right)

    static let wildcard = LintRule(
        "id.wildcard", .error, "A wildcard in an app identifier",
        reason: "It is not expanded, and equals no app.", fix: "List every app by its own identifier.", source: domains,
        wrong: wrong("4J6K8M2N9P.com.acme.*"), right: right)

    static let whiteSpace = LintRule(
        "id.whitespace", .error, "White space around an app identifier",
        reason: "Nothing is trimmed: the identifier equals no app.", fix: "Remove the white space.", source: domains,
        wrong: wrong("4J6K8M2N9P.com.acme.shop "), right: right)

    static let clipInApplinks = LintRule(
        "id.clip-in-applinks", .warning, "An App Clip among the apps, or an app among the App Clips",
        reason: "App Clips are started through appclips, apps through applinks; under the other service they count "
            + "for nothing.",
        fix: "Move the identifier to the service it belongs to.",
        source: "Apple, Associating your App Clip with your website",
        wrong: .aasa(
            AppleExample.links(entries: AppleExample.entry(#"{"/": "/buy/*"}"#, app: "4J6K8M2N9P.com.acme.shop.Clip"))),
        right: .aasa(#"{"appclips": {"apps": ["4J6K8M2N9P.com.acme.shop.Clip"]}}"# + "\n"))

    static let inconsistentServices = LintRule(
        "id.inconsistent-services", .info, "An app under applinks and not under webcredentials, or the reverse",
        reason: "Links work and passwords do not, or the reverse: nobody notices until a user asks.",
        fix: "List the app under both services, unless it is meant to be so.", source: domains,
        wrong: .aasa(
            BodyRules.sound.replacing(
                "\"apps\": [", with: "\"apps\": [\"4J6K8M2N9P.com.acme.other\", ")),
        right: .aasa(BodyRules.sound))
}
