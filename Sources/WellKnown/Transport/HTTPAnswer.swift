/// What a server answered to one request.
public struct HTTPAnswer: Sendable {
    public let status: Int
    /// Names in lower case, values without blanks at the ends, in the order they came.
    public let headers: [(name: String, value: String)]
    /// As sent, before any decoding, unless the request asked for a compressed answer.
    public let body: [UInt8]
    /// True when there was more than was read.
    public let isTruncated: Bool
    /// The numeric address that answered; `nil` when unknown.
    public let address: String?
    /// From the start of the request to the last byte.
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

    /// The first header of that name, which is written in lower case.
    public subscript(header: String) -> String? { headers.first { $0.name == header }?.value }

    /// The media type in lower case, without its parameters.
    public var mediaType: String? {
        self["content-type"].map { value in
            String(value.prefix { $0 != ";" }).filter { !$0.isWhitespace }.lowercased()
        }
    }

    public var isRedirect: Bool { [301, 302, 303, 307, 308].contains(status) }
}

/// Why there was no answer.
public enum HTTPFetchError: Error, Hashable, Sendable {
    /// Every address of the host is private or reserved; none was connected to.
    case privateAddress([String])
    /// The name does not exist, or has no address of the family asked for.
    case noSuchHost
    /// Nobody listens there, or the connection broke. The text is curl's.
    case notConnected(String)
    /// This machine has no way to there: the fault need not be the server's.
    case noRoute(String)
    /// The time ran out; of that many milliseconds.
    case timedOut(milliseconds: Int)
    /// The certificate is not to be trusted, or is for another host. The text is curl's.
    case certificate(String)
    /// There is no TLS, or none that both ends speak. The text is curl's.
    case tls(String)
    /// What came is no HTTP.
    case malformed(String)
    /// The request could not be made at all.
    case impossible(String)

    /// Half a sentence for people.
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
