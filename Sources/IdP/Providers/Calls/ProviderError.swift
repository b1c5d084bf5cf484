/// Why a provider cannot be used, or why what it sent is not believed.
///
/// Nothing in it is secret: never a code, a token or a client secret.
package struct ProviderError: Error, Sendable, Equatable {
    /// Where a call went.
    enum Endpoint: String, Sendable, CaseIterable {
        case discovery
        case keys = "jwks"
        case token = "token_endpoint"
        case revocation = "revocation_endpoint"
        case gitHubUser = "github_user"
        case gitHubEmails = "github_emails"
    }

    /// Why a call brought nothing that can be read.
    enum CallError: String, Sendable, CaseIterable {
        case timedOut = "timed_out"
        case unreachable
        /// Too many calls to this provider are in progress here.
        case busy
        case certificate
        case addressRefused = "address_refused"
        case tooLarge = "too_large"
        /// Another status than 200. Redirects are not followed.
        case status
        /// Not a type of JSON.
        case contentType = "content_type"
        /// Another `Content-Encoding` than gzip and deflate, or a damaged one. `identity` was asked for.
        case contentEncoding = "content_encoding"
        /// Not strict JSON, or not an object.
        case json
        /// An OAuth error (RFC 6749 5.2).
        case refused

        var meaning: Meaning {
            switch self {
            case .timedOut, .unreachable, .busy, .certificate, .addressRefused: .outage
            case .tooLarge, .status, .contentType, .contentEncoding, .json: .fault
            case .refused: .setup
            }
        }
    }

    /// What a failure means for the user and for an operator.
    package enum Meaning: Sendable, Equatable {
        /// The provider cannot be reached, or says that it cannot answer now.
        case outage
        /// The provider answered something that is no answer, such as a page, a redirect or JSON with a member twice. Only its
        /// operator can mend that.
        case fault
        /// No sign-in works until its documents or our settings for it are changed.
        case setup
        /// What came is not believed.
        case refusal
    }

    /// What is wrong with the provider's documents, or with our settings for it.
    enum DocumentError: String, Sendable, CaseIterable {
        case discoveryIssuerMismatch = "discovery_issuer_mismatch"
        case discoveryEndpointMissing = "discovery_endpoint_missing"
        case discoveryEndpointRefused = "discovery_endpoint_refused"
        case discoveryMember = "discovery_member_invalid"
        case noCommonAlgorithm = "discovery_no_common_algorithm"
        case noAuthMethod = "discovery_no_auth_method"
        case keysMalformed = "jwks_malformed"
        case keysTooMany = "jwks_too_many_keys"
        case keysNoneUsable = "jwks_no_usable_key"
        case appleKey = "apple_key_unusable"
        case revocationMissing = "revocation_unsupported"
    }

    /// What is wrong with an answer.
    package enum AnswerError: String, Sendable, CaseIterable {
        case issuerMissing = "answer_issuer_missing"
        case issuerMismatch = "answer_issuer_mismatch"
        case noIDToken = "id_token_missing"
        case tokenTooLarge = "id_token_too_large"
        case tokenParts = "id_token_malformed"
        case tokenHeader = "id_token_header_invalid"
        case tokenType = "id_token_typ_invalid"
        case tokenCritical = "id_token_crit"
        case algorithm = "id_token_alg_not_allowed"
        case keyUnknown = "id_token_key_unknown"
        case keyAmbiguous = "id_token_key_ambiguous"
        case keyMismatch = "id_token_key_alg_mismatch"
        case keyUnusable = "id_token_key_unusable"
        case signature = "id_token_signature_invalid"
        case claims = "id_token_claims_invalid"
        case issuer = "id_token_issuer_mismatch"
        case audience = "id_token_audience_mismatch"
        case authorizedParty = "id_token_azp_mismatch"
        case subject = "id_token_subject_invalid"
        case expired = "id_token_expired"
        case issuedAt = "id_token_issued_in_future"
        case tooOld = "id_token_too_old"
        case notBefore = "id_token_not_yet_valid"
        case authTime = "id_token_auth_time_invalid"
        case nonce = "nonce_mismatch"
        case accessTokenHash = "at_hash_mismatch"
        case domain = "domain_not_allowed"
        case gitHubToken = "github_token_invalid"
        case gitHubUser = "github_user_invalid"
        case event = "notification_event_invalid"
    }

    /// A stable word in `snake_case` for the log.
    package let reason: String
    /// At most 200 bytes of printable ASCII for the log, perhaps empty. It may hold words of the provider: not for pages.
    package let detail: String
    package let meaning: Meaning
    /// The provider does not work now, or not with our settings: "try again, or use another way". False when its answer
    /// is wrong.
    package var isUnavailable: Bool { meaning != .refusal }
    /// Nothing that the provider meant to say has arrived. A document from before may still be used.
    var isOutage: Bool { meaning == .outage || meaning == .fault }

    /// A call that failed.
    static func call(_ endpoint: Endpoint, _ problem: CallError, _ detail: String = "") -> Self {
        Self(
            reason: "\(endpoint.rawValue)_\(problem.rawValue)", detail: printable(detail), meaning: problem.meaning)
    }

    /// An answer with a status that the call does not permit.
    ///
    /// - Parameters:
    ///   - isOverLimit: the provider has had too many calls.
    ///   - place: where a redirect leads.
    static func call(
        _ endpoint: Endpoint, status: Int, isOverLimit: Bool = false, leadsTo place: String? = nil
    ) -> Self {
        let direction = place.map { ", leads to \($0)" } ?? ""
        return Self(
            reason: "\(endpoint.rawValue)_\(CallError.status.rawValue)",
            detail: printable("status \(status)\(isOverLimit ? ", rate limit" : "")\(direction)"),
            meaning: status >= 500 || status == 429 || isOverLimit ? .outage : .fault)
    }

    /// All calls together took too long.
    static let timedOut = Self(reason: "timed_out", detail: "", meaning: .outage)

    /// The user does not wait any more.
    static let cancelled = Self(reason: "cancelled", detail: "", meaning: .outage)

    /// An OAuth error at the token endpoint. `invalid_grant` is about the code of this answer, any other about the
    /// provider or our settings for it.
    ///
    /// - Parameter hide: removes from the words what must not reach the log.
    static func refused(
        by endpoint: Endpoint, error: String, description: String?, hiding hide: (String) -> String = { $0 }
    ) -> Self {
        let words = hide(description.map { "\(error): \($0)" } ?? error)
        return Self(
            reason: "\(endpoint.rawValue)_\(CallError.refused.rawValue)", detail: printable(words),
            meaning: error == "invalid_grant" || error == "bad_verification_code" ? .refusal : .setup)
    }

    /// A document or a setting with which no sign-in can work.
    static func document(_ problem: DocumentError, _ detail: String = "") -> Self {
        Self(reason: problem.rawValue, detail: printable(detail), meaning: .setup)
    }

    /// An answer that is not believed.
    static func answer(_ problem: AnswerError, _ detail: String = "") -> Self {
        Self(reason: problem.rawValue, detail: printable(detail), meaning: .refusal)
    }

    /// Text from elsewhere as it may stand in a log: 200 bytes of printable ASCII, `?` for any other character.
    static func printable(_ text: String) -> String {
        String(
            decoding: text.unicodeScalars.prefix(200).map {
                $0.isASCII && $0.value >= 0x20 && $0.value != 0x7f
                    ? UInt8($0.value) : UInt8(ascii: "?")
            }, as: UTF8.self)
    }
}

extension ProviderError: CustomStringConvertible {
    /// Reason and detail.
    package var description: String { detail.isEmpty ? reason : "\(reason) (\(detail))" }
}
