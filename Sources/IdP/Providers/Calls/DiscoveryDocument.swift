import JWT
import SSOShared
import SSOWeb

/// What a provider says of itself at `/.well-known/openid-configuration` (OpenID Connect Discovery 1.0, 3).
///
/// Required are `issuer` and what every sign-in uses: `authorization_endpoint`, `token_endpoint`, `jwks_uri`. Members that
/// only some sign-ins use are read where they are used, and all others are not read: they stop no sign-in. `null` and an
/// empty list count as absent (4.2: a member without elements is left out).
struct DiscoveryDocument: Sendable, Equatable {
    let authorizationEndpoint: String
    let tokenEndpoint: String
    let keysURL: String
    /// The answer must hold `iss` (RFC 9207 2.4). A value that is not a boolean counts as absent.
    let requiresAnswerIssuer: Bool
    /// nil when the document names none.
    let algorithms: [String]?
    private let json: JSONNode

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
        func required(_ name: String) throws(ProviderError) -> String {
            guard let url = try Self.endpoint(json, name, provider) else {
                throw .document(.discoveryEndpointMissing, name)
            }
            return url
        }
        authorizationEndpoint = try required("authorization_endpoint")
        tokenEndpoint = try required("token_endpoint")
        keysURL = try required("jwks_uri")
        requiresAnswerIssuer = json["authorization_response_iss_parameter_supported"]?.bool ?? false
        algorithms = try Self.names(json, "id_token_signing_alg_values_supported")
        self.json = json
    }

    /// Where tokens are revoked (RFC 8414 2); nil when the document does not say.
    func revocationEndpoint(_ provider: Provider) throws(ProviderError) -> String? {
        try Self.endpoint(json, "revocation_endpoint", provider)
    }

    /// How a client with a secret may prove itself, the way to try first at the beginning; one where the settings or the
    /// document say which. Empty for a client without a secret.
    ///
    /// Without the member it is client_secret_basic (OpenID Connect Discovery 1.0, 3). Not every provider without it means
    /// that.
    func authMethods(_ provider: Provider) throws(ProviderError) -> [Provider.AuthMethod] {
        guard case .secret = provider.credential else { return [] }
        if let method = provider.authMethod { return [method] }
        guard let names = try Self.names(json, "token_endpoint_auth_methods_supported") else {
            return Provider.AuthMethod.allCases
        }
        let methods = Provider.AuthMethod.allCases.filter { names.contains($0.rawValue) }
        guard !methods.isEmpty else { throw .document(.noAuthMethod, names.joined(separator: " ")) }
        return methods
    }

    /// Whether a sign-in can work. Asked before the user leaves for the provider.
    func checkSignIn(_ provider: Provider) throws(ProviderError) {
        _ = try allowedAlgorithms(provider)
        _ = try authMethods(provider)
    }

    private static func endpoint(
        _ json: JSONNode, _ name: String, _ provider: Provider
    ) throws(ProviderError) -> String? {
        guard let node = json.member(name) else { return nil }
        guard let url = node.string, let rule = ProviderURL(provider), rule.permits(url) else {
            throw .document(.discoveryEndpointRefused, name)
        }
        return url
    }

    /// The texts of a list. Items that are not texts name nothing that is known here.
    private static func names(_ json: JSONNode, _ name: String) throws(ProviderError) -> [String]? {
        guard let node = json.member(name) else { return nil }
        guard let items = node.array else { throw .document(.discoveryMember, name) }
        return items.isEmpty ? nil : items.compactMap(\.string)
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
