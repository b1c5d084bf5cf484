import Foundation
public import SSOShared

/// Owns the rule what may be registered as a redirect URI. A request must name the same bytes.
public enum RedirectURI {
    /// What the IdP adds to the redirect URI of a client.
    public static let callbackFields = ["token", "state", "error", "error_description"]

    /// Where plain http is permitted.
    public enum PlainHosts: Sendable {
        /// This machine.
        case loopback
        /// Private networks as well (``PrivateHost``).
        case privateNetworks

        /// Whether an address of such a host may be http.
        public func contains(_ host: HostPort) -> Bool {
            host.isLoopback || self == .privateNetworks && PrivateHost.contains(host)
        }

        var words: String {
            switch self {
            case .loopback: "http is for loopback hosts only."
            case .privateNetworks:
                "http is for loopback and private addresses, names without a dot, and .lan, .local, .home.arpa and .internal only."
            }
        }
    }

    /// - Parameters:
    ///   - fields: what the IdP adds to its query.
    ///   - plain: where http is permitted.
    ///   - checkScheme: says what is wrong with a scheme that is neither https nor http; nil if nothing is.
    /// - Throws: ``SettingError`` saying what is wrong with it.
    public static func check(
        _ text: String, adding fields: [String] = callbackFields, plain: PlainHosts = .loopback,
        checkScheme: (String) -> String? = problemOfReversedDomain
    ) throws {
        func refuse(_ why: String) throws -> Never { throw SettingError("\"\(text)\" \(why)") }
        try checkCharacters(of: text, refuse)
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
        guard !hasDotSegment(text) else {
            try refuse("has . or .. as a part of its path, which browsers take out. Write the path as they send it.")
        }
        let isWeb = scheme == "https" || scheme == "http"
        let host = try authority.flatMap { try Self.host(of: $0, isWeb: isWeb, refuse) }
        try checkQuery(of: parts, adding: fields, refuse)
        switch scheme {
        case "https":
            guard host != nil else { try refuse("must have a host.") }
        case "http":
            guard let host, plain.contains(host) else { try refuse("must be https; \(plain.words)") }
        default:
            if let problem = checkScheme(scheme) { try refuse(problem) }
        }
    }

    private static func checkCharacters(of text: String, _ refuse: (String) throws -> Never) throws {
        guard !text.isEmpty, text.utf8.count <= 2000, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
            try refuse(
                "must be ASCII without spaces, of 1 to 2000 bytes, such as https://partner.example.com/callback."
                    + InternationalDomain.hint(about: text))
        }
        guard hasWholeEscapes(text) else { try refuse("has a % without two hexadecimal digits after it.") }
        guard text.lowercased().firstMatch(of: #/%(?:[01][0-9a-f]|7f)/#) == nil else {
            try refuse("has a control character, percent-encoded.")
        }
        // Parsers and browsers read these differently. A redirect URI needs none of them.
        guard !text.utf8.contains(where: { #"\"<>^`{|}"#.utf8.contains($0) }) else {
            try refuse("has a character that must be percent-encoded.")
        }
        guard !text.utf8.contains(UInt8(ascii: "*")) else { try refuse("has a wildcard. Register each complete URI.") }
        guard !text.utf8.contains(UInt8(ascii: "#")) else { try refuse("has a fragment (#).") }
    }

    /// No parameter has the name of one that the IdP adds.
    private static func checkQuery(
        of parts: URLComponents, adding fields: [String], _ refuse: (String) throws -> Never
    ) throws {
        // Decoded, because a client reads `%74oken` as `token`.
        let names = (parts.queryItems ?? []).map { $0.name.lowercased() }
        guard Set(names).isDisjoint(with: fields) else {
            let list = [fields.dropLast().joined(separator: ", "), fields.last ?? ""].filter { !$0.isEmpty }
                .joined(separator: " or ")
            try refuse("has \(list) in its query: the IdP adds \(fields.count == 1 ? "it" : "these") itself.")
        }
    }

    /// RFC 8252 7.1: a private scheme is a domain name of the app's publisher, reversed.
    public static func problemOfReversedDomain(_ scheme: String) -> String? {
        scheme.utf8.contains(UInt8(ascii: ".")) && scheme == scheme.lowercased()
            ? nil : "must be https, or an app's own scheme with a dot in it (com.example.app:/callback)."
    }

    /// The same for a public client of OpenID Connect, which may have a scheme of one word as well: apps bring theirs along.
    public static func problemOfAppScheme(_ scheme: String) -> String? {
        // A single letter is a drive on Windows.
        if AppScheme.isForeign(scheme) || scheme.utf8.count < 2 {
            return "has a scheme that browsers or systems open themselves. Use https, or the app's own scheme."
        }
        return scheme == scheme.lowercased() ? nil : "must have its scheme in lower case."
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

    /// Whether a part of the path is `.` or `..`, also percent-encoded (RFC 3986 5.2.4).
    private static func hasDotSegment(_ text: String) -> Bool {
        text.prefix { $0 != "?" }.lowercased().replacing("%2e", with: ".").split(separator: "/").contains {
            $0 == "." || $0 == ".."
        }
    }

    /// What is between `//` and the first of `/`, `?` and `#` (RFC 3986 3.2). Nil for a URI without it.
    private static func authority(of text: String, scheme: String) -> Substring? {
        let rest = text.dropFirst(scheme.count + 1)
        return rest.hasPrefix("//") ? rest.dropFirst(2).prefix { !"/?#".contains($0) } : nil
    }

    /// Reads host and port from the bytes, because URLComponents accepts an empty port. Of a web address the host must be one
    /// that all programs read alike: `0x7f.1` and `host.` are other hosts to some of them.
    ///
    /// - Returns: nil for an app's own scheme with an authority that is not a host.
    private static func host(
        of authority: Substring, isWeb: Bool, _ refuse: (String) throws -> Never
    ) throws -> HostPort? {
        let host: HostPort
        do { host = try HostPort(String(authority), allowing: .looseNames) } catch .invalidPort(let port) {
            try refuse("has the port \"\(port)\". Use a whole number from 1 to 65535, or remove the colon.")
        } catch .missingHost {
            if isWeb { try refuse("must have a host.") }
            return nil
        } catch {
            guard isWeb else { return nil }
            try refuse("has a host that is not a name, an IPv4 address or an IPv6 address in brackets.")
        }
        guard isWeb else { return host }
        if let port = host.port, !authority.hasSuffix(":\(port)") {
            try refuse("has a zero before its port. Write :\(port).")
        }
        let isPlain =
            switch host.kind {
            case .ipv4: true
            case .ipv6: !host.host.hasPrefix("::ffff:")
            case .name: HostPort.isPlainName(host.host.utf8)
            }
        guard isPlain else {
            try refuse(
                "has a host that programs read differently. Write an IPv4 address as four decimal numbers, and a name without a dot at its end."
            )
        }
        return host
    }
}
