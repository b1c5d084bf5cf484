import COpenSSL

/// The algorithms that sign tokens here (RFC 7518 3.1, RFC 8037 3.1). `none` and those with a shared secret are not among
/// them.
package enum SignatureAlgorithm: String, Sendable, CaseIterable {
    case rs256 = "RS256"
    case es256 = "ES256"
    case ps256 = "PS256"
    /// With the curve Ed25519 only.
    case eddsa = "EdDSA"

    /// Whether `alg` may have this name for it. RFC 9864 2.2 has given EdDSA with the only curve that is taken here the name
    /// `Ed25519`, and deprecates `EdDSA`.
    package func isNamed(_ name: String) -> Bool {
        let names = self == .eddsa ? [rawValue, "Ed25519"] : [rawValue]
        return names.contains { $0.utf8.elementsEqual(name.utf8) }
    }

    /// The `kty` of its keys (RFC 7518 6.1, RFC 8037 2).
    package var keyType: String {
        switch self {
        case .rs256, .ps256: "RSA"
        case .es256: "EC"
        case .eddsa: "OKP"
        }
    }

    /// What libcrypto's shims call it.
    var native: sso_jws_algorithm {
        switch self {
        case .rs256: sso_rs256
        case .ps256: sso_ps256
        case .es256: sso_es256
        case .eddsa: sso_eddsa
        }
    }
}
