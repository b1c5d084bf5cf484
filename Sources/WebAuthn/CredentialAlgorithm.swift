/// The algorithms that passkeys sign with here, by their numbers at IANA (RFC 9053, RFC 8812), the preferred one first.
package enum CredentialAlgorithm: Int, Sendable, CaseIterable {
    /// ECDSA on P-256 with SHA-256.
    case es256 = -7
    /// Ed25519.
    case eddsa = -8
    /// RSA PKCS #1 v1.5 with SHA-256, for Windows Hello on a TPM.
    case rs256 = -257
}
