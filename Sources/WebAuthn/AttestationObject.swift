/// A new credential, and what its authenticator adds to show where it comes from [6.5].
struct AttestationObject: Sendable {
    /// The formats of the registry of IANA (RFC 8809) whose statements are not read.
    private static let unread: Set<String> = [
        "tpm", "android-key", "android-safetynet", "fido-u2f", "apple", "compound",
    ]

    let authenticatorDataBytes: [UInt8]
    let authenticatorData: AuthenticatorData
    private let format: String
    private let statement: CBOR

    init(_ bytes: [UInt8]) throws(WebAuthnError) {
        guard let members = try CBORReader.read(bytes).map else { throw .attestationNotMap }
        guard let format = members[.text("fmt")]?.text else { throw .attestationFormatMissing }
        guard let statement = members[.text("attStmt")] else { throw .attestationStatementMissing }
        guard let data = members[.text("authData")]?.bytes else { throw .attestationDataMissing }
        (self.format, self.statement, authenticatorDataBytes) = (format, statement, data)
        authenticatorData = try AuthenticatorData(data)
    }

    /// Checks the statement as far as it needs no root certificate [8]. Attestation was not asked for, so a statement with
    /// certificates counts as none.
    func checkStatement(_ key: CredentialKey, clientDataHash: [UInt8]) throws(WebAuthnError) {
        guard let members = statement.map else {
            // The statement of `compound` is a list [8.9].
            guard format == "compound", case .array = statement else { throw .attestationStatementMissing }
            return
        }
        switch format {
        case "none": guard members.isEmpty else { throw .noneStatement }
        case "packed" where members[.text("x5c")] == nil:
            try checkSelfAttestation(members, key, clientDataHash)
        case "packed": break
        default: guard Self.unread.contains(format) else { throw .attestationFormatUnknown }
        }
    }

    /// The new key has signed its own registration [8.2].
    private func checkSelfAttestation(
        _ members: [CBOR.Key: CBOR], _ key: CredentialKey, _ clientDataHash: [UInt8]
    ) throws(WebAuthnError) {
        guard members.count == 2, let algorithm = members[.text("alg")]?.integer,
            let signature = members[.text("sig")]?.bytes
        else { throw .packedStatement }
        guard algorithm == key.algorithm.rawValue else { throw .packedAlgorithm }
        guard key.isValid(signature, for: authenticatorDataBytes + clientDataHash) else { throw .packedSignature }
    }
}
