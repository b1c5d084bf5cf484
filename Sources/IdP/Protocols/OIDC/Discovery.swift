import HTTPTypes
import Hummingbird
import IdPClients
import IdPFlow
import IdPSigningKeys
import Logging
import NIOCore
import SSOShared
import SSOWeb

/// The provider's description of itself (OpenID Connect Discovery 3, RFC 8414 3), and its public keys (RFC 7517 5). Both are the
/// same for everybody, and any page may read them.
struct Discovery: Sendable {
    let issuer: String
    let keys: SigningKeys
    let clients: ClientDirectory
    let logger: Logger
    /// What sign-ins can reach.
    let strengths: [String]
    let languages: Languages

    private static let headers: HTTPFields = [
        .contentType: "application/json", .cacheControl: "public, max-age=300",
    ]

    func addRoutes(to router: inout FeatureRouter) {
        let document = Array(JSONText.object(members).utf8)
        for path in [OIDCPath.discovery, OIDCPath.serverMetadata] {
            router.openFile(at: path) { _, _ in Self.answer(document) }
        }
        router.openFile(at: OIDCPath.keys) { _, _ in
            do { return Self.answer(try await published()) } catch {
                logger.record(Event(.signingKeysUnavailable, cause: "\(error)"))
                return OAuthError.unavailable(after: error).response
            }
        }
    }

    /// The signing keys as soon as a client can use them, whatever process has added it.
    private func published() async throws -> [SigningKey] {
        try await clients.catchUp {
            try await keys.published { [clients] connection in
                try clients.registered(connection).all.contains(where: \.checksTokens)
            }
        }
    }

    private static func answer(_ keys: [SigningKey]) -> Response {
        var response = answer(Array("{\"keys\":[\(keys.map(\.publicKey).joined(separator: ","))]}".utf8))
        // Before the first client there are none. A service that is being set up must not keep that.
        if keys.isEmpty { response.headers[.cacheControl] = "no-store" }
        return response
    }

    private static func answer(_ body: [UInt8]) -> Response {
        Response(status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: body)))
    }

    /// No member beside these: clients that check strictly refuse unknown ones.
    private var members: [JSONText.Member] {
        let secretMethods = ["client_secret_basic", "client_secret_post"]
        return [
            .init("issuer", issuer), .init("authorization_endpoint", issuer + OIDCPath.authorize),
            .init("token_endpoint", issuer + OIDCPath.token), .init("userinfo_endpoint", issuer + OIDCPath.userInfo),
            .init("jwks_uri", issuer + OIDCPath.keys), .init("revocation_endpoint", issuer + OIDCPath.revoke),
            .init("introspection_endpoint", issuer + OIDCPath.introspect),
            .init("end_session_endpoint", issuer + OIDCPath.logout),
            .init("scopes_supported", OIDCScope.allCases.map(\.rawValue)), .init("response_types_supported", ["code"]),
            .init("response_modes_supported", ResponseMode.allCases.map(\.rawValue)),
            .init("grant_types_supported", ["authorization_code", "refresh_token"]),
            .init("subject_types_supported", ["public"]),
            .init("id_token_signing_alg_values_supported", SigningAlgorithm.allCases.map(\.rawValue)),
            .init("token_endpoint_auth_methods_supported", secretMethods + ["none"]),
            .init("revocation_endpoint_auth_methods_supported", secretMethods + ["none"]),
            .init("introspection_endpoint_auth_methods_supported", secretMethods),
            .init("code_challenge_methods_supported", [CodeChallenge.method]),
            .init("claims_supported", IDToken.claims), .init("acr_values_supported", strengths),
            .init("prompt_values_supported", ["none", "login", "select_account"]),
            .init("ui_locales_supported", languages.all.map(\.rawValue)),
            .init("claims_parameter_supported", false),
            .init("request_parameter_supported", false), .init("request_uri_parameter_supported", false),
            .init("authorization_response_iss_parameter_supported", true),
            .init("backchannel_logout_supported", true), .init("backchannel_logout_session_supported", true),
        ]
    }
}
