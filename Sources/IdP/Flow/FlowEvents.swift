import IdPClients
import Logging
package import SSOWeb

/// What happens in a sign-in, whatever it is for.
extension EventKind {
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
    package static let secondFactorMissing = EventKind(
        "second_factor_missing", .notice, line: [.account, .detail("factor").orDash, .session, .flow],
        "A visitor who has given the first proof tries to go on without the second one.")
}

/// The events of this target.
package enum FlowEvents {
    package static let all: [EventKind] = [
        .signedIn, .secondFactorRequired, .identityLinkRefused, .secondFactorMissing,
    ]
}
