import COpenSSL

/// The algorithms that passkeys sign with here, by their numbers at IANA (RFC 9053, RFC 8812), the preferred one first.
package enum CredentialAlgorithm: Int, Sendable, CaseIterable {
    /// ECDSA on P-256 with SHA-256.
    case es256 = -7
    /// Ed25519.
    case eddsa = -8
    /// RSA PKCS #1 v1.5 with SHA-256, for Windows Hello on a TPM.
    case rs256 = -257

    /// The `kty` of its keys (RFC 9053 7, RFC 8230 4).
    var keyType: Int {
        switch self {
        case .es256: 2
        case .eddsa: 1
        case .rs256: 3
        }
    }

    /// What libcrypto's shims call it.
    var native: sso_jws_algorithm {
        switch self {
        case .es256: sso_es256
        case .eddsa: sso_eddsa
        case .rs256: sso_rs256
        }
    }
}
