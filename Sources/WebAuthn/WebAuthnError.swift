/// Why a response of a browser is refused. Each case stands for one check, and holds nothing of the response.
///
/// Sections are those of WebAuthn Level 3.
package enum WebAuthnError: String, Error, CaseIterable {
    // The JSON of the response [5.1, `toJSON()`].
    case responseTooLong = "response_too_long"
    case responseNotJSON = "response_not_json"
    case responseMember = "response_member"
    case credentialType = "credential_type"
    case credentialIDsDiffer = "credential_ids_differ"
    case credentialIDLength = "credential_id_length"
    case transports
    case authenticatorAttachment = "authenticator_attachment"
    case userHandleMissing = "user_handle_missing"
    case userHandleLength = "user_handle_length"

    // Client data [5.8.1].
    case clientDataNotJSON = "client_data_not_json"
    case clientDataMember = "client_data_member"
    case clientDataType = "client_data_type"
    case challenge
    case origin
    case crossOrigin = "cross_origin"
    case topOrigin = "top_origin"
    case tokenBinding = "token_binding"

    // CBOR (RFC 8949, canonical as in CTAP 2).
    case cborTooLong = "cbor_too_long"
    case cborTruncated = "cbor_truncated"
    case cborIndefinite = "cbor_indefinite"
    case cborNotShortest = "cbor_not_shortest"
    case cborType = "cbor_type"
    case cborInteger = "cbor_integer"
    case cborText = "cbor_text"
    case cborKey = "cbor_key"
    case cborDuplicateKey = "cbor_duplicate_key"
    case cborTooDeep = "cbor_too_deep"
    case cborLeftOver = "cbor_left_over"

    // The attestation object [6.5].
    case attestationObject = "attestation_object"
    case attestationFormat = "attestation_format"
    case attestationStatement = "attestation_statement"
    case attestationAlgorithm = "attestation_algorithm"
    case attestationSignature = "attestation_signature"

    // Authenticator data [6.1].
    case authenticatorDataLength = "authenticator_data_length"
    case authenticatorDataLeftOver = "authenticator_data_left_over"
    case attestedDataMissing = "attested_data_missing"
    case attestedDataUnexpected = "attested_data_unexpected"
    case extensionsNotMap = "extensions_not_map"
    case relyingPartyID = "relying_party_id"
    case userNotPresent = "user_not_present"
    case userNotVerified = "user_not_verified"
    case backedUpWithoutEligibility = "backed_up_without_eligibility"

    // The key (RFC 9052, RFC 9053, RFC 8230).
    case keyMember = "key_member"
    case keyType = "key_type"
    case keyCurve = "key_curve"
    case keyNotOnCurve = "key_not_on_curve"
    case keySize = "key_size"
    case keyExponent = "key_exponent"
    case algorithmNotOffered = "algorithm_not_offered"

    // The assertion against what is stored [7.2].
    case credentialUnknown = "credential_unknown"
    case storedKey = "stored_key"
    case signature
    case userHandle = "user_handle"
    case backupEligibilityChanged = "backup_eligibility_changed"
    case counterRepeated = "counter_repeated"

    /// A stable id for the log.
    package var reason: String { rawValue }
}
