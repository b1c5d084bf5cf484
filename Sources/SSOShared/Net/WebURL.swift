/// An http or https URL in its three parts: scheme, host and port, and the rest (RFC 3986 section 3).
///
/// A URL with a user name, a backslash, a space or a control character is refused: programs disagree about each.
public struct WebURL: Sendable, Hashable {
    /// Whether the scheme is https.
    public let isHTTPS: Bool
    /// Host and port.
    public let authority: HostPort
    /// From the first `/`, `?` or `#` on, as given. Empty when nothing follows the authority.
    public let rest: String

    /// Parses an absolute URL. The scheme may be in upper case. Without `looseNames` all bytes must be ASCII.
    public init(_ text: String, allowing allowance: HostPort.Allowance = []) throws(WebURLError) {
        let bytes = Array(text.utf8)
        let isLoose = allowance.contains(.looseNames)
        guard bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7f && $0 != UInt8(ascii: "\\") && ($0 < 0x80 || isLoose) })
        else { throw .characters }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) else {
            throw .noScheme
        }
        let scheme = String(decoding: bytes[..<colon].map(\.asciiLowercased), as: UTF8.self)
        guard scheme == "https" || scheme == "http" else { throw .otherScheme(scheme) }
        let afterScheme = bytes[(colon + 3)...]
        let end = afterScheme.firstIndex { "/?#".utf8.contains($0) } ?? bytes.endIndex
        isHTTPS = scheme == "https"
        do {
            authority = try HostPort(bytes[(colon + 3)..<end], allowing: allowance)
        } catch {
            throw .authority(error)
        }
        rest = String(decoding: bytes[end...], as: UTF8.self)
    }

    /// `https` or `http`.
    public var scheme: String { isHTTPS ? "https" : "http" }

    /// Whether the URL is a scheme, a host and perhaps a port; one slash at its end makes no difference.
    public var isOrigin: Bool { rest.isEmpty || rest == "/" }

    /// Scheme, host and port as a browser writes an `Origin` (RFC 6454 section 6.2): in lower case, without the port that
    /// the scheme has anyway, without a slash at the end.
    public var origin: String {
        let isDefault = authority.port == nil || authority.port == (isHTTPS ? 443 : 80)
        return "\(scheme)://\(isDefault ? authority.urlHost : authority.description)"
    }
}

/// Why a text is not an http or https URL.
public enum WebURLError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A space, a control character, a backslash or, in strict form, a byte beyond ASCII.
    case characters
    case noScheme
    case otherScheme(String)
    case authority(HostPortError)

    /// A sentence without its subject: what is wrong.
    public var description: String {
        switch self {
        case .characters: "has a space or another character that a URL cannot have"
        case .noScheme: "does not begin with https://"
        case .otherScheme(let scheme): "has the scheme \"\(scheme)\" instead of https"
        case .authority(let error): error.description
        }
    }
}
