import SSOShared

/// A redirect URI of a program on the user's own machine, which listens on a port that the system gives it (RFC 8252 7.3):
/// `http://127.0.0.1:*/PATH`, the same with `[::1]` or `localhost`, and each of them without a path.
enum LoopbackPort {
    private static let heads = ["http://127.0.0.1:", "http://[::1]:", "http://localhost:"]

    /// What is before and after the star; nil for any other URI.
    private static func parts(of uri: String) -> (head: String, rest: String)? {
        guard let head = heads.first(where: { uri.utf8.starts(with: $0.utf8) }) else { return nil }
        let rest = uri.utf8.dropFirst(head.utf8.count)
        guard rest.first == UInt8(ascii: "*") else { return nil }
        let path = String(decoding: rest.dropFirst(), as: UTF8.self)
        return path.isEmpty || path.utf8.first == UInt8(ascii: "/") ? (head, path) : nil
    }

    /// The URI with a port in place of the star, to check the rest of it; nil for any other.
    static func example(of uri: String) -> String? { parts(of: uri).map { "\($0.head)1\($0.rest)" } }

    /// Whether a URI leaves its port open.
    static func isOpen(in uri: String) -> Bool { parts(of: uri) != nil }

    /// Whether a sent URI is the registered one with a port from 1 to 65535, without a zero before it. The sent one is parsed,
    /// and what its port makes of the registered one is compared byte by byte: the star never stands for a part of a host.
    static func matches(_ uri: String, _ sent: String) -> Bool {
        guard let (head, rest) = parts(of: uri), let port = (try? WebURL(sent))?.authority.port else { return false }
        return sent.utf8.elementsEqual("\(head)\(port)\(rest)".utf8)
    }
}
