import IdPClients
import IdPProviders
import Logging
package import SSOWeb

/// What happens in a sign-in with a provider.
extension EventKind {
    package static let providerSignInStarted = EventKind(
        "provider_sign_in_started", .info, line: [.detail("provider"), .session, .flow],
        "The browser goes to a provider.")
    package static let providerAnswerRefused = EventKind(
        "provider_answer_refused", .notice, .refusal("session; `cause` as in the log; `detail`: the provider"),
        line: answer,
        causes: ProviderSignInError.allCases.map {
            .init($0.rawValue, $0.isAlarm ? .warning : nil, remedy: $0.remedy)
        } + ProviderError.refusalCauses,
        "The user comes back from a provider and is not signed in: `reason`, in [the list](providers.md#what-goes-wrong). `code_reused`, `id_token_reused`, `other_browser`, `other_provider`: look at its address; a few `other_browser` are users who changed it."
    )
    package static let providerUnavailable = EventKind(
        "provider_unavailable", .error, line: answer, causes: ProviderError.unavailableCauses,
        "A provider is down or wrongly set up: `reason`, `detail`. `idp check --connect`")
    package static let providerFaulty = EventKind(
        "provider_faulty", .warning, line: answer, causes: ProviderError.faultCauses,
        "A provider's invalid answer: `reason`, `detail`. Many: tell its operator.")
    package static let identityLinkPending = EventKind(
        "identity_link_pending", .info, line: [.detail("provider"), .session],
        "A provider's identity waits until the address is proven.")
    package static let appleNotificationReceived = EventKind(
        "apple_notification_received", .notice, line: [.detail("provider"), .account.orDash],
        by: [.field("outcome", ["removed", "noted", "unknown_subject", "outdated", "ignored"])],
        "Apple reports what a user has done there: `event`, and what became of it: `outcome`.")
    package static let appleNotificationRefused = EventKind(
        "apple_notification_refused", .info, line: [.reason, .detail()],
        causes: [
            .init("content_type", "Not `application/json`: not from Apple."),
            .init("body_size", "Too long: not from Apple."), .init("body", "No `payload`: not from Apple."),
            .init("audience_unknown", "Of another app; mostly a missing or wrong `app_id`."),
            .init("too_many_refused", "Too many of this network were refused: [limits](limits.md)."),
        ] + ProviderError.notificationCauses,
        "`/auth/apple/notifications` got one not of Apple, or for another service. Anybody can send it. With `audience_unknown` look at `app_id`."
    )

    private static let answer: [EventField] = [.detail("provider"), .reason, .session.orDash]
}

/// The events of this target.
package enum ProviderSignInEvents {
    package static let all: [EventKind] = [
        .providerSignInStarted, .providerAnswerRefused, .providerUnavailable, .providerFaulty, .identityLinkPending,
        .appleNotificationReceived, .appleNotificationRefused,
    ]
}

extension ProviderSignInError {
    fileprivate var remedy: String {
        switch self {
        case .notAPage: "A frame, script or prefetch opened the callback."
        case .malformedAnswer, .wrongResponseMode: "Not as `response_mode` says."
        case .unknownState: "A `state` of another server, or from before a change of `IDP_SECRET_KEY`."
        case .unknownHandle, .otherBrowser:
            "Another browser, one without cookies, or eight later attempts. Many: [an attacker's links](threat-model.md#sign-in-with-a-provider), without effect."
        case .otherProvider: "An answer at another provider's callback."
        case .attemptUsed: "Reload or Back: nothing to do. Or a second answer by `form_post`."
        case .attemptExpired: "More than ten minutes, or `issuer` or `client_id` changed meanwhile."
        case .cancelled: "\"Cancel\" at the provider."
        case .errorAnswer: "See `error`, such as `invalid_scope` or `unauthorized_client`."
        case .codeReused, .idTokenReused: "Never by an honest browser: look at `client_address`."
        case .notFresh: "`auth_time` missing or old: choose another way."
        case .noVerifiedEmail: "See `provider_email_ignored`."
        case .addressNotAllowed: "Not in `IDP_ALLOWED_EMAILS`. Apple: [step 8](providers.md#apple)"
        case .newAccountsOff: "`new_accounts: false`."
        case .addressNotProven:
            "`IDP_MAIL_URL=none`: only email proves the address. Its user adds the provider on the home page."
        case .otherUser: "A sign-out or another user's sign-in meanwhile."
        case .linkedElsewhere: "By another account here: unlink it there."
        }
    }
}
