import HTTPTypes
import Hummingbird
import SSOShared
import SSOWeb

/// The request that a proxy asks about, as the fields of the proxy name it.
struct AskedRequest: Sendable {
    let method: HTTPRequest.Method
    let address: ReturnAddress
    /// Whether the user opens a page, or sends a form: not a part of a page, a script, an app or a prefetch.
    let isNavigation: Bool
    /// Whether a browser sent it.
    let isOfBrowser: Bool
    /// Whether another site sent what may change something.
    let isForeignChange: Bool

    /// Nil where the fields do not name the client's origin, by bytes. No rule looks at the path.
    ///
    /// - Parameter served: the method of the check, which counts where the proxy names none.
    init?(_ request: Request, at origin: PublicOrigin, served: HTTPRequest.Method?) {
        guard let path = Self.addresses(request, origin.text) else { return nil }
        let methods = request.headers[values: .xForwardedMethod] + request.headers[values: .xOriginalMethod]
        let named = methods.compactMap { HTTPRequest.Method(rawValue: $0) }
        guard Set(methods).count <= 1, named.count == methods.count else { return nil }
        method = named.first ?? served ?? request.method
        address = ReturnAddress(path)
        let site = request.headers[values: .secFetchSite]
        let (mode, destination) = (request.headers[values: .secFetchMode], request.headers[values: .secFetchDest])
        isOfBrowser = !site.isEmpty || !mode.isEmpty
        // A browser that does not say both is known by what it accepts.
        isNavigation =
            mode.allSatisfy { $0 == "navigate" } && destination.allSatisfy { $0 == "document" }
            && (!mode.isEmpty && !destination.isEmpty || Self.acceptsPages(request))
            && !request.isPrefetch && !request.headers.contains(.upgrade)
        isForeignChange =
            ![.get, .head, .options, .trace].contains(method)
            && !site.allSatisfy { $0 == "same-origin" || $0 == "none" }
    }

    /// The path and query; nil where the origin is not named, or another one, or one in two ways.
    private static func addresses(_ request: Request, _ origin: String) -> String? {
        let (proto, host) = (request.headers[values: .xForwardedProto], request.headers[values: .xForwardedHost])
        let (whole, path) = (request.headers[values: .xOriginalURL], request.headers[values: .xForwardedURI])
        guard proto.count <= 1, host.count <= 1, whole.count <= 1, path.count <= 1 else { return nil }
        if proto.first != nil || host.first != nil {
            guard let proto = proto.first, let host = host.first,
                origin.utf8.elementsEqual("\(scheme(proto))://\(host)".utf8)
            else { return nil }
        } else if whole.isEmpty {
            return nil
        }
        guard let whole = whole.first else { return path.first ?? "" }
        guard whole.utf8.starts(with: origin.utf8) else { return nil }
        let rest = whole.utf8.dropFirst(origin.utf8.count)
        guard rest.isEmpty || rest.first == UInt8(ascii: "/") || rest.first == UInt8(ascii: "?") else { return nil }
        return path.first ?? String(Substring(rest))
    }

    /// Whether no field names another origin, for the browser's own steps, where one may be missing.
    static func mayBe(_ request: Request, at origin: String) -> Bool {
        let parts = origin.split(separator: ":", maxSplits: 1)
        guard parts.count == 2 else { return false }
        return request.headers[values: .xForwardedProto].allSatisfy { scheme($0).utf8.elementsEqual(parts[0].utf8) }
            && request.headers[values: .xForwardedHost].allSatisfy { "//\($0)".utf8.elementsEqual(parts[1].utf8) }
            && request.headers[values: .xOriginalURL].allSatisfy { $0.utf8.starts(with: "\(origin)/".utf8) }
    }

    /// Traefik names the scheme of an upgrade so.
    private static func scheme(_ proto: String) -> String { ["wss": "https", "ws": "http"][proto] ?? proto }

    private static func acceptsPages(_ request: Request) -> Bool {
        request.headers[values: .accept].contains { value in
            value.utf8.count <= 1024
                && value.lowercased().split(separator: ",").contains {
                    $0.split(separator: ";").first?.filter { $0 != " " && $0 != "\t" } == "text/html"
                }
        }
    }
}

/// Fields that only the gate may set: a proxy that passes one on from outside does not remove them.
enum ForgedIdentity {
    private static let names = [
        "remote-user", "remote-email", "remote-name", "remote-groups", "remote-id", "x-sso-identity",
    ]

    /// The name of the first one that a request has, in any case, with any other byte for a hyphen: CGI reads `_` as one
    /// (RFC 3875 4.1.18), and lighttpd each byte that is neither a letter nor a digit.
    static func name(in headers: HTTPFields) -> String? {
        for field in headers { if let name = identity(named: field.name.rawName) { return name } }
        return nil
    }

    static func isIdentity(_ name: String) -> Bool { identity(named: name) != nil }

    private static func identity(named name: String) -> String? {
        names.first { $0.utf8.count == name.utf8.count && $0.utf8.elementsEqual(name.utf8.lazy.map(plain)) }
    }

    private static func plain(_ byte: UInt8) -> UInt8 {
        byte.isASCIILetter || byte.isASCIIDigit ? byte.asciiLowercased : UInt8(ascii: "-")
    }
}

extension HTTPField.Name {
    // Each literal is a valid field name (RFC 9110 5.1). The fallback is never used and avoids a force unwrap.
    private static func field(_ name: String) -> Self { Self(name) ?? .contentType }

    static let xForwardedProto = field("X-Forwarded-Proto")
    static let xForwardedHost = field("X-Forwarded-Host")
    static let xForwardedMethod = field("X-Forwarded-Method")
    static let xForwardedURI = field("X-Forwarded-Uri")
    static let xOriginalURL = field("X-Original-URL")
    static let xOriginalMethod = field("X-Original-Method")
    static let remoteUser = field("Remote-User")
    static let remoteEmail = field("Remote-Email")
    static let remoteName = field("Remote-Name")
    static let remoteGroups = field("Remote-Groups")
    static let remoteID = field("Remote-Id")
    static let identity = field("X-SSO-Identity")
}
