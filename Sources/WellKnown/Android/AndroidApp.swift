import SSOShared

/// An Android app: its package name and the certificates that it may be signed with.
///
/// Source: Google, "Digital Asset Links" (`package_name` and `sha256_cert_fingerprints` of an `android_app` target).
public struct AndroidApp: Hashable, Sendable {
    /// The application id, for example `com.example.app`.
    public let packageName: String
    /// The fingerprints, at least one. With Play App Signing that of the app-signing key, not of the upload key.
    public let fingerprints: [CertificateFingerprint]

    /// Reads one item `package=SHA256[;SHA256]`. White space around the parts is ignored.
    ///
    /// - Throws: ``AssociationError/androidApp(item:reason:)`` with the reason, or
    ///   ``AssociationError/duplicate(item:)`` for a fingerprint that appears twice.
    public init(_ text: String) throws(AssociationError) {
        func refused(_ reason: String) -> AssociationError { .androidApp(item: text, reason: reason) }

        let halves = text.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2 else { throw refused("there is no = after the package name") }
        let package = AssociationList.trimmed(Array(halves[0]))
        guard Self.isPackageName(package) else {
            throw refused(
                "the package name must be two or more parts joined by dots, each a letter and then letters, digits or _"
            )
        }
        var fingerprints: [CertificateFingerprint] = []
        for part in halves[1].split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false) {
            let bytes = AssociationList.trimmed(Array(part))
            guard !bytes.isEmpty else { throw refused("a fingerprint is empty") }
            let item = String(decoding: bytes, as: UTF8.self)
            guard let fingerprint = CertificateFingerprint(item) else {
                throw refused(
                    "the fingerprint \(fingerprints.count + 1) is not a SHA-256: 32 pairs of hex digits, joined by colons"
                )
            }
            guard !fingerprints.contains(fingerprint) else { throw .duplicate(item: item) }
            fingerprints.append(fingerprint)
        }
        packageName = String(decoding: package, as: UTF8.self)
        self.fingerprints = fingerprints
    }

    /// Reads a comma-separated list, as in `IDP_ANDROID_APPS`. A blank text results in an empty list.
    ///
    /// - Throws: ``AssociationError`` for each item that is empty, ill-formed, or names a package for the second time.
    ///   All fingerprints of one package belong in one item.
    public static func list(_ text: String) throws(AssociationError) -> [AndroidApp] {
        try AssociationList.read(text, name: \.packageName) { item throws(AssociationError) in try AndroidApp(item) }
    }

    /// Checks the rules for an Android application id:
    /// https://developer.android.com/build/configure-app-module#set-application-id
    private static func isPackageName(_ bytes: [UInt8]) -> Bool {
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count >= 2 && bytes.count <= 223
            && parts.allSatisfy { part in
                part.first?.isASCIILetter == true
                    && part.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == UInt8(ascii: "_") }
            }
    }
}

/// The SHA-256 of a signing certificate as written in the asset links file: 32 upper-case hex pairs joined by colons.
public struct CertificateFingerprint: Hashable, Sendable, CustomStringConvertible {
    /// The text with 95 characters in upper case. Android compares the text, so lower-case fingerprints never match.
    public let description: String

    /// Reads 32 hex pairs joined by colons, or 64 hex digits without colons, in either case. `keytool`, `apksigner` and
    /// the Play Console print these forms.
    ///
    /// - Returns: `nil` for any other text, for example a SHA-1 (20 pairs).
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 64 || bytes.count == 95 else { return nil }
        let colons = bytes.count == 95 ? Array(stride(from: 2, to: bytes.count, by: 3)) : []
        guard colons.allSatisfy({ bytes[$0] == UInt8(ascii: ":") }) else { return nil }
        let digits = colons.isEmpty ? bytes : bytes.filter { $0 != UInt8(ascii: ":") }
        guard digits.count == 64, let octets = Hex.decode(String(decoding: digits, as: UTF8.self)) else { return nil }
        description = Self.text(octets)
    }

    /// Upper-case pairs of hex digits, joined by colons.
    static func text(_ octets: [UInt8]) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for octet in octets {
            if !bytes.isEmpty { bytes.append(UInt8(ascii: ":")) }
            bytes.append(digits[Int(octet >> 4)])
            bytes.append(digits[Int(octet & 15)])
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
