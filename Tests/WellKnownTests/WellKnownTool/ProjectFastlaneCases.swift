/// Xcode projects without a team, whose fastlane configuration has it.
extension ProjectCases {
    private static func lane(_ appfile: String, _ settings: String = bundle, at path: String = "ios/fastlane/Appfile")
        -> [String: String]
    {
        ios(xcode(signed + settings), more: [path: appfile])
    }

    static let fastlane: [Case] = [
        Case(
            name: "team and bundle id of the Appfile",
            files: lane(
                "app_identifier(\"com.acme.shop\") # The bundle id\napple_id(\"me@acme.com\")\nteam_id(\"\(team)\")\n",
                ""),
            ios: "aa", android: "."),
        Case(name: "a team in single quotes", files: lane("team_id '\(team)'\r\n"), ios: "aa", android: "."),
        Case(
            name: "a block for iOS",
            files: lane("team_id 'ZZZZZ99999'\nfor_platform :ios do\n  team_id(\"\(team)\")\nend\n"), ios: "aa",
            android: "."),
        Case(
            name: "a lane has a team of its own",
            files: lane("team_id \"\(team)\"\nfor_lane :beta do\n  team_id \"ZZZZZ99999\"\nend\n"), ios: "aa",
            android: "."),
        Case(
            name: "a variable that is given", files: lane("team_id(ENV[\"TEAM\"])"), ios: "aa", android: ".",
            defined: ["TEAM": team]),
        Case(name: "a variable that is not given", files: lane("team_id(ENV['TEAM'])"), ios: "-a", android: "."),
        Case(
            name: "a variable with another value to fall back on",
            files: lane("team_id(ENV[\"TEAM\"] || \"ZZZZZ99999\")"), ios: "-a", android: "."),
        Case(
            name: "a text that the program composes", files: lane("team_id \"#{prefix}99999\""), ios: "-a",
            android: "."),
        Case(
            name: "a condition decides", files: lane("if store\n  team_id \"ZZZZZ99999\"\nend"), ios: "-a", android: "."
        ),
        Case(
            name: "a condition after the value", files: lane("team_id \"ZZZZZ99999\" if ENV[\"X\"] == \"y\""),
            ios: "-a", android: "."),
        Case(
            name: "a block in braces", files: lane("for_lane(:beta) {\n  team_id \"ZZZZZ99999\"\n}"), ios: "-a",
            android: "."),
        Case(name: "a comment", files: lane("# team_id \"ZZZZZ99999\""), ios: "-a", android: "."),
        Case(
            name: "an Appfile of another app",
            files: lane("app_identifier 'com.acme.other'\nteam_id 'ZZZZZ99999'"), ios: "-a", android: "."),
        Case(
            name: "two Appfiles with two teams",
            files: lane("team_id 'ZZZZZ99999'").merging(["fastlane/Appfile": "team_id '\(team)'"]) { $1 }, ios: "-a",
            android: "."),
        Case(
            name: "the project's own team wins",
            files: lane("team_id 'ZZZZZ99999'", bundle + "DEVELOPMENT_TEAM = \(team);"), ios: "aa", android: "."),
        Case(name: "wrong: another team in the Appfile", files: lane("team_id 'ZZZZZ99999'"), ios: "da", android: "."),
        Case(
            name: "an Appfile for Android alone",
            files: gradle(
                "android { namespace 'com.acme.shop' }",
                more: ["fastlane/Appfile": "package_name \"com.acme.shop\"\njson_key_file \"key.json\""]), ios: ".",
            android: "aa"),
        Case(
            name: "bytes that are no text", files: lane("team_id \"\u{0}\u{fffd}\nend\nend\n}"), ios: "-a",
            android: "."),
        Case(
            name: "blocks without an end", files: lane(String(repeating: "for_platform :ios do\n", count: 100_000)),
            ios: "-a", android: "."),
    ]
}
