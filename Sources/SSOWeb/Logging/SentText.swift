import SSOShared

/// A text that a caller has sent, as the log shows it: bounded, and without a token that it may contain. The log escapes
/// control characters.
public enum SentText {
    /// Longer texts are cut.
    public static let maximumBytes = 256

    /// A client id that was sent. One that is as long as a secret, or malformed, is described by its length: id and secret
    /// are easily swapped when a client is set up.
    public static func clientID(_ bytes: [UInt8]) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        return bytes.count < 32 && ClientID.isWellFormed(text) ? text : "(\(bytes.count) bytes)"
    }

    /// An address that was sent, without its query, which may hold a secret.
    public static func address(_ bytes: [UInt8]) -> String {
        let path = bytes.prefix { $0 != UInt8(ascii: "?") }
        return shown(Array(path)) + (path.count < bytes.count ? "?…" : "")
    }

    /// - Parameter text: what was sent.
    public static func shown(_ text: String) -> String { shown(Array(text.utf8)) }

    /// - Parameter bytes: what was sent, which may not be UTF-8.
    public static func shown(_ bytes: [UInt8]) -> String {
        var shown = bytes.prefix(maximumBytes)
        // A callback that a caller sends as a redirect URI holds a token.
        if let token = shown.indices.first(where: { shown[$0...].starts(with: "sst_".utf8) }) {
            return String(decoding: shown[..<token], as: UTF8.self) + "sst_<redacted>"
        }
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
