package import SSOWeb

/// What the audit log records and what is not with a feature.
extension EventKind {
    package static let authorizeRefused = EventKind(
        "authorize_refused", nil, .refusal("`cause` as in the log; `detail`: the challenge, or the provider"), "")
    package static let signOutAddressRefused = EventKind(
        "sign_out_address_refused", nil, .refusal("`cause` as in the log; `detail`: the challenge, or the provider"), ""
    )
    package static let verifyRefused = EventKind(
        "verify_refused", nil,
        .refusal(
            "client, `cause` [of verify](#verify_refused), the token's session and flow; `detail`: the client that it was for"
        ), "")
    package static let tokenRequestRefused = EventKind(
        "token_request_refused", nil,
        .refusal("client, [`cause`](openid.md#when-it-does-not-work), a code's session and flow"), "")
    package static let codeReused = EventKind(
        "code_reused", nil, .row("client; `detail`: the client that a refresh token was for"), "")
    package static let refreshTokenReused = EventKind(
        "refresh_token_reused", nil, .row("client; `detail`: the client that a refresh token was for"), "")
    package static let refreshTokensEnded = EventKind(
        "refresh_tokens_ended", nil,
        .row(
            "client; `cause`: `revoked` by the client, `code_reused`, `refresh_token_reused`, `token_of_other_client`"),
        "")
    package static let introspected = EventKind("introspected", nil, .row("client that asked"), "")
    package static let signingKeyMade = EventKind(
        "signing_key_made", nil, .row("`detail`: the key; `cause`: its algorithm"), "")
    package static let signingKeyPublished = EventKind(
        "signing_key_published", nil, .row("`detail`: the key; `cause`: its algorithm"), "")
    package static let signingKeyRetired = EventKind(
        "signing_key_retired", nil, .row("`detail`: the key; `cause`: its algorithm"), "")
    package static let sessionQuestionRefused = EventKind(
        "session_question_refused", nil,
        .refusal(
            "client, `cause` [of verify](#verify_refused), the token's session and flow; `detail`: the client that it was for"
        ), "")
    package static let clientsFileLoaded = EventKind(
        "clients_file_loaded", nil, .row("`detail`: clients added (`+`) and dropped (`-`) by SIGHUP"), "")
    package static let clientsFileRejected = EventKind(
        "clients_file_rejected", nil, .row("`detail`: clients added (`+`) and dropped (`-`) by SIGHUP"), "")
}

/// The list of the events above.
package enum AuditedEvents {
    package static let all: [EventKind] = [
        .authorizeRefused, .signOutAddressRefused, .verifyRefused, .tokenRequestRefused, .codeReused,
        .refreshTokenReused, .refreshTokensEnded, .introspected, .signingKeyMade, .signingKeyPublished,
        .signingKeyRetired, .sessionQuestionRefused, .clientsFileLoaded, .clientsFileRejected,
    ]
}
