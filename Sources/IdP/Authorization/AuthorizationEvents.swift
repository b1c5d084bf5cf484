import IdPClients
import IdPFlow
import Logging
package import SSOWeb

/// What happens between the first request of a client and the user's way back to it.
extension EventKind {
    package static let signInRequested = EventKind(
        "sign_in_requested", .info, line: [.client, .session, .flow], "A client sent a user who has to sign in.")
    package static let tokenIssued = EventKind(
        "token_issued", .info, .row("client, session, flow"), line: [.client, .account, .session, .flow],
        by: [.protocol], user: Text("activity.client-asked"),
        "A client gets a token or code for a user.")
    package static let accessRefused = EventKind(
        "access_refused", .notice, .row("client, session, flow"), line: [.client, .account, .session, .flow],
        by: [.protocol], user: Text("activity.access-refused"),
        "The account is in no group that may enter the client: [access](operations.md#groups-and-access).")
    package static let loginRequired = EventKind(
        "login_required", .info, line: [.client, .flow], by: [.protocol],
        "A client that asked for no question was refused: the user is not signed in.")
    package static let interactionRequired = EventKind(
        "interaction_required", .info, line: [.client, .flow], by: [.protocol],
        "A client that asked for no question was refused: the user would have to choose.")
    package static let signInCancelled = EventKind(
        "sign_in_cancelled", .info, line: [.client, .session, .flow], "A user gave up, and went back to the client.")
    package static let otherAccountThanExpected = EventKind(
        "other_account_than_expected", .info, line: [.client, .session, .flow],
        "The sign-in ended with another account than the client's hint names; the user went back.")
    package static let tokenRedeemed = EventKind(
        "token_redeemed", .info, .row("client, session, flow"), line: [.client, .account, .session, .flow],
        by: [.protocol], user: Text("activity.client-entered"),
        "A client has verified a token, or exchanged a code.")
    package static let authorizeRefused = EventKind(
        "authorize_refused", .notice, .refusal("client, `cause`"), line: [.client.orDash, .cause()],
        by: [.protocol], causes: authorizeCauses,
        "A sign-in link is wrong: `cause`, for an unregistered address `nearest_redirect_uri`. Tell the client's developers, who otherwise get `error_description`."
    )
    package static let secretUseNotNoted = EventKind(
        "secret_use_not_noted", .warning, line: [.client, .cause()],
        "Storage: the last use of a client's secret was not stored. Look at `cause` and `/readyz`.")
    package static let verifyRefused = EventKind(
        "verify_refused", .info,
        .refusal(
            "client, `cause`, the token's session and flow; `detail`: the client that it was for, or what a wrong signature was made with"
        ),
        line: SignedPostError.line, causes: SignedPostError.causesOfClients + GrantErrorCause.eventCauses,
        "The back channel refused a token or its caller. The warnings are alarms; all else is an error of the caller, or a sign-in's normal end."
    )

    /// Those of `/auth/sso/authorize`, and those that OpenID Connect has beside them.
    private static let authorizeCauses: [EventCause] =
        [
            .init("client_dropped", "The client was removed or disabled while its user signed in."),
            .init("client_id_unknown", "Correct `client_id`, or register the client."),
            .init("client_id_wrong", "Correct `client_id`, or register the client for OpenID Connect."),
            .init("redirect_uri_not_registered", "Register the redirect URI byte for byte as it is sent."),
            .init("redirect_uri_wrong", "Register the redirect URI byte for byte as it is sent."),
            .init("state_not_ascii", "`state` must be printable ASCII."),
            .init("state_wrong", "`state` must be printable ASCII."),
            .init("code_challenge_method_not_s256", "`code_challenge_method` must be `S256`."),
            .init("code_challenge_method_wrong", "`code_challenge_method` must be `S256`."),
            .init("code_challenge_wrong", "`code_challenge` must be the SHA-256 of the verifier, in base64url."),
            .init("prompt_unknown", "`prompt` must be `login`, `none` or `select_account`."),
            .init("prompt_wrong", "`none` must be the only value of `prompt`."),
            .init("max_age_wrong", "`max_age` must be a whole number of seconds."),
            .init("acr_values_unknown", "`acr_values` must be `any`, `mfa` or `phr`."),
            .init("nonce_wrong", "`nonce` must have no control characters."),
            .init("response_mode_wrong", "`response_mode` must be `query` or `form_post`."),
            .init("response_type", "`response_type` must be `code`."),
            .init("scope", "`scope` must contain `openid`."),
            .init("request", "Request objects are not supported: send the parameters."),
            .init("request_uri", "Request objects are not supported: send the parameters."),
            .init("request_too_long", "Send a shorter `state` or `redirect_uri`."),
            .init("id_token_hint_wrong", "`id_token_hint` must be an ID token of this provider."),
            .init("storage", "The database does not answer, and `prompt=none` shows no page. Look at `/readyz`."),
            .init("unknown", "The request cannot be read."),
        ]
        + EventCause.ofFields(
            [
                "client_id", "redirect_uri", "state", "code_challenge", "code_challenge_method", "prompt", "max_age",
                "login_hint", "response_type", "response_mode", "scope", "nonce", "id_token_hint", "ui_locales", "flow",
                "acr_values", "claims", "claims_locales", "display", "registration",
            ], required: ["client_id", "redirect_uri", "state", "code_challenge", "response_type"])
}

/// The events of this target.
package enum AuthorizationEvents {
    package static let all: [EventKind] = [
        .signInRequested, .tokenIssued, .accessRefused, .loginRequired, .interactionRequired, .signInCancelled,
        .otherAccountThanExpected, .tokenRedeemed, .authorizeRefused, .verifyRefused, .secretUseNotNoted,
    ]
}

extension GrantErrorCause {
    /// All causes, with what to do about each.
    package static var eventCauses: [EventCause] {
        allCases.map { EventCause($0.rawValue, $0.isAlert ? .warning : nil, remedy: $0.remedy) }
    }

    package var remedy: String {
        switch self {
        case .unknown: "It was never issued, or a newer one of the same sign-in has replaced it."
        case .malformedToken: "Send the token or code as the callback received it."
        case .malformedVerifier: "`code_verifier` must have 43 to 128 unreserved characters."
        case .otherClient:
            "A client presented another one's (`issued_to`): it has leaked, and is void. Look for query strings in logs; ask that client."
        case .used:
            "A doubled request, or an attacker saw it. Look for a second caller in `client_address`; correct the client's retry."
        case .accountNotAllowed: "The account may not sign in any more."
        case .noAccess: "Access was lost: [access](operations.md#groups-and-access)."
        case .strength: "The client, or `IDP_REQUIRE`, needs a stronger sign-in since. Start a new sign-in."
        case .void: "It was revoked. Start a new sign-in."
        case .expired: "It came too late. Start a new sign-in."
        case .clock: "The clock was set back. Correct it."
        case .redirectURI: "Send the `redirect_uri` of the request byte for byte."
        case .redirectURIDropped:
            "Its `redirect_uri` was taken out of the client's entry: register it, and start a new sign-in."
        case .verifierMissing: "Send `code_verifier`: the request had a `code_challenge`."
        case .verifierUnexpected: "Send no `code_verifier`: the request had no `code_challenge`."
        case .verifierWrong: "`code_verifier` must be that of the request."
        case .sessionEnded, .accountSignedOut: "The user has signed out."
        }
    }
}
