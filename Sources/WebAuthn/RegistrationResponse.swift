/// The answer to ``CreationOptions``: what `PublicKeyCredential.toJSON()` has made of a new credential [5.1].
package struct RegistrationResponse: Sendable {
    package let credentialID: [UInt8]

    /// Reads the form alone.
    ///
    /// - Parameter json: at most 64 KiB.
    package init(json: [UInt8]) throws(WebAuthnError) { throw .responseNotJSON }

    /// Makes every check of a registration [7.1] but one: that the id is new to every account.
    ///
    /// Attestation is not asked for. A self attestation is verified, those with certificates count as none.
    ///
    /// - Parameter offered: the algorithms of the options.
    package func verify(
        _ ceremony: Ceremony, offered: [CredentialAlgorithm] = CredentialAlgorithm.allCases
    ) throws(WebAuthnError) -> NewCredential { throw .responseNotJSON }
}

/// A credential that an authenticator has made, checked.
package struct NewCredential: Sendable {
    /// 1 to 1023 bytes, chosen by the authenticator.
    package let id: [UInt8]
    /// The COSE key, byte for byte as it came. It is what ``StoredCredential`` takes.
    package let publicKey: [UInt8]
    package let algorithm: CredentialAlgorithm
    package let signCount: UInt32
    /// Always true: a registration without user verification is refused.
    package let isUserVerified: Bool
    /// The credential may leave the device that made it (BE). It never changes.
    package let isBackupEligible: Bool
    /// It has a copy now (BS).
    package let isBackedUp: Bool
    /// How the browser reaches the authenticator, for ``CreationOptions/Excluded``. At most 8 words of letters, digits and
    /// hyphens, none longer than 32; the list may be empty.
    package let transports: [String]
    package let aaguid: AAGUID
    /// What `credProps.rk` says: false for a credential that a sign-in without a name cannot find; nil where the browser is
    /// silent.
    package let isDiscoverable: Bool?
}
