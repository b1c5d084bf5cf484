import JWT
import SSOShared
import SSOWeb

/// What a provider says of itself at `/.well-known/openid-configuration` (OpenID Connect Discovery 1.0, 3).
struct DiscoveryDocument: Sendable, Equatable {
    /// How the client proves itself at the token endpoint (OpenID Connect Core 1.0, 9).
    enum AuthMethod: Sendable { case basic, post }

    let authorizationEndpoint: String
    let tokenEndpoint: String
    let keysURL: String
    let revocationEndpoint: String?
    /// The answer must hold `iss` (RFC 9207 2.4).
    let requiresAnswerIssuer: Bool
    /// nil when the document names none.
    let algorithms: [String]?
    let authMethod: AuthMethod?

    /// Where the document is: a slash at the issuer's end is removed first (OpenID Connect Discovery 1.0, 4.1).
    static func url(_ issuer: String) -> String {
        (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration"
    }

    /// Checks the document. The issuer must be the expected one byte for byte: otherwise a provider could speak for another
    /// one (OpenID Connect Discovery 1.0, 4.3).
    init(_ json: JSONNode, for provider: Provider) throws(ProviderError) {
        guard let issuer = json["issuer"]?.string, issuer.utf8.elementsEqual(provider.issuer.utf8) else {
            throw .document(.discoveryIssuerMismatch, json["issuer"]?.string ?? "no issuer")
        }
        guard let rule = ProviderURL(provider) else { throw .document(.discoveryEndpointRefused, "issuer") }
        func endpoint(_ name: String) throws(ProviderError) -> String? {
            guard let node = json[name] else { return nil }
            guard let url = node.string, rule.permits(url) else { throw .document(.discoveryEndpointRefused, name) }
            return url
        }
        func required(_ name: String) throws(ProviderError) -> String {
            guard let url = try endpoint(name) else { throw .document(.discoveryEndpointMissing, name) }
            return url
        }
        authorizationEndpoint = try required("authorization_endpoint")
        tokenEndpoint = try required("token_endpoint")
        keysURL = try required("jwks_uri")
        revocationEndpoint = try endpoint("revocation_endpoint")
        requiresAnswerIssuer = json["authorization_response_iss_parameter_supported"]?.bool ?? false
        algorithms = try Self.names(json, "id_token_signing_alg_values_supported")
        // Without the member it is client_secret_basic (OpenID Connect Discovery 1.0, 3).
        let methods = try Self.names(json, "token_endpoint_auth_methods_supported") ?? ["client_secret_basic"]
        authMethod =
            methods.contains("client_secret_basic") ? .basic : methods.contains("client_secret_post") ? .post : nil
    }

    private static func names(_ json: JSONNode, _ name: String) throws(ProviderError) -> [String]? {
        guard let node = json[name] else { return nil }
        guard let names = node.array?.map(\.string), names.count <= 100, !names.contains(nil) else {
            throw .document(.discoveryMember, name)
        }
        return names.compactMap(\.self)
    }

    /// What an ID token may be signed with: the settings' list, narrowed by the document. The document adds nothing.
    func allowedAlgorithms(_ provider: Provider) throws(ProviderError) -> [SignatureAlgorithm] {
        guard let algorithms else { return provider.algorithms }
        let common = provider.algorithms.filter { algorithms.contains(where: $0.isNamed) }
        guard !common.isEmpty else {
            throw .document(.noCommonAlgorithm, algorithms.joined(separator: " "))
        }
        return common
    }

    /// Checks `iss` of an answer before its code is sent anywhere (RFC 9207 2.4): another provider's code would be given
    /// away to this one.
    func checkAnswer(issuer: String?, for provider: Provider) throws(ProviderError) {
        guard let issuer else {
            if requiresAnswerIssuer { throw .answer(.issuerMissing) }
            return
        }
        guard issuer.utf8.elementsEqual(provider.issuer.utf8) else { throw .answer(.issuerMismatch, issuer) }
    }
}
