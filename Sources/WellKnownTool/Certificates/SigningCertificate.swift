import COpenSSL
import Foundation
import SSOShared
import WellKnown

/// One certificate, and the forms in which the world writes its hash.
struct SigningCertificate: Hashable, Sendable {
    /// The very bytes that are hashed.
    let der: [UInt8]
    /// As assetlinks.json has it.
    let fingerprint: CertificateFingerprint
    /// 20 upper-case hex pairs joined by colons: what API consoles ask for. Never in assetlinks.json.
    let sha1: String
    /// RFC 2253.
    let subject: String
    let issuer: String
    let notBefore: Date
    let notAfter: Date
    /// "RSA 2048"; empty when libcrypto does not know the kind.
    let key: String

    /// Reads the certificate these bytes begin with.
    ///
    /// - Throws: ``CertificateFault/malformed(_:)`` when there is none.
    init(der bytes: [UInt8]) throws(CertificateFault) {
        var found = sso_certificate()
        guard sso_certificate_read(bytes, bytes.count, &found) == 1, found.used <= bytes.count else {
            throw .malformed("there is no X.509 certificate where one should be")
        }
        der = Array(bytes[..<found.used])
        var short = [UInt8](repeating: 0, count: 20)
        guard let fingerprint = CertificateFingerprint(Hex.encode(SHA256.hash(der))),
            sso_sha1(der, der.count, &short) == 1
        else { throw .unsupported("libcrypto has no SHA-256 or no SHA-1") }
        self.fingerprint = fingerprint
        sha1 = short.map { byte in
            let text = String(byte, radix: 16, uppercase: true)
            return text.count == 1 ? "0" + text : text
        }.joined(separator: ":")
        subject = withUnsafeBytes(of: found.subject) { Self.text($0) }
        issuer = withUnsafeBytes(of: found.issuer) { Self.text($0) }
        let kind = withUnsafeBytes(of: found.key_kind) { Self.text($0) }
        key = kind.isEmpty ? "" : "\(kind) \(found.key_bits)"
        notBefore = Date(timeIntervalSince1970: TimeInterval(found.not_before))
        notAfter = Date(timeIntervalSince1970: TimeInterval(found.not_after))
    }

    /// The form of WebAuthn origins (`android:apk-key-hash:…`): the same SHA-256 in base64url without padding.
    var apkKeyHash: String { Base64URL.encode(SHA256.hash(der)) }

    /// Made by the Android tools for one machine; no store takes it.
    var isAndroidDebug: Bool { subject.contains("CN=Android Debug") }

    private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}
