package import SSOShared

/// Seals the secrets of clients that are in the database (`IDP_SECRET_KEY`). A copy of the database alone signs nothing.
///
/// The client's id is sealed with its secret: who can write to the database cannot give one client the secret of another.
package struct ClientSecretBox: Sendable {
    package let box: SealedBox

    package init(keys: DerivedKeys, randomness: any Randomness) {
        box = SealedBox(keys: keys, label: "client-secret", randomness: randomness)
    }

    package func seal(_ secret: SharedSecret, of client: String) throws -> [UInt8] {
        try box.seal(Array(client.utf8) + [0] + secret.bytes)
    }

    /// Nil for what no key of the list has sealed for this client.
    func open(_ sealed: [UInt8], of client: String) -> SharedSecret? {
        let owner = Array(client.utf8) + [0]
        guard let plain = box.open(sealed), plain.starts(with: owner),
            let text = String(validating: plain.dropFirst(owner.count), as: UTF8.self)
        else { return nil }
        return try? SharedSecret.parse(text, setting: "the secret of \(client)")
    }
}
