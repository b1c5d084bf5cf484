import Logging
import SSOWeb

struct ProviderClient: Sendable {
    init(clock: ServiceClock, logger: Logger) throws {}
    struct AuthorizationRequest: Sendable {
        let state, nonce, codeChallenge, redirectURI: String
        let loginHint: String?
        let asksAgain: Bool
    }
    struct Answer: Sendable {
        let code, codeVerifier, nonce, redirectURI: String
        let issuer: String?
        let user: String?
    }
    func authorizationURL(_ provider: Provider, _ request: AuthorizationRequest) async throws(ProviderError) -> String {
        ""
    }
    func identity(_ provider: Provider, _ answer: Answer) async throws(ProviderError) -> ProviderIdentity {
        throw .answer(.noIDToken)
    }
}
