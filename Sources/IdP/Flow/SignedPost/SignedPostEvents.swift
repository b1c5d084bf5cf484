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
