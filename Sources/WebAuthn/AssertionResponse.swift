/// The answer to ``RequestOptions``: what `PublicKeyCredential.toJSON()` has made of an assertion [5.1].
package struct AssertionResponse: Sendable {
    /// To look the credential up. Nothing is proven yet.
    package let credentialID: [UInt8]
    /// What the authenticator keeps of the account, 1 to 64 bytes. Nothing is proven yet.
    package let userHandle: [UInt8]

    /// Reads the form alone. A response without a user handle is refused, because no account was named in the options.
    ///
    /// - Parameter json: at most 64 KiB.
    package init(json: [UInt8]) throws(WebAuthnError) { throw .responseNotJSON }

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
    ) throws(WebAuthnError) -> VerifiedAssertion { throw .responseNotJSON }
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
