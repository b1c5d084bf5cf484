/// The structure of an apple-app-site-association file.
///
/// Sources: Apple, "Supporting associated domains", "applinks" and the pages below it; TN3155, "Debugging universal
/// links"; WWDC 2019 session 717; the behaviour of Apple's `swcutil` on macOS 27.
enum AppleStructureRules {
    static let rules: [LintRule] = [
        noService, unknownService, misplacedService, detailsOutside, serviceAppsMissing, detailsMissing,
        detailsDictionary, detailsObject, entryWithoutApp, keyCase, unknownKey, appIDsType, bothAppKeys,
        mixedGenerations, noRules, emptyRules, rulesType, appsNonEmpty, appsNeeded, minimumSystem, duplicateApp,
        duplicateEntries, sharedPath,
    ]

    private static let domains = "Apple, Supporting associated domains"
    private static let debugging = "Apple, TN3155 Debugging universal links"
    private static let session = "Apple, WWDC 2019 session 717"

    static let noService = LintRule(
        "aasa.no-service", .error, "The file has no service that systems know",
        reason: "The file is fetched and read, and associates nothing: no link opens an app, and no password is "
            + "offered.", fix: "Write applinks, webcredentials, appclips, activitycontinuation or authsrv at the root.",
        source: domains, wrong: .aasa("{}\n"))
    static let unknownService = LintRule(
        "aasa.unknown-service", .warning, "A key at the root that no system knows",
        reason: "Keys are case-sensitive. Systems ignore an unknown key with everything in it.",
        fix: "Write the key as documented, or remove it.", source: domains,
        wrong: .aasa(BodyRules.sound.replacing("webcredentials", with: "webCredentials")))
    static let misplacedService = LintRule(
        "aasa.misplaced-service", .error, "A service inside another one",
        reason: "Systems look for services at the root only, and ignore this one.",
        fix: "Move the key one level up, beside applinks.", source: domains,
        wrong: .aasa(
            AppleExample.links(
                entries: AppleExample.entry(#"{"/": "/buy/*"}"#),
                beside: #", "webcredentials": {"apps": ["4J6K8M2N9P.com.acme.shop"]}"#)))
    static let detailsOutside = LintRule(
        "aasa.details-outside-applinks", .error, "details outside of applinks",
        reason: "Only applinks has details. No system reads them here.",
        fix: "Move details into applinks. The other services take a plain list: {\"apps\": [\"ID\"]}.", source: domains,
        wrong: .aasa(#"{"appclips": {"details": [{"appIDs": ["4J6K8M2N9P.com.acme.shop.Clip"]}]}}"# + "\n"),
        right: .aasa(#"{"appclips": {"apps": ["4J6K8M2N9P.com.acme.shop.Clip"]}}"# + "\n"))
    static let serviceAppsMissing = LintRule(
        "aasa.service-apps-missing", .error, "A service without a list of apps",
        reason: "The service is off for every app: no password from the site, no App Clip, no Handoff.",
        fix: "Write \"apps\": [\"PREFIX.bundle.id\"] below the service, or remove it.", source: domains,
        wrong: .aasa(#"{"webcredentials": {"apps": []}}"# + "\n"),
        right: .aasa(#"{"webcredentials": {"apps": ["4J6K8M2N9P.com.acme.shop"]}}"# + "\n"))
    static let detailsMissing = LintRule(
        "aasa.details-missing", .error, "applinks without details",
        reason: "Without details, applinks names no app and no address: every link opens the browser.",
        fix: "Write \"details\": [{\"appIDs\": […], \"components\": […]}] below applinks.", source: "Apple, applinks",
        wrong: .aasa(#"{"applinks": {"apps": []}}"# + "\n"))
    static let detailsDictionary = LintRule(
        "aasa.details-dictionary", .warning, "details as a dictionary",
        reason: "The form from before 2017 is obsolete. Apple's matcher still reads it, other readers do not.",
        fix: "Write a list: \"details\": [{\"appIDs\": […], \"components\": […]}].", source: session,
        wrong: .aasa(#"{"applinks": {"details": {"4J6K8M2N9P.com.acme.shop": {"paths": ["/buy/*"]}}}}"# + "\n"))
    static let detailsObject = LintRule(
        "aasa.details-object", .error, "details is one entry without its list",
        reason: "An object is read as a dictionary of apps. Here the apps would be called \"appID\" and \"paths\".",
        fix: "Put the entry into [ ].", source: "Apple, applinks.Details",
        wrong: .aasa(#"{"applinks": {"details": {"appID": "4J6K8M2N9P.com.acme.shop", "paths": ["/buy/*"]}}}"# + "\n"))
    static let entryWithoutApp = LintRule(
        "aasa.entry-without-app", .error, "An entry of details without an app",
        reason: "The rules do not apply to any app.", fix: "Write \"appIDs\": [\"PREFIX.bundle.id\"] beside the rules.",
        source: "Apple, applinks.Details",
        wrong: .aasa(#"{"applinks": {"details": [{"components": [{"/": "/buy/*"}]}]}}"# + "\n"))
    static let keyCase = LintRule(
        "aasa.key-case", .error, "A key in the wrong case",
        reason: "Keys are case-sensitive. Systems ignore unknown keys and report nothing.",
        fix: "Write the key as documented.", source: "Apple, applinks.Details",
        wrong: .aasa(BodyRules.sound.replacing("\"appIDs\"", with: "\"appIds\"")))
    static let unknownKey = LintRule(
        "aasa.unknown-key", .warning, "A key that no system knows",
        reason: "Systems ignore unknown keys and report nothing. A misspelled key changes what the file means.",
        fix: "Write the key as documented, or remove it.", source: "Apple, applinks and the pages below it",
        wrong: .aasa(BodyRules.sound.replacing("\"components\":", with: "\"priority\": 1, \"components\":")))
    static let appIDsType = LintRule(
        "aasa.appids-type", .error, "appIDs is not a list of strings",
        reason: "Systems ignore a value of the wrong type, so the rules apply to no app.",
        fix: "Write \"appIDs\": [\"PREFIX.bundle.id\"], or \"appID\": \"PREFIX.bundle.id\".",
        source: "Apple, applinks.Details",
        wrong: .aasa(
            BodyRules.sound.replacing(
                "\"appIDs\": [\"4J6K8M2N9P.com.acme.shop\"]", with: "\"appIDs\": \"4J6K8M2N9P.com.acme.shop\"")))
    static let bothAppKeys = LintRule(
        "aasa.both-appid-appids", .warning, "appID and appIDs in one entry",
        reason: "appIDs wins, even if it is empty, and appID is ignored. This was seen on swcutil. Other matchers "
            + "join the two.",
        fix: "Put every app into appIDs and remove appID.", source: "Apple, applinks.Details; swcutil on macOS 27",
        wrong: .aasa(
            BodyRules.sound.replacing("\"appIDs\":", with: "\"appID\": \"4J6K8M2N9P.com.acme.shop\", \"appIDs\":")))
    static let mixedGenerations = LintRule(
        "aasa.mixed-generations", .warning, "Both generations of keys in one entry",
        reason:
            "Apple's TN3155 says that universal links do not work with this mixture. Flutter's guide shows it, and iOS 13 "
            + "and later use the components (WWDC 2019 session 717). Older versions may read either.",
        fix:
            "Keep appIDs and components alone. For iOS 12 and older, add a second entry with appID and paths after it.",
        source: debugging + "; " + session + "; docs.flutter.dev, Set up universal links for iOS",
        wrong: .aasa(BodyRules.sound.replacing("\"components\":", with: "\"paths\": [\"/buy/*\"], \"components\":")))
    static let noRules = LintRule(
        "aasa.no-rules", .error, "An entry without components and paths",
        reason: "The entry names an app and no address: nothing opens.",
        fix: "Write \"components\": [{\"/\": \"/buy/*\"}] into the entry.", source: "Apple, applinks.Details",
        wrong: .aasa(#"{"applinks": {"details": [{"appIDs": ["4J6K8M2N9P.com.acme.shop"]}]}}"# + "\n"))
    static let emptyRules = LintRule(
        "aasa.empty-rules", .error, "An empty list of rules",
        reason: "No rule matches, so every link opens the browser.",
        fix: "Write the patterns of the addresses that the app opens, or remove the entry.",
        source: "Apple, applinks.Details", wrong: .aasa(AppleExample.components("")))
    static let rulesType = LintRule(
        "aasa.rules-type", .error, "A rule of the wrong type",
        reason: "Systems ignore elements of components that are not objects, and elements of paths that are not "
            + "strings.", fix: "Write objects in components: {\"/\": \"/buy/*\"}, and strings in paths: \"/buy/*\".",
        source: "Apple, applinks.Details", wrong: .aasa(AppleExample.components("\"/buy/*\"")))
    static let appsNonEmpty = LintRule(
        "aasa.apps-nonempty", .warning, "applinks.apps is not the empty list",
        reason: "iOS 12 and older open no link unless the key is present and empty. Later systems ignore it.",
        fix: "Write \"apps\": [], or remove the key when iOS 13 is the oldest you support.",
        source: "Apple, App Search Programming Guide, Support Universal Links",
        wrong: .aasa(
            BodyRules.sound.replacing("\"details\"", with: "\"apps\": [\"4J6K8M2N9P.com.acme.shop\"], \"details\"")),
        right: .aasa(BodyRules.sound.replacing("\"details\"", with: "\"apps\": [], \"details\"")))
    static let appsNeeded = LintRule(
        "aasa.apps-needed", .warning, "applinks.apps is missing for iOS 12 and older",
        reason: "iOS 12 and older open no link unless the key is present and empty.",
        fix: "Write \"apps\": [] below applinks.",
        source: "Apple, App Search Programming Guide, Support Universal Links",
        wrong: .aasa(AppleExample.paths("\"/buy/*\""), minimumIOS: SystemVersion(12)),
        right: .aasa(
            AppleExample.paths("\"/buy/*\"").replacing("\"details\"", with: "\"apps\": [], \"details\""),
            minimumIOS: SystemVersion(12)))
    static let minimumSystem = LintRule(
        "aasa.min-os", .warning, "A feature that the oldest supported system does not know",
        reason: "Older systems ignore the key and decide differently: the same link opens the app on one phone and "
            + "not on another.", fix: "Raise the declared minimum, or write what the older systems need as well.",
        source: "Apple, applinks and the pages below it (Availability); WWDC 2020 session 10098",
        wrong: AppleExample.rule(#"{"/": "/buy/*", "caseSensitive": false}"#, minimumIOS: SystemVersion(13)),
        right: AppleExample.rule(#"{"/": "/buy/*", "caseSensitive": false}"#, minimumIOS: SystemVersion(14)))
    static let duplicateApp = LintRule(
        "aasa.duplicate-app", .info, "One app in several entries",
        reason: "The entries are tried in order, and the first matching rule of all of them decides.",
        fix: "Join the rules in one entry, if their order allows.", source: "Apple, applinks.Details",
        wrong: AppleExample.two(#"{"/": "/buy/*"}"#, #"{"/": "/sell/*"}"#, app: "4J6K8M2N9P.com.acme.shop"),
        right: AppleExample.rule(#"{"/": "/buy/*"}, {"/": "/sell/*"}"#))
    static let duplicateEntries = LintRule(
        "aasa.duplicate-entries", .info, "Entries with the same rules",
        reason: "The next change easily updates only one copy, and copies use up the limit of 128 KB.",
        fix: "Write one entry with all the apps in appIDs.", source: "Apple, applinks.Details (appIDs)",
        wrong: AppleExample.two(#"{"/": "/buy/*"}"#, #"{"/": "/buy/*"}"#),
        right: .aasa(
            AppleExample.links(
                entries: AppleExample.entry(
                    #"{"/": "/buy/*"}"#, app: #"4J6K8M2N9P.com.acme.shop", "4J6K8M2N9P.com.acme.other"#))))
    static let sharedPath = LintRule(
        "aasa.shared-path", .warning, "Two apps claim one address",
        reason: "If both apps are installed, the first matching entry gets the link. The other app never gets it.",
        fix: "Give each app its own paths, or order the entries so that the right one comes first.",
        source: "Apple, applinks.Details", wrong: AppleExample.two(#"{"/": "/buy/*"}"#, #"{"/": "/buy/old/*"}"#),
        right: AppleExample.two(#"{"/": "/buy/*"}"#, #"{"/": "/sell/*"}"#))
}

/// Writes the example files of the rules.
enum AppleExample {
    static func links(entries: String, beside: String = "") -> String {
        "{\n  \"applinks\": {\n    \"details\": [\(entries)]\(beside)\n  }\n}\n"
    }

    static func entry(_ components: String, app: String = "4J6K8M2N9P.com.acme.shop", beside: String = "") -> String {
        "{\"appIDs\": [\"\(app)\"], \"components\": [\(components)]\(beside)}"
    }

    /// A file with one app that has these elements of `components`.
    static func components(_ components: String, beside: String = "") -> String {
        links(entries: entry(components), beside: beside)
    }

    /// An example with one app that has these elements of `components`.
    static func rule(_ components: String, minimumIOS: SystemVersion? = nil) -> LintExample {
        .aasa(self.components(components), minimumIOS: minimumIOS)
    }

    /// An example with two entries of one rule each, the second one of this app.
    static func two(_ first: String, _ second: String, app: String = "4J6K8M2N9P.com.acme.other") -> LintExample {
        .aasa(links(entries: entry(first) + ", " + entry(second, app: app)))
    }

    /// A file with one app that has these elements of the legacy `paths`.
    static func paths(_ paths: String, beside: String = "") -> String {
        links(entries: "{\"appID\": \"4J6K8M2N9P.com.acme.shop\", \"paths\": [\(paths)]}", beside: beside)
    }

    /// A file with one app that can use the passwords of the site.
    static func credentials(_ app: String) -> String { "{\"webcredentials\": {\"apps\": [\"\(app)\"]}}\n" }
}
