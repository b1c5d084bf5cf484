import Foundation
import Logging
import SSOShared
import SSOWeb

/// Calls the token endpoint and the revocation endpoint (RFC 6749 4.1.3, RFC 7009) in the client's name.
struct TokenEndpoint: Sendable {
    private let http: ProviderHTTP
    private let clock: ServiceClock
    private let logger: Logger
    /// The method that a provider took after it had refused another one.
    private let foundMethods = LatestValues<Provider.AuthMethod>()

    init(http: ProviderHTTP, clock: ServiceClock, logger: Logger) {
        (self.http, self.clock, self.logger) = (http, clock, logger)
    }

    /// Exchanges a code for tokens. A second method is tried once where the first is refused (docs/decisions/0104).
    ///
    /// - Parameter methods: of a client with a secret, in the order in which to try them.
    func exchange(
        _ answer: ProviderClient.Answer, _ provider: Provider, at url: String, _ methods: [Provider.AuthMethod]
    ) async throws(ProviderError) -> TokenAnswer {
        let key = "\(provider.issuer) \(provider.clientID)"
        let found = foundMethods[key].flatMap { methods.contains($0) ? $0 : nil }
        guard let first = found ?? methods.first, let second = methods.first(where: { $0 != first }) else {
            return try await call(answer, provider, at: url, methods.first).tokens()
        }
        let reply = try await call(answer, provider, at: url, first)
        guard case .refused(let error, isOfClient: true) = reply else { return try reply.tokens() }
        // Without an answer it is not known whether this method is right: the first refusal is what there is to say.
        guard let other = try? await call(answer, provider, at: url, second) else { throw error }
        if case .refused(_, isOfClient: true) = other { throw error }
        // Also where the code is refused now: the client was not.
        if foundMethods.set(second, for: key) {
            logger.record(
                Event(.providerAuthMethodFound, detail: provider.id, ["method": "\(second.rawValue)"]))
        }
        return try other.tokens()
    }

    /// Withdraws a refresh token. A token that is not valid any more is no error (RFC 7009 2.2).
    func revoke(
        _ refreshToken: String, _ provider: Provider, at url: String, _ method: Provider.AuthMethod?
    ) async throws(ProviderError) {
        let (fields, headers) = try await authentication(provider, method)
        let form =
            [(name: "token", value: refreshToken), (name: "token_type_hint", value: "refresh_token")] + fields
        try await http.reach(.revocation, of: provider, url, form: form, headers: headers)
    }

    private enum Reply {
        case taken(TokenAnswer)
        /// - isOfClient: it refuses the client or how it proves itself, and says nothing of the code (RFC 6749 5.2).
        case refused(ProviderError, isOfClient: Bool)

        func tokens() throws(ProviderError) -> TokenAnswer {
            switch self {
            case .taken(let answer): return answer
            case .refused(let error, _): throw error
            }
        }
    }

    /// One call of the token endpoint.
    private func call(
        _ answer: ProviderClient.Answer, _ provider: Provider, at url: String, _ method: Provider.AuthMethod?
    ) async throws(ProviderError) -> Reply {
        let (fields, headers) = try await authentication(provider, method)
        let form =
            [
                (name: "grant_type", value: "authorization_code"), (name: "code", value: answer.code),
                (name: "redirect_uri", value: answer.redirectURI), (name: "code_verifier", value: answer.codeVerifier),
            ] + fields
        let reply = try await http.json(
            .token, of: provider, url, form: form, headers: headers, accepting: [200, 400, 401, 403])
        let tokens = TokenAnswer(reply.json)
        // GitHub sends its errors with status 200.
        guard reply.status != 200 || tokens.error != nil else { return .taken(tokens) }
        return .refused(
            Self.error(tokens, status: reply.status, hiding: [answer.code, answer.codeVerifier]),
            isOfClient: [400, 401].contains(reply.status) && tokens.error == "invalid_client")
    }

    /// - Parameter secrets: the words of the provider go to the log, and it may repeat what it was sent.
    private static func error(_ answer: TokenAnswer, status: Int, hiding secrets: [String]) -> ProviderError {
        guard let error = answer.error else { return .call(.token, status: status) }
        func hidden(_ text: String) -> String {
            secrets.reduce(text) { $1.isEmpty ? $0 : $0.replacingOccurrences(of: $1, with: "...") }
        }
        return .refused(by: .token, error: error, description: answer.errorDescription, hiding: hidden)
    }

    /// How the client proves itself: form fields and headers.
    private func authentication(
        _ provider: Provider, _ method: Provider.AuthMethod?
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
