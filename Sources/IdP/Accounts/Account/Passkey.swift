import SSOShared
package import SSOWeb
import Storage

/// The id of a passkey: an authenticator makes it for one relying party ID (WebAuthn Level 3, 5.1).
package struct PasskeyID: Sendable, Hashable {
    /// `id.example.com`
    package let relyingParty: String
    /// 1 to 1,023 bytes.
    package let credential: [UInt8]

    package init(relyingParty: String, credential: [UInt8]) {
        (self.relyingParty, self.credential) = (relyingParty, credential)
    }

    /// The credential's id in columns and in pages.
    var text: String { Base64URL.encode(credential) }
}

/// A passkey of an account.
package struct Passkey: Sendable {
    /// Names it in forms and commands. Not a secret.
    package let id: String
    package let accountID: String
    package let identity: PasskeyID
    /// The COSE key, byte for byte as it came.
    package let publicKey: [UInt8]
    package let signCount: UInt32
    /// It may leave the device that made it (BE).
    package let isBackupEligible: Bool
    package let transports: [String]
    package let name: String
    package let addedAt: Timestamp
    /// Nil when it has not been used since it was added.
    package let usedAt: Timestamp?
}

/// A passkey that an authenticator has just made.
package struct AddedPasskey: Sendable {
    let identity: PasskeyID
    let publicKey: [UInt8]
    let algorithm: Int
    let signCount: UInt32
    let isBackupEligible, isBackedUp: Bool
    let transports: [String]
    /// The model of the authenticator, as it says itself.
    let aaguid: [UInt8]

    package init(
        _ identity: PasskeyID, publicKey: [UInt8], algorithm: Int, signCount: UInt32,
        isBackupEligible: Bool, isBackedUp: Bool, transports: [String], aaguid: [UInt8]
    ) {
        (self.identity, self.publicKey, self.algorithm, self.signCount) = (identity, publicKey, algorithm, signCount)
        (self.isBackupEligible, self.isBackedUp) = (isBackupEligible, isBackedUp)
        (self.transports, self.aaguid) = (transports, aaguid)
    }
}

extension Passkey {
    static let columns = """
        p.id, p.account_id, p.rp_id, p.credential_id, p.public_key, p.sign_count, p.is_backup_eligible,
        p.transports, p.name, i.created_at, i.used_at
        """

    init(_ row: SQLRow) throws {
        (id, accountID, name) = (try row.text("id"), try row.text("account_id"), try row.text("name"))
        identity = PasskeyID(
            relyingParty: try row.text("rp_id"), credential: Base64URL.decode(try row.text("credential_id")) ?? [])
        publicKey = try row.blob("public_key")
        signCount = UInt32(truncatingIfNeeded: try row.integer("sign_count"))
        isBackupEligible = try row.integer("is_backup_eligible") != 0
        transports = try row.text("transports").split(separator: " ").map(String.init)
        (addedAt, usedAt) = (try row.timestamp("created_at"), try row.optionalTimestamp("used_at"))
    }
}
