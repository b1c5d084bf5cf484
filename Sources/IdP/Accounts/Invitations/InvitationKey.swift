package import SSOShared

/// The kind of ``InvitationKey``.
package enum InvitationKeyKind: SecretKind {
    package static let prefix = "inv_"
}

/// The key in the link of an invitation. It proves nothing: a visitor who opens the link still has to read the mailbox to sign in.
package typealias InvitationKey = Secret<InvitationKeyKind>

/// Makes the keys of invitations.
///
/// A key is derived from the invitation's random id with a key that is not in the database. So the email can be made again when
/// it is sent again, and only a hash of the key is stored.
package struct InvitationKeys: Sendable {
    private let keys: [[UInt8]]

    package init(_ keys: DerivedKeys) { self.keys = keys.derive("invitation") }

    /// The key of a new invitation.
    package func newKey(of id: String) throws -> InvitationKey { try key(of: id, keys.first ?? []) }

    /// The key of an invitation for its email, also after a rotation of the secret key; nil when its secret key was removed.
    package func key(of invitation: Invitation) -> InvitationKey? {
        keys.lazy.compactMap { try? key(of: invitation.id, $0) }
            .first { ConstantTime.equal($0.digest, invitation.keyDigest) }
    }

    private func key(of id: String, _ key: [UInt8]) throws -> InvitationKey {
        try InvitationKey(randomness: Derived(bytes: HMACSHA256.code(for: Array(id.utf8), key: key)))
    }

    private struct Derived: Randomness {
        let bytes: [UInt8]
        func bytes(_ count: Int) throws -> [UInt8] { Array(bytes.prefix(count)) }
    }
}
