import Foundation
import SSOShared
import SSOWeb

/// Calls the token endpoint and the revocation endpoint (RFC 6749 4.1.3, RFC 7009) in the client's name.
struct TokenEndpoint: Sendable {
    /// What the token endpoint gave. Nothing of it is logged.
    struct Tokens: Sendable {
        let idToken: String?
        let accessToken: String?
        let refreshToken: String?
    }

    private let http: ProviderHTTP
    private let clock: ServiceClock

    init(http: ProviderHTTP, clock: ServiceClock) {
        self.http = http
        self.clock = clock
    }

    /// Exchanges a code for tokens.
    func exchange(
        _ answer: ProviderClient.Answer, _ provider: Provider, at url: String, _ method: DiscoveryDocument.AuthMethod?
    ) async throws(ProviderError) -> Tokens {
        let (fields, headers) = try await authentication(provider, method)
        let form =
            [
                (name: "grant_type", value: "authorization_code"), (name: "code", value: answer.code),
                (name: "redirect_uri", value: answer.redirectURI), (name: "code_verifier", value: answer.codeVerifier),
            ] + fields
        let reply = try await http.json(
            .token, of: provider, url, form: form, headers: headers, accepting: [200, 400, 401, 403])
        // GitHub sends its errors with status 200.
        if reply.status != 200 || reply.json["error"] != nil {
            throw Self.refusal(reply.json, status: reply.status, hiding: [answer.code, answer.codeVerifier])
        }
        return Tokens(
            idToken: reply.json["id_token"]?.string, accessToken: reply.json["access_token"]?.string,
            refreshToken: reply.json["refresh_token"]?.string)
    }

    /// Withdraws a refresh token. A token that is not valid any more is no error (RFC 7009 2.2).
    func revoke(
        _ refreshToken: String, _ provider: Provider, at url: String, _ method: DiscoveryDocument.AuthMethod?
    ) async throws(ProviderError) {
        let (fields, headers) = try await authentication(provider, method)
        let form =
            [(name: "token", value: refreshToken), (name: "token_type_hint", value: "refresh_token")] + fields
        let status = try await http.status(.revocation, of: provider, url, form: form, headers: headers)
        guard status == 200 else { throw .call(.revocation, status: status) }
    }

    /// - Parameter secrets: the words of the provider go to the log, and it may repeat what it was sent.
    private static func refusal(_ json: JSONNode, status: Int, hiding secrets: [String]) -> ProviderError {
        guard let error = json["error"]?.string else { return .call(.token, status: status) }
        func hidden(_ text: String) -> String {
            secrets.reduce(text) { $1.isEmpty ? $0 : $0.replacingOccurrences(of: $1, with: "...") }
        }
        return .refused(
            by: .token, error: error, description: json["error_description"]?.string, hiding: hidden)
    }

    /// How the client proves itself: form fields and headers.
    private func authentication(
        _ provider: Provider, _ method: DiscoveryDocument.AuthMethod?
    ) async throws(ProviderError) -> (fields: [(name: String, value: String)], headers: [String]) {
        let id = (name: "client_id", value: provider.clientID)
        switch provider.credential {
        case .none: return ([id], [])
        case .apple(let key):
            let secret = try AppleClientSecret.make(key, for: provider, now: clock.now())
            return ([id, (name: "client_secret", value: secret)], [])
        case .secret(let secret):
            switch method {
            case .post: return ([id, (name: "client_secret", value: secret.text)], [])
            case .basic:
                // Both parts are form-encoded first, so that a colon in them separates nothing (RFC 6749 2.3.1).
                let pair = "\(PercentCoding.encode(provider.clientID)):\(PercentCoding.encode(secret.text))"
                return ([], ["Authorization: Basic \(Data(pair.utf8).base64EncodedString())"])
            case nil: throw .document(.noAuthMethod)
            }
        }
    }
}
