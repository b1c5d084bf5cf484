/// Where a sign-in may lead back to: a path on this origin (RFC 9700 section 4.11.1).
public enum ReturnPath {
    /// The path, or `/` for any text that a browser could read as another place.
    ///
    /// `//evil.example` and `/\evil.example` are other hosts to a browser, and it removes tabs and line ends before it
    /// parses. So only printable ASCII without a backslash is accepted.
    public static func checked(_ text: String?) -> String {
        guard let text, text.utf8.first == UInt8(ascii: "/"), text.utf8.count <= 1024,
            !text.utf8.starts(with: "//".utf8),
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\\") })
        else { return "/" }
        return text
    }

    /// ``SSOPath/start`` with the page to return to.
    public static func start(returnTo path: String) -> String {
        path == "/" ? SSOPath.start : SSOPath.start + "?return_to=" + PercentCoding.encode(path, keeping: "/")
    }
}
