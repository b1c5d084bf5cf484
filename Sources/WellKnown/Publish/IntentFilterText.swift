extension IntentFilter {
    /// The element for an AndroidManifest.xml, indented by four blanks a level, with a line break at the end.
    ///
    /// Backslashes are doubled: the resource compiler takes one of each pair.
    /// Source: Android, "`<data>` element"; "String resources", section "Escape special characters".
    public var manifestText: String {
        var lines = ["<intent-filter\(autoVerify ? " android:autoVerify=\"true\"" : "")>"]
        func add(_ element: String, _ attributes: String) { lines.append("    <\(element) \(attributes) />") }
        for action in actions { add("action", Self.attribute("name", action)) }
        for category in categories { add("category", Self.attribute("name", category)) }
        for scheme in schemes { add("data", Self.attribute("scheme", scheme)) }
        for host in hosts {
            add(
                "data",
                Self.attribute("host", host.name) + (host.port.map { " " + Self.attribute("port", $0) } ?? ""))
        }
        for path in paths { add("data", Self.attribute(path.kind.rawValue, path.text)) }
        return (lines + ["</intent-filter>"]).map { $0 + "\n" }.joined()
    }

    private static func attribute(_ name: String, _ value: String) -> String {
        let escaped = value.replacing("\\", with: "\\\\").replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            .replacing("\"", with: "&quot;").replacing("'", with: "\\'")
        return "android:\(name)=\"\(escaped)\""
    }
}
