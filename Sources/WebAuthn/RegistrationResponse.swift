import SSOShared

/// The answer to ``CreationOptions``: what `PublicKeyCredential.toJSON()` has made of a new credential [5.1].
package struct RegistrationResponse: Sendable {
    package let credentialID: [UInt8]
    private let clientData: [UInt8]
    private let attestationObject: [UInt8]
    private let transports: [String]
    private let isDiscoverable: Bool?

    /// Reads the form alone. What browsers repeat from the attestation object (`publicKey`, `authenticatorData`) is not read.
    ///
    /// - Parameter json: at most 64 KiB.
    package init(json: [UInt8]) throws(WebAuthnError) {
        let credential = try CredentialJSON(json)
        (credentialID, clientData) = (credential.id, credential.clientData)
        attestationObject = try credential.bytes("attestationObject", .attestationObjectEncoding)
        transports = try Self.transports(credential.response.member("transports"))
        isDiscoverable = credential.extensionResults["credProps"]?["rk"]?.bool
    }

    /// Makes every check of a registration [7.1] but one: that the id is new to every account.
    ///
    /// Attestation is not asked for. A self attestation is verified, those with certificates count as none.
    ///
    /// - Parameter offered: the algorithms of the options.
    package func verify(
        _ ceremony: Ceremony, offered: [CredentialAlgorithm] = CredentialAlgorithm.allCases
    ) throws(WebAuthnError) -> NewCredential {
        try ClientData.check(clientData, .create, ceremony)
        let object = try AttestationObject(attestationObject)
        let data = object.authenticatorData
        try data.check(ceremony)
        guard let attested = data.attested else { throw .attestedDataMissing }
        // Only the id in the authenticator data can be signed.
        guard attested.credentialID == credentialID else { throw .attestedIDDiffers }
        let key = try CredentialKey(attested.key, offered: offered)
        try object.checkStatement(key, clientDataHash: SHA256.hash(clientData))
        return NewCredential(
            attested, data, key.algorithm, transports: transports, isDiscoverable: isDiscoverable)
    }

    /// Words that the registry does not know are kept: browsers learn them before servers do [5.8.4].
    private static func transports(_ node: JSONNode?) throws(WebAuthnError) -> [String] {
        guard let node else { return [] }
        guard let items = node.array, items.count <= 8 else { throw .transports }
        var words: [String] = []
        for item in items {
            guard let word = item.string, (1...32).contains(word.utf8.count),
                word.utf8.allSatisfy({ $0.isASCIILower || $0.isASCIIDigit || $0 == UInt8(ascii: "-") })
            else { throw .transports }
            if !words.contains(word) { words.append(word) }
        }
        return words
    }
}

/// A credential that an authenticator has made, checked.
package struct NewCredential: Sendable {
    /// 1 to 1023 bytes, chosen by the authenticator.
    package let id: [UInt8]
    /// The COSE key, byte for byte as it came. It is what ``StoredCredential`` takes.
    package let publicKey: [UInt8]
    package let algorithm: CredentialAlgorithm
    package let signCount: UInt32
    /// The credential may leave the device that made it (BE). It never changes.
    package let isBackupEligible: Bool
    /// It has a copy now (BS).
    package let isBackedUp: Bool
    /// How the browser reaches the authenticator, for ``CreationOptions/Excluded``. At most 8 words of small letters, digits
    /// and hyphens, none longer than 32; the list may be empty.
    package let transports: [String]
    package let aaguid: AAGUID
    /// What `credProps.rk` says: false for a credential that a sign-in without a name cannot find; nil where the browser is
    /// silent. Nobody signs it.
    package let isDiscoverable: Bool?

    init(
        _ attested: AuthenticatorData.Attested, _ data: AuthenticatorData, _ algorithm: CredentialAlgorithm,
        transports: [String], isDiscoverable: Bool?
    ) {
        (id, publicKey, aaguid) = (attested.credentialID, attested.publicKey, attested.aaguid)
        signCount = data.signCount
        (isBackupEligible, isBackedUp) = (data.flags.contains(.backupEligible), data.flags.contains(.backedUp))
        (self.algorithm, self.transports, self.isDiscoverable) = (algorithm, transports, isDiscoverable)
    }
}
