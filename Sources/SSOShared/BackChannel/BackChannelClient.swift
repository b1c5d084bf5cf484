/// Redeems tokens at the identity provider: signs the question, posts it, and believes the answer only when it is
/// proven.
///
/// Make one and keep it: it holds the connections. Safe to use from any number of tasks at once.
public struct BackChannelClient: Sendable {
    private let endpoint: BackChannelEndpoint
    private let clientID: String
    private let secret: SharedSecret
    private let requireSignedResponse: Bool
    private let transport: CurlTransport

    /// - Parameters:
    ///   - origin: the identity provider's, such as `https://idp.example.com`. Plain http only to this machine.
    ///   - clientID: as registered at the identity provider.
    ///   - requireSignedResponse: false takes unsigned answers, on the word of TLS alone.
    ///   - caFile: certificates in PEM form to trust beside the system's.
    ///   - allowPlaintext: lets http through to any host, for a network that encrypts by itself.
    public init(
        origin: String, clientID: String, secret: SharedSecret, requireSignedResponse: Bool = true,
        caFile: String? = nil, allowPlaintext: Bool = false, limits: BackChannelLimits = .init()
    ) throws(BackChannelSetupFault) {
        endpoint = try BackChannelEndpoint(origin: origin, allowPlaintext: allowPlaintext)
        guard ClientID.isWellFormed(clientID) else { throw .clientID }
        if let caFile, CertificateFile.fault(caFile) != nil { throw .caFile(path: caFile) }
        self.clientID = clientID
        self.secret = secret
        self.requireSignedResponse = requireSignedResponse
        transport = try CurlTransport(
            settings: CurlSettings(isPlaintext: endpoint.isPlaintext, caFile: caFile, limits: limits))
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
        let response: CurlResponse
        do {
            response = try await transport.send(
                CurlRequest(url: endpoint.url, headers: headers(signature), body: body))
        } catch {
            throw Self.failure(error)
        }
        return try BackChannelAnswer(question: signature, clientID: clientID, secret: secret)
            .read(response, requireSignature: requireSignedResponse)
    }

    /// Asks whether the identity provider is there, over the connection, certificates and limits of ``verify(token:redirectURI:codeVerifier:)``.
    /// Sends no secret and changes nothing.
    ///
    /// - Throws: in words for the operator what is in the way.
    public func checkHealth() async throws(BackChannelFailure) {
        let response: CurlResponse
        do {
            response = try await transport.send(
                CurlRequest(url: endpoint.healthURL, headers: ["User-Agent: swift-sso"], body: nil))
        } catch {
            throw Self.failure(error)
        }
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
            // With a colon and nothing after it curl sends no such header: no extra round trip for "100 Continue".
            "Expect:",
        ]
    }

    private static func failure(_ failure: TransportFailure) -> BackChannelFailure {
        switch failure {
        case .busy: .unavailable("too many calls at once")
        case .cancelled: .unavailable("cancelled")
        case .closed: .unavailable("shutting down")
        case .timedOut: .unavailable("timed out")
        case .tooLarge: .untrusted("the answer is too large")
        case .certificate(let words): .untrusted(words)
        case .broken(let words): .unavailable(words)
        }
    }
}
