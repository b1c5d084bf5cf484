import CCurl

/// Why a server could not be talked to, in words for an operator.
public struct ConnectionFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// One clause, without a full stop.
    public let description: String

    /// - Parameter description: one clause, without a full stop.
    public init(_ description: String) { self.description = description }

    /// - Parameters:
    ///   - code: libcurl's, from `CURLcode`.
    ///   - detail: libcurl's own words. They name hosts and certificates, never a secret.
    public init(curl code: UInt32, detail: String) {
        let words =
            switch CURLcode(rawValue: code) {
            case CURLE_COULDNT_RESOLVE_HOST: "its name cannot be resolved"
            case CURLE_COULDNT_CONNECT: "it refuses the connection, or nothing answers there"
            case CURLE_OPERATION_TIMEDOUT: "it does not answer in time"
            case CURLE_PEER_FAILED_VERIFICATION where detail.contains("subject name"):
                "its certificate is for another host"
            case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
                "its certificate is not trusted"
            case CURLE_SSL_CONNECT_ERROR: "TLS could not be set up with it"
            case CURLE_SSL_CACERT_BADFILE: "the file of trusted certificates cannot be read"
            default: ""
            }
        description = words.isEmpty ? detail : detail.isEmpty ? words : "\(words) (\(detail))"
    }
}
