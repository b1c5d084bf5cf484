/// Tells an app identifier of an example or a template from a real one.
enum AppleIdentifierPlaceholder {
    /// Prefixes of Apple's documentation and of templates that say what belongs there. A made-up prefix that could be
    /// somebody's is left alone: an error stops a server.
    private static let prefixes: Set<String> = [
        "ABCDE12345", "12345ABCDE", "ABCDEFGHIJ", "TEAMID", "APPID", "YOURTEAMID", "APPPREFIX", "PREFIX",
        "DEVELOPMENT_TEAM", "BUNDLEID",
    ]

    static func isOne(_ app: String) -> Bool {
        let upper = app.uppercased()
        let prefix = upper.prefix { $0 != "." }
        if prefixes.contains(String(prefix)) { return true }
        // XXXXXXXXXX, 0000000000.
        if prefix.utf8.count >= 8, let first = prefix.utf8.first, prefix.utf8.allSatisfy({ $0 == first }) {
            return true
        }
        let marks = [
            "<", ">", "{", "}", "$(", "[", "YOUR_", "YOUR-", "YOURTEAM", "TEAM_ID", "TEAM-ID", "TEAMID.", "APP_ID",
            "BUNDLE_ID", "BUNDLE_IDENTIFIER", "BUNDLE-ID", "PLACEHOLDER", "REPLACE", "TODO", "CHANGEME", "PREFIX_",
            "_PREFIX", "XXXXX",
        ]
        return marks.contains { upper.contains($0) }
    }
}
