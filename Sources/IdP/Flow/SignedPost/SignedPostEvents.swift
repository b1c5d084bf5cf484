import Logging
package import SSOWeb

extension SignedPostError {
    /// The fields of the line of a request that is refused, beside `error` and `client`.
    package static let line: [EventField] = [.cause(), .flow.orDash, .session]

    /// What a client's signed post can be refused for, whatever it asks.
    package static let causesOfClients: [EventCause] =
        SignatureCheck.SignatureError.allCases.map(\.eventCause) + [
            .init("body", "400 `invalid_request`, and the field; `detail` says more."),
            .init("content_type", "415 `invalid_request`: send `application/json`."),
            .init("body_size", "413 `invalid_request`: send a shorter body."),
            .init("bad_signatures", "429 `rate_limited`: [too many](limits.md) wrong signatures of this network."),
        ]
}

extension SignatureCheck.SignatureError {
    /// A wrong signature means that the two sides hold different secrets, or that an attacker tries. A header that is missing
    /// or malformed means only that the caller has a bug, or is a scanner.
    fileprivate var eventCause: EventCause {
        switch self {
        case .missing: EventCause(rawValue, "401 `invalid_signature`: send `X-SSO-Signature`.")
        case .repeated: EventCause(rawValue, "401 `invalid_signature`: send `X-SSO-Signature` once.")
        case .malformed: EventCause(rawValue, "401 `invalid_signature`: `sha256=` and 64 hexadecimal digits.")
        case .clientRepeated: EventCause(rawValue, "401 `invalid_signature`: send `X-SSO-Client` once.")
        case .clientMissing: EventCause(rawValue, "401 `invalid_signature`: a long body needs `X-SSO-Client`.")
        case .unknownClient:
            EventCause(rawValue, .warning, remedy: "Correct `X-SSO-Client` at the caller, or register the client.")
        case .wrong:
            EventCause(
                rawValue, .warning,
                remedy: "Different secrets, or an attacker. Compare fingerprints in both logs.")
        }
    }
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
        case .void: "It was revoked. Start a new sign-in."
        case .expired: "It came too late. Start a new sign-in."
        case .clock: "The clock was set back. Correct it."
        case .redirectURI: "Send the `redirect_uri` of the request byte for byte, and keep it registered."
        case .verifierMissing: "Send `code_verifier`: the request had a `code_challenge`."
        case .verifierUnexpected: "Send no `code_verifier`: the request had no `code_challenge`."
        case .verifierWrong: "`code_verifier` must be that of the request."
        case .sessionEnded, .accountSignedOut: "The user has signed out."
        }
    }
}
