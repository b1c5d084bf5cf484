import IdPClients
import IdPProviders
import Logging
package import SSOWeb

/// What happens on the user's own pages.
extension EventKind {
    package static let identityUnlinked = EventKind(
        "identity_unlinked", .notice, .row("session; `detail`: the provider"),
        line: [.account, .detail("provider").orDash], user: Text("activity.identity-removed"),
        "A user removed a way to sign in; every other sign-in of the account has ended.")
    package static let accountNoticeLimitReached = EventKind(
        "account_notice_limit_reached", .warning, line: [.account],
        "An account's ways to sign in changed over twenty times in a day: for a day emails report only additions. Ask the user; `idp user sign-out` if another did it."
    )
    package static let providerRevocationFailed = EventKind(
        "provider_revocation_failed", .warning, line: [.detail("provider"), .reason],
        by: [.field("retries", ["yes", "no"])],
        causes: [
            .init("provider_unknown", "The provider has left the file: end it there."),
            .init("token_unreadable", "The key that sealed the token has left `IDP_SECRET_KEY`: put it back."),
        ] + ProviderError.revocationCauses,
        "An account at Apple was removed here, its token there not revoked. With `retries=yes` tried every ten minutes for a day."
    )
}

extension EventKind {
    package static let dataDownloaded = EventKind(
        "data_downloaded", .notice, .row("session"), line: [.account, .session], user: Text("activity.data-downloaded"),
        "A user downloaded what is stored of the own account.")
}

/// The events of this target.
package enum AccountPageEvents {
    package static let all: [EventKind] = [
        .identityUnlinked, .accountNoticeLimitReached, .providerRevocationFailed, .dataDownloaded,
    ]
}
