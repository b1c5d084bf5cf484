/// Writes the example files of the rules.
enum AppleExample {
    static func links(entries: String, beside: String = "") -> String {
        "{\n  \"applinks\": {\n    \"details\": [\(entries)]\(beside)\n  }\n}\n"
    }

    static func entry(_ components: String, app: String = "4J6K8M2N9P.com.acme.shop", beside: String = "") -> String {
        "{\"appIDs\": [\"\(app)\"], \"components\": [\(components)]\(beside)}"
    }

    /// One app with these elements of `components`.
    static func components(_ components: String, beside: String = "") -> String {
        links(entries: entry(components), beside: beside)
    }

    /// One app with these elements of the legacy `paths`.
    static func paths(_ paths: String, beside: String = "") -> String {
        links(entries: "{\"appID\": \"4J6K8M2N9P.com.acme.shop\", \"paths\": [\(paths)]}", beside: beside)
    }

    /// One app that may use the passwords of the site.
    static func credentials(_ app: String) -> String { "{\"webcredentials\": {\"apps\": [\"\(app)\"]}}\n" }
}
