import SSOShared

/// A text that a caller has sent, as the log shows it: bounded, and without a secret that it may contain. The log escapes control
/// characters.
public enum SentText {
    /// Longer texts are cut.
    public static let maximumBytes = 256

    /// A client id that was sent. One that is as long as a secret, or malformed, is described by its length: id and secret
    /// are easily swapped when a client is set up.
    public static func clientID(_ bytes: [UInt8]) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        return bytes.count < 32 && ClientID.isWellFormedForOpenID(text) ? text : "(\(bytes.count) bytes)"
    }

    /// An address that was sent, without its query and fragment, which may hold a secret.
    public static func address(_ bytes: [UInt8]) -> String {
        let bytes = withoutUser(bytes)
        let path = bytes.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        guard path.count < bytes.count else { return shown(bytes) }
        return shown(Array(path)) + (bytes[path.count] == UInt8(ascii: "?") ? "?…" : "#…")
    }

    /// An address with `...` in place of user name and password (RFC 3986 3.2.1). Browsers take a backslash for a slash.
    public static func withoutUser(_ bytes: [UInt8]) -> [UInt8] {
        let slashes = Array(#"/\"#.utf8)
        guard let slash = bytes.indices.dropLast().first(where: { slashes.contains(bytes[$0]) }),
            slashes.contains(bytes[slash + 1])
        else { return bytes }
        let authority = bytes[(slash + 2)...].prefix { !(slashes + Array("?#".utf8)).contains($0) }
        guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return bytes }
        return bytes[..<authority.startIndex] + Array("...".utf8) + bytes[at...]
    }

    /// - Parameter text: what was sent.
    public static func shown(_ text: String) -> String { shown(Array(text.utf8)) }

    /// - Parameter bytes: what was sent, which may not be UTF-8.
    public static func shown(_ bytes: [UInt8]) -> String {
        // No database keeps a NUL in a text.
        var shown = bytes.prefix(maximumBytes).filter { $0 != 0 }[...]
        // A callback that a caller sends as a redirect URI holds a token.
        if let redacted = SecretPrefixes.redacted(shown) { return redacted }
        // Not in the middle of a character.
        if bytes.count > maximumBytes {
            while let last = shown.last, last & 0xc0 == 0x80 { shown.removeLast() }
            if let last = shown.last, last >= 0x80 { shown.removeLast() }
            return String(decoding: shown, as: UTF8.self) + "…"
        }
        return String(decoding: shown, as: UTF8.self)
    }

    /// A path that does not exist, without its query: where a link is wrong. Parts that could be a token are left out, because a
    /// damaged link can contain one.
    public static func path(_ path: String) -> String {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map { part in
            let isWord = part.utf8.allSatisfy { $0 >= 0x61 && $0 <= 0x7a || $0 == 0x2d || $0 == 0x2e || $0 == 0x5f }
            return part.utf8.count <= (isWord ? 40 : 16) ? String(part) : "…"
        }
        return String(parts.joined(separator: "/").prefix(128))
    }
}
