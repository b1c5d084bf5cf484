package import IdPClients
package import SSOShared
package import Storage

/// The client that a message goes to.
package struct SignOutRecipient: Sendable {
    package let client: Client
    /// The one that the client has used last, so that one in the middle of a rotation understands the message. The current
    /// one if it has used none.
    package let secret: SharedSecret?

    /// - Parameter uses: of the client's secrets.
    package init(_ client: Client, uses: [SecretName: SecretUse] = [:]) {
        self.client = client
        let used = zip(client.secrets, client.fingerprints).compactMap { secret, fingerprint in
            uses[SecretName(client: client.id, fingerprint: fingerprint)].map { (secret: secret, at: $0.last) }
        }
        secret = used.max { $0.at < $1.at }?.secret ?? client.secrets.first
    }
}

extension ClientDirectory {
    /// Where messages about the end of sessions go. Also a client that was disabled, because that has ended sessions there.
    package func recipient(_ id: String, _ connection: any SQLConnection) throws -> SignOutRecipient? {
        guard let client = try client(alsoDisabled: id, connection) else { return nil }
        return SignOutRecipient(client, uses: try ClientStore().uses(of: client, connection))
    }
}
