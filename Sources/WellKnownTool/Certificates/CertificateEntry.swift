/// A certificate that was found in a file, and what it is there for.
struct CertificateEntry: Sendable, Equatable {
    enum Role: String, Sendable {
        /// The file is the certificate.
        case certificate
        /// It belongs to a private key of the key store.
        case keyEntry = "key entry"
        /// The app is signed with it.
        case signer
        /// The app was signed with it before the key was rotated.
        case formerSigner = "former signer"
        /// A bundle is signed with it for the upload; the store signs the app with another one.
        case uploadKey = "upload key"
        /// It only vouches for another one of the file, or the key store merely trusts it.
        case chain = "issuer"
    }

    let certificate: SigningCertificate
    let role: Role
    /// Where it was found: "APK signature scheme v3".
    let place: String
    /// The name of the entry in a key store.
    var alias: String?
    /// The Android API levels for which the signer counts; only schemes 3 and 3.1 say so.
    var apiLevels: ClosedRange<UInt32>?

    /// Whether assetlinks.json should have it.
    var isListed: Bool { role != .chain && role != .uploadKey }
}

/// What a file holds.
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
    /// What to know before the values are used: whole sentences.
    var notes: [String] = []
}
