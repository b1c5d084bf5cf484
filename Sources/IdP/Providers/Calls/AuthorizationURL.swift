import SSOShared

/// Builds the URL that starts a sign-in at a provider (OpenID Connect Core 1.0, 3.1.2.1).
enum AuthorizationURL {
    /// The endpoint with the request's parameters. A query that the endpoint has stays (RFC 6749 3.1).
    static func text(_ endpoint: String, _ provider: Provider, _ request: ProviderClient.AuthorizationRequest) -> String
    {
        var items: [(name: String, value: String)] = [
            ("response_type", "code"), ("client_id", provider.clientID), ("redirect_uri", request.redirectURI),
            ("scope", provider.scopes.joined(separator: " ")), ("state", request.state),
            ("code_challenge", request.codeChallenge), ("code_challenge_method", "S256"),
        ]
        if provider.kind != .github { items.append(("nonce", request.nonce)) }
        if provider.responseMode == .formPost { items.append(("response_mode", provider.responseMode.rawValue)) }
        items += prompts(provider, asksAgain: request.asksAgain)
        let separator = !endpoint.utf8.contains(UInt8(ascii: "?")) ? "?" : endpoint.hasSuffix("?") ? "" : "&"
        return endpoint + separator + PercentCoding.query(items)
    }

    /// Asking for a fresh sign-in replaces the `prompt` of the settings: some providers take only one value. With `max_age`
    /// the ID token must hold `auth_time` (OpenID Connect Core 1.0, 3.1.2.1). Its value is 1 because glewlwyd refuses 0.
    private static func prompts(_ provider: Provider, asksAgain: Bool) -> [(name: String, value: String)] {
        switch (asksAgain, provider.kind) {
        case (true, .oidc), (true, .microsoft): [("prompt", "login"), ("max_age", "1")]
        default: provider.prompt.map { [("prompt", $0)] } ?? []
        }
    }
}
