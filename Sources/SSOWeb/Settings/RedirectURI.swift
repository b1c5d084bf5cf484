import Foundation
import SSOShared

/// Owns the rule what may be registered as a redirect URI. A request must name the same bytes.
public enum RedirectURI {
    /// What the IdP adds to the redirect URI of a client.
    public static let callbackFields = ["token", "state", "error", "error_description"]

    /// - Parameters:
    ///   - fields: what the IdP adds to its query.
    ///   - checkScheme: says what is wrong with a scheme that is neither https nor http; nil if nothing is.
    /// - Throws: ``SettingError`` saying what is wrong with it.
    public static func check(
        _ text: String, adding fields: [String] = callbackFields,
        checkScheme: (String) -> String? = problemOfReversedDomain
    ) throws {
        func refuse(_ why: String) throws -> Never { throw SettingError("\"\(text)\" \(why)") }
        guard !text.isEmpty, text.utf8.count <= 2000, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
            try refuse(
                "must be ASCII without spaces, of 1 to 2000 bytes, such as https://partner.example.com/callback.")
        }
        guard hasWholeEscapes(text) else { try refuse("has a % without two hexadecimal digits after it.") }
        // Parsers and browsers read these differently. A redirect URI needs none of them.
        guard !text.utf8.contains(where: { #"\"<>^`{|}"#.utf8.contains($0) }) else {
            try refuse("has a character that must be percent-encoded.")
        }
        guard !text.utf8.contains(UInt8(ascii: "*")) else { try refuse("has a wildcard. Register each complete URI.") }
        guard !text.utf8.contains(UInt8(ascii: "#")) else { try refuse("has a fragment (#).") }
        guard let parts = URLComponents(string: text), let scheme = parts.scheme else {
            try refuse("must be an absolute URI.")
        }
        guard scheme == scheme.lowercased() else {
            try refuse("has a scheme in upper case. Write the scheme in lower case: \(scheme.lowercased()):")
        }
        // A backslash, at which browsers end the authority as well, was refused above.
        let authority = Self.authority(of: text, scheme: scheme)
        guard parts.user == nil, parts.password == nil, authority?.contains("@") != true else {
            try refuse("has a user name in it.")
        }
        if let authority { try checkAuthority(authority, isWeb: scheme == "https" || scheme == "http", refuse) }
        // Decoded, because a client reads `%74oken` as `token`.
        let names = (parts.queryItems ?? []).map { $0.name.lowercased() }
        guard Set(names).isDisjoint(with: fields) else {
            let list = [fields.dropLast().joined(separator: ", "), fields.last ?? ""].filter { !$0.isEmpty }
                .joined(separator: " or ")
            try refuse("has \(list) in its query: the IdP adds \(fields.count == 1 ? "it" : "these") itself.")
        }
        switch scheme {
        case "https":
            guard let host = parts.host, !host.isEmpty else { try refuse("must have a host.") }
        case "http":
            guard let host = parts.host, LoopbackHost.contains(host.trimmingCharacters(in: ["[", "]"])) else {
                try refuse("must be https; http is for loopback hosts only.")
            }
        default:
            if let problem = checkScheme(scheme) { try refuse(problem) }
        }
    }

    /// RFC 8252 7.1: a private scheme is a domain name of the app's publisher, reversed.
    public static func problemOfReversedDomain(_ scheme: String) -> String? {
        scheme.utf8.contains(UInt8(ascii: ".")) && scheme == scheme.lowercased()
            ? nil : "must be https, or an app's own scheme with a dot in it (com.example.app:/callback)."
    }

    /// Checks the redirect URIs of one client.
    ///
    /// - Throws: ``SettingError`` for URIs that may not be registered, or appear twice.
    public static func check(all uris: [String]) throws {
        _ = try uris.enumerated().readAll { index, uri in
            try check(uri)
            guard !uris[..<index].contains(where: { $0.utf8.elementsEqual(uri.utf8) }) else {
                throw SettingError("\"\(uri)\" appears twice.")
            }
        }
    }

    /// Foundation turns `%zz` into `%25zz`, browsers do not: the callback would differ from the registered one.
    private static func hasWholeEscapes(_ text: String) -> Bool {
        text.utf8.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false).dropFirst().allSatisfy { rest in
            rest.prefix(2).count == 2 && rest.prefix(2).allSatisfy { "0123456789abcdefABCDEF".utf8.contains($0) }
        }
    }

    /// What is between `//` and the first of `/`, `?` and `#` (RFC 3986 3.2). Nil for a URI without it.
    private static func authority(of text: String, scheme: String) -> Substring? {
        let rest = text.dropFirst(scheme.count + 1)
        return rest.hasPrefix("//") ? rest.dropFirst(2).prefix { !"/?#".contains($0) } : nil
    }

    /// Checks host and port in the bytes, because URLComponents accepts an empty port.
    private static func checkAuthority(_ authority: Substring, isWeb: Bool, _ refuse: (String) throws -> Never) throws {
        do {
            _ = try HostPort(String(authority), allowing: .looseNames)
        } catch .invalidPort(let port) {
            try refuse("has the port \"\(port)\". Use a whole number from 1 to 65535, or remove the colon.")
        } catch .missingHost {
            if isWeb { try refuse("must have a host.") }
        } catch {
            guard isWeb else { return }
            try refuse("has a host that is not a name, an IPv4 address or an IPv6 address in brackets.")
        }
    }
}
