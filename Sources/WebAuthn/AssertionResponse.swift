import SSOShared

/// The answer to ``RequestOptions``: what `PublicKeyCredential.toJSON()` has made of an assertion [5.1].
package struct AssertionResponse: Sendable {
    /// To look the credential up. Nothing is proven yet.
    package let credentialID: [UInt8]
    /// What the authenticator keeps of the account, 1 to 64 bytes. Nothing is proven yet.
    package let userHandle: [UInt8]
    private let clientData: [UInt8]
    private let authenticatorData: [UInt8]
    private let signature: [UInt8]

    /// Reads the form alone. A response without a user handle is refused, because no account was named in the options.
    ///
    /// - Parameter json: at most 64 KiB.
    package init(json: [UInt8]) throws(WebAuthnError) {
        let credential = try CredentialJSON(json)
        (credentialID, clientData) = (credential.id, credential.clientData)
        authenticatorData = try credential.bytes("authenticatorData", .authenticatorDataEncoding)
        signature = try credential.bytes("signature", .signatureEncoding)
        guard credential.response.member("userHandle") != nil else { throw .userHandleMissing }
        userHandle = try credential.bytes("userHandle", .userHandleEncoding)
        guard userHandle.count <= 64 else { throw .userHandleLength }
    }

    /// Makes every check of a sign-in [7.2].
    ///
    /// The signature is checked before the user handle, and a change of BE and the counter last: only somebody who has the
    /// key learns of these.
    ///
    /// - Parameters:
    ///   - credential: what is stored for ``credentialID``.
    ///   - userHandle: that of the account to which the credential belongs.
    /// - Throws: ``WebAuthnError/counterRepeated`` for a credential that stays on its device and whose counter does not grow:
    ///   there may be a copy of it [6.1.1].
    package func verify(
        _ ceremony: Ceremony, credential: StoredCredential, userHandle: [UInt8]
    ) throws(WebAuthnError) -> VerifiedAssertion {
        guard credential.id == credentialID else { throw .otherCredential }
        try ClientData.check(clientData, .get, ceremony)
        let data = try AuthenticatorData(authenticatorData)
        guard data.attested == nil else { throw .attestedDataUnexpected }
        try data.check(ceremony)
        guard try key(of: credential).isValid(signature, for: authenticatorData + SHA256.hash(clientData)) else {
            throw .signature
        }
        guard ConstantTime.equal(self.userHandle, userHandle) else { throw .userHandleMismatch }
        guard data.flags.contains(.backupEligible) == credential.isBackupEligible else {
            throw .backupEligibilityChanged
        }
        let isRepeated =
            (data.signCount != 0 || credential.signCount != 0) && data.signCount <= credential.signCount
        guard credential.isBackupEligible || !isRepeated else { throw .counterRepeated }
        return VerifiedAssertion(
            signCount: data.signCount, counter: isRepeated ? .repeated : .fine,
            isBackedUp: data.flags.contains(.backedUp), isUserVerified: data.flags.contains(.userVerified))
    }

    /// The stored key. Its algorithm was offered when it was registered.
    private func key(of credential: StoredCredential) throws(WebAuthnError) -> CredentialKey {
        do {
            return try CredentialKey(try CBORReader.read(credential.publicKey), offered: CredentialAlgorithm.allCases)
        } catch { throw .storedKey }
    }
}

/// What the store has of a credential.
package struct StoredCredential: Sendable {
    package let id: [UInt8]
    /// ``NewCredential/publicKey``.
    package let publicKey: [UInt8]
    package let signCount: UInt32
    package let isBackupEligible: Bool

    package init(id: [UInt8], publicKey: [UInt8], signCount: UInt32, isBackupEligible: Bool) {
        (self.id, self.publicKey) = (id, publicKey)
        (self.signCount, self.isBackupEligible) = (signCount, isBackupEligible)
    }
}

/// A sign-in that the credential has proven, with what to store of it.
package struct VerifiedAssertion: Sendable, Equatable {
    package enum Counter: Sendable {
        /// It has grown, or the authenticator counts nothing.
        case fine
        /// It has not grown. The credential is one that is copied between devices, and the password manager has copied the
        /// counter with it: accepted, for the log.
        case repeated
    }

    /// To store, whatever ``counter`` is.
    package let signCount: UInt32
    package let counter: Counter
    /// To store: the credential has a copy now (BS).
    package let isBackedUp: Bool
    /// Always true: an assertion without user verification is refused.
    package let isUserVerified: Bool
}
