import Foundation

/// An APK or an app bundle: who signed it.
enum APKFile {
    /// A signature block of a JAR is some kilobytes.
    private static let maximumBlock = 4 << 20

    static func read(_ data: Data) throws(CertificateFault) -> CertificateReading {
        let archive: ZipArchive
        do { archive = try ZipArchive(data) } catch {
            throw switch error {
            case .notAnArchive: .malformed("it begins like a zip archive and has no end")
            case .malformed(let what): .malformed(what)
            }
        }
        let names = Set(archive.entries.map(\.name))
        if names.contains("BundleConfig.pb") { return try bundle(archive) }

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
                        : "this zip archive is no APK: it has neither a signature nor an AndroidManifest.xml")
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

    private static func bundle(_ archive: ZipArchive) throws(CertificateFault) -> CertificateReading {
        let entries = try signatures(of: archive, role: .uploadKey)
        let warning =
            "A bundle is never signed with the app-signing key: Google Play signs the APKs it makes of it. The value for "
            + "assetlinks.json stands in the Play Console under Test and release, App integrity, App signing."
        guard !entries.isEmpty else { throw .empty("the app bundle is not signed. \(warning)") }
        return CertificateReading(format: .bundle, entries: merged(entries), notes: [warning])
    }

    /// The JAR signatures: META-INF/*.RSA, *.DSA, *.EC.
    private static func signatures(
        of archive: ZipArchive, role: CertificateEntry.Role
    ) throws(CertificateFault) -> [CertificateEntry] {
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

    /// One entry a certificate and role: v2 and v3 usually name the same signer.
    private static func merged(_ entries: [CertificateEntry]) -> [CertificateEntry] {
        var kept: [CertificateEntry] = []
        for entry in entries where !kept.contains(where: { $0.certificate == entry.certificate }) {
            kept.append(entry)
        }
        return kept
    }
}
