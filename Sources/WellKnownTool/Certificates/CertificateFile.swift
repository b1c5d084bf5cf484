import Foundation

/// Reads certificates from whatever file people have at hand, by what it contains and not by its name.
enum CertificateFile {
    /// Larger than any key store or chain; an archive is not bound by it.
    private static let maximumBytes = 16 << 20

    /// - Parameter password: asked only when a key store needs one; what it throws is passed on.
    /// - Throws: ``CertificateFault``.
    static func read(
        _ data: Data, password: () throws(CertificateFault) -> String?
    ) throws(CertificateFault) -> CertificateReading {
        if ZipArchive.mayBe(data) { return try APKFile.read(data) }
        guard data.count <= maximumBytes else { throw .unknownFormat }
        let bytes = Array(data)
        switch Array(bytes.prefix(4)) {
        case [0xfe, 0xed, 0xfe, 0xed], [0xce, 0xce, 0xce, 0xce]:
            return CertificateReading(format: .jks, entries: try found(KeyStoreFile.jks(bytes), in: "key store"))
        default: break
        }
        if bytes.first == 0x30 { return try der(bytes, password: password) }
        if PEMText.mayBe(bytes) { return try pem(bytes) }
        throw .unknownFormat
    }

    /// Three things begin like this: a certificate, a signed message, a key store.
    private static func der(
        _ bytes: [UInt8], password: () throws(CertificateFault) -> String?
    ) throws(CertificateFault) -> CertificateReading {
        if let certificate = try? SigningCertificate(der: bytes) {
            let entry = CertificateEntry(certificate: certificate, role: .certificate, place: "certificate")
            return CertificateReading(format: .der, entries: [entry])
        }
        if let entries = try? SignedMessage.certificates(of: bytes, place: "signed message", signer: .signer) {
            return CertificateReading(format: .message, entries: try found(entries, in: "signed message"))
        }
        let entries = try found(opened(bytes, password: password), in: "key store")
        return CertificateReading(format: .pkcs12, entries: entries)
    }

    /// Debug key stores have a password everybody knows, and some have none: nobody is asked for those.
    private static func opened(
        _ bytes: [UInt8], password: () throws(CertificateFault) -> String?
    ) throws(CertificateFault) -> [CertificateEntry] {
        for known in ["", "android"] {
            do { return try KeyStoreFile.pkcs12(bytes, password: known) } catch .wrongPassword { continue }
        }
        guard let given = try password() else { throw .passwordNeeded }
        return try KeyStoreFile.pkcs12(bytes, password: given)
    }

    private static func pem(_ text: [UInt8]) throws(CertificateFault) -> CertificateReading {
        var entries: [CertificateEntry] = []
        let blocks = try PEMText.blocks(of: text)
        for block in blocks {
            switch block.label {
            case "CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE":
                let certificate = try SigningCertificate(der: block.bytes)
                let isIssuer = entries.contains { $0.certificate.issuer == certificate.subject }
                entries.append(
                    CertificateEntry(
                        certificate: certificate, role: isIssuer ? .chain : .certificate, place: "certificate"))
            case "PKCS7", "CMS":
                entries += try SignedMessage.certificates(of: block.bytes, place: "signed message", signer: .signer)
            default: continue
            }
        }
        let labels = Set(blocks.map(\.label)).sorted().joined(separator: ", ")
        guard !entries.isEmpty else { throw .empty("the PEM text holds no certificate, only: \(labels)") }
        var notes: [String] = []
        if blocks.contains(where: { $0.label.hasSuffix("PRIVATE KEY") }) {
            notes.append("The file holds a private key as well. It was not looked at; keep it out of repositories.")
        }
        return CertificateReading(format: .pem, entries: try found(entries, in: "PEM text"), notes: notes)
    }

    private static func found(
        _ entries: [CertificateEntry], in what: String
    ) throws(CertificateFault) -> [CertificateEntry] {
        guard !entries.isEmpty else { throw .empty("the \(what) holds no certificate") }
        // Without any key or signer the others are what the file is about.
        guard entries.allSatisfy({ $0.role == .chain }) else { return entries }
        return entries.map {
            CertificateEntry(certificate: $0.certificate, role: .certificate, place: $0.place, alias: $0.alias)
        }
    }
}
