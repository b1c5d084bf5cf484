/// Why a response of a browser is refused. Each case stands for one check, and holds nothing of the response.
///
/// Sections are those of WebAuthn Level 3.
package enum WebAuthnError: String, Error, CaseIterable {
    // The JSON of the response [5.1, `toJSON()`].
    case responseTooLong = "response_too_long"
    case responseNotJSON = "response_not_json"
    case responseNotObject = "response_not_object"
    /// `id` or `rawId` is missing or not base64url.
    case credentialID = "credential_id"
    case credentialIDsDiffer = "credential_ids_differ"
    case credentialIDLength = "credential_id_length"
    case credentialType = "credential_type"
    case authenticatorAttachment = "authenticator_attachment"
    case extensionResults = "extension_results"
    /// `response` is missing or not an object.
    case authenticatorResponse = "authenticator_response"
    /// These five: missing, empty or not base64url.
    case clientDataEncoding = "client_data_encoding"
    case attestationObjectEncoding = "attestation_object_encoding"
    case authenticatorDataEncoding = "authenticator_data_encoding"
    case signatureEncoding = "signature_encoding"
    case userHandleEncoding = "user_handle_encoding"
    case userHandleMissing = "user_handle_missing"
    case userHandleLength = "user_handle_length"
    case transports

    // Client data [5.8.1].
    case clientDataNotJSON = "client_data_not_json"
    case clientDataNotObject = "client_data_not_object"
    case clientDataType = "client_data_type"
    case challengeMissing = "challenge_missing"
    case challengeMismatch = "challenge_mismatch"
    case originMissing = "origin_missing"
    case originMismatch = "origin_mismatch"
    case crossOrigin = "cross_origin"
    case topOrigin = "top_origin"
    case tokenBinding = "token_binding"

    // CBOR (RFC 8949, canonical as in CTAP 2).
    case cborTruncated = "cbor_truncated"
    case cborReserved = "cbor_reserved"
    case cborIndefinite = "cbor_indefinite"
    case cborNotShortest = "cbor_not_shortest"
    case cborInteger = "cbor_integer"
    case cborTag = "cbor_tag"
    case cborFloat = "cbor_float"
    case cborSimple = "cbor_simple"
    case cborText = "cbor_text"
    case cborKey = "cbor_key"
    case cborDuplicateKey = "cbor_duplicate_key"
    case cborTooDeep = "cbor_too_deep"
    case cborLeftOver = "cbor_left_over"

    // The attestation object [6.5, 8].
    case attestationNotMap = "attestation_not_map"
    case attestationFormatMissing = "attestation_format_missing"
    case attestationFormatUnknown = "attestation_format_unknown"
    case attestationStatementMissing = "attestation_statement_missing"
    case attestationDataMissing = "attestation_data_missing"
    case noneStatement = "none_statement"
    case packedStatement = "packed_statement"
    case packedAlgorithm = "packed_algorithm"
    case packedSignature = "packed_signature"

    // Authenticator data [6.1].
    case authenticatorDataLength = "authenticator_data_length"
    case authenticatorDataLeftOver = "authenticator_data_left_over"
    case attestedDataLength = "attested_data_length"
    case attestedDataMissing = "attested_data_missing"
    case attestedDataUnexpected = "attested_data_unexpected"
    case attestedIDDiffers = "attested_id_differs"
    case extensionsNotMap = "extensions_not_map"
    case relyingPartyID = "relying_party_id"
    case userNotPresent = "user_not_present"
    case userNotVerified = "user_not_verified"
    case backedUpWithoutEligibility = "backed_up_without_eligibility"

    // The key (RFC 9052, RFC 9053, RFC 8230).
    case keyNotMap = "key_not_map"
    case keyMember = "key_member"
    case keyType = "key_type"
    case keyCurve = "key_curve"
    case keySize = "key_size"
    case keyNotOnCurve = "key_not_on_curve"
    case keyModulus = "key_modulus"
    case keyExponent = "key_exponent"
    case algorithmNotOffered = "algorithm_not_offered"

    // The assertion against what is stored [7.2].
    case otherCredential = "other_credential"
    case storedKey = "stored_key"
    case signature
    case userHandleMismatch = "user_handle_mismatch"
    case backupEligibilityChanged = "backup_eligibility_changed"
    case counterRepeated = "counter_repeated"

    /// A stable id for the log.
    package var reason: String { rawValue }
}
