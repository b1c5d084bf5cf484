/// The schemes of apps in redirect URIs (RFC 8252 7.1).
public enum AppScheme {
    /// Whether a browser or a system opens a scheme by itself, so that it cannot be an app's own.
    ///
    /// - Parameter scheme: in lower case, without the colon.
    public static func isForeign(_ scheme: String) -> Bool {
        foreign.contains(scheme) || foreign.contains { scheme.hasPrefix($0 + "-") }
    }

    /// Whether a scheme has one word, as in `oc://callback`. Nobody owns it, as the owner of a domain owns `com.example.app`.
    public static func isOneWord(_ scheme: some StringProtocol) -> Bool { !scheme.utf8.contains(UInt8(ascii: ".")) }

    /// Scripts, documents, files, and other programs.
    private static let foreign: Set = [
        "http", "https", "javascript", "livescript", "vbscript", "data", "blob", "about", "file", "filesystem",
        "content",
        "view-source", "jar", "mhtml", "cid", "mid", "ws", "wss", "ftp", "ftps", "sftp", "ssh", "telnet", "gopher",
        "ldap",
        "ldaps", "news", "nntp", "feed", "webcal", "intent", "android", "market", "itms", "itmss", "mailto", "tel",
        "sms",
        "smsto", "mms", "mmsto", "facetime", "geo", "maps", "sip", "sips", "chrome", "edge", "firefox", "moz", "opera",
        "brave", "safari", "resource", "res", "ms", "shell", "search", "prefs", "x-apple", "x-web-search", "urn", "tag",
        "hotwire",
    ]
}
