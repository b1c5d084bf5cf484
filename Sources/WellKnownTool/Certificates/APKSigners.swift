/// The signers that an APK's signing block names. The signatures themselves are not checked: `apksigner verify` does.
///
/// Sources: Android, "APK Signature Scheme v2", "… v3", "… v3.1"; AOSP ApkSigningBlockUtils.
enum APKSigners {
    /// Android refuses an APK with more.
    private static let maximumSigners = 10
    private static let maximumParts = 64
    /// The attribute of a v3 signer that holds the keys before this one.
    private static let lineageAttribute: UInt64 = 0x3ba0_6f8c

    static func read(
        _ value: some Collection<UInt8>, scheme: APKSigningBlock.Scheme
    ) throws(CertificateFault) -> [CertificateEntry] {
        var cursor = ByteCursor(value)
        var signers = try cursor.counted()
        var entries: [CertificateEntry] = []
        for signer in try signers.parts(atMost: maximumSigners) {
            entries += scheme == .v2 ? try second(signer) : try third(signer, scheme: scheme)
        }
        guard !entries.isEmpty else { throw .malformed("a signature scheme of it has no signer") }
        return entries
    }

    private static func second(_ signer: ByteCursor) throws(CertificateFault) -> [CertificateEntry] {
        var signer = signer
        var signed = try signer.counted()
        _ = try signed.counted()
        var certificates = try signed.counted()
        return [try first(of: &certificates, place: APKSigningBlock.Scheme.v2.name)]
    }

    private static func third(
        _ signer: ByteCursor, scheme: APKSigningBlock.Scheme
    ) throws(CertificateFault) -> [CertificateEntry] {
        var signer = signer
        var signed = try signer.counted()
        _ = try signed.counted()
        var certificates = try signed.counted()
        var entry = try first(of: &certificates, place: scheme.name)
        let lowest = UInt32(truncatingIfNeeded: try signed.littleEndian(4))
        let highest = UInt32(truncatingIfNeeded: try signed.littleEndian(4))
        guard lowest <= highest else { throw .malformed("a signer is for Android levels that run backwards") }
        entry.apiLevels = lowest...highest

        var entries = [entry]
        var attributes = try signed.counted()
        for attribute in try attributes.parts(atMost: maximumParts) {
            var attribute = attribute
            guard try attribute.littleEndian(4) == lineageAttribute else { continue }
            for certificate in try lineage(attribute) where certificate != entry.certificate {
                entries.append(
                    CertificateEntry(
                        certificate: certificate, role: .formerSigner, place: "key rotation of the \(scheme.name)"))
            }
        }
        return entries
    }

    /// The first certificate is the signer's; what follows are its issuers, which Android does not look at.
    private static func first(
        of certificates: inout ByteCursor, place: String
    ) throws(CertificateFault) -> CertificateEntry {
        guard let certificate = try certificates.parts(atMost: maximumParts).first else {
            throw .malformed("a signer has no certificate")
        }
        return CertificateEntry(
            certificate: try SigningCertificate(der: Array(certificate.rest)), role: .signer, place: place)
    }

    /// Oldest first; the last one is the signer itself. Source: AOSP V3SigningCertificateLineage.
    private static func lineage(_ value: ByteCursor) throws(CertificateFault) -> [SigningCertificate] {
        var value = value
        guard try value.littleEndian(4) == 1 else {
            throw .unsupported("its key rotation is written in a form that is not known here: update this program")
        }
        var certificates: [SigningCertificate] = []
        for node in try value.parts(atMost: maximumParts) {
            var node = node
            var signed = try node.counted()
            certificates.append(try SigningCertificate(der: Array(try signed.counted().rest)))
        }
        return certificates
    }
}
