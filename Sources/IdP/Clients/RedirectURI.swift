import Foundation
import SSOShared
import SSOWeb

/// Owns the rule what may be registered as a redirect URI. Matching is not here: it is equality of bytes, always.
enum RedirectURI {
    /// - Throws: ``SettingFault`` saying what is wrong with it.
    static func check(_ text: String) throws {
        func refuse(_ why: String) throws -> Never { throw SettingFault("\"\(text)\" \(why)") }
        guard !text.isEmpty, text.utf8.count <= 2000, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
            try refuse("must be ASCII without blanks, at most 2000 bytes.")
        }
        // A parser of ours and the browser's may read these in two ways; registered addresses have no need of them.
        guard !text.utf8.contains(where: { #"\"<>^`{|}"#.utf8.contains($0) }) else {
            try refuse("has a character that no address may hold unescaped.")
        }
        guard !text.utf8.contains(UInt8(ascii: "*")) else { try refuse("has a wildcard. Register each address whole.") }
        guard !text.utf8.contains(UInt8(ascii: "#")) else { try refuse("has a fragment (#).") }
        guard hasWholeEscapes(text) else { try refuse("has a % without two hex digits behind it.") }
        guard hasPossiblePort(text) else { try refuse("has a port that is none: give 1 to 65535, or leave it out.") }
        guard let parts = URLComponents(string: text), let scheme = parts.scheme else {
            try refuse("is no absolute address.")
        }
        guard parts.user == nil, parts.password == nil, !text.prefix(while: { $0 != "?" }).contains("@") else {
            try refuse("has a user name in it.")
        }
        // Escapes undone: `%74oken` is `token` to whoever reads the callback.
        let names = (parts.queryItems ?? []).map { $0.name.lowercased() }
        guard !names.contains("token"), !names.contains("state"), !names.contains("error") else {
            try refuse("has token, state or error in its query: the IdP adds these itself.")
        }
        switch scheme {
        case "https":
            guard let host = parts.host, !host.isEmpty else { try refuse("names no host.") }
        case "http":
            guard let host = parts.host, LoopbackHost.contains(host.trimmingCharacters(in: ["[", "]"])) else {
                try refuse("must be https; http is for loopback hosts only.")
            }
        default:
            // RFC 8252 7.1: a private scheme is a domain name the app's maker owns, in reverse.
            guard scheme.utf8.contains(UInt8(ascii: ".")), scheme == scheme.lowercased() else {
                try refuse("must be https, or an app's own scheme with a dot in it (com.example.app:/callback).")
            }
        }
    }

    /// RFC 3986 2.1. A parser that meets half an escape guesses.
    private static func hasWholeEscapes(_ text: String) -> Bool {
        text.utf8.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false).dropFirst().allSatisfy { part in
            let digits = part.prefix(2)
            return digits.count == 2 && digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
        }
    }

    /// The authority's port, judged as text: parsers take 99999 for a number and an empty one for none.
    private static func hasPossiblePort(_ text: String) -> Bool {
        guard let start = text.range(of: "://")?.upperBound else { return true }
        let authority = text[start...].prefix { $0 != "/" && $0 != "?" }
        let host = authority.last == "]" ? "" : authority[(authority.lastIndex(of: "]") ?? authority.startIndex)...]
        guard let colon = host.lastIndex(of: ":") else { return true }
        let digits = host[host.index(after: colon)...]
        guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return false
        }
        return Int(digits).map { (1...65535).contains($0) } ?? false
    }
}
