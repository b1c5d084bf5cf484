import COpenSSL
import Foundation
import Glibc

/// Reads the certificates of key stores: PKCS#12 (RFC 7292) and Java's older JKS. Private keys are not decrypted.
enum KeyStoreFile {
    /// Returns the certificates of a PKCS#12 key store.
    ///
    /// - Throws: ``CertificateError/wrongPassword``, ``CertificateError/tooManyRounds`` and other cases.
    static func pkcs12(_ bytes: [UInt8], password: String) throws(CertificateError) -> [CertificateEntry] {
        let found = CertificateCollection()
        // OpenSSL would end the password at a zero byte and could accept a wrong password.
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

    /// Returns the certificates of a JKS key store, which encrypts only the keys. No password is needed.
    ///
    /// Layout: sun.security.provider.JavaKeyStore (OpenJDK).
    static func jks(_ bytes: [UInt8]) throws(CertificateError) -> [CertificateEntry] {
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

/// Collects the certificates that libcrypto's callbacks report.
final class CertificateCollection {
    private var found: [(der: [UInt8], alias: String?, isSigner: Bool)] = []

    /// Valid as long as the collection exists.
    var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    static let visit: sso_certificate_visitor = { der, count, name, isSigner, context in
        guard let der, let context else { return }
        let collection = Unmanaged<CertificateCollection>.fromOpaque(context).takeUnretainedValue()
        collection.found.append(
            (Array(UnsafeBufferPointer(start: der, count: count)), name.map { String(cString: $0) }, isSigner != 0))
    }

    func entries(place: String, signer: CertificateEntry.Role) throws(CertificateError) -> [CertificateEntry] {
        try found.map { item throws(CertificateError) in
            CertificateEntry(
                certificate: try SigningCertificate(der: item.der), role: item.isSigner ? signer : .chain,
                place: place, alias: item.alias)
        }
    }
}

/// Reads the password of a key store. It is not an argument, because the process list shows arguments to all users.
struct PasswordSource {
    let file: String?

    /// - Returns: `nil` if there is no password file and no terminal.
    func read() throws(CertificateError) -> String? {
        if let file { return try Self.firstLine(of: file) }
        guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { return nil }
        // getpass(3) asks on the terminal and does not show the typed text.
        guard let typed = getpass("Password of the key store: ") else { return nil }
        defer { memset(typed, 0, strlen(typed)) }
        return String(cString: typed)
    }

    private static func firstLine(of file: String) throws(CertificateError) -> String {
        let data = try CertificateFile.data(of: file, limit: 65_536)
        return String(decoding: data.prefix { $0 != 0x0a && $0 != 0x0d }, as: UTF8.self)
    }
}

/// Reads numbers and length-prefixed parts from bytes whose lengths may be wrong. Every read is checked.
struct ByteCursor {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: some Collection<UInt8>) { rest = Array(bytes)[...] }

    private init(slice: ArraySlice<UInt8>) { rest = slice }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ count: Int) throws(CertificateError) -> ArraySlice<UInt8> {
        guard count >= 0, count <= rest.count else { throw .malformed("it ends in the middle of a value") }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// The next bytes as one number, most significant byte first.
    mutating func bigEndian(_ count: Int) throws(CertificateError) -> UInt64 {
        try take(count).reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func littleEndian(_ count: Int) throws(CertificateError) -> UInt64 {
        try take(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// A part with its length in the 4 bytes before it, as in the APK signature schemes.
    mutating func counted() throws(CertificateError) -> ByteCursor {
        let count = try littleEndian(4)
        guard count <= UInt64(rest.count) else { throw .malformed("a part is longer than what holds it") }
        return ByteCursor(slice: try take(Int(count)))
    }

    mutating func parts(atMost limit: Int) throws(CertificateError) -> [ByteCursor] {
        var parts: [ByteCursor] = []
        while !isAtEnd {
            guard parts.count < limit else { throw .malformed("it has more than \(limit) parts in one list") }
            parts.append(try counted())
        }
        return parts
    }
}
