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
        "The first proof was right, and the account needs a second one.")
    package static let identityLinkRefused = EventKind(
        "identity_link_refused", .notice, line: [.account, .cause("reason"), .detail("provider")],
        causes: [
            .init(
                "provider_removed",
                "The address was proven, but the provider has left the file. Add it again to link it.")
        ], "A way to sign in that waited was not added.")
    package static let tokenIssued = EventKind(
        "token_issued", .info, .row("client, session, flow"), line: [.client, .account, .session, .flow],
        by: [.protocol], user: Text("activity.client-asked"),
        "A client gets a token or code for a user.")
    package static let accessRefused = EventKind(
        "access_refused", .notice, .row("client, session, flow"), line: [.client, .account, .session, .flow],
        by: [.protocol],
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
}

extension EventLabel {
    /// The client's protocol.
    package static let `protocol` = field("protocol", ["sso", "oidc"])
}

/// The events of this target.
package enum FlowEvents {
    package static let all: [EventKind] = [
        .signInRequested, .signedIn, .secondFactorRequired, .identityLinkRefused, .tokenIssued, .accessRefused,
        .loginRequired, .interactionRequired, .signInCancelled, .otherAccountThanExpected, .tokenRedeemed,
    ]
}
