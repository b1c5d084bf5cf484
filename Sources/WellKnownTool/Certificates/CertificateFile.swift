import COpenSSL
import Foundation
import WellKnown

/// Reads certificates from a file. The format is detected from the content, not from the name.
enum CertificateFile {
    /// The maximum file size. It is larger than any key store or chain. Archives can be larger.
    private static let maximumBytes = 16 << 20

    static func data(of file: String, limit: Int = InputBytes.largest) throws(CertificateError) -> Data {
        do throws(InputError) { return try InputBytes.read(file, limit: limit) } catch { throw .unreadable(error) }
    }

    /// - Parameter password: called only if a key store needs a password. Its error is rethrown.
    static func read(
        _ data: Data, password: () throws(CertificateError) -> String?
    ) throws(CertificateError) -> CertificateReading {
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

    /// Reads DER bytes, which can be a certificate, a signed message or a key store.
    private static func der(
        _ bytes: [UInt8], password: () throws(CertificateError) -> String?
    ) throws(CertificateError) -> CertificateReading {
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

    /// Opens a key store. Debug key stores have a well-known password or none, so the user is not asked for it.
    private static func opened(
        _ bytes: [UInt8], password: () throws(CertificateError) -> String?
    ) throws(CertificateError) -> [CertificateEntry] {
        for known in ["", "android"] {
            do { return try KeyStoreFile.pkcs12(bytes, password: known) } catch .wrongPassword { continue }
        }
        guard let given = try password() else { throw .passwordNeeded }
        return try KeyStoreFile.pkcs12(bytes, password: given)
    }

    private static func pem(_ text: [UInt8]) throws(CertificateError) -> CertificateReading {
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
    ) throws(CertificateError) -> [CertificateEntry] {
        guard !entries.isEmpty else { throw .empty("the \(what) holds no certificate") }
        // Without a key or a signer, all other certificates are returned.
        guard entries.allSatisfy({ $0.role == .chain }) else { return entries }
        return entries.map {
            CertificateEntry(certificate: $0.certificate, role: .certificate, place: $0.place, alias: $0.alias)
        }
    }
}

/// Reads the blocks of a text in PEM form (RFC 7468). Text around them is ignored.
enum PEMText {
    struct Block: Equatable {
        /// The text after BEGIN.
        let label: String
        let bytes: [UInt8]
    }

    /// The maximum number of blocks. It is higher than in any chain or profile.
    private static let maximumBlocks = 256

    static func mayBe(_ bytes: some Collection<UInt8>) -> Bool {
        String(decoding: bytes.prefix(65_536), as: UTF8.self).contains("-----BEGIN ")
    }

    /// - Throws: ``CertificateError/malformed(_:)`` if a block is not closed or is not base64.
    static func blocks(of text: [UInt8]) throws(CertificateError) -> [Block] {
        var blocks: [Block] = []
        var open: (label: String, digits: [UInt8])?
        for line in text.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }) {
            let words = trimmed(line)
            if let label = marked("BEGIN", in: words) {
                open = (label, [])
            } else if let label = marked("END", in: words) {
                guard let block = open, block.label == label else {
                    throw .malformed("an END line of PEM has no BEGIN line")
                }
                guard let bytes = Data(base64Encoded: Data(block.digits)) else {
                    throw .malformed("a block of PEM (\(label)) is not base64")
                }
                guard blocks.count < maximumBlocks else { throw .malformed("it has more than \(maximumBlocks) blocks") }
                blocks.append(Block(label: label, bytes: Array(bytes)))
                open = nil
            } else if open != nil, !words.contains(UInt8(ascii: ":")) {
                open?.digits.append(contentsOf: words)
            }
        }
        guard open == nil else { throw .malformed("a block of PEM has no END line") }
        return blocks
    }

    private static func marked(_ word: String, in line: ArraySlice<UInt8>) -> String? {
        let text = String(decoding: line, as: UTF8.self)
        let start = "-----\(word) "
        guard text.hasPrefix(start), text.hasSuffix("-----"), text.utf8.count > start.utf8.count + 5 else { return nil }
        return String(text.dropFirst(start.count).dropLast(5))
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let start = line.drop(while: { $0 == 0x20 || $0 == 0x09 })
        let end = start.lastIndex { $0 != 0x20 && $0 != 0x09 }
        return end.map { start[...$0] } ?? []
    }
}

/// The certificates of a signed message (PKCS#7, CMS) in DER or BER. The signature is not verified.
extension SignedMessage {
    /// - Throws: ``CertificateError/malformed(_:)`` if it is not a signed message.
    static func certificates(
        of bytes: [UInt8], place: String, signer: CertificateEntry.Role
    ) throws(CertificateError) -> [CertificateEntry] {
        let found = CertificateCollection()
        guard sso_message_certificates(bytes, bytes.count, CertificateCollection.visit, found.context) == 1 else {
            throw .malformed("its signature is not a PKCS#7 message")
        }
        return try found.entries(place: place, signer: signer)
    }
}
