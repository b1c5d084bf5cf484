import COpenSSL

/// Key stores: PKCS#12 (RFC 7292) and Java's older JKS. Certificates only; the private keys stay sealed.
enum KeyStoreFile {
    /// The certificates of a PKCS#12 key store.
    ///
    /// - Throws: ``CertificateFault/wrongPassword``, ``CertificateFault/tooManyRounds`` and the others.
    static func pkcs12(_ bytes: [UInt8], password: String) throws(CertificateFault) -> [CertificateEntry] {
        let found = CertificateCollection()
        // A zero would end the password early for OpenSSL: an open door for the wrong one.
        guard !password.utf8.contains(0) else { throw .wrongPassword }
        switch sso_keystore_certificates(bytes, bytes.count, password, CertificateCollection.visit, found.context) {
        case sso_keystore_read: break
        case sso_keystore_wrong_password: throw .wrongPassword
        case sso_keystore_too_slow: throw .tooManyRounds
        case sso_keystore_unsupported:
            throw .unsupported(
                "the key store is sealed with a cipher that this libcrypto does not have. "
                    + "Write the certificate out with: keytool -exportcert -rfc -keystore FILE -alias ALIAS")
        default: throw .malformed("it is neither an X.509 certificate nor a PKCS#12 key store")
        }
        return try found.entries(place: "PKCS#12 key store", signer: .keyEntry)
    }

    /// JKS keeps its certificates open and seals only the keys: no password is needed to read them.
    ///
    /// Layout: sun.security.provider.JavaKeyStore (OpenJDK).
    static func jks(_ bytes: [UInt8]) throws(CertificateFault) -> [CertificateEntry] {
        var cursor = ByteCursor(bytes)
        _ = try cursor.take(8)
        let count = try cursor.bigEndian(4)
        guard count <= 1_000 else { throw .malformed("it has more than 1000 entries") }
        var entries: [CertificateEntry] = []
        for _ in 0..<count {
            let kind = try cursor.bigEndian(4)
            let alias = String(decoding: try cursor.take(Int(try cursor.bigEndian(2))), as: UTF8.self)
            _ = try cursor.take(8)
            var chain: UInt64 = 1
            switch kind {
            case 1:
                _ = try cursor.take(Int(try cursor.bigEndian(4)))
                chain = try cursor.bigEndian(4)
            case 2: break
            default:
                throw .unsupported(
                    "the key store holds a secret key, which cannot be skipped. Write the certificate out with: "
                        + "keytool -exportcert -rfc -keystore FILE -alias ALIAS")
            }
            guard chain <= 100 else { throw .malformed("a chain has more than 100 certificates") }
            for index in 0..<chain {
                _ = try cursor.take(Int(try cursor.bigEndian(2)))
                let certificate = try SigningCertificate(der: Array(try cursor.take(Int(try cursor.bigEndian(4)))))
                entries.append(
                    CertificateEntry(
                        certificate: certificate, role: kind == 1 && index == 0 ? .keyEntry : .chain,
                        place: "JKS key store", alias: alias))
            }
        }
        return entries
    }
}

/// Gathers what libcrypto's walks visit.
final class CertificateCollection {
    private var found: [(der: [UInt8], alias: String?, isSigner: Bool)] = []

    /// Valid for as long as the collection is held.
    var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static let visit: sso_certificate_visitor = { der, count, name, isSigner, context in
        guard let der, let context else { return }
        let collection = Unmanaged<CertificateCollection>.fromOpaque(context).takeUnretainedValue()
        collection.found.append(
            (Array(UnsafeBufferPointer(start: der, count: count)), name.map { String(cString: $0) }, isSigner != 0))
    }

    func entries(place: String, signer: CertificateEntry.Role) throws(CertificateFault) -> [CertificateEntry] {
        var entries: [CertificateEntry] = []
        for item in found {
            entries.append(
                CertificateEntry(
                    certificate: try SigningCertificate(der: item.der), role: item.isSigner ? signer : .chain,
                    place: place, alias: item.alias))
        }
        return entries
    }
}
