import SSOShared
import SSOWeb

/// Signs in with GitHub, which has OAuth 2.0 without ID tokens: the user comes from its API.
struct GitHubClient: Sendable {
    private let http: ProviderHTTP
    private let tokens: TokenEndpoint

    init(http: ProviderHTTP, tokens: TokenEndpoint) {
        self.http = http
        self.tokens = tokens
    }

    static func authorizationEndpoint(_ provider: Provider) -> String { "\(provider.issuer)/login/oauth/authorize" }

    /// `api.github.com`, or the API of a GitHub Enterprise Server.
    static func api(_ provider: Provider) -> String {
        provider.issuer == "https://github.com" ? "https://api.github.com" : "\(provider.issuer)/api/v3"
    }

    /// Exchanges the code and asks who the user is, and for the primary address.
    func identity(
        _ provider: Provider, _ answer: ProviderClient.Answer
    ) async throws(ProviderError) -> (identity: ProviderIdentity, address: IdentityClaims.Address) {
        // GitHub sends its OAuth issuer, which its pages do not have.
        // Byte for byte: texts that only look equal are different issuers.
        if let issuer = answer.issuer,
            ![provider.issuer, "\(provider.issuer)/login/oauth"].contains(where: { $0.utf8.elementsEqual(issuer.utf8) })
        {
            throw .answer(.issuerMismatch, issuer)
        }
        let url = "\(provider.issuer)/login/oauth/access_token"
        guard let token = try await tokens.exchange(answer, provider, at: url, [.post]).accessToken,
            (1...1024).contains(token.utf8.count), token.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
        else { throw .answer(.gitHubToken) }
        let user = try await call(.gitHubUser, provider, "/user", token).json
        // Numbers of accounts are never given again, unlike logins.
        guard let id = user["id"]?.integer, id > 0 else { throw .answer(.gitHubUser) }
        let address = try await address(provider, token)
        var identity = ProviderIdentity(issuer: provider.issuer, subject: String(id))
        identity.name = (user["name"]?.string ?? user["login"]?.string).flatMap(DisplayName.normalised)
        return (identity, address)
    }

    /// The primary address, when GitHub has verified it.
    ///
    /// Where the call fails for a moment, the provider is unavailable, also to a user whose identity is linked already: as a
    /// missing address the failure would refuse a new user for good, and leave `allowed_domains` nothing to check.
    private func address(_ provider: Provider, _ token: String) async throws(ProviderError) -> IdentityClaims.Address {
        guard provider.emailTrust == .ifVerified else { return .ignored("email_not_trusted") }
        let reply = try await call(
            .gitHubEmails, provider, "/user/emails?per_page=100", token, accepting: [200, 403, 404])
        if reply.status == 403, reply.isOverLimit { throw .call(.gitHubEmails, status: 403, isOverLimit: true) }
        // Without the scope user:email.
        guard reply.status == 200 else { return .ignored("email_missing") }
        guard let primary = reply.json.array?.first(where: { $0["primary"]?.bool == true }) else {
            return .ignored("email_missing")
        }
        guard primary["verified"]?.bool == true else { return .ignored("email_not_verified") }
        guard let node = primary.member("email") else { return .ignored("email_missing") }
        return IdentityClaims.address(node)
    }

    /// Reports whether the API answers. Client id and secret can only be checked by a sign-in.
    func check(_ provider: Provider) async throws(ProviderError) -> String {
        try await http.reach(
            .gitHubUser, of: provider, "\(Self.api(provider))/user", headers: Self.headers, accepting: [200, 401])
        return "ready: \(Self.api(provider)) answers"
    }

    private static let headers = ["X-GitHub-Api-Version: 2022-11-28"]

    private func call(
        _ endpoint: ProviderError.Endpoint, _ provider: Provider, _ path: String, _ token: String,
        accepting: Set<Int> = [200]
    ) async throws(ProviderError) -> ProviderHTTP.Answer {
        try await http.json(
            endpoint, of: provider, Self.api(provider) + path,
            headers: Self.headers + ["Authorization: Bearer \(token)"],
            accepting: accepting)
    }
}
