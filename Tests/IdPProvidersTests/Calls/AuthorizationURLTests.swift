import JWT
import Testing

@testable import IdPProviders
@testable import SSOShared
@testable import SSOWeb
@testable import TestKit

@Suite("Where a sign-in at a provider starts", .rules)
struct AuthorizationURLTests {
    private func url(
        _ kind: Provider.Kind, endpoint: String = "https://op.example/a", prompt: String? = nil,
        mode: Provider.ResponseMode = .query, asksAgain: Bool = false
    ) -> String {
        let provider = Provider(
            id: "work", name: "Work", kind: kind, issuer: "https://op.example", clientID: "a b&c", credential: .none,
            scopes: ["openid", "email"], responseMode: mode, prompt: prompt, algorithms: [.rs256])
        return AuthorizationURL.text(
            endpoint, provider,
            .init(
                state: "s", nonce: "n", codeChallenge: "c", redirectURI: "https://idp.example/auth/work/callback",
                asksAgain: asksAgain))
    }

    @Test("every parameter is there once, percent-encoded")
    func parameters() {
        #expect(
            url(.oidc)
                == "https://op.example/a?response_type=code&client_id=a%20b%26c"
                + "&redirect_uri=https%3A%2F%2Fidp.example%2Fauth%2Fwork%2Fcallback&scope=openid%20email&state=s"
                + "&code_challenge=c&code_challenge_method=S256&nonce=n")
    }

    @Test(
        "a query of the endpoint stays",
        arguments: [
            ("https://op.example/a?p=1", "https://op.example/a?p=1&response_type="),
            ("https://op.example/a?", "https://op.example/a?response_type="),
        ])
    func query(_ endpoint: String, _ start: String) {
        #expect(url(.oidc, endpoint: endpoint).hasPrefix(start))
    }

    @Test("each kind of provider gets the parameters that it knows")
    func kinds() {
        #expect(url(.apple, mode: .formPost).hasSuffix("&nonce=n&response_mode=form_post"))
        #expect(url(.apple, asksAgain: true).hasSuffix("&nonce=n"))
        #expect(url(.github, asksAgain: true).hasSuffix("&code_challenge_method=S256"))
        #expect(url(.google, asksAgain: true).hasSuffix("&nonce=n"))
        #expect(url(.oidc, prompt: "consent").hasSuffix("&prompt=consent"))
    }

    @Test("a fresh sign-in is asked for in each provider's own way, instead of the settings' prompt")
    func again() {
        #expect(url(.oidc, prompt: "consent", asksAgain: true).hasSuffix("&nonce=n&prompt=login&max_age=1"))
        #expect(url(.microsoft, asksAgain: true).hasSuffix("&prompt=login&max_age=1"))
    }

    @Test("the client takes the endpoint from the provider's document, and GitHub's from the issuer")
    func endpoint() async throws {
        let request = ProviderClient.AuthorizationRequest(
            state: "s", nonce: "n", codeChallenge: "c", redirectURI: "https://idp.example/cb")
        let fixture = try OpenIDFixture()
        fixture.serveDiscovery { $0["authorization_endpoint"] = "https://login.example/start" }
        let url = try await fixture.client.authorizationURL(fixture.provider, request)
        #expect(url.hasPrefix("https://login.example/start?response_type=code"))
        let gitHub = try OpenIDFixture(.github, issuer: "https://github.com")
        let start = try await gitHub.client.authorizationURL(gitHub.provider, request)
        #expect(start.hasPrefix("https://github.com/login/oauth/authorize?"))
        #expect(gitHub.transport.requests.isEmpty)
    }
}
