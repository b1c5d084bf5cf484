import IdPClients
import Logging
package import SSOWeb

/// What happens between the first request of a client and the user's way back to it.
extension EventKind {
    package static let signInRequested = EventKind(
        "sign_in_requested", .info, line: [.client, .session, .flow], "A client sent a user who has to sign in.")
    package static let signedIn = EventKind(
        "signed_in", .info, .row("session, flow; `detail`: the methods"),
        line: [.account, .session.orDash, .flow.orDash, .detail("method")],
        by: [.detail("method", ["email_code", "email_link"], others: "provider")],
        user: Text("activity.signed-in"), "A user gave every proof.")
    package static let secondFactorRequired = EventKind(
        "second_factor_required", .info, .row("session, flow; `detail`: the factor"),
        line: [.account, .session.orDash, .flow.orDash, .detail("factor")],
        user: Text("activity.second-factor"),
        "The first proof was right, and the account needs a second one.")
    package static let identityLinkRefused = EventKind(
        "identity_link_refused", .notice, line: [.account, .cause("reason"), .detail("provider")],
        causes: [
            .init(
                "provider_removed",
                "The address was proven, but the provider has left the file. Add it again to link it."),
            .init(
                "passkey_needed",
                "The address was proven, but the account has a passkey. Its user adds the provider on the home page, with the passkey."
            ),
        ], "A way to sign in that waited was not added.")
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
    package static let secondFactorMissing = EventKind(
        "second_factor_missing", .notice, line: [.account, .detail("factor").orDash, .session, .flow],
        "A visitor who has given the first proof tries to go on without the second one.")
    package static let secretUseNotNoted = EventKind(
        "secret_use_not_noted", .warning, line: [.client, .cause()],
        "Storage: the last use of a client's secret was not stored. Look at `cause` and `/readyz`.")

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
package enum FlowEvents {
    package static let all: [EventKind] = [
        .signInRequested, .signedIn, .secondFactorRequired, .identityLinkRefused, .tokenIssued, .accessRefused,
        .loginRequired, .interactionRequired, .signInCancelled, .otherAccountThanExpected, .tokenRedeemed,
        .authorizeRefused, .verifyRefused, .secondFactorMissing, .secretUseNotNoted,
    ]
}
