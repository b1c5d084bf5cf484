/// The model of an authenticator, as it says itself. Without attestation nobody vouches for it: for names on pages only.
package struct AAGUID: Sendable, Hashable {
    /// 16 bytes. All zero where the authenticator says nothing.
    package let bytes: [UInt8]

    /// Nil unless there are 16 bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    /// The name of a well-known model, such as `iCloud Keychain`; nil for the others.
    package var name: String? { nil }
}
