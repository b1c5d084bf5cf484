import COpenSSL
import Foundation
import SSOShared
import WellKnown

/// A certificate and the common notations of its hash.
struct SigningCertificate: Hashable, Sendable {
    /// The hashed bytes.
    let der: [UInt8]
    /// The SHA-256 fingerprint as written in assetlinks.json.
    let fingerprint: CertificateFingerprint
    /// The SHA-1 as 20 upper-case hex pairs joined by colons, which API consoles require and assetlinks.json does not.
    let sha1: String
    /// The subject in the notation of RFC 2253.
    let subject: String
    let issuer: String
    let notBefore: Date
    let notAfter: Date
    /// The kind of key, for example "RSA 2048". Empty if libcrypto does not know the kind.
    let key: String

    /// Reads the certificate at the beginning of the bytes.
    ///
    /// - Throws: ``CertificateError/malformed(_:)`` if there is no certificate.
    init(der bytes: [UInt8]) throws(CertificateError) {
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
        sha1 = short.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: ":")
        subject = withUnsafeBytes(of: found.subject) { Self.text($0) }
        issuer = withUnsafeBytes(of: found.issuer) { Self.text($0) }
        let kind = withUnsafeBytes(of: found.key_kind) { Self.text($0) }
        key = kind.isEmpty ? "" : "\(kind) \(found.key_bits)"
        notBefore = Date(timeIntervalSince1970: TimeInterval(found.not_before))
        notAfter = Date(timeIntervalSince1970: TimeInterval(found.not_after))
    }

    /// The form in WebAuthn origins (`android:apk-key-hash:…`): the same SHA-256 in base64url without padding.
    var apkKeyHash: String { Base64URL.encode(SHA256.hash(der)) }

    /// Whether the Android tools made the certificate as a local debug key. No store accepts it.
    var isAndroidDebug: Bool { subject.contains("CN=Android Debug") }

    private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
}

/// A certificate from a file, and its role there.
struct CertificateEntry: Sendable, Equatable {
    enum Role: String, Sendable {
        /// The file itself is the certificate.
        case certificate
        /// The certificate belongs to a private key in the key store.
        case keyEntry = "key entry"
        /// The app is signed with it.
        case signer
        /// The app was signed with it before a key rotation.
        case formerSigner = "former signer"
        /// The bundle is signed with it for the upload. The store signs the app with another key.
        case uploadKey = "upload key"
        /// An issuer of another certificate in the file, or a trusted certificate in the key store.
        case chain = "issuer"
    }

    let certificate: SigningCertificate
    let role: Role
    /// The place in the file, for example "APK signature scheme v3".
    let place: String
    /// The name of the entry in a key store.
    var alias: String?
    /// The Android API levels for which the signer counts. Only schemes 3 and 3.1 contain them.
    var apiLevels: ClosedRange<UInt32>?

    /// Whether the certificate's fingerprint belongs in assetlinks.json.
    var isListed: Bool { role != .chain && role != .uploadKey }
}

/// The certificates of a file.
struct CertificateReading: Sendable, Equatable {
    enum Format: String, Sendable {
        case pem = "PEM"
        case der = "DER"
        case pkcs12 = "PKCS#12"
        case jks = "JKS"
        case apk = "APK"
        case bundle = "Android App Bundle"
        case message = "PKCS#7"
    }

    let format: Format
    let entries: [CertificateEntry]
    /// Information for the user of the values, in complete sentences.
    var notes: [String] = []
}

/// The reason why no certificate could be read from a file.
enum CertificateError: Error, Equatable {
    case unknownFormat
    /// The format is known, but the content is invalid. The text is the end of a sentence.
    case malformed(String)
    case wrongPassword
    /// The key store needs a password, and none was given.
    case passwordNeeded
    /// Opening the key store would take minutes of processor time.
    case tooManyRounds
    /// A cipher or format that is not supported, with the alternative.
    case unsupported(String)
    /// The file is valid but has no certificate. The text says what was expected.
    case empty(String)
    /// The file of the certificate, or of its password, could not be read.
    case unreadable(InputError)
}

extension CertificateError: CustomStringConvertible {
    var description: String {
        switch self {
        case .unknownFormat: "this is not a certificate (PEM, DER), a key store (PKCS#12, JKS) or an APK"
        case .malformed(let what): "the file is broken: \(what)"
        case .wrongPassword: "the password does not open this key store"
        case .passwordNeeded:
            "the key store needs its password: give it with --password-file, or run this on a terminal"
        case .tooManyRounds:
            "the key store asks for more than three million rounds of its password hash, and is not opened"
        case .unsupported(let what), .empty(let what): what
        case .unreadable(let error): error.description
        }
    }
}
