import Foundation
import WellKnown

/// Reads the signing certificates of an APK or an app bundle.
enum APKFile {
    /// The maximum size of a JAR signature block. Real ones have some kilobytes.
    private static let maximumBlock = 4 << 20

    static func read(_ data: Data) throws(CertificateError) -> CertificateReading {
        let archive: ZipArchive
        do { archive = try ZipArchive(data) } catch {
            throw switch error {
            case .notAnArchive: .malformed("it begins like a zip archive and has no end")
            case .malformed(let what): .malformed(what)
            }
        }
        let names = Set(archive.entries.map(\.name))
        if archive.isBundle { return try bundle(archive) }

        var entries: [CertificateEntry] = []
        if let block = try APKSigningBlock(archive) {
            for scheme in [APKSigningBlock.Scheme.v31, .v3, .v2] {
                guard let value = block.values[scheme] else { continue }
                entries += try APKSigners.read(value, scheme: scheme)
            }
        }
        var notes = ["The signatures themselves are not checked here; `apksigner verify --print-certs` does that."]
        if entries.isEmpty {
            entries = try signatures(of: archive, role: .signer)
            guard !entries.isEmpty else {
                throw .empty(
                    names.contains("AndroidManifest.xml")
                        ? "the APK is not signed: it has no signing block and no META-INF/*.RSA"
                        : "this zip archive is not an APK: it has neither a signature nor an AndroidManifest.xml")
            }
            notes.append(
                "Only a JAR signature (scheme v1) was found: Android 7 and later do without it, and an app for "
                    + "Android 11 must have scheme v2 or later.")
        }
        if entries.contains(where: { $0.role == .formerSigner }) {
            notes.append(
                "The key was rotated: list the old and the new certificate for as long as both are installed somewhere."
            )
        }
        return CertificateReading(format: .apk, entries: merged(entries), notes: notes)
    }

    private static func bundle(_ archive: ZipArchive) throws(CertificateError) -> CertificateReading {
        let entries = try signatures(of: archive, role: .uploadKey)
        let warning =
            "A bundle is never signed with the app-signing key: Google Play signs the APKs it makes of it. The value for "
            + "assetlinks.json is in the Play Console under Test and release, App integrity, App signing."
        guard !entries.isEmpty else { throw .empty("the app bundle is not signed. \(warning)") }
        return CertificateReading(format: .bundle, entries: merged(entries), notes: [warning])
    }

    /// Reads the JAR signatures: META-INF/*.RSA, *.DSA, *.EC.
    private static func signatures(
        of archive: ZipArchive, role: CertificateEntry.Role
    ) throws(CertificateError) -> [CertificateEntry] {
        var entries: [CertificateEntry] = []
        let blocks = archive.entries.filter { entry in
            let name = entry.name.uppercased()
            return name.hasPrefix("META-INF/") && !name.dropFirst(9).contains("/")
                && [".RSA", ".DSA", ".EC"].contains { name.hasSuffix($0) }
        }
        for block in blocks.prefix(10) {
            let bytes: [UInt8]
            do { bytes = try archive.contents(of: block, limit: maximumBlock) } catch {
                throw .malformed("its JAR signature \(block.name) cannot be read")
            }
            entries += try SignedMessage.certificates(
                of: bytes, place: "JAR signature (scheme v1), \(block.name)", signer: role)
        }
        return entries
    }

    /// Keeps one entry per certificate and role, because v2 and v3 usually name the same signer.
    private static func merged(_ entries: [CertificateEntry]) -> [CertificateEntry] {
        entries.uniqued(by: \.certificate)
    }
}

/// Reads the signers in an APK's signing block. The signatures are not verified. Use `apksigner verify` for that.
///
/// Sources: Android, "APK Signature Scheme v2", "… v3", "… v3.1"; AOSP ApkSigningBlockUtils.
enum APKSigners {
    /// Android rejects an APK with more signers.
    private static let maximumSigners = 10
    private static let maximumParts = 64
    /// The attribute of a v3 signer that contains its previous keys.
    private static let lineageAttribute: UInt64 = 0x3ba0_6f8c

    static func read(
        _ value: some Collection<UInt8>, scheme: APKSigningBlock.Scheme
    ) throws(CertificateError) -> [CertificateEntry] {
        var cursor = ByteCursor(value)
        var signers = try cursor.counted()
        var entries: [CertificateEntry] = []
        for signer in try signers.parts(atMost: maximumSigners) { entries += try read(signer, scheme) }
        guard !entries.isEmpty else { throw .malformed("a signature scheme of it has no signer") }
        return entries
    }

    private static func read(
        _ signer: ByteCursor, _ scheme: APKSigningBlock.Scheme
    ) throws(CertificateError) -> [CertificateEntry] {
        var signer = signer
        var signed = try signer.counted()
        _ = try signed.counted()
        var certificates = try signed.counted()
        // The first certificate belongs to the signer. The others are its issuers, which Android ignores.
        guard let certificate = try certificates.parts(atMost: maximumParts).first else {
            throw .malformed("a signer has no certificate")
        }
        var entry = CertificateEntry(
            certificate: try SigningCertificate(der: Array(certificate.rest)), role: .signer, place: scheme.name)
        guard scheme != .v2 else { return [entry] }
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

    /// The oldest certificate comes first. The last one is the signer itself. Source: AOSP V3SigningCertificateLineage.
    private static func lineage(_ value: ByteCursor) throws(CertificateError) -> [SigningCertificate] {
        var value = value
        guard try value.littleEndian(4) == 1 else {
            throw .unsupported("its key rotation is written in a form that is not known here: update this program")
        }
        return try value.parts(atMost: maximumParts).map { node throws(CertificateError) in
            var node = node
            var signed = try node.counted()
            return try SigningCertificate(der: Array(try signed.counted().rest))
        }
    }
}

/// The block between the contents and the central directory of an APK. It contains the signatures.
///
/// Source: Android, "APK Signature Scheme v2", section "APK Signing Block".
struct APKSigningBlock {
    enum Scheme: UInt32, CaseIterable {
        case v2 = 0x7109_871a
        case v3 = 0xf053_68c0
        /// For Android 13 and later, in addition to v3. It contains a rotated key that older systems must not use.
        case v31 = 0x1b93_ad61

        var name: String {
            switch self {
            case .v2: "APK signature scheme v2"
            case .v3: "APK signature scheme v3"
            case .v31: "APK signature scheme v3.1"
            }
        }
    }

    /// The value of each scheme in the block. If a scheme appears twice, the first value counts, as on Android.
    let values: [Scheme: ArraySlice<UInt8>]

    /// The maximum size of the block. Certificates and digests have some kilobytes, and stores add their own data.
    private static let maximumSize: UInt64 = 32 << 20
    private static let magic = Array("APK Sig Block 42".utf8)

    /// - Returns: `nil` for an archive without such a block.
    init?(_ archive: ZipArchive) throws(CertificateError) {
        let (data, end) = (archive.data, archive.directoryOffset)
        guard end >= 32, Array(data[(end - 16)..<end]) == Self.magic else { return nil }
        // The size is at both ends of the block. It does not include the first size field.
        let size = ZipArchive.number(data, end - 24, 8)
        guard size >= 24, size <= UInt64(end - 8), size <= Self.maximumSize else {
            throw .malformed("the size of its signing block is not possible")
        }
        let start = end - Int(size) - 8
        guard ZipArchive.number(data, start, 8) == size else { throw .malformed("its signing block has two sizes") }
        var cursor = ByteCursor(data[(start + 8)..<(end - 24)])
        var values: [Scheme: ArraySlice<UInt8>] = [:]
        while !cursor.isAtEnd {
            let length = try cursor.littleEndian(8)
            guard length >= 4, length <= UInt64(cursor.rest.count) else {
                throw .malformed("an entry of its signing block is longer than the block")
            }
            let id = UInt32(truncatingIfNeeded: try cursor.littleEndian(4))
            let value = try cursor.take(Int(length) - 4)
            if let scheme = Scheme(rawValue: id), values[scheme] == nil { values[scheme] = value }
        }
        self.values = values
    }
}
