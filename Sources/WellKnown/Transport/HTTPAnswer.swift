/// A server's response to one request.
public struct HTTPAnswer: Sendable {
    public let status: Int
    /// The headers in the order received. Names are in lower case, values have no spaces at the ends.
    public let headers: [(name: String, value: String)]
    /// The body as sent. It is decoded only if the request asked for compression.
    public let body: [UInt8]
    /// Whether the body was longer than the limit.
    public let isTruncated: Bool
    /// The IP address of the server, or `nil` if unknown.
    public let address: String?
    /// The time from the start of the request to the last byte.
    public let milliseconds: Int

    public init(
        status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = [], isTruncated: Bool = false,
        address: String? = nil, milliseconds: Int = 0
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.isTruncated = isTruncated
        self.address = address
        self.milliseconds = milliseconds
    }

    /// The first header with this lower-case name.
    public subscript(header: String) -> String? { headers.first { $0.name == header }?.value }

    /// The media type in lower case, without its parameters.
    public var mediaType: String? {
        self["content-type"].map { value in String(value.prefix { $0 != ";" }).filter { !$0.isWhitespace }.lowercased()
        }
    }

    public var isRedirect: Bool { [301, 302, 303, 307, 308].contains(status) }
}

/// The reason why there is no response.
public enum HTTPFetchError: Error, Hashable, Sendable {
    /// Every address of the host is private or reserved. No connection was made.
    case privateAddress([String])
    /// The name does not exist, or has no address of the requested family.
    case noSuchHost
    /// The connection was refused or broke. The text is libcurl's.
    case notConnected(String)
    /// This machine has no route to the server.
    case noRoute(String)
    /// No complete response arrived within the time limit.
    case timedOut(milliseconds: Int)
    /// The certificate is not trusted or is for another host. The text is libcurl's.
    case certificate(String)
    /// TLS could not be set up. The text is libcurl's.
    case tls(String)
    case malformed(String)
    /// The request could not be sent.
    case impossible(String)

    /// The reason as a part of a sentence, for the report.
    public var words: String {
        switch self {
        case .privateAddress(let list): "private or reserved address \(list.joined(separator: ", "))"
        case .noSuchHost: "the host name has no address, or this machine cannot ask for it"
        case .notConnected(let text): "no connection: \(text)"
        case .noRoute(let text): "this machine has no route to it: \(text)"
        case .timedOut(let limit): "no complete answer within \(limit) ms"
        case .certificate(let text), .tls(let text): "TLS: \(text)"
        case .malformed(let text): "no valid HTTP answer: \(text)"
        case .impossible(let text): text
        }
    }
}

public typealias HTTPOutcome = Result<HTTPAnswer, HTTPFetchError>
