/// Redeems tokens and asks about sessions at the identity provider: signs the request, posts it, and checks the answer.
///
/// Create one and keep it: it holds the connections. Safe to use from any number of tasks.
public struct BackChannelClient: Sendable {
    private let endpoint: BackChannelEndpoint
    private let clientID: String
    private let secret: SharedSecret
    private let requireSignedResponse: Bool
    private let limits: HTTPLimits
    private let notePreviousSecret: @Sendable () -> Void
    private let http: HTTPClient

    /// - Parameters:
    ///   - origin: the identity provider's, such as `https://idp.example.com`. http is for this machine only.
    ///   - clientID: as registered at the identity provider.
    ///   - requireSignedResponse: false accepts unsigned answers, which only TLS protects.
    ///   - caFile: certificates in PEM form to trust beside the system's.
    ///   - allowPlaintext: permits http to any host, for a network that encrypts by itself.
    ///   - notePreviousSecret: called when the identity provider says that it has a newer secret than this one (header
    ///     `X-SSO-Key-Status`). A hint for the log: it is not signed.
    public init(
        origin: String, clientID: String, secret: SharedSecret, requireSignedResponse: Bool = true,
        caFile: String? = nil, allowPlaintext: Bool = false, limits: HTTPLimits = .init(),
        notePreviousSecret: @escaping @Sendable () -> Void = {}
    ) throws(BackChannelSetupError) {
        endpoint = try BackChannelEndpoint(origin: origin, allowPlaintext: allowPlaintext)
        guard ClientID.isWellFormed(clientID) else { throw .clientID }
        if let caFile, HTTPClient.problem(withCAFile: caFile) != nil { throw .caFile(path: caFile) }
        self.clientID = clientID
        self.secret = secret
        self.requireSignedResponse = requireSignedResponse
        self.limits = limits
        self.notePreviousSecret = notePreviousSecret
        var options = HTTPClient.Options()
        options.limits = limits
        options.caFile = caFile
        do { http = try HTTPClient(options) } catch { throw .curl }
    }

    /// Redeems a token. The call is never repeated automatically: a call that failed may have consumed the token.
    ///
    /// - Parameters:
    ///   - token: as the browser brought it. Check the `state` first; without a valid one there is nothing to redeem.
    ///   - redirectURI: the one that the browser returned to. The token must have been issued for it.
    ///   - codeVerifier: what the challenge was made from, if the authorize request carried one.
    /// - Returns: the user who has signed in.
    public func verify(
        token: String, redirectURI: String? = nil, codeVerifier: String? = nil
    ) async throws(BackChannelError) -> VerifyReply {
        let body = VerifyRequest(token: token, redirectURI: redirectURI, codeVerifier: codeVerifier).body()
        return try await post(body, .verify, to: endpoint.verifyURL)
    }

    /// Asks whether a session still holds, and who its user is now. Changes nothing at the identity provider, and may be
    /// repeated.
    ///
    /// A page waits for it, so it ends after ``HTTPLimits/shortCall``: two seconds.
    ///
    /// - Parameters:
    ///   - session: `session.id`, as verify gave it.
    ///   - user: `user.id`, as verify gave it.
    public func ask(session: String, user: String) async throws(BackChannelError) -> SessionAnswer {
        let body = SessionQuestion(session: session, user: user).body()
        let answer: SessionAnswer = try await post(
            body, .session, to: endpoint.sessionURL, timeout: limits.shortCall)
        return try answer.about(user)
    }

    /// Tries out the secret, and asks whether a redirect URI is registered. Changes nothing at the identity provider.
    ///
    /// - Parameters:
    ///   - redirectURI: the one of the sign-ins to come.
    ///   - time: of this machine's clock, in seconds since 1970.
    public func ping(redirectURI: String, time: Int) async throws(BackChannelError) -> PingAnswer {
        try await post(PingQuestion(redirectURI: redirectURI, time: time).body(), .ping, to: endpoint.pingURL)
    }

    private func post<Reply: BackChannelReply>(
        _ body: [UInt8], _ label: MessageLabel, to url: String, timeout: Duration? = nil
    ) async throws(BackChannelError) -> Reply {
        let signature = RequestSignature.request(body: body, secret: secret, label: label)
        let response = try await send(url, .post(body), headers(signature), timeout: timeout)
        let reply = try BackChannelAnswer(request: signature, clientID: clientID, secret: secret)
            .read(response, requireSignature: requireSignedResponse, as: Reply.self)
        if response.values("x-sso-key-status") == ["previous"] { notePreviousSecret() }
        return reply
    }

    /// Checks that the identity provider answers, with the certificates and limits of
    /// ``verify(token:redirectURI:codeVerifier:)``. Sends no secret and changes nothing.
    ///
    /// - Throws: the cause, in words for an operator.
    public func checkHealth() async throws(BackChannelError) {
        let response = try await send(endpoint.healthURL, .get, ["User-Agent: swift-sso"])
        switch response.status {
        case 200 where response.body.elementsEqual("ok".utf8): return
        case 500..<600: throw .unavailable("\(SSOPath.health) answers with status \(response.status)")
        case 200:
            throw .untrusted(
                "\(SSOPath.health) does not answer \"ok\": this is not the identity provider")
        default:
            throw .untrusted(
                "\(SSOPath.health) answers with status \(response.status): this is not the identity provider, or a proxy "
                    + "does not forward this path")
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
        _ url: String, _ method: HTTPClient.Request.Method, _ headers: [String], timeout: Duration? = nil
    ) async throws(BackChannelError) -> HTTPClient.Response {
        var request = HTTPClient.Request(url: url)
        request.method = method
        request.headers = headers
        request.timeout = timeout
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

/// Why a ``BackChannelClient`` cannot be created. Reported at start, not at the first sign-in.
public enum BackChannelSetupError: Error, Sendable, Equatable, CustomStringConvertible {
    case notAnOrigin
    case plaintext
    case clientID
    case caFile(path: String)
    case curl

    public var description: String {
        switch self {
        case .notAnOrigin: "the back channel's address must be an origin such as https://idp.example.com"
        case .plaintext: "the back channel needs https unless the host is this machine"
        case .clientID: "a client id is 1 to 63 of a-z, 0-9 and -, not beginning with -"
        case .caFile(let path): "\(path) holds no readable certificate in PEM form"
        case .curl: "libcurl could not be initialised"
        }
    }
}

/// The URLs of the identity provider's back channel.
struct BackChannelEndpoint: Sendable {
    /// The absolute URL of ``SSOPath/verify``.
    let verifyURL: String
    /// The absolute URL of ``SSOPath/session``.
    let sessionURL: String
    /// The absolute URL of ``SSOPath/ping``.
    let pingURL: String
    /// The absolute URL of ``SSOPath/health``.
    let healthURL: String
    /// Whether the scheme is http, which ``init(origin:allowPlaintext:)`` has permitted.
    let isPlaintext: Bool

    /// - Parameters:
    ///   - origin: scheme, host and perhaps port; a slash at its end makes no difference.
    ///   - allowPlaintext: permits http to any host, for a network that encrypts by itself.
    init(origin: String, allowPlaintext: Bool) throws(BackChannelSetupError) {
        guard let parsed = try? WebURL(origin), parsed.isOrigin else { throw .notAnOrigin }
        isPlaintext = !parsed.isHTTPS
        guard !isPlaintext || allowPlaintext || parsed.authority.isLoopback else { throw .plaintext }
        // Built from the parsed parts: libcurl connects to the host that was checked.
        verifyURL = parsed.origin + SSOPath.verify
        sessionURL = parsed.origin + SSOPath.session
        pingURL = parsed.origin + SSOPath.ping
        healthURL = parsed.origin + SSOPath.health
    }
}
