/// Why a token could not be redeemed. Whatever it is, nobody is signed in.
public enum BackChannelFailure: Error, Sendable, Equatable {
    /// The identity provider has said no. After `invalid_token` only a new sign-in helps; `invalid_signature` and
    /// `invalid_request` are faults of configuration or code on this side.
    case rejected(VerifyError)
    /// No answer, or one that says "later": down, too slow, too busy. Says nothing about the token, which may or may
    /// not have been consumed: **do not repeat the call, start a new sign-in.**
    case unavailable(String)
    /// An answer that must not be believed: wrong certificate, wrong signature, another client's, a redirect, not JSON.
    case untrusted(String)
}

extension BackChannelFailure: CustomStringConvertible {
    /// For the log: holds no token, secret, signature or body.
    public var description: String {
        switch self {
        case .rejected(let code): "rejected: \(code.rawValue)"
        case .unavailable(let cause): "unavailable: \(cause)"
        case .untrusted(let cause): "untrusted: \(cause)"
        }
    }
}

/// Why a ``BackChannelClient`` cannot be set up. One clear line at start instead of a failure at the first sign-in.
public enum BackChannelSetupFault: Error, Sendable, Equatable, CustomStringConvertible {
    case notAnOrigin
    case plaintext
    case clientID
    case caFile(path: String)
    case curl

    public var description: String {
        switch self {
        case .notAnOrigin: "the back channel's address must be an origin such as https://idp.example.com"
        case .plaintext: "the back channel needs https unless the host is this machine"
        case .clientID: "a client id is 1 to 63 of a-z, 0-9 and -, not beginning with -"
        case .caFile(let path): "\(path): no certificates in PEM form to be read there"
        case .curl: "libcurl could not be initialised"
        }
    }
}
