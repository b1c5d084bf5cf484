import CCurl

/// Why a server could not be reached or its answer was not taken. The texts inside are libcurl's: they name hosts and
/// certificates, never a secret.
public enum ConnectionError: Error, Sendable, Equatable {
    /// All places are taken, and the wait for one was too long.
    case busy
    /// The calling task was cancelled.
    case cancelled
    /// The client was shut down.
    case closed
    case timedOut
    /// More bytes than the limits permit.
    case tooLarge
    /// The name does not exist, or has no address of the wanted family.
    case nameNotFound(String)
    /// Every address of the host was refused by the caller; each with the reason.
    case addressRefused([String])
    case notConnected(String)
    /// This machine has no route to the address.
    case noRoute(String)
    /// The certificate is not trusted, has expired, or is for another host.
    case certificate(String)
    case tls(String)
    /// The answer is not HTTP.
    case malformed(String)
    /// The request cannot be made.
    case impossible(String)
    /// Any other cause: one clause without a full stop.
    case other(String)

    /// - Parameter description: one clause without a full stop.
    public init(_ description: String) { self = .other(description) }

    /// - Parameters:
    ///   - code: libcurl's, from `CURLcode`.
    ///   - detail: libcurl's own words.
    public init(curl code: UInt32, detail: String) {
        self =
            switch CURLcode(rawValue: code) {
            case CURLE_COULDNT_RESOLVE_HOST: .nameNotFound(detail)
            case CURLE_COULDNT_CONNECT: .notConnected(detail)
            case CURLE_OPERATION_TIMEDOUT: .timedOut
            case CURLE_FILESIZE_EXCEEDED: .tooLarge
            case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
                .certificate(detail)
            case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER: .tls(detail)
            case CURLE_GOT_NOTHING, CURLE_WEIRD_SERVER_REPLY, CURLE_RECV_ERROR, CURLE_PARTIAL_FILE,
                CURLE_BAD_CONTENT_ENCODING, CURLE_WRITE_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM:
                .malformed(detail)
            case CURLE_SSL_CACERT_BADFILE: .impossible("the file of trusted certificates cannot be read (\(detail))")
            // libcurl's code for bytes without a status line, too: it takes them for HTTP/0.9.
            case CURLE_UNSUPPORTED_PROTOCOL where detail.contains("HTTP/0.9"): .malformed(detail)
            case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL: .impossible(detail)
            // libcurl may say nothing of its own.
            case let code: .other(detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail)
            }
    }
}

extension ConnectionError: CustomStringConvertible {
    /// One clause for an operator, whose subject is the server.
    public var description: String {
        switch self {
        case .busy: "too many calls at once"
        case .cancelled: "cancelled"
        case .closed: "shutting down"
        case .timedOut: "it does not answer in time"
        case .tooLarge: "the answer is too large"
        case .nameNotFound(let detail): Self.words("its name cannot be resolved", detail)
        case .addressRefused(let list): "its address is refused: \(list.joined(separator: ", "))"
        case .notConnected(let detail): Self.words("it refuses the connection, or nothing answers there", detail)
        case .noRoute(let detail): Self.words("this machine has no route to it", detail)
        case .certificate(let detail) where detail.contains("subject name"):
            Self.words("its certificate is for another host", detail)
        case .certificate(let detail): Self.words("its certificate is not trusted", detail)
        case .tls(let detail): Self.words("TLS could not be set up with it", detail)
        case .malformed(let detail), .impossible(let detail), .other(let detail): detail
        }
    }

    private static func words(_ words: String, _ detail: String) -> String {
        detail.isEmpty ? words : "\(words) (\(detail))"
    }
}
