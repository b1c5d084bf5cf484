import IdPAuthorization
import IdPClients
import Logging
package import SSOWeb

/// What happens with the tokens of OpenID Connect.
extension EventKind {
    package static let tokenRequestRefused = EventKind(
        "token_request_refused", .info,
        .refusal("client, `cause`, a code's session and flow; `detail`: which secret a wrong one is"),
        line: [.cause(), .flow, .session], causes: tokenCauses,
        "A request to `/oidc/token`, `/oidc/userinfo`, `/oidc/revoke` or `/oidc/introspect` was refused: [`cause`](openid.md#when-it-does-not-work). A warning if a secret was wrong or a code has leaked."
    )
    static let tokenRequestFailed = EventKind(
        "token_request_failed", .error, line: [.cause()], "Storage: 503. Look at `cause` and `/readyz`.")
    package static let codeReused = EventKind(
        "code_reused", .error, .row("client"), line: [.client], user: Text("activity.client-ended"),
        "A code was used twice: its tokens are revoked. Look for a second caller. Info for a public client, whose user can cause it."
    )
    static let codeLeaked = EventKind(
        "code_leaked", .warning, line: [.client, .flow.orDash, .detail("issued_to")],
        "A client presented another one's code (`issued_to`): it has leaked, and is void. Look for query strings in logs; ask that client. Info for a public client."
    )
    static let tokenRefreshed = EventKind(
        "token_refreshed", .info, .row("client"), line: [.client, .account], by: [.protocol],
        user: Text("activity.client-refreshed"), "A client has used a refresh token for new tokens.")
    package static let refreshTokenReused = EventKind(
        "refresh_token_reused", .error, .row("client; `detail`: the client that it was for"),
        line: [.client, .account, .detail("issued_to")], user: Text("activity.client-ended"),
        "A used refresh token came again after a minute, or by another client (`issued_to`): its family has ended. Look for a copy of the client's data. Info for a public client."
    )
    package static let refreshTokensEnded = EventKind(
        "refresh_tokens_ended", .info, .row("client, `cause`"), line: [.client, .account, .cause()],
        causes: [
            .init("revoked", "By the client."),
            .init("code_reused", "The code that they go back to was used twice."),
            .init(
                "refresh_token_reused", "One of them came again after its use: look for a copy of the client's data."),
            .init("token_of_other_client", "Another client presented one of them: it has leaked."),
        ], user: Text("activity.client-ended"),
        "The refresh tokens of one sign-in at a client have ended, and its access tokens with them.")
    static let accessTokenRevoked = EventKind(
        "access_token_revoked", .info, .row("client"), line: [.client, .account],
        user: Text("activity.client-ended"),
        "A client has revoked an access token.")
    package static let introspected = EventKind(
        "introspected", .info, .row("client that asked"), line: [.client], "A client has asked about an access token.")
    static let hintedAccountNotRead = EventKind(
        "hinted_account_not_read", .warning, line: [.cause()],
        "Storage: the sign-in page has the address of the hint, which may be old.")

    private static let tokenCauses: [EventCause] =
        GrantErrorCause.allCases.map { EventCause($0.rawValue, $0.remedy) }
        + [
            .init("client_unknown", "Correct the client's id, or register the client for OpenID Connect."),
            .init("client_secret_wrong", "Compare the fingerprint of `idp client show`."),
            .init("client_id_missing", "Name the client: by `Authorization: Basic`, or by `client_id`."),
            .init("client_dropped", "The client, or its secret, was removed or disabled meanwhile."),
            .init("bad_secrets", "Too many wrong secrets, codes or tokens of this network: [limits](limits.md)."),
            .init("grant_type", "`grant_type` must be `authorization_code` or `refresh_token`."),
            .init("scope", "`scope` must have `openid`, and nothing beyond what was granted."),
            .init("offline_access", "List `offline_access` in the client's `scopes`."),
            .init("introspect", "Give the client `introspect: true`."),
            .init("ended", "The refresh token was revoked, or has ended with its family."),
            .init("sign_in_ended", "The user has signed out, or may not enter the client any more."),
            .init("no_key", "`IDP_SECRET_KEY` has no key for refresh tokens."),
            .init("token_missing", "Send `token`; for userinfo the access token as `Authorization: Bearer`."),
            .init("access_token", "The access token is unknown, expired or revoked, or its user has signed out."),
            .init("not_http", "The body is not HTTP, or it was cut off."),
            .init("method", "Use the method that `Allow` names."),
            .init("storage", "Try again in a moment. Look at `/readyz`."),
            .init("Authorization_wrong", "Send `Basic` and base64 of `id:secret`."),
            .init("client_id_wrong", "`client_id` must be that of `Authorization`."),
        ]
        + EventCause.ofFields(
            [
                "grant_type", "code", "redirect_uri", "code_verifier", "refresh_token", "scope", "token", "client_id",
                "client_secret", "access_token", "Authorization",
            ], required: ["grant_type", "code", "redirect_uri", "refresh_token"])
}

/// The events of this target.
package enum OIDCEvents {
    package static let all: [EventKind] = [
        .tokenRequestRefused, .tokenRequestFailed, .codeReused, .codeLeaked, .tokenRefreshed, .refreshTokenReused,
        .refreshTokensEnded, .accessTokenRevoked, .introspected, .hintedAccountNotRead,
    ]
}
