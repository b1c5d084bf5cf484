import JWT
package import Logging
import SSOShared
package import SSOWeb

/// Talks to the providers of the settings: where a sign-in starts, and who came back.
///
/// Keep one for all requests: it holds the connections, and what the providers say of themselves.
package struct ProviderClient: Sendable {
    /// What is asked of a provider for one sign-in.
    package struct AuthorizationRequest: Sendable {
        let state: String
        let nonce: String
        /// Of the method S256 (RFC 7636 4.2).
        let codeChallenge: String
        let redirectURI: String
        /// The user must prove again who it is, where the provider has a way to ask for that.
        var asksAgain = false

        package init(
            state: String, nonce: String, codeChallenge: String, redirectURI: String, asksAgain: Bool = false
        ) {
            (self.state, self.nonce, self.codeChallenge, self.redirectURI, self.asksAgain) = (
                state, nonce, codeChallenge, redirectURI, asksAgain
            )
        }
    }

    /// What a provider sent to the callback, and what the attempt had put into the request.
    package struct Answer: Sendable {
        let code: String
        let codeVerifier: String
        let nonce: String
        let redirectURI: String
        /// `iss` (RFC 9207).
        var issuer: String?
        /// Apple's `user`, untrusted JSON.
        var user: String?

        package init(
            code: String, codeVerifier: String, nonce: String, redirectURI: String, issuer: String? = nil,
            user: String? = nil
        ) {
            (self.code, self.codeVerifier, self.nonce, self.redirectURI, self.issuer) = (
                code, codeVerifier, nonce, redirectURI, issuer
            )
            self.user = user
        }
    }

    /// How long the user waits after the callback, whatever the provider needs: less than a stop of the service waits for
    /// requests that are under way.
    static let identityLimit: Duration = .seconds(9)

    private let identityLimit: Duration
    private let clock: ServiceClock
    private let logger: Logger
    private let tokens: TokenEndpoint
    private let gitHub: GitHubClient
    private let documents: ProviderDocuments

    /// - Throws: `ConnectionError` when libcurl cannot be initialised.
    package init(clock: ServiceClock, logger: Logger) throws {
        self.init(clock: clock, logger: logger, transport: try ProviderHTTP.client())
    }

    init(
        clock: ServiceClock, logger: Logger, transport: any ProviderTransport,
        identityLimit: Duration = Self.identityLimit
    ) {
        self.identityLimit = identityLimit
        self.clock = clock
        self.logger = logger
        let http = ProviderHTTP(transport)
        tokens = TokenEndpoint(http: http, clock: clock, logger: logger)
        gitHub = GitHubClient(http: http, tokens: tokens)
        documents = ProviderDocuments(http: http, clock: clock, logger: logger)
    }

    /// Where to send the browser.
    package func authorizationURL(
        _ provider: Provider, _ request: AuthorizationRequest
    ) async throws(ProviderError) -> String {
        guard provider.kind != .github else {
            return AuthorizationURL.text(GitHubClient.authorizationEndpoint(provider), provider, request)
        }
        let discovery = try await documents.discovery(provider)
        try discovery.checkSignIn(provider)
        return AuthorizationURL.text(discovery.authorizationEndpoint, provider, request)
    }

    /// Exchanges the code of an answer, checks everything, and returns who the user is.
    package func identity(_ provider: Provider, _ answer: Answer) async throws(ProviderError) -> ProviderIdentity {
        var (identity, address) = try await TimeLimit.run(identityLimit) { () async throws(ProviderError) in
            provider.kind == .github
                ? try await gitHub.identity(provider, answer) : try await openIDIdentity(provider, answer)
        }
        switch address {
        case .verified(let email): identity.email = email
        case .ignored(let reason):
            logger.record(Event(.providerEmailIgnored, cause: reason, detail: provider.id))
        }
        try IdentityClaims.checkDomain(identity.email, provider)
        return identity
    }

    private func openIDIdentity(
        _ provider: Provider, _ answer: Answer
    ) async throws(ProviderError) -> (identity: ProviderIdentity, address: IdentityClaims.Address) {
        let discovery = try await documents.discovery(provider)
        try discovery.checkAnswer(issuer: answer.issuer, for: provider)
        let allowed = try discovery.allowedAlgorithms(provider)
        let methods = try discovery.authMethods(provider)
        // At the same time as the code is exchanged. The verifier reports what is wrong with the keys.
        async let keys: Void = documents.prefetchKeys(provider)
        let reply = try await tokens.exchange(answer, provider, at: discovery.tokenEndpoint, methods)
        await keys
        guard let text = reply.idToken else { throw .answer(.noIDToken) }
        let signed = try SignedToken(text, allowed: allowed)
        let token = try IDToken(
            signed, claims: try await documents.claims(signed, provider, for: .signIn), provider: provider,
            nonce: answer.nonce, accessToken: reply.accessToken, now: clock.now())
        let claims = IdentityClaims(claims: token.claims, provider: provider)
        let address = claims.address()
        var identity = ProviderIdentity(issuer: provider.issuer, subject: token.subject)
        identity.authenticatedAt = token.authenticatedAt
        identity.tokenDigest = token.digest
        identity.tokenExpiresAt = token.refusedFrom
        if provider.kind == .apple {
            if case .verified = address { identity.isPrivateEmail = token.claims.isTrue("is_private_email") }
            identity.name = IdentityClaims.appleName(answer.user)
            identity.refreshToken = reply.refreshToken
        } else {
            identity.name = claims.name
        }
        identity.hostedDomain = claims.hostedDomain
        return (identity, address)
    }

    /// Withdraws what a user has permitted (Apple's "Revoke tokens").
    package func revoke(_ provider: Provider, refreshToken: String) async throws(ProviderError) {
        guard provider.kind != .github else { throw .document(.revocationMissing) }
        let discovery = try await documents.discovery(provider)
        let known = provider.kind == .apple ? "\(provider.issuer)/auth/revoke" : nil
        guard let url = try discovery.revocationEndpoint(provider) ?? known else {
            throw .document(.revocationMissing)
        }
        try await tokens.revoke(refreshToken, provider, at: url, try discovery.authMethods(provider).first)
    }

    /// Checks a server-to-server notification of Apple: signature, issuer, audience and age.
    package func notification(_ provider: Provider, payload: String) async throws(ProviderError) -> AppleNotification {
        let signed = try SignedToken(payload, allowed: provider.algorithms)
        let claims = try await documents.claims(signed, provider, for: .notification)
        return try AppleNotification(claims, provider: provider, now: clock.now())
    }

    /// Fetches what a sign-in needs, and reports that it can be used, in one line for an operator.
    package func check(_ provider: Provider) async throws(ProviderError) -> String {
        if provider.kind == .github { return try await gitHub.check(provider) }
        let discovery = try await documents.discovery(provider)
        try discovery.checkSignIn(provider)
        if provider.kind == .apple { _ = try discovery.revocationEndpoint(provider) }
        let algorithms = try discovery.allowedAlgorithms(provider)
        let keys = try await documents.keys(provider)
        let count = keys.usableCount
        let names = algorithms.map(\.rawValue).joined(separator: ", ")
        let ready = "ready: \(count) signing \(count == 1 ? "key" : "keys"), \(names)"
        guard !keys.faults.isEmpty else { return ready }
        return "\(ready). Not used: \(ProviderError.printable(keys.faults.joined(separator: "; ")))"
    }
}
