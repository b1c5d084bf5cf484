import COpenSSL

/// A signed message (PKCS#7, CMS) in DER or BER: what it says and which certificates it carries. Not verified.
enum SignedMessage {
    /// What was signed.
    ///
    /// - Returns: `nil` when the bytes are no signed message, or one without content.
    static func content(of bytes: [UInt8]) -> [UInt8]? {
        final class Content { var bytes: [UInt8] = [] }
        let content = Content()
        let isFound = sso_message_content(
            bytes, bytes.count,
            { start, count, context in
                guard let start, let context else { return }
                Unmanaged<Content>.fromOpaque(context).takeUnretainedValue().bytes =
                    Array(UnsafeBufferPointer(start: start, count: count))
            }, Unmanaged.passUnretained(content).toOpaque())
        return isFound == 1 ? content.bytes : nil
    }

    /// - Throws: ``CertificateFault/malformed(_:)`` when it is no signed message.
    static func certificates(
        of bytes: [UInt8], place: String, signer: CertificateEntry.Role
    ) throws(CertificateFault) -> [CertificateEntry] {
        let found = CertificateCollection()
        guard sso_message_certificates(bytes, bytes.count, CertificateCollection.visit, found.context) == 1 else {
            throw .malformed("its signature is no PKCS#7 message")
        }
        return try found.entries(place: place, signer: signer)
    }
}
