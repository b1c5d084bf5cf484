import IdPClients
import Logging
package import SSOWeb

extension EventKind {
    package static let verifyRefused = EventKind(
        "verify_refused", .info,
        .refusal(
            "client, `cause`, the token's session and flow; `detail`: the client that it was for, or what a wrong signature was made with"
        ),
        line: SignedPostError.line, causes: SignedPostError.causesOfClients + GrantErrorCause.eventCauses,
        "The back channel refused a token or its caller. The warnings are alarms; all else is an error of the caller, or a sign-in's normal end."
    )
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
