import HTTPTypes
import IdPAuthorization
import IdPClients
import IdPFlow
import SSOShared
import SSOWeb

/// The errors of verify.
extension SignedPostError {
    static let wrongType = Self(
        status: .unsupportedMediaType, code: .invalidRequest, words: "Content-Type must be application/json.",
        cause: "content_type")

    static let tooLarge = Self(
        status: .contentTooLarge, code: .invalidRequest,
        words: "The body must have at most \(VerifyRequest.maximumBytes) bytes.", cause: "body_size")

    /// - Parameter claimed: what the request names as its client, for the log.
    static func badSignature(_ rejection: SignatureCheck.SignatureError, claimed: String?) -> Self {
        Self(
            status: .unauthorized, code: .invalidSignature, words: rejection.explanation, cause: rejection.rawValue,
            client: claimed.map { SentText.clientID(Array($0.utf8)) })
    }

    static func badRequest(_ error: VerifyBodyError, client: String) -> Self {
        let form =
            switch error {
            case .missing, .notAnObject, .notJSON:
                " The body must be one JSON object with the string \"token\" and, optionally, \"redirect_uri\" and "
                    + "\"code_verifier\"."
            case .wrongType: ""
            }
        return Self(
            status: .badRequest, code: .invalidRequest,
            words: error == .notAnObject ? String(form.dropFirst()) : "\(error)\(form)",
            cause: "body", client: client, detail: "\(error)")
    }

    static func badToken(_ client: String, _ cause: GrantErrorCause) -> Self {
        Self(
            status: .unauthorized, code: .invalidToken, words: cause.explanation, cause: cause.rawValue, client: client)
    }

    static func badToken(_ client: String, _ rejection: GrantStore.GrantError) -> Self {
        var error = badToken(client, rejection.cause)
        (error.flow, error.session) = (rejection.flow, rejection.session)
        error.isAudited = true
        return error
    }

    /// A token in the wrong hands has leaked, and is void from now on.
    static func leakedToken(_ client: String, _ rejection: GrantStore.GrantError, owner: String) -> Self {
        var error = badToken(client, rejection)
        error.issuedTo = owner
        return error
    }

    static let unavailable = Self(
        status: .serviceUnavailable, code: .temporarilyUnavailable,
        words: "Try again in a moment. The token is still valid.",
        cause: "storage", retryAfter: .seconds(1))
}

extension SignatureCheck.SignatureError {
    /// The sentence for the client's developer. An unknown client and a wrong signature have the same, so that a caller
    /// without a secret does not learn which clients are registered.
    fileprivate var explanation: String {
        switch self {
        case .missing: "X-SSO-Signature is missing. It must be sha256= and 64 hexadecimal digits."
        case .repeated: "X-SSO-Signature appears more than once."
        case .malformed: "X-SSO-Signature is malformed. It must be sha256= and 64 hexadecimal digits."
        case .clientRepeated: "X-SSO-Client appears more than once."
        case .clientMissing:
            "X-SSO-Client is missing. A body of more than \(SignatureCheck.maximumBytesOfUnnamed) bytes needs it."
        case .wrong, .unknownClient:
            "X-SSO-Signature is wrong, or X-SSO-Client is not registered. Sign the exact bytes of the body, and compare the "
                + "fingerprint of your secret with the one in the identity provider's log."
        }
    }
}

extension GrantErrorCause {
    /// The sentence for the client's developer. Only a caller with the right signature gets it.
    ///
    /// A token of another client is described as an unknown one: its caller must not learn that it exists. A disabled account
    /// is described as signed out.
    fileprivate var explanation: String {
        switch self {
        case .unknown, .otherClient:
            "The token is unknown. It was never issued, or a newer one of the same sign-in has replaced it."
        case .malformedToken: "The token is malformed. Send it as the callback received it: sst_ and 43 characters."
        case .malformedVerifier:
            "code_verifier is malformed. It must have 43 to 128 characters: letters, digits, - . _ ~"
        case .used: "The token has been used already. A token works once."
        case .accountNotAllowed, .sessionEnded, .accountSignedOut:
            "The user has signed out at the identity provider since the token was issued."
        case .noAccess: "The user has lost access to this client since the token was issued."
        case .strength: "This client needs a stronger sign-in since the token was issued. Start a new sign-in."
        case .void: "The token was revoked. Start a new sign-in."
        case .expired: "The token has expired. A token is valid for five minutes."
        case .clock: "The token is not valid yet. Start a new sign-in."
        case .redirectURI:
            "The token was issued for another redirect_uri. Send the one of the authorize request, byte for byte."
        case .redirectURIDropped: "This redirect_uri is no longer registered at the identity provider."
        case .verifierMissing: "code_verifier is missing. The authorize request had a code_challenge."
        case .verifierUnexpected: "code_verifier was sent, but the authorize request had no code_challenge."
        case .verifierWrong: "code_verifier does not match the code_challenge of the authorize request."
        }
    }
}
