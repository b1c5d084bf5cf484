import Logging
package import SSOWeb

/// What each reason of a ``ProviderError`` means and what to do, for the events that have it.
extension ProviderError {
    /// The provider cannot be reached, or does not work with our settings.
    package static let unavailableCauses: [EventCause] =
        causes([.discovery, .keys, .token, .gitHubUser, .gitHubEmails], of: [.outage, .setup])
        + causes([.discovery, .keys, .token, .gitHubUser, .gitHubEmails], [.status])
        + DocumentError.allCases.map { .init($0.rawValue, $0.remedy) } + ownCauses

    /// The provider gave no usable answer.
    package static let faultCauses: [EventCause] = causes(
        [.discovery, .keys, .token, .gitHubUser, .gitHubEmails], of: [.fault])

    /// The answer is not believed.
    package static let refusalCauses: [EventCause] =
        AnswerError.allCases.filter { $0 != .event }.map { .init($0.rawValue, .warning, remedy: $0.remedy) } + [
            .init(
                "token_endpoint_refused", .warning,
                remedy:
                    "With `invalid_grant`, from GitHub `bad_verification_code`: the code was used or too old, or another callback is registered."
            )
        ]

    /// A token there was not revoked.
    package static let revocationCauses: [EventCause] =
        causes([.discovery, .revocation], CallError.allCases)
        + DocumentError.allCases.map { .init($0.rawValue, $0.remedy) } + ownCauses

    /// A notification is not believed, or the keys that check it cannot be had.
    package static let notificationCauses: [EventCause] =
        causes([.discovery, .keys], CallError.allCases.filter { $0 != .refused })
        + DocumentError.allCases.map { .init($0.rawValue, $0.remedy) }
        + AnswerError.allCases.map { .init($0.rawValue, $0.remedy) } + ownCauses

    private static let ownCauses: [EventCause] = [
        .init(timedOut.reason, "More than nine seconds in all."), .init(cancelled.reason, "`idp` was stopped."),
    ]

    private static func causes(_ endpoints: [Endpoint], of meanings: [Meaning]) -> [EventCause] {
        causes(endpoints, CallError.allCases.filter { meanings.contains($0.meaning) })
    }

    private static func causes(_ endpoints: [Endpoint], _ problems: [CallError]) -> [EventCause] {
        endpoints.flatMap { endpoint in
            problems.map { EventCause(call(endpoint, $0).reason, $0.remedy) }
        }
    }
}

extension ProviderError.CallError {
    fileprivate var remedy: String {
        switch self {
        case .timedOut, .unreachable: "It is down: `idp check --connect`."
        case .busy: "16 calls in progress: it is slow, or has many users."
        case .certificate: "Its certificate is for another name, or from an unknown CA."
        case .addressRefused: "A private address: `allow_private: true`, if right."
        case .tooLarge: "Beyond the [limits](providers.md#limits)."
        case .status:
            "From 500 on, 429, or `rate limit` in `detail`: too many calls, or an outage: wait. Another one: a wrong path in `issuer`, or a redirect (`detail` says where)."
        case .contentType: "A wrong path in `issuer`, or an error page."
        case .contentEncoding: "Damaged by a proxy, or an encoding that was not asked for."
        case .json: "No JSON, or a member twice."
        case .refused:
            "With `invalid_client`: wrong or expired `client_secret`, or `token_endpoint_auth_method`. Apple: `team_id`, `key_id`, `private_key`, `client_id` do not belong together, the key was revoked, or the clock here is wrong."
        }
    }
}

extension ProviderError.DocumentError {
    fileprivate var remedy: String {
        switch self {
        case .discoveryIssuerMismatch: "Copy `issuer` from the document."
        case .discoveryEndpointMissing, .discoveryEndpointRefused, .discoveryMember, .revocationMissing:
            "An endpoint is missing or not https. `detail` names it."
        case .noCommonAlgorithm: "It signs with none of `algorithms`."
        case .noAuthMethod:
            "It has no `client_secret_basic` or `client_secret_post`. Without `client_secret` here PKCE alone is used."
        case .keysMalformed, .keysTooMany, .keysNoneUsable:
            "Usable are RSA of 2048 to 8192 bits, P-256, Ed25519, at most 100; see `detail`. A private key in `jwks_uri` lets everyone sign: inform its operator at once."
        case .appleKey: "An unusable `private_key`."
        }
    }
}

extension ProviderError.AnswerError {
    fileprivate var remedy: String {
        switch self {
        case .expired, .issuedAt, .tooOld, .notBefore, .authTime:
            "A clock is wrong by more than a minute, here or there."
        case .issuer, .audience, .authorizedParty: "The token is for another client or tenant."
        case .algorithm, .keyUnknown, .keyAmbiguous, .keyMismatch, .keyUnusable, .signature:
            "Two changes of keys within five minutes, two keys of one `kid`, or none of `algorithms`. If it lasts: misconfigured, or forged."
        case .noIDToken: "Is `openid` in `scopes`, and the client of the kind OpenID Connect?"
        case .tokenTooLarge, .tokenParts, .tokenHeader, .tokenType, .tokenCritical, .claims, .subject:
            "Not as OpenID Connect Core 1.0 says: see `detail`."
        case .nonce, .accessTokenHash: "Of another request. Many: an attack, or a proxy that mixes answers."
        case .issuerMissing, .issuerMismatch: "Another provider's `iss`, or none although announced (RFC 9207)."
        case .gitHubToken, .gitHubUser: "Not GitHub's API. Enterprise Server: is `issuer` right?"
        case .domain: "Not in `allowed_domains`, missing, or not verified."
        case .event: "Apple's, but not understood: see `detail`."
        }
    }
}
