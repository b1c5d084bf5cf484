/// Redeems tokens at the identity provider: signs the question, posts it, and believes the answer only when it is
/// proven.
///
/// Make one and keep it: it holds the connections. Safe to use from any number of tasks at once.
public struct BackChannelClient: Sendable {
    private let endpoint: BackChannelEndpoint
    private let clientID: String
    private let secret: SharedSecret
    private let requireSignedResponse: Bool
    private let http: HTTPClient

    /// - Parameters:
    ///   - origin: the identity provider's, such as `https://idp.example.com`. Plain http only to this machine.
    ///   - clientID: as registered at the identity provider.
    ///   - requireSignedResponse: false takes unsigned answers, on the word of TLS alone.
    ///   - caFile: certificates in PEM form to trust beside the system's.
    ///   - allowPlaintext: lets http through to any host, for a network that encrypts by itself.
    public init(
        origin: String, clientID: String, secret: SharedSecret, requireSignedResponse: Bool = true,
        caFile: String? = nil, allowPlaintext: Bool = false, limits: HTTPLimits = .init()
    ) throws(BackChannelSetupFault) {
        endpoint = try BackChannelEndpoint(origin: origin, allowPlaintext: allowPlaintext)
        guard ClientID.isWellFormed(clientID) else { throw .clientID }
        if let caFile, HTTPClient.problem(withCAFile: caFile) != nil { throw .caFile(path: caFile) }
        self.clientID = clientID
        self.secret = secret
        self.requireSignedResponse = requireSignedResponse
        var options = HTTPClient.Options()
        options.limits = limits
        options.caFile = caFile
        do { http = try HTTPClient(options) } catch { throw .curl }
    }

    /// Redeems a token: once, and never again by itself. A call that failed may have consumed the token.
    ///
    /// - Parameters:
    ///   - token: as the browser brought it. Check the `state` first: without a right one there is nothing to redeem.
    ///   - redirectURI: the one the browser came back to; ties the token to it.
    ///   - codeVerifier: what the challenge was made from, if the authorize request carried one.
    /// - Returns: who has signed in.
    public func verify(
        token: String, redirectURI: String? = nil, codeVerifier: String? = nil
    ) async throws(BackChannelFailure) -> VerifyReply {
        let body = VerifyRequest(token: token, redirectURI: redirectURI, codeVerifier: codeVerifier).body()
        let signature = RequestSignature.request(body: body, secret: secret)
        let response = try await send(endpoint.url, .post(body), headers(signature))
        return try BackChannelAnswer(question: signature, clientID: clientID, secret: secret)
            .read(response, requireSignature: requireSignedResponse)
    }

    /// Asks whether the identity provider is there, over the connection, certificates and limits of ``verify(token:redirectURI:codeVerifier:)``.
    /// Sends no secret and changes nothing.
    ///
    /// - Throws: in words for the operator what is in the way.
    public func checkHealth() async throws(BackChannelFailure) {
        let response = try await send(endpoint.healthURL, .get, ["User-Agent: swift-sso"])
        switch response.status {
        case 200 where response.body.elementsEqual("ok".utf8): return
        case 500..<600: throw .unavailable("\(SSOPath.health) answers with status \(response.status)")
        case 200:
            throw .untrusted(
                "\(SSOPath.health) does not answer \"ok\": something else than the identity provider is there")
        default:
            throw .untrusted(
                "\(SSOPath.health) answers with status \(response.status): something else than the identity provider is there, or "
                    + "a proxy does not let this path through")
        }
    }

    private func headers(_ signature: RequestSignature) -> [String] {
        [
            "Content-Type: application/json", "Accept: application/json", "User-Agent: swift-sso",
            "\(RequestSignature.clientHeaderName): \(clientID)",
            "\(RequestSignature.headerName): \(signature.headerValue)",
        ]
    }

    private func send(
        _ url: String, _ method: HTTPClient.Request.Method, _ headers: [String]
    ) async throws(BackChannelFailure) -> HTTPClient.Response {
        var request = HTTPClient.Request(url: url)
        request.method = method
        request.headers = headers
        request.allowsHTTP = endpoint.isPlaintext
        do {
            return try await http.send(request)
        } catch {
            switch error {
            case .timedOut: throw .unavailable("timed out")
            case .tooLarge, .certificate: throw .untrusted("\(error)")
            default: throw .unavailable("\(error)")
            }
        }
    }
}
