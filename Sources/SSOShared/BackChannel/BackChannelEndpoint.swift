import CCurl

/// Where `verify` is posted: taken apart by curl's own parser, the one that will connect. A second parser with another
/// view of `https://good.example\@evil.example` is how a check and a connection end up at different hosts.
struct BackChannelEndpoint: Sendable {
    /// The absolute URL of ``SSOPath/verify``.
    let url: String
    /// The absolute URL of ``SSOPath/health``.
    let healthURL: String
    /// Whether the scheme is http, which ``init(origin:allowPlaintext:)`` has agreed to.
    let isPlaintext: Bool

    /// - Parameters:
    ///   - origin: scheme, host and perhaps port; a slash at its end does no harm.
    ///   - allowPlaintext: lets http through to any host, for a network that encrypts by itself.
    init(origin: String, allowPlaintext: Bool) throws(BackChannelSetupFault) {
        // curl would encode some of these, strip others: an origin has no use for any.
        guard origin.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "\\") }),
            let parts = curl_url()
        else { throw .notAnOrigin }
        defer { curl_url_cleanup(parts) }

        guard curl_url_set(parts, CURLUPART_URL, origin, 0) == CURLUE_OK,
            let scheme = Self.part(CURLUPART_SCHEME, of: parts)?.lowercased(),
            let host = Self.part(CURLUPART_HOST, of: parts),
            scheme == "https" || scheme == "http"
        else { throw .notAnOrigin }
        let extras = [CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_OPTIONS, CURLUPART_QUERY, CURLUPART_FRAGMENT]
        guard extras.allSatisfy({ Self.part($0, of: parts) == nil }),
            (Self.part(CURLUPART_PATH, of: parts) ?? "/") == "/"
        else { throw .notAnOrigin }
        isPlaintext = scheme == "http"
        guard !isPlaintext || allowPlaintext || LoopbackHost.contains(host) else { throw .plaintext }

        url = try Self.url(SSOPath.verify, parts)
        healthURL = try Self.url(SSOPath.health, parts)
    }

    private static func url(_ path: String, _ parts: OpaquePointer) throws(BackChannelSetupFault) -> String {
        guard curl_url_set(parts, CURLUPART_PATH, path, 0) == CURLUE_OK, let url = part(CURLUPART_URL, of: parts) else {
            throw .notAnOrigin
        }
        return url
    }

    private static func part(_ part: CURLUPart, of parts: OpaquePointer) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(parts, part, &text, 0) == CURLUE_OK, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }
}
