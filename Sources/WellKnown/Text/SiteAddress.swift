import SSOShared

/// The `site` of a web target, or the URL of an `include`, with the errors that Digital Asset Links distinguishes.
///
/// Source: the Digital Asset Links specification and its compatibility suite, comptest2201 to 2215.
struct SiteAddress {
    private let url: WebURL

    /// The scheme in lower case.
    var scheme: String { url.scheme }
    /// The host in lower case. An IPv6 address has its brackets.
    var host: String { url.authority.urlHost }
    /// The port from 1 to 65535, or `nil` if the URL contains none.
    var port: Int? { url.authority.port }
    /// The rest from the first `/`, `?` or `#` on, including that character.
    var rest: String { url.rest }

    /// The reason why a text is not an http or https URL.
    enum ParseError: Error {
        case blanks
        case noScheme
        case otherScheme(String)
        case login
        case noHost
        case badHost
        case badPort(String)

        fileprivate init(_ error: WebURLError) {
            self =
                switch error {
                case .characters: .blanks
                case .noScheme: .noScheme
                case .otherScheme(let scheme): .otherScheme(scheme)
                case .authority(.userInfo): .login
                case .authority(.missingHost): .noHost
                case .authority(.invalidHost), .authority(.colons): .badHost
                case .authority(.invalidPort(let port)): .badPort(port)
                }
        }
    }

    init(_ text: String) throws(ParseError) {
        do { url = try WebURL(text, allowing: .looseNames) } catch { throw ParseError(error) }
    }

    /// Scheme, host and port for comparison: lower case, no trailing dot, no default port.
    var origin: String {
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        guard let port, port != (url.isHTTPS ? 443 : 80) else { return "\(scheme)://\(name)" }
        return "\(scheme)://\(name):\(port)"
    }
}

extension SiteAddress.ParseError: CustomStringConvertible {
    /// The reason as a part of a sentence.
    var description: String {
        switch self {
        case .blanks: "it has a space, a backslash or a control character"
        case .noScheme: "it does not begin with https://"
        case .otherScheme(let scheme): "its scheme is \(scheme.quoted)"
        case .login: "it has a login"
        case .noHost: "it has no host"
        case .badHost: "its host has characters that a host name cannot have"
        case .badPort(let port): "its port \(port.quoted) is not a number from 1 to 65535"
        }
    }
}
