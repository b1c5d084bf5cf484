import COpenSSL

/// Encrypts and authenticates small values that a browser or an email carries (AES-256-GCM, NIST SP 800-38D).
///
/// The holder can neither read nor change a value, and a value sealed for one purpose does not open for another. Nothing
/// expires by itself: where it must, put a time into the value.
public struct SealedBox: Sendable {
    private static let nonceBytes = 12
    private static let tagBytes = 16
    private let keys: [[UInt8]]
    private let randomness: any Randomness

    /// Creates a box for one purpose.
    ///
    /// - Parameters:
    ///   - keys: the first one seals, all of them open.
    ///   - label: names the purpose, such as `pending-sign-ins`.
    public init(keys: DerivedKeys, label: String, randomness: any Randomness = SystemRandomness()) {
        self.keys = keys.derive(label)
        self.randomness = randomness
    }

    /// The value as nonce, ciphertext and tag: 28 bytes longer than `plain`.
    ///
    /// - Throws: ``RandomnessError`` when there is no nonce or libcrypto fails.
    public func seal(_ plain: [UInt8]) throws -> [UInt8] {
        let nonce = try randomness.bytes(Self.nonceBytes)
        var (sealed, tag) = ([UInt8](repeating: 0, count: plain.count), [UInt8](repeating: 0, count: Self.tagBytes))
        guard let key = keys.first, nonce.count == Self.nonceBytes,
            sso_seal(key, nonce, plain, plain.count, &sealed, &tag) == 1
        else { throw RandomnessError() }
        return nonce + sealed + tag
    }

    /// The value that was sealed, or nil for anything that ``seal(_:)`` did not make with one of the keys.
    public func open(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count >= Self.nonceBytes + Self.tagBytes else { return nil }
        let nonce = Array(bytes.prefix(Self.nonceBytes))
        let tag = Array(bytes.suffix(Self.tagBytes))
        let sealed = Array(bytes.dropFirst(Self.nonceBytes).dropLast(Self.tagBytes))
        return keys.lazy.compactMap { key in
            var plain = [UInt8](repeating: 0, count: sealed.count)
            return sso_unseal(key, nonce, sealed, sealed.count, tag, &plain) == 1 ? plain : nil
        }.first
    }
}
