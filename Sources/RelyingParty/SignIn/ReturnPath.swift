import SSOShared

/// Owns the rule where a sign-in may lead back to: a path on this very origin.
enum ReturnPath {
    /// The path, or `/` for anything that a browser could take for another place.
    ///
    /// `//evil.example` and `/\evil.example` are other hosts to a browser, and it drops tabs and line ends before it
    /// looks; so only printable ASCII without backslash passes.
    static func checked(_ text: String?) -> String {
        let bytes = Array((text ?? "").utf8)
        guard bytes.first == UInt8(ascii: "/"), bytes.count <= 1024, !bytes.starts(with: "//".utf8),
            bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\\") })
        else { return "/" }
        return text ?? "/"
    }

    /// `/auth/sso/start` with the page to come back to.
    static func start(returnTo path: String) -> String {
        path == "/" ? SSOPath.start : SSOPath.start + "?return_to=" + PercentCoding.encode(path, keeping: "/")
    }
}
