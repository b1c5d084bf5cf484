import JWT
import Synchronization

@testable import IdPProviders
@testable import SSOShared
@testable import TestKit

extension StandInProvider {
    /// Where each endpoint is, as at the real providers.
    func path(of endpoint: Endpoint) -> String? {
        switch (kind, endpoint) {
        case (.github, .authorize): "/login/oauth/authorize"
        case (.github, .token): "/login/oauth/access_token"
        case (.github, .user): "/api/v3/user"
        case (.github, .emails): "/api/v3/user/emails"
        case (.github, .discovery), (.github, .keys): nil
        case (_, .user), (_, .emails): nil
        case (_, .discovery): "/.well-known/openid-configuration"
        case (.apple, .keys): "/auth/keys"
        case (.apple, .authorize): "/auth/authorize"
        case (.apple, .token): "/auth/token"
        case (.apple, .revoke): "/auth/revoke"
        case (_, .revoke): nil
        case (_, .keys): "/keys"
        case (_, .authorize): "/authorize"
        case (_, .token): "/token"
        case (_, .decide): "/decide"
        }
    }

    /// The address of an endpoint; empty where this kind has none.
    func address(of endpoint: Endpoint) -> String { path(of: endpoint).map { issuer + $0 } ?? "" }

    /// Whether its answers have `iss` (RFC 9207).
    var namesItself: Bool { kind == .oidc }

    var discovery: [String: JSONValue] {
        var members: [String: JSONValue] = [
            "issuer": .string(issuer), "authorization_endpoint": .string(address(of: .authorize)),
            "token_endpoint": .string(address(of: .token)), "jwks_uri": .string(address(of: .keys)),
            "response_types_supported": ["code"], "response_modes_supported": ["query", "form_post"],
            "subject_types_supported": ["public"], "scopes_supported": ["openid", "email", "profile"],
            "id_token_signing_alg_values_supported": [.string(algorithm.rawValue)],
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
            "code_challenge_methods_supported": ["S256"],
        ]
        if namesItself { members["authorization_response_iss_parameter_supported"] = true }
        if kind == .apple {
            members["token_endpoint_auth_methods_supported"] = ["client_secret_post"]
            members["revocation_endpoint"] = .string(address(of: .revoke))
        }
        return members
    }

    var keySet: [String: JSONValue] {
        ["keys": .array(state.withLock { $0.keys }.map { .object($0.jwk) })]
    }
}
