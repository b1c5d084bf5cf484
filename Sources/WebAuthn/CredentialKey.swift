import COpenSSL

/// The public key of a credential: a COSE key (RFC 9052 7), checked by libcrypto.
final class CredentialKey: @unchecked Sendable {
    // It is only read after it was made, which libcrypto allows in several threads.
    private let pointer: OpaquePointer
    let algorithm: CredentialAlgorithm

    /// Reads a key with all members that its kind needs, and no other [6.5.1.1].
    ///
    /// - Parameter offered: the algorithms that it may have.
    init(_ value: CBOR, offered: [CredentialAlgorithm]) throws(WebAuthnError) {
        guard let members = value.map else { throw .keyNotMap }
        guard let number = members[.integer(3)]?.integer else { throw .keyMember }
        guard let algorithm = CredentialAlgorithm(rawValue: number), offered.contains(algorithm) else {
            throw .algorithmNotOffered
        }
        let numbers = KeyNumbers(members)
        guard numbers.integer(1) == algorithm.keyType else { throw .keyType }
        self.algorithm = algorithm
        pointer =
            switch algorithm {
            case .es256: try Self.p256(numbers)
            case .eddsa: try Self.ed25519(numbers)
            case .rs256: try Self.rsa(numbers)
            }
    }

    deinit { EVP_PKEY_free(pointer) }

    /// Whether the signature, in the form of WebAuthn [6.5.5], is the key's for these bytes.
    func isValid(_ signature: [UInt8], for bytes: [UInt8]) -> Bool {
        sso_signature_verify(pointer, algorithm.native, bytes, bytes.count, signature, signature.count) == 1
    }

    /// A point of P-256 with both coordinates (RFC 9053 7.1.1). The point is checked to be on the curve.
    private static func p256(_ numbers: KeyNumbers) throws(WebAuthnError) -> OpaquePointer {
        guard numbers.count == 5, let x = numbers.bytes(-2), let y = numbers.bytes(-3) else { throw .keyMember }
        guard numbers.integer(-1) == 1 else { throw .keyCurve }
        guard x.count == 32, y.count == 32 else { throw .keySize }
        guard let key = sso_p256_key(x, y) else { throw .keyNotOnCurve }
        return key
    }

    /// A key of Ed25519 (RFC 9053 7.2).
    private static func ed25519(_ numbers: KeyNumbers) throws(WebAuthnError) -> OpaquePointer {
        guard numbers.count == 4, let x = numbers.bytes(-2) else { throw .keyMember }
        guard numbers.integer(-1) == 6 else { throw .keyCurve }
        guard x.count == 32 else { throw .keySize }
        guard !Ed25519Point.isOfSmallOrder(x), let key = sso_ed25519_key(x) else { throw .keyNotOnCurve }
        return key
    }

    /// RSA of 2048 to 4096 bits (RFC 8230 4): below, a key can be factored (NIST SP 800-131A), above, checks take long.
    private static func rsa(_ numbers: KeyNumbers) throws(WebAuthnError) -> OpaquePointer {
        guard numbers.count == 4, let modulus = numbers.bytes(-1), let exponent = numbers.bytes(-2) else {
            throw .keyMember
        }
        // Both without zero bytes at the start, and odd.
        guard let first = modulus.first, first != 0, modulus.last.map({ $0 & 1 }) == 1 else { throw .keyModulus }
        guard (2048...4096).contains(modulus.count * 8 - first.leadingZeroBitCount) else { throw .keySize }
        // From 65537 to 32 bits (FIPS 186-5 5.4).
        guard (3...4).contains(exponent.count), let high = exponent.first, high != 0,
            exponent.last.map({ $0 & 1 }) == 1
        else { throw .keyExponent }
        guard let key = sso_rsa_key(modulus, modulus.count, exponent, exponent.count) else { throw .keyModulus }
        return key
    }
}

/// The members of a COSE key.
private struct KeyNumbers {
    private let members: [CBOR.Key: CBOR]

    init(_ members: [CBOR.Key: CBOR]) { self.members = members }

    var count: Int { members.count }
    func integer(_ label: Int) -> Int? { members[.integer(label)]?.integer }
    func bytes(_ label: Int) -> [UInt8]? { members[.integer(label)]?.bytes }
}

/// Points of Ed25519 for which libcrypto has no check.
private enum Ed25519Point {
    /// The y of the points whose order divides 8, the lowest byte first. With such a key anybody can sign anything (RFC 8032 8).
    private static let small: [[UInt8]] = [
        [0x00] + repeated(0x00, 31), [0x01] + repeated(0x00, 31), [0xec] + repeated(0xff, 30) + [0x7f],
        [0xed] + repeated(0xff, 30) + [0x7f], [0xee] + repeated(0xff, 30) + [0x7f],
        [
            0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f, 0x2a, 0x20,
            0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a,
        ],
        [
            0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0, 0xd5, 0xdf,
            0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
        ],
    ]

    static func isOfSmallOrder(_ key: [UInt8]) -> Bool {
        // The highest bit is the sign of x.
        small.contains { $0.dropLast() == key.dropLast() && $0.last == key.last.map { $0 & 0x7f } }
    }

    private static func repeated(_ byte: UInt8, _ count: Int) -> [UInt8] { Array(repeating: byte, count: count) }
}
