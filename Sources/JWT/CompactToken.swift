package import SSOShared

/// A JWS in compact form (RFC 7515 7.1): written with a key, or taken apart. Taking apart checks nothing but the form.
package struct CompactToken: Sendable {
    package let header: JSONNode
    /// The claims as they were signed.
    package let payload: [UInt8]
    /// Header, dot and payload as received.
    package let signed: [UInt8]
    package let signature: [UInt8]

    /// Nil for a text of another form or of more than 16 KiB, and for a header that two readers could read differently.
    package init?(_ text: String) {
        let bytes = [UInt8](text.utf8)
        guard bytes.count <= 16 << 10 else { return nil }
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        let decoded = parts.compactMap { Base64URL.decode(Array($0)) }.filter { !$0.isEmpty }
        guard decoded.count == 3, let header = try? JSONReader.readStrictly(decoded[0]), header.object != nil else {
            return nil
        }
        (self.header, payload, signature) = (header, decoded[1], decoded[2])
        signed = Array(bytes[..<parts[1].endIndex])
    }

    /// Signs claims.
    ///
    /// - Parameters:
    ///   - type: the `typ` of the header. Each use has its own, so that no token passes for another (RFC 8725 3.11).
    ///   - algorithm: that of the key if nil.
    /// - Throws: ``KeyError``.
    package static func sign(
        _ claims: [JSONText.Member], type: String, keyID: String, _ key: PrivateKey,
        _ algorithm: SignatureAlgorithm? = nil
    ) throws(KeyError) -> String {
        let header = JSONText.bytes([
            .init("alg", (algorithm ?? key.algorithm).rawValue), .init("kid", keyID), .init("typ", type),
        ])
        let signed = "\(Base64URL.encode(header)).\(Base64URL.encode(JSONText.bytes(claims)))"
        return "\(signed).\(Base64URL.encode(try key.sign([UInt8](signed.utf8), algorithm)))"
    }
}
