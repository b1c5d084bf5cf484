import IdPAuthorization
import IdPClients
import IdPFlow
import Logging
import SSOShared
import SSOWeb

/// Why an authorize request was refused, for the log and for the client's developer.
struct AuthorizeQueryError: Sendable {
    /// The raw values are stable: the log has them as `cause`.
    enum Cause: String, Error, CaseIterable {
        case clientMissing = "client_id_missing"
        case clientRepeated = "client_id_repeated"
        case clientMalformed = "client_id_malformed"
        case clientUnknown = "client_id_unknown"
        case redirectURIMissing = "redirect_uri_missing"
        case redirectURIRepeated = "redirect_uri_repeated"
        case redirectURIMalformed = "redirect_uri_malformed"
        case redirectURINotRegistered = "redirect_uri_not_registered"
        case stateMissing = "state_missing"
        case stateRepeated = "state_repeated"
        case stateTooLong = "state_too_long"
        case stateNotASCII = "state_not_ascii"
        case challengeMissing = "code_challenge_missing"
        case challengeMethod = "code_challenge_method_not_s256"
        case challengeRepeated = "code_challenge_repeated"
        case challengeMalformed = "code_challenge_malformed"
        case promptRepeated = "prompt_repeated"
        case promptUnknown = "prompt_unknown"
        case maxAgeRepeated = "max_age_repeated"
        case maxAgeMalformed = "max_age_malformed"
        case strengthRepeated = "acr_values_repeated"
        case strengthUnknown = "acr_values_unknown"
        case loginHintRepeated = "login_hint_repeated"
        case loginHintMalformed = "login_hint_malformed"

        /// One ASCII sentence, for `error_description`.
        var explanation: String {
            switch self {
            case .clientMissing: "client_id is missing"
            case .clientRepeated: "client_id appears more than once"
            case .clientMalformed: "client_id is not percent-encoded correctly"
            case .clientUnknown: "client_id is not registered"
            case .redirectURIMissing: "redirect_uri is missing"
            case .redirectURIRepeated: "redirect_uri appears more than once"
            case .redirectURIMalformed: "redirect_uri is not percent-encoded correctly"
            case .redirectURINotRegistered: "redirect_uri is not registered for this client"
            case .stateMissing: "state is missing"
            case .stateRepeated: "state appears more than once"
            case .stateTooLong: "state is longer than \(AuthorizeRequest.maximumStateBytes) bytes"
            case .stateNotASCII: "state has a character that is not printable ASCII"
            case .challengeMissing: "code_challenge_method was sent without code_challenge"
            case .challengeMethod: "code_challenge_method must be S256"
            case .challengeRepeated: "code_challenge or code_challenge_method appears more than once"
            case .challengeMalformed: "code_challenge must be 43 base64url characters, the SHA-256 of the verifier"
            case .promptRepeated: "prompt appears more than once"
            case .promptUnknown: "prompt must be login, none or select_account"
            case .maxAgeRepeated: "max_age appears more than once"
            case .maxAgeMalformed: "max_age must be a whole number of seconds from 0 to \(SignInWishes.longestMaxAge)"
            case .strengthRepeated: "acr_values appears more than once"
            case .strengthUnknown: "acr_values must be any, mfa or phr"
            case .loginHintRepeated: "login_hint appears more than once"
            case .loginHintMalformed: "login_hint must be one percent-encoded email address"
            }
        }
    }

    let cause: Cause
    /// Where the browser goes with the error. Nil before client and redirect URI are known to belong together: then there is
    /// a page, never a redirect.
    let callback: String?
    /// The client, once it is known.
    let client: Client?
    private let fields: URLEncodedFields

    init(cause: Cause, fields: URLEncodedFields, client: Client?, callback: String?) {
        (self.cause, self.fields, self.client, self.callback) = (cause, fields, client, callback)
    }

    /// The page of an error that is not sent back. What cannot be read is named: "isn't set up here" would mislead.
    var page: PublicError {
        switch cause {
        case .clientMalformed: .unreadable("client_id")
        case .redirectURIMalformed: .unreadable("redirect_uri")
        default: FlowError.unknownClient
        }
    }

    /// The row is without what was sent: it is the text of anybody.
    var event: Event {
        Event(.authorizeRefused, by: .visitor, client: client?.id, cause: cause.rawValue, further)
    }

    /// Further fields of the line. Without a callback these include what was sent, as ``SentText`` shows it, and the registered
    /// redirect URI that is most like the one that was sent: mostly they differ in a slash, a host or a port.
    private var further: Logger.Metadata {
        var metadata: Logger.Metadata = ["protocol": "\(SSOProtocol.id)", "message": "\(cause.explanation)"]
        // The user sees the client's page of the error. The client's line about it has the same flow.
        if let state = (try? fields.bytes("state")) ?? nil, !state.isEmpty {
            metadata["flow"] = "\(FlowLogID.name(digest: SHA256.hash(state)))"
        }
        guard callback == nil else { return metadata }
        let sent = (try? fields.bytes("redirect_uri")) ?? nil
        if let id = (try? fields.bytes("client_id")) ?? nil { metadata["sent_client_id"] = "\(SentText.clientID(id))" }
        if let sent { metadata["sent_redirect_uri"] = "\(SentText.address(sent))" }
        if let client, let sent, let nearest = client.nearestRedirectURI(to: sent) {
            metadata["nearest_redirect_uri"] = "\(nearest)"
        }
        return metadata
    }
}
