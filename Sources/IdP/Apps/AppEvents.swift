import IdPClients
import Logging
package import SSOWeb

/// What happens with native apps.
extension EventKind {
    package static let handoffStarted = EventKind(
        "handoff_started", .info, line: [.detail("method"), .session, .flow], "An app began a sign-in in the browser.")
    package static let handoffRefused = EventKind(
        "handoff_refused", .notice, line: [.reason, .session.orDash],
        causes: HandoffRequestError.Cause.allCases.map { .init($0.rawValue, $0.remedy) },
        "A request of an app or its browser was refused: [`reason`](native-apps.md#what-goes-wrong).")
    package static let handoffCodeIssued = EventKind(
        "handoff_code_issued", .info, line: [.account, .session, .flow], by: [.field("new_user", ["true", "false"])],
        "The browser takes a code to the app.")
    package static let handoffSignedIn = EventKind(
        "handoff_signed_in", .info, .row("session; `detail`: the methods"),
        line: [.account, .detail("method"), .session], user: Text("activity.signed-in"),
        "The web view of an app is signed in.")
    package static let handoffCodeRejected = EventKind(
        "handoff_code_rejected", .notice, .refusal("session; `cause` as in the log"), line: [.reason, .session.orDash],
        causes: HandoffStore.CodeError.allCases.map {
            .init($0.rawValue, $0.isAlert ? .warning : nil, remedy: $0.remedy)
        },
        "A code signed no web view in: [`reason`](native-apps.md#what-goes-wrong). `wrong_verifier`, `used`: another app has the code, now void, or the app mixes two sign-ins up or opens the address twice. [Prefer an https redirect](native-apps.md#security-notes)"
    )
    package static let handoffCancelled = EventKind(
        "handoff_cancelled", .info, line: [.session, .flow], "A user gave up, and went back to the app.")
    package static let accessTokenTouchFailed = EventKind(
        "access_token_touch_failed", .warning, line: [.cause()],
        "Storage: the last use of an access token was not stored. Look at `cause` and `/readyz`.")
}

/// What happens when an app adds a provider to its user's account.
extension EventKind {
    package static let linkTicketIssued = EventKind(
        "link_ticket_issued", .info, line: [.account, .detail("provider")], "An app asked to link a provider.")
    package static let linkTicketRejected = EventKind(
        "link_ticket_rejected", .notice, line: [.reason, .detail("provider"), .session.orDash],
        causes: IdentityTicketError.causes,
        "A ticket began no link: [`reason`](native-apps.md#what-goes-wrong).")
    package static let linkStarted = EventKind(
        "link_started", .info, line: [.detail("provider"), .session], "The browser goes to the provider for a link.")
    package static let linkRefused = EventKind(
        "link_refused", .notice, line: [.reason, .detail("provider")],
        causes: [.init("ended", "It took too long, was cancelled, or the app was taken out of the settings.")],
        "The answer of a provider links nothing.")
    package static let linkCodeIssued = EventKind(
        "link_code_issued", .info, line: [.detail("provider"), .session],
        "The browser takes the code of a link to the app.")
    package static let linkCodeRejected = EventKind(
        "link_code_rejected", .notice, line: [.reason, .account, .detail("provider")],
        causes: IdentityTicketError.causes + [
            .init("linked_elsewhere", "Another account here uses it: unlink it there.")
        ], "A code linked nothing: [`reason`](native-apps.md#what-goes-wrong).")
}

/// What happens with the association files.
extension EventKind {
    package static let associationFileWarning = EventKind(
        "association_file_warning", .warning, .line, "`warning` is about an association file.")
    package static let associationFileRejected = EventKind(
        "association_file_rejected", .error, .line,
        "A fault of a reloaded file: `error`. The old one holds. Correct it, send SIGHUP.")
    package static let associationFileLoaded = EventKind(
        "association_file_loaded", .info, .line, "`file` was read; it has so many `bytes`.")
}

/// The events of this target.
package enum AppEvents {
    package static let all: [EventKind] = [
        .handoffStarted, .handoffRefused, .handoffCodeIssued, .handoffSignedIn, .handoffCodeRejected, .handoffCancelled,
        .accessTokenTouchFailed, .linkTicketIssued, .linkTicketRejected, .linkStarted, .linkRefused, .linkCodeIssued,
        .linkCodeRejected, .associationFileWarning, .associationFileRejected, .associationFileLoaded,
    ]
}

extension HandoffRequestError.Cause {
    fileprivate var remedy: String {
        switch self {
        case .redirectMissing, .redirectRepeated, .redirectMalformed: "The app builds the address wrongly."
        case .redirectNotRegistered:
            "`sent_redirect` is not one of `IDP_NATIVE_APPS`. A new setting needs a restart."
        case .challengeMissing, .challengeRepeated, .challengeMalformed, .challengeMethod:
            "Not 43 base64url characters, once; often padding (`=`). The app gets `error=invalid_request`."
        case .notAPage: "Opened in a frame, as an image, or by a prefetch."
        case .staleForm: "No cookies in the browser, or a sign-in in another tab meanwhile."
        case .otherBrowser: "Of another browser. Start again in the app."
        case .ended: "Older than ten minutes, cancelled or complete. Start again in the app."
        case .crossSite: "Opened from another site."
        case .notAnApp: "No `Hotwire Native` in the web view's user agent."
        }
    }
}

extension HandoffStore.CodeError {
    fileprivate var remedy: String {
        switch self {
        case .malformed: "Code or verifier decoded or cut."
        case .unknown: "Of another server, an old code, or a handoff cancelled or pushed out by eight later ones."
        case .expired: "More than 60 seconds. Start again."
        case .used: "The address was opened twice: never reload it."
        case .wrongVerifier:
            "Two handoffs at once and the older verifier stored, or the code at another app. The code has ended."
        case .signedOut: "The browser was signed out meanwhile."
        case .account: "The account may not sign in any more."
        case .notRegistered: "Since a restart not in `IDP_NATIVE_APPS`."
        }
    }
}

extension IdentityTicketError {
    fileprivate static let causes = allCases.map {
        EventCause($0.rawValue, $0.isAlert ? .warning : nil, remedy: $0.remedy)
    }

    private var remedy: String {
        switch self {
        case .malformed: "Missing, given twice, decoded or cut."
        case .unknown: "Of another server, or replaced by a newer one of the same app."
        case .expired: "Too late. Start again in the app."
        case .used: "Opened twice, or another app has it; it is void."
        case .wrongProvider: "The ticket is for another provider, and void."
        case .wrongVerifier: "Two links at once and the older verifier stored, or the code at another app. It is void."
        case .otherApp: "The access token did not ask for the ticket. The code is void."
        case .signedOut: "The app was signed out meanwhile, or its account may not sign in any more."
        case .providerRemoved: "The provider has left the file."
        case .notRegistered: "Since a restart not in `IDP_NATIVE_APPS`."
        }
    }
}
